/** A flag that many commands have, which may stand before the command too. */
interface GlobalFlag {
  long: string;
  short?: string;
  hasValue: boolean;
}

/** The Databricks CLI's global flags, and those that are ours. A command that does not have one refuses it wherever it stands. */
export const GLOBAL_FLAGS: readonly GlobalFlag[] = [
  { long: '--profile', short: '-p', hasValue: true },
  { long: '--output', short: '-o', hasValue: true },
  { long: '--target', short: '-t', hasValue: true },
  { long: '--debug', hasValue: false },
  { long: '--log-file', hasValue: true },
  { long: '--log-format', hasValue: true },
  { long: '--log-level', hasValue: true },
  { long: '--json', hasValue: false },
  { long: '--quiet', short: '-q', hasValue: false },
  { long: '--config-root', hasValue: true },
];

/** Arguments with the global flags that they begin with, and their values, apart from the rest. */
export function leadingFlags(args: readonly string[]): { flags: string[]; rest: string[] } {
  let end = 0;
  for (let arg = args[end]; arg?.startsWith('-'); arg = args[end]) {
    const [name, value] = arg.split('=', 2);
    const flag = GLOBAL_FLAGS.find(({ short, long }) => name === short || name === long);
    if (!flag) break;
    end += flag.hasValue && value === undefined ? 2 : 1;
  }
  return { flags: args.slice(0, end), rest: args.slice(end) };
}

/** A command with its subcommands, as commander describes it. */
interface CommandTree {
  name(): string;
  aliases(): readonly string[];
  commands: readonly CommandTree[];
}

/**
 * The same arguments with the global flags that stand before a command or between it and its subcommand moved behind the last
 * subcommand, which has them. Where no command follows, they stay.
 */
export function flagsBehindCommand(program: CommandTree, args: readonly string[]): string[] {
  const path: string[] = [];
  const held: string[] = [];
  let left = [...args];
  for (let at: CommandTree | undefined = program; at; ) {
    const { flags, rest } = leadingFlags(left);
    const [word = '', ...behind] = rest;
    at = at.commands.find((command) => command.name() === word || command.aliases().includes(word));
    if (!at) break;
    path.push(word);
    held.push(...flags);
    left = behind;
  }
  return [...path, ...held, ...left];
}
