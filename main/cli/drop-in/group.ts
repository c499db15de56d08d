import { type Command, Option } from 'commander';
import { asCausewayError, CausewayError } from '../../platform/errors.ts';
import { inOneLine, remedyFor } from '../../words/failure.ts';
import type { CommandContext } from '../command.ts';
import { pathOf } from '../failure.ts';
import { printable, write } from '../terminal.ts';

/** The groups of the Databricks CLI of which some commands are here too. */
const GROUPS: ReadonlySet<string> = new Set(['warehouses', 'current-user', 'auth', 'account', 'experimental']);

/** Whether a command is one of the Databricks CLI's, or a group of them: its errors, exit codes and help are that CLI's. */
export function isDropIn(command: Command): boolean {
  const { parent } = command;
  return parent !== null && (parent.parent === null ? GROUPS.has(command.name()) : isDropIn(parent));
}

/** One of the Databricks CLI's commands. */
export interface DropInCommand {
  name: string;
  does: string;
  /** The positional arguments that it takes, for its usage. */
  takes: readonly string[];
  /** Adds its own flags. */
  addFlags?: (command: Command) => void;
  /** @throws {UsageError} for a wrong number of arguments */
  checkArguments(command: Command): void;
  run(context: CommandContext, command: Command, flags: GlobalFlags): Promise<void>;
}

/** The values of the flags that each of them takes. */
export interface GlobalFlags {
  profile: string | undefined;
  /** Undefined if the flag was not given. */
  output: 'text' | 'json' | undefined;
}

/** Adds a group of such commands, which prints its help if none of them is named. The list of all commands is for ours. */
export function addDropInGroup(parent: Command, name: string, does: string, context: CommandContext): Command {
  const group = withGlobalFlags(
    parent.command(name, { hidden: parent.parent === null && name !== 'warehouses' }),
  ).description(does);
  group.allowExcessArguments().action(() => asOriginal(context, () => explain(context, group)));
  return group;
}

/** Adds a command. Errors in its arguments have the original's words instead of commander's. */
export function addDropIn(group: Command, each: DropInCommand, context: CommandContext): void {
  const { name, does, takes, addFlags } = each;
  const command = withGlobalFlags(group.command(name)).description(does).allowUnknownOption().allowExcessArguments();
  for (const argument of takes) command.argument(`[${argument}]`);
  addFlags?.(command);
  command.action(() => asOriginal(context, () => run(context, command, each)));
}

async function run(context: CommandContext, command: Command, each: DropInCommand): Promise<void> {
  const flags = globalFlagsOf(command);
  refuseUnknownFlags(command);
  each.checkArguments(command);
  if (command.optsWithGlobals().debug !== true) return each.run(context, command, flags);
  const { logRequests } = await import('./log-requests.ts');
  const stop = logRequests(context.stderr);
  try {
    await each.run(context, command, flags);
  } finally {
    stop();
  }
}

/** A group by itself prints its help; with what is none of its commands, that is an error. */
async function explain(context: CommandContext, group: Command): Promise<void> {
  const [unknown] = group.args;
  if (unknown === undefined) return write(context.stdout, group.helpInformation());
  throw unknownCommand(unknown, group);
}

function unknownCommand(name: string, group: Command): UsageError {
  return new UsageError(`unknown command ${JSON.stringify(name)} for "${pathOf(group)}"`, group);
}

/** The flags that the Databricks CLI takes before and after any command. */
function withGlobalFlags(command: Command): Command {
  return command
    .option('-p, --profile [name]', 'the profile to use (default: as the Databricks CLI chooses)')
    .option('-o, --output [type]', 'output type: text or json')
    .option('-t, --target [name]', 'accepted and ignored, as there is no bundle here')
    .option('--debug', 'print each request to stderr')
    .addOption(new Option('--quiet').hideHelp())
    .addOption(new Option('--log-file [file]').hideHelp())
    .addOption(new Option('--log-format [format]').hideHelp())
    .addOption(new Option('--log-level [level]').hideHelp());
}

const VALUED_FLAGS = ['--profile', '--target', '--log-file', '--log-format', '--log-level'] as const;

/** A failure as the original reports it: `Error:` and the server's words on stderr, exit code 1. What we know of it follows. */
async function asOriginal(context: CommandContext, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (asCausewayError(error).code === 'cancelled') throw error;
    const usage = error instanceof UsageError ? `\n\n${error.usage}` : '';
    const lines = (await linesOf(error)).map(printable).join('\n');
    await write(context.stderr, `Error: ${lines}${usage}\n`);
    context.setExitCode(1);
  }
}

/** The workspace's own words, if it said anything, and what they mean here. */
async function linesOf(error: unknown): Promise<string[]> {
  const { saidBy, WorkspaceError } = await import('../../workspace/errors.ts');
  const said = saidBy(error);
  const own = inOneLine(error);
  if (said === undefined) return [own];
  const refusal = error instanceof WorkspaceError && error.cause instanceof WorkspaceError ? error.cause.message : '';
  if (refusal !== '' && own.startsWith(refusal)) return [said, own.slice(refusal.length).trim()].filter(Boolean);
  const explanation = own.includes(said) ? remedyFor('command', asCausewayError(error)) : own;
  return explanation === undefined ? [said] : [said, explanation];
}

/** Wrong arguments; the usage follows the message. */
export class UsageError extends CausewayError {
  readonly usage: string;

  constructor(message: string, command: Command) {
    super('usage', message);
    this.usage = command.helpInformation().trimEnd();
  }
}

/** @throws {UsageError} unless there are exactly that many arguments */
export function checkCount(command: Command, wanted: number): void {
  const { length } = command.args;
  if (length !== wanted) throw new UsageError(`accepts ${wanted} arg(s), received ${length}`, command);
}

/** @throws {UsageError} if there is any argument, which the original takes for the name of a command */
export function refuseArguments(command: Command): void {
  const [first] = command.args;
  if (first !== undefined) throw unknownCommand(first, command);
}

function refuseUnknownFlags(command: Command): void {
  const unknown = command.args.find((arg) => arg.startsWith('-') && arg.length > 1);
  if (unknown === undefined) return;
  const [flag = unknown] = unknown.split('=');
  const words = flag.startsWith('--')
    ? `unknown flag: ${flag}`
    : `unknown shorthand flag: '${flag.charAt(1)}' in ${flag}`;
  throw new UsageError(words, command);
}

/** A flag's value, undefined if it was not given. @throws {UsageError} if it has none */
export function textFlag(command: Command, flag: `--${string}`): string | undefined {
  const name = new Option(flag).attributeName();
  const value: unknown = command.optsWithGlobals()[name];
  if (value === true || value === '') throw new UsageError(`flag needs an argument: ${flag}`, command);
  return typeof value === 'string' ? value.replace(/^=/, '') : undefined;
}

/** A flag whose value is a whole number. @throws {UsageError} if it is none */
export function integerFlag(command: Command, flag: `--${string}`): number | undefined {
  const value = textFlag(command, flag);
  if (value === undefined || /^[+-]?\d+$/.test(value)) return value === undefined ? undefined : Number(value);
  const reason = `strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`;
  throw new UsageError(`invalid argument ${JSON.stringify(value)} for "${flag}" flag: ${reason}`, command);
}

function globalFlagsOf(command: Command): GlobalFlags {
  const output = textFlag(command, '--output');
  const known = outputType(output);
  if (output !== undefined && known === undefined) {
    const accepted = 'accepted arguments are json, text';
    throw new UsageError(`invalid argument ${JSON.stringify(output)} for "-o, --output" flag: ${accepted}`, command);
  }
  // Those without an effect here need a value all the same.
  for (const flag of VALUED_FLAGS) textFlag(command, flag);
  return { profile: textFlag(command, '--profile'), output: known };
}

/** A type of output in any case; undefined for anything else. */
export function outputType(text: string | undefined): GlobalFlags['output'] {
  const lower = text?.toLowerCase();
  return lower === 'json' || lower === 'text' ? lower : undefined;
}

/** A switch with its value behind an equals sign, as Go's flags may have it; whatever else follows it is an argument. */
const SWITCH = /^(--(?:debug|allow-missing|force-refresh|no-browser))=(1|t|true|0|f|false)$/i;

/** The arguments of one of these commands with switches that have no values: without those that are off. Others stay as they are. */
export function plainSwitches(args: readonly string[]): string[] {
  if (!GROUPS.has(args[0] ?? '')) return [...args];
  return args.flatMap((arg) => {
    const [, name, value = ''] = SWITCH.exec(arg) ?? [];
    if (name === undefined) return [arg];
    return /^[1t]/i.test(value) ? [name] : [];
  });
}
