import type { Command } from 'commander';
import type { CommandContext } from '../../main/cli/command.ts';
import { buildProgram } from '../../main/cli/commands.ts';

/** Every command with its arguments, options and texts, to be read and not run. */
export function readProgram(): Command {
  const { stdout, stderr, stdin } = process;
  const refuse = () => {
    throw new Error('A reference runs no command.');
  };
  const signal = AbortSignal.abort();
  const context: CommandContext = {
    stdout,
    stderr,
    stdin,
    env: {},
    quiet: false,
    signal,
    causeway: refuse,
    inHome: refuse,
    setExitCode: refuse,
  };
  return buildProgram(context);
}

/** The commands below another one that have a description, in the order of the help. */
export function commandsBelow(command: Command): Command[] {
  return command.commands
    .filter((each) => each.name() !== 'help')
    .flatMap((each) => [...(each.description() ? [each] : []), ...commandsBelow(each)]);
}

/** A description as a sentence. */
export function sentence(words: string): string {
  const whole = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.:]$/.test(whole) || whole === '' ? whole : `${whole}.`;
}
