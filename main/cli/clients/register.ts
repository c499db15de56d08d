import type { Command } from 'commander';
import type { CommandContext, RegisterCommand } from '../command.ts';
import { noSuchCommand } from '../failure.ts';

const HELP = `
CLIENT is a client's id, as "causeway clients" lists them; without one, all that are installed are meant.`;

const ALL_IN_ONE = [
  '--all-in-one',
  'one entry for all servers, in the place of one for each: it follows the list by itself',
] as const;
const PROFILE = ['--profile <name>', 'with --all-in-one: only the servers of this profile'] as const;

/** `causeway clients …`: the AI clients on this computer, and the entries in their files. Code loads when it runs. */
export const registerClients: RegisterCommand = (program, context) => {
  const group = withCommonOptions(program.command('clients'))
    .description('the AI clients on this computer, and the servers that they have')
    .addHelpText('after', HELP)
    .allowExcessArguments()
    .action(async (_options, command: Command) => {
      const [unknown] = command.args;
      if (unknown !== undefined) throw noSuchCommand(unknown, command);
      await (await import('./clients.ts')).listClients(context, command.optsWithGlobals());
    });
  addLooking(group, context);
  addChanging(group, context);
  addBackups(group, context);
};

function withCommonOptions(command: Command): Command {
  return command
    .option('--json', 'print JSON')
    .option(
      '--config-root <dir>',
      "use this folder as the home folder of the clients' files, with its servers if it has any",
    );
}

function addLooking(group: Command, context: CommandContext): void {
  withCommonOptions(group.command('list'))
    .description('the clients, where their files are, and the state of each entry')
    .option('--all', 'also clients that were not found')
    .option('--project [dir]', 'only what the project in that folder has, by default this one')
    .action(async (_options, command: Command) =>
      (await import('./clients.ts')).listClients(context, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('diff [client...]'))
    .description('what "add" would change; writes nothing')
    .option('-s, --server <name...>', 'only these servers')
    .option(...ALL_IN_ONE)
    .option(...PROFILE)
    .option('--project [dir]', "in the clients' files of the project in this folder (default: the current one)")
    .action(async (ids: string[], _options, command: Command) =>
      (await import('./clients.ts')).diffClients(context, ids, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('json [client]'))
    .description('an entry for each server, to paste into a client that Causeway does not know')
    .option('-s, --server <name...>', 'only these servers')
    .option(...ALL_IN_ONE)
    .option(...PROFILE)
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
      .option('--force', "even over someone else's entry of that name, and while the client is running");
  changing('add')
    .description('write an entry for each server into the clients')
    .option(...ALL_IN_ONE)
    .option(...PROFILE)
    .option(
      '--meta <name=value...>',
      "what the tool calls of these entries carry in _meta beside the server's own, such as warehouse_id=0123456789abcdef",
    )
    .option('--no-meta', "nothing beside the server's own")
    .option('--http', 'let clients that can do so connect by themselves, with their own OAuth')
    .option(
      '--client-id <id>',
      'with --http: the OAuth application that the client signs in as; by default the one that Databricks publishes for it',
    )
    .option('--callback-port <port>', 'with --http: the port on which it waits for the browser')
    .action(async (ids: string[], _options, command: Command) =>
      (await import('./clients.ts')).addClients(context, ids, command.optsWithGlobals()),
    );
  changing('remove')
    .description('remove our entries from the clients')
    .option('-y, --yes', 'also from a file that other clients read, which lose them too')
    .action(async (ids: string[], _options, command: Command) =>
      (await import('./clients.ts')).removeClients(context, ids, command.optsWithGlobals()),
    );
  changing('repair')
    .description('fix entries that vanished, were changed, start a program that is gone, or are out of date')
    .action(async (ids: string[], _options, command: Command) =>
      (await import('./clients.ts')).repairClients(context, ids, command.optsWithGlobals()),
    );
}

function addBackups(group: Command, context: CommandContext): void {
  withCommonOptions(group.command('backups'))
    .description('the files as they were before Causeway first changed them')
    .action(async (_options, command: Command) =>
      (await import('./clients.ts')).backups(context, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('restore <backup>'))
    .description('put a backup back; what is there now is kept as another')
    .option('--dry-run', 'only show the difference')
    .option('--force', 'even while the client is running')
    .action(async (id: string, _options, command: Command) =>
      (await import('./clients.ts')).restore(context, id, command.optsWithGlobals()),
    );
}
