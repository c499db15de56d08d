import type { Command, Option } from 'commander';
import { EXIT_CODES, pathOf } from '../../../main/cli/failure.ts';
import { EXAMPLES } from '../../../main/cli/help.ts';
import { PROXY_HELP } from '../../../main/cli/proxy-arguments.ts';
import { commandsBelow, readProgram, sentence } from '../../reference/program.ts';
import type { LinuxRelease } from './release.ts';

const FILES = [
  ['~/.databrickscfg', 'Profiles, as those of the Databricks CLI. DATABRICKS_CONFIG_FILE names another file.'],
  ['~/.config/causeway/', 'Settings, servers and permissions.'],
  ['~/.local/state/causeway/', 'What is remembered between two starts, and logs/.'],
] as const;

const ENVIRONMENT = [
  ['CAUSEWAY_HOME', 'A folder for everything that Causeway itself keeps.'],
  [
    'CAUSEWAY_TOKEN_STORE',
    'Where tokens are kept: keychain, or encrypted-file where there is no keychain. The setting of the window otherwise.',
  ],
  ['DATABRICKS_CONFIG_FILE, DATABRICKS_CONFIG_PROFILE', 'The file of profiles, and the profile to use.'],
  ['HTTPS_PROXY, HTTP_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE', 'How the network is reached.'],
] as const;

/** The page causeway(1), made of the command's own help, in the macros of man(7). */
export function commandManPage({ version, date }: Pick<LinuxRelease, 'version' | 'date'>): string {
  const program = readProgram();
  const lines = [
    `.TH CAUSEWAY 1 "${date.toISOString().slice(0, 10)}" "Causeway ${version}" "User Commands"`,
    '.SH NAME',
    'causeway \\- AI clients, managed MCP servers and SQL warehouses of Databricks',
    '.SH SYNOPSIS',
    '.B causeway',
    '.I command',
    '[\\fIoption\\fR...]',
    '.SH DESCRIPTION',
    text(program.description()),
    '.PP',
    text('AI clients run causeway proxy; the other commands are for people. causeway help COMMAND shows more.'),
    '.SH COMMANDS',
    ...commandsBelow(program).flatMap(section),
    '.SH EXIT STATUS',
    text('Of every command but proxy:'),
    ...Object.entries(EXIT_CODES).flatMap(([code, meaning]) => tagged(code, meaning)),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(([names, meaning]) => tagged(names, meaning)),
    '.SH FILES',
    ...FILES.flatMap(([path, meaning]) => tagged(path, meaning)),
    '.SH EXAMPLES',
    ...(EXAMPLES.causeway ?? []).flatMap((example) => ['.PP', '.nf', text(example), '.fi']),
    '.SH SEE ALSO',
    '.BR causeway-desktop (1)',
  ];
  return `${lines.join('\n')}\n`;
}

function section(command: Command): string[] {
  // It reads its arguments without commander, and has its own help text.
  if (command.name() === 'proxy') return ['.SS causeway proxy', '.nf', text(PROXY_HELP, '\n'), '.fi'];
  const options = command.options.filter(({ hidden }) => !hidden);
  return [
    `.SS ${text(`${pathOf(command)} ${command.usage().replace('[options] ', '').replace('[options]', '')}`.trim())}`,
    text(sentence(command.description())),
    ...options.flatMap((option) => tagged(option.flags, meaningOf(option))),
  ];
}

function meaningOf({ description, argChoices }: Option): string {
  return sentence(argChoices ? `${description}: ${argChoices.join(', ')}` : description);
}

function tagged(name: string, meaning: string): string[] {
  return ['.TP', `.B ${text(name)}`, text(meaning)];
}

/** As roff reads it: backslashes, minus signs, backticks and a dot or quote at the beginning of a line mean something to it. */
function text(words: string, lineEnd = ' '): string {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '\\(ga')
    .replaceAll(/^(?=[.'])/gm, '\\&')
    .replaceAll('\n', lineEnd)
    .trimEnd();
}
