import type { Argument, Command, Option } from 'commander';
import { ANSWERS } from '../../main/cli/answers/answers.ts';
import { isDropIn } from '../../main/cli/drop-in/group.ts';
import { pathOf } from '../../main/cli/failure.ts';
import { EXAMPLES } from '../../main/cli/help.ts';
import { PROXY_HELP } from '../../main/cli/proxy-arguments.ts';
import { anchorOf } from './json.ts';
import { MADE, table } from './markdown.ts';
import { commandsBelow, sentence } from './program.ts';

/** The page with every command, its arguments and its options. */
export function commandsPage(program: Command): string {
  const commands = commandsBelow(program);
  return `# Commands

${MADE}

\`causeway help COMMAND\` shows the same. Flags that many commands have, such as \`--profile\`, \`--json\` and \`--quiet\`, may stand before the command or
behind it. With \`--json\`, stdout is one JSON document ([json.md](json.md)); [exit-codes.md](exit-codes.md) has the exit codes, and
[environment.md](environment.md) the variables that decide beside the flags.

\`--quiet\` prints results and errors only: no confirmations, hints, notices and progress. A question is still asked.

${commands.map(section).join('\n')}`;
}

function section(command: Command): string {
  const path = pathOf(command);
  const isProxy = command.name() === 'proxy';
  const usage = `${path} ${isProxy ? '[options]' : command.usage()}`.replace(/\s+\[command\]$/, '').trim();
  return [
    `## ${path}`,
    sentence(command.description()),
    `\`\`\`sh\n${usage}\n\`\`\``,
    ...(isProxy ? [`\`\`\`text\n${PROXY_HELP.trim()}\n\`\`\``] : [optionsOf(command)]),
    ...jsonOf(command),
    ...examplesOf(path),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

function optionsOf(command: Command): string {
  const rows = [
    ...command.registeredArguments.map(argumentRow),
    ...command.options.filter(({ hidden }) => !hidden).map(optionRow),
  ];
  return rows.length === 0 ? '' : table(['argument or option', 'meaning'], rows).trimEnd();
}

function argumentRow(argument: Argument): string[] {
  const name = `${argument.name().toUpperCase()}${argument.variadic ? '…' : ''}`;
  const choices = argument.argChoices ? `: ${argument.argChoices.join(', ')}` : '';
  return [`\`${name}\``, `${argument.description}${choices}${argument.required ? '' : ' (optional)'}`.trim()];
}

function optionRow({ flags, description, argChoices, mandatory }: Option): string[] {
  const choices = argChoices ? `: ${argChoices.join(', ')}` : '';
  return [`\`${flags}\``, `${description}${choices}${mandatory ? ' (required)' : ''}`];
}

function jsonOf(command: Command): string[] {
  const name = pathOf(command).replace(/^causeway /, '');
  if (isDropIn(command) || !Object.hasOwn(ANSWERS, name)) return [];
  return [`With \`--json\`: [${name}](json.md#${anchorOf(name)}).`];
}

function examplesOf(path: string): string[] {
  const examples = EXAMPLES[path] ?? [];
  return examples.length === 0 ? [] : [`\`\`\`sh\n${examples.join('\n')}\n\`\`\``];
}
