import { resolve } from 'node:path';
import type { Command } from 'commander';
import { SERVER_GROUPS, SERVER_KINDS } from '../../../preload/contract/server-kinds.ts';
import { MAX_WALK_REQUESTS } from '../../workspace/walk-limits.ts';
import type { CommandContext, RegisterCommand } from '../command.ts';
import { unlessUnknown } from '../failure.ts';

const HELP = `
\`causeway servers browse\` shows what the workspace offers. Pass its first column to "add":
  system.ai.github                     a service, by its full name
  genie:TITLE                          a Genie space, by its title or id
  search:CATALOG.SCHEMA[.INDEX]        AI Search
  functions:CATALOG.SCHEMA[.FUNCTION]  catalog functions
  connection:NAME                      a server outside the workspace
  app:NAME                             a Databricks App, after you confirm its address

"sql" is the best SQL server that the workspace offers: system.ai.dbsql where it is switched on, otherwise the one at
/api/2.0/mcp/sql. Every workspace has that one. A kind can also stand before its target, as in \`genie TITLE\`. To add a server by
its path, use --path instead.

Causeway asks the workspace for the server's tools first. A server that does not exist is not added.`;

/** `causeway servers …`: the managed servers that AI clients are to have. Each command's code loads when it runs. */
export const registerServers: RegisterCommand = (program, context) => {
  const where = (command: Command): CommandContext => {
    const { configRoot }: { configRoot?: string } = command.optsWithGlobals();
    return configRoot === undefined ? context : context.inHome(resolve(configRoot));
  };
  const group = withCommonOptions(program.command('servers'))
    .description('list and change the managed MCP servers for your AI clients')
    .addHelpText('after', HELP)
    .allowExcessArguments()
    .action(
      unlessUnknown(async (command) =>
        (await import('./servers.ts')).listServers(where(command), command.optsWithGlobals()),
      ),
    );
  withCommonOptions(group.command('list'))
    .description('list the servers')
    .action(async (_options, command: Command) =>
      (await import('./servers.ts')).listServers(where(command), command.optsWithGlobals()),
    );
  withCommonOptions(group.command('browse'))
    .description('list all MCP servers that the workspace offers')
    .option('-p, --profile <name>', 'the profile to sign in with (default: as the Databricks CLI chooses)')
    .option('--kind <kind...>', `only these: ${SERVER_GROUPS.join(', ')}`)
    .option('--search <text>', 'only servers with this text in their name, title or comment')
    .option('--in <place>', 'only servers in this CATALOG or CATALOG.SCHEMA')
    .option(
      '--all',
      `continue beyond ${MAX_WALK_REQUESTS} requests, and include apps whose names do not begin with mcp-`,
    )
    .action(async (_options, command: Command) =>
      (await import('./browse.ts')).browseServers(where(command), command.optsWithGlobals()),
    );
  withCommonOptions(group.command('add [kind] [target...]'))
    .description(
      `add a server from "browse", by kind (${SERVER_KINDS.filter((kind) => kind !== 'other').join(', ')}) or by --path`,
    )
    .option('-p, --profile <name>', 'the profile to sign in with (default: as the Databricks CLI chooses)')
    .option('--name <name>', 'its name in every client: a-z, 0-9 and "-"')
    .option('--path <path>', "the server's path on the workspace, such as /api/2.0/mcp/sql")
    .option(
      '--meta <name=value...>',
      'values to send in _meta with each tool call, for example warehouse_id=0123456789abcdef',
    )
    .option('--dry-run', 'only show what would be added')
    .option('--no-check', 'add it without asking the workspace whether it is there')
    .option('-y, --yes', "confirm an app's address without asking")
    .action(async (kind: string | undefined, target: string[], _options, command: Command) =>
      (await import('./add.ts')).addServer(
        where(command),
        kind,
        target.join(kind === 'genie' ? ' ' : '/'),
        command.optsWithGlobals(),
      ),
    );
  withCommonOptions(group.command('set <name>'))
    .description('change the values that tool calls of a server send in _meta')
    .option(
      '--meta <name=value...>',
      'the values to send in _meta, for example warehouse_id=0123456789abcdef; replaces all others',
    )
    .option('--no-meta', 'send no values')
    .option('--dry-run', 'only show what would change')
    .action(async (name: string, _options, command: Command) =>
      (await import('./servers.ts')).setServer(where(command), name, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('remove <name...>'))
    .description('remove servers from the list; `causeway clients remove` removes them from AI clients')
    .option('--dry-run', 'only show what would be removed')
    .action(async (names: string[], _options, command: Command) =>
      (await import('./servers.ts')).removeServer(where(command), names, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('move <name>'))
    .description('move a server to its successor; it keeps its name, permissions and client entries')
    .option('--dry-run', 'only show what would change, and check that the new server responds')
    .option('--force', 'also change files of running clients')
    .action(async (name: string, _options, command: Command) =>
      (await import('./move.ts')).moveServer(where(command), name, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('test [name...]'))
    .description('connect to servers the way AI clients do, and list their tools')
    .action(async (names: string[], _options, command: Command) =>
      (await import('./servers.ts')).test(where(command), names, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('start <name>'))
    .description('start a stopped Databricks App and wait until it runs; NAME is a server in the list, or app:NAME')
    .option('-p, --profile <name>', "the profile (default: the server's, or as the Databricks CLI chooses)")
    .action(async (name: string, _options, command: Command) =>
      (await import('./add.ts')).startServer(where(command), name, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('sign-in <name>'))
    .description('sign in to a service such as GitHub; NAME is a server in the list, or CATALOG.SCHEMA.SERVICE')
    .option('-p, --profile <name>', "the profile (default: the server's, or as the Databricks CLI chooses)")
    .option('--no-browser', 'print the address instead of opening it')
    .action(async (name: string, _options, command: Command) =>
      (await import('./service-sign-in.ts')).signInToService(where(command), name, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('sign-out <name>'))
    .description('sign out of a service, for all clients and computers')
    .option('-p, --profile <name>', "the profile (default: the server's, or as the Databricks CLI chooses)")
    .action(async (name: string, _options, command: Command) =>
      (await import('./service-sign-in.ts')).signOutOfService(where(command), name, command.optsWithGlobals()),
    );
};

function withCommonOptions(command: Command): Command {
  return command
    .option('--json', 'print JSON')
    .option('--config-root <dir>', 'use this folder as the home folder, for servers and profiles');
}
