import type { Command } from 'commander';
import type { CommandContext, RegisterCommand } from '../command.ts';
import { unlessUnknown } from '../failure.ts';

const HELP = `
CLIENT is a client's id from \`causeway clients\`. Without one, the command applies to all installed clients.`;

const ALL_IN_ONE = [
  '--all-in-one',
  'one entry for all servers instead of one for each; it follows the list of servers',
] as const;
const HTTP = ['--http', 'let clients that support it connect on their own, with their own OAuth'] as const;
const CLIENT_ID = [
  '--client-id <id>',
  'with --http: the OAuth application of the client (default: the one Databricks publishes for it)',
] as const;
const CALLBACK_PORT = ['--callback-port <port>', 'with --http: the port of its redirect URL'] as const;
const PROFILE = ['--profile <name>', 'with --all-in-one: only the servers of this profile'] as const;
const YES = ['-y, --yes', 'do not show the difference and ask on a terminal'] as const;

/** `causeway clients …`: the AI clients on this computer, and the entries in their files. Code loads when it runs. */
export const registerClients: RegisterCommand = (program, context) => {
  const group = withCommonOptions(program.command('clients'))
    .description('show and change which servers your AI clients have')
    .addHelpText('after', HELP)
    .allowExcessArguments()
    .action(
      unlessUnknown(async (command) => (await import('./list.ts')).listClients(context, [], command.optsWithGlobals())),
    );
  addLooking(group, context);
  addChanging(group, context);
  addBackups(group, context);
};

function withCommonOptions(command: Command): Command {
  return command
    .option('--json', 'print JSON')
    .option(
      '--config-root <dir>',
      "use this folder as the home folder of the clients' files, and its list of servers if it has one",
    );
}

function addLooking(group: Command, context: CommandContext): void {
  withCommonOptions(group.command('list [client...]'))
    .description('list the clients and the state of each entry; of named ones, all details')
    .option('--all', 'include clients that were not found')
    .option('--project [dir]', 'only the entries of the project in this folder (default: the current one)')
    .action(async (ids: string[], _options, command: Command) =>
      (await import('./list.ts')).listClients(context, ids, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('test [client...]'))
    .description('start each entry as its client would, and say what the client will see')
    .option('-s, --server <name...>', 'only these servers')
    .option('--project [dir]', 'the entries of the project in this folder (default: the current one)')
    .action(async (ids: string[], _options, command: Command) =>
      (await import('./test.ts')).testClients(context, ids, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('diff [client...]'))
    .description('show what "add" would change, without writing')
    .option('-s, --server <name...>', 'only these servers')
    .option(...ALL_IN_ONE)
    .option(...PROFILE)
    .option('--project [dir]', "in the clients' files of the project in this folder (default: the current one)")
    .action(async (ids: string[], _options, command: Command) =>
      (await import('./clients.ts')).diffClients(context, ids, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('json [client]'))
    .description('print entries to paste into a client that Causeway does not support')
    .option('-s, --server <name...>', 'only these servers')
    .option(...ALL_IN_ONE)
    .option(...PROFILE)
    .option(...HTTP)
    .option(...CLIENT_ID)
    .option(...CALLBACK_PORT)
    .action(async (id: string | undefined, _options, command: Command) =>
      (await import('./clients.ts')).json(context, id, command.optsWithGlobals()),
    );
}

function addChanging(group: Command, context: CommandContext): void {
  const changing = (name: string) =>
    withCommonOptions(group.command(`${name} [client...]`))
      .option('-s, --server <name...>', 'only these servers')
      .option('--dry-run', 'only show the difference')
      .option('--project [dir]', "in the clients' files of the project in this folder (default: the current one)")
      .option('--force', "replace another program's entry of the same name, and write while the client is running");
  changing('add')
    .description('add your servers to AI clients')
    .option(...ALL_IN_ONE)
    .option(...PROFILE)
    .option(
      '--meta <name=value...>',
      'more values to send in _meta with each tool call, for example warehouse_id=0123456789abcdef',
    )
    .option('--no-meta', "send only the server's own values in _meta")
    .option(...HTTP)
    .option(...CLIENT_ID)
    .option(...CALLBACK_PORT)
    .option(...YES)
    .action(async (ids: string[], _options, command: Command) =>
      (await import('./clients.ts')).addClients(context, ids, command.optsWithGlobals()),
    );
  changing('remove')
    .description('remove the entries of Causeway from AI clients')
    .option('-y, --yes', 'do not ask; also change files that several clients share, for all of them')
    .action(async (ids: string[], _options, command: Command) =>
      (await import('./clients.ts')).removeClients(context, ids, command.optsWithGlobals()),
    );
  changing('repair')
    .description('fix entries that are missing, changed, broken or out of date')
    .option(...YES)
    .action(async (ids: string[], _options, command: Command) =>
      (await import('./clients.ts')).repairClients(context, ids, command.optsWithGlobals()),
    );
}

function addBackups(group: Command, context: CommandContext): void {
  withCommonOptions(group.command('backups'))
    .description('list the backups from before Causeway changed a file')
    .action(async (_options, command: Command) =>
      (await import('./clients.ts')).backups(context, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('restore <backup>'))
    .description('restore a backup; the current file becomes a backup too')
    .option('--dry-run', 'only show the difference')
    .option('--force', 'restore even while the client is running')
    .action(async (id: string, _options, command: Command) =>
      (await import('./clients.ts')).restore(context, id, command.optsWithGlobals()),
    );
}
