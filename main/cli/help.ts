import type { Command } from 'commander';
import type { CommandContext } from './command.ts';
import { EXAMPLES } from './examples.ts';
import { exitCodesInWords } from './exit-codes.ts';
import { noSuchCommand, pathOf } from './failure.ts';

/** Adds `help [COMMAND…]`, and to each command's help its examples and the exit codes. */
export function addHelp(program: Command, context: CommandContext): void {
  program
    .command('help [command...]')
    .description('help for a command: causeway help warehouse set')
    .helpOption(false)
    .action((names: string[]) => void context.stdout.write(helpTextOf(commandNamed(program, names))));
  program.helpCommand(false);
  addExamples(program);
}

function addExamples(command: Command): void {
  const examples = EXAMPLES[pathOf(command)] ?? [];
  const lines = examples.map((example) => `  $ ${example}`);
  const heading = examples.length === 1 ? 'Example:' : 'Examples:';
  if (lines.length > 0) command.addHelpText('after', ['', heading, ...lines].join('\n'));
  // What AI clients start speaks to them by its frames.
  if (command.name() !== 'proxy') command.addHelpText('after', `\n${exitCodesInWords()}`);
  if (command.parent && command.commands.length > 0) command.helpCommand(true);
  command.commands.forEach(addExamples);
}

/** What `--help` prints, with what stands around the usage. */
function helpTextOf(command: Command): string {
  let text = '';
  const before = command.configureOutput();
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  command.configureOutput(before);
  return text;
}

/** @throws {CausewayError} `usage` with the commands that there are */
function commandNamed(program: Command, names: readonly string[]): Command {
  return names.reduce((at, name) => {
    const found = at.commands.find((command) => command.name() === name || command.aliases().includes(name));
    if (found) return found;
    throw noSuchCommand(name, at);
  }, program);
}
