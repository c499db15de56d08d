import { type Command, Option } from 'commander';
import { CausewayError } from '../../platform/errors.ts';
import type { CommandContext, RegisterCommand } from '../command.ts';
import {
  addDropIn,
  addDropInGroup,
  checkCount,
  type DropInCommand,
  type GlobalFlags,
  integerFlag,
  refuseArguments,
  textFlag,
} from './group.ts';
import type { OverrideFlags } from './override-operations.ts';

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
  const does = 'manage default warehouse overrides with the commands and flags of the Databricks CLI';
  const group = addDropInGroup(program, 'warehouses', does, context)
    .addHelpText('after', '\nDEFAULT_WAREHOUSE_OVERRIDE_ID is `me` or a numeric user id; NAME is')
    .addHelpText('after', 'default-warehouse-overrides/ with one of these.')
    .addHelpText(
      'after',
      '\nOther commands of the Databricks CLI are here too: `current-user me`, `auth token`, `auth login`,',
    )
    .addHelpText(
      'after',
      '`account custom-app-integration create`, `experimental aitools tools get-default-warehouse`.',
    );
  for (const each of SUBCOMMANDS) addDropIn(group, asDropIn(each), context);
};

function asDropIn({ name, does, takes, operation, hasBody = false }: Subcommand): DropInCommand {
  return {
    name,
    does,
    takes,
    addFlags(command) {
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
    },
    checkArguments(command) {
      if (takes.length === 0) refuseArguments(command);
      else if (hasBody && textFlag(command, '--json') !== undefined) checkBesideBody(command, takes.slice(0, -1));
      else checkCount(command, takes.length);
    },
    run: (context, command, flags) => run(context, command, flags, operation),
  };
}

async function run(context: CommandContext, command: Command, flags: GlobalFlags, operation: Operation): Promise<void> {
  const { OPERATIONS } = await import('./override-operations.ts');
  await OPERATIONS[operation](context, command.args, { ...flagsOf(command), profile: flags.profile });
}

/** The arguments beside a body, which gives the type. */
function checkBesideBody(command: Command, takes: readonly string[]): void {
  if (command.args.length === takes.length) return;
  const message = `when --json flag is specified, provide only ${takes.join(', ')} as positional arguments. Provide 'type' in your JSON input`;
  throw new CausewayError('usage', message);
}

function flagsOf(command: Command): Omit<OverrideFlags, 'profile'> {
  return {
    warehouseId: textFlag(command, '--warehouse-id'),
    json: textFlag(command, '--json'),
    allowMissing: command.optsWithGlobals().allowMissing === true,
    name: textFlag(command, '--name'),
    pageSize: integerFlag(command, '--page-size'),
    pageToken: textFlag(command, '--page-token'),
    limit: integerFlag(command, '--limit'),
  };
}
