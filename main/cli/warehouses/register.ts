import { Command, Option } from 'commander';
import { asCausewayError, CausewayError } from '../../platform/errors.ts';
import { inOneLine, remedyFor } from '../../words/failure.ts';
import type { CommandContext, RegisterCommand } from '../command.ts';
import { printable, write } from '../terminal.ts';
import type { OverrideFlags } from './operations.ts';

type Operation = 'create' | 'get' | 'update' | 'list' | 'remove';

interface Subcommand {
  name: string;
  does: string;
  /** The positional arguments; the last one is left out where `--json` gives it. */
  takes: readonly string[];
  operation: Operation;
  hasBody?: boolean;
}

const SUBCOMMANDS: readonly Subcommand[] = [
  {
    name: 'create-default-warehouse-override',
    does: 'create an override of type CUSTOM or LAST_SELECTED',
    takes: ['DEFAULT_WAREHOUSE_OVERRIDE_ID', 'TYPE'],
    operation: 'create',
    hasBody: true,
  },
  { name: 'get-default-warehouse-override', does: 'print an override', takes: ['NAME'], operation: 'get' },
  {
    name: 'update-default-warehouse-override',
    does: 'change the fields of an override that the mask names; * means all',
    takes: ['NAME', 'UPDATE_MASK', 'TYPE'],
    operation: 'update',
    hasBody: true,
  },
  {
    name: 'list-default-warehouse-overrides',
    does: "print every user's override (admins)",
    takes: [],
    operation: 'list',
  },
  {
    name: 'delete-default-warehouse-override',
    does: 'delete an override; the user falls back to the workspace default',
    takes: ['NAME'],
    operation: 'remove',
  },
];

/**
 * `causeway warehouses …`: the five subcommands of the Databricks CLI, to be called in its place: its arguments and flags,
 * before or after the subcommand, its output, its exit codes and its errors
 * (spec/default-warehouse-override.md › Command-line client subcommands).
 */
export const registerWarehouses: RegisterCommand = (program, context) => {
  const group = withGlobalFlags(program.command('warehouses'))
    .description('manage default warehouse overrides with the commands and flags of the Databricks CLI')
    .addHelpText('after', '\nDEFAULT_WAREHOUSE_OVERRIDE_ID is `me` or a numeric user id; NAME is')
    .addHelpText('after', 'default-warehouse-overrides/ with one of these.');
  for (const each of SUBCOMMANDS) addSubcommand(group, each, context);
  group.allowExcessArguments().action(() => asOriginal(context, () => explain(context, group)));
};

/** The flags that the Databricks CLI takes before and after any command. */
function withGlobalFlags(command: Command): Command {
  return command
    .option('-p, --profile [name]', 'the profile to use (default: as the Databricks CLI chooses)')
    .option('-o, --output [type]', 'output type: text or json; both print JSON')
    .option('-t, --target [name]', 'accepted and ignored, as there is no bundle here')
    .option('--debug', 'print each request to stderr')
    .addOption(new Option('--log-file [file]').hideHelp())
    .addOption(new Option('--log-format [format]').hideHelp())
    .addOption(new Option('--log-level [level]').hideHelp());
}

function globalOptions(): readonly Option[] {
  return withGlobalFlags(new Command()).options;
}

/** Errors in the arguments have the original's words instead of commander's. */
function addSubcommand(group: Command, subcommand: Subcommand, context: CommandContext): void {
  const { name, does, takes, operation, hasBody = false } = subcommand;
  const command = withGlobalFlags(group.command(name)).description(does).allowUnknownOption().allowExcessArguments();
  for (const argument of takes) command.argument(`[${argument}]`);
  if (hasBody) {
    command.option('--json [body]', 'the request body as JSON, or as @FILE');
    command.option('--warehouse-id [id]', 'the warehouse, required with CUSTOM');
    command.option('--name [name]', 'sent along; the workspace names overrides itself');
  }
  if (operation === 'update') command.option('--allow-missing', 'create it if there is none');
  if (operation === 'list') {
    command.option('--page-size [n]', 'how many to request at a time');
    command.option('--limit [n]', 'print at most this many');
    command.addOption(new Option('--page-token [token]').hideHelp());
  }
  command.action(() => asOriginal(context, () => run(context, command, subcommand)));
}

/** The group by itself prints its help; with what is none of its subcommands, that is an error. */
async function explain(context: CommandContext, group: Command): Promise<void> {
  const [unknown] = group.args;
  if (unknown === undefined) return write(context.stdout, group.helpInformation());
  throw new UsageError(`unknown command ${JSON.stringify(unknown)} for "causeway warehouses"`, group);
}

async function run(context: CommandContext, command: Command, subcommand: Subcommand): Promise<void> {
  const flags = flagsOf(command);
  checkArguments(command, subcommand, flags);
  const { OPERATIONS, logRequests } = await import('./operations.ts');
  const operate = OPERATIONS[subcommand.operation];
  const stop = flags.debug ? logRequests(context.stderr) : () => {};
  try {
    await operate(context, command.args, flags);
  } finally {
    stop();
  }
}

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
  const { saidBy } = await import('../../workspace/errors.ts');
  const said = saidBy(error);
  const own = inOneLine(error);
  if (said === undefined) return [own];
  const explanation = own.includes(said) ? remedyFor('command', asCausewayError(error)) : own;
  return explanation === undefined ? [said] : [said, explanation];
}

/** Wrong arguments; the usage follows the message. */
class UsageError extends CausewayError {
  readonly usage: string;

  constructor(message: string, command: Command) {
    super('usage', message);
    this.usage = command.helpInformation().trimEnd();
  }
}

function checkArguments(command: Command, { takes, hasBody }: Subcommand, { json }: OverrideFlags): void {
  const { args } = command;
  const unknown = args.find((arg) => arg.startsWith('-') && arg.length > 1);
  if (unknown !== undefined) {
    const [flag = unknown] = unknown.split('=');
    const words = flag.startsWith('--')
      ? `unknown flag: ${flag}`
      : `unknown shorthand flag: '${flag.charAt(1)}' in ${flag}`;
    throw new UsageError(words, command);
  }
  if (takes.length === 0 && args.length > 0) {
    throw new UsageError(
      `unknown command ${JSON.stringify(args[0])} for "causeway warehouses ${command.name()}"`,
      command,
    );
  }
  const isWithBody = hasBody === true && json !== undefined;
  const wanted = takes.length - Number(isWithBody);
  if (args.length === wanted) return;
  if (isWithBody) {
    const positional = takes.slice(0, -1).join(', ');
    const message = `when --json flag is specified, provide only ${positional} as positional arguments. Provide 'type' in your JSON input`;
    throw new CausewayError('usage', message);
  }
  throw new UsageError(`accepts ${wanted} arg(s), received ${args.length}`, command);
}

function flagsOf(command: Command): OverrideFlags {
  const values: Record<string, unknown> = command.optsWithGlobals();
  const text = (name: string, shown: string): string | undefined => {
    const value = values[name];
    if (value === true || value === '') throw new UsageError(`flag needs an argument: ${shown}`, command);
    return typeof value === 'string' ? value.replace(/^=/, '') : undefined;
  };
  const integer = (name: string, shown: string): number | undefined => {
    const value = text(name, shown);
    if (value === undefined || /^[+-]?\d+$/.test(value)) return value === undefined ? undefined : Number(value);
    const reason = `strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`;
    throw new UsageError(`invalid argument ${JSON.stringify(value)} for "${shown}" flag: ${reason}`, command);
  };
  const output = text('output', '--output');
  if (output !== undefined && !['json', 'text'].includes(output.toLowerCase())) {
    const accepted = 'accepted arguments are json, text';
    throw new UsageError(`invalid argument ${JSON.stringify(output)} for "-o, --output" flag: ${accepted}`, command);
  }
  // Those without an effect here need a value all the same.
  for (const option of globalOptions()) if (option.optional) text(option.attributeName(), option.long ?? option.flags);
  return {
    profile: text('profile', '--profile'),
    warehouseId: text('warehouseId', '--warehouse-id'),
    json: text('json', '--json'),
    allowMissing: values.allowMissing === true,
    debug: values.debug === true,
    name: text('name', '--name'),
    pageSize: integer('pageSize', '--page-size'),
    pageToken: text('pageToken', '--page-token'),
    limit: integer('limit', '--limit'),
  };
}

/** A switch with its value behind an equals sign, as Go's flags may have it; whatever else follows it is an argument. */
const SWITCH = /^(--(?:debug|allow-missing))=(1|t|true|0|f|false)$/i;

/** The arguments of one of these commands with switches that have no values: without those that are off. Others stay as they are. */
export function plainSwitches(args: readonly string[]): string[] {
  if (args[0] !== 'warehouses') return [...args];
  return args.flatMap((arg) => {
    const [, name, value = ''] = SWITCH.exec(arg) ?? [];
    if (name === undefined) return [arg];
    return /^[1t]/i.test(value) ? [name] : [];
  });
}
