import { resolve } from 'node:path';
import type { Command } from 'commander';
import { SERVER_KINDS } from '../../clients/server-arguments.ts';
import { SERVER_GROUPS } from '../../workspace/offered-servers.ts';
import { MAX_WALK_REQUESTS } from '../../workspace/walk-limits.ts';
import type { CommandContext, RegisterCommand } from '../command.ts';
import { noSuchCommand } from '../failure.ts';

const HELP = `
"causeway servers browse" shows what the workspace offers. Its first column is what "add" takes:
  system.ai.github                     a service, by its full name
  genie:TITLE                          a Genie space, by its title or id
  search:CATALOG.SCHEMA[.INDEX]        AI Search
  functions:CATALOG.SCHEMA[.FUNCTION]  catalog functions
  connection:NAME                      a server outside the workspace
  app:NAME                             a Databricks App, once you agree to the address that tokens go to

KIND TARGET is one of:
  sql                                  queries on your SQL warehouse
  genie SPACE_ID                       a Genie space
  vector-search CATALOG.SCHEMA[.INDEX] vector search indexes
  functions CATALOG.SCHEMA[.FUNCTION]  catalog functions
or leave it out and name the path with --path.`;

/** `causeway servers …`: the managed servers that AI clients are to have. Each command's code loads when it runs. */
export const registerServers: RegisterCommand = (program, context) => {
  const where = (command: Command): CommandContext => {
    const { configRoot }: { configRoot?: string } = command.optsWithGlobals();
    return configRoot === undefined ? context : context.inHome(resolve(configRoot));
  };
  const group = withCommonOptions(program.command('servers'))
    .description('the managed MCP servers for your AI clients')
    .addHelpText('after', HELP)
    .allowExcessArguments()
    .action(async (_options, command: Command) => {
      const [unknown] = command.args;
      if (unknown !== undefined) throw noSuchCommand(unknown, command);
      await (await import('./servers.ts')).listServers(where(command), command.optsWithGlobals());
    });
  withCommonOptions(group.command('list'))
    .description('the servers')
    .action(async (_options, command: Command) =>
      (await import('./servers.ts')).listServers(where(command), command.optsWithGlobals()),
    );
  withCommonOptions(group.command('browse'))
    .description('everything that the workspace offers as MCP servers, as it is found')
    .option('-p, --profile <name>', 'the profile to sign in with (default: as the Databricks CLI chooses)')
    .option('--kind <kind...>', `only these: ${SERVER_GROUPS.join(', ')}`)
    .option('--search <text>', 'only what this text is part of: name, title or comment')
    .option('--in <place>', 'only what is in this catalog, or CATALOG.SCHEMA')
    .option('--all', `read on beyond ${MAX_WALK_REQUESTS} requests; also apps whose names do not begin with mcp-`)
    .action(async (_options, command: Command) =>
      (await import('./browse.ts')).browseServers(where(command), command.optsWithGlobals()),
    );
  withCommonOptions(group.command('add [kind] [target...]'))
    .description(
      `add a server as browse names it, or by kind: ${SERVER_KINDS.filter((kind) => kind !== 'other').join(', ')}, or by --path`,
    )
    .option('-p, --profile <name>', 'the profile to sign in with (default: as the Databricks CLI chooses)')
    .option('--name <name>', 'its name in every client: a-z, 0-9 and "-"')
    .option('--path <path>', "the server's path on the workspace, such as /api/2.0/mcp/sql")
    .option('--meta <name=value...>', 'what each tool call carries in _meta, such as warehouse_id=0123456789abcdef')
    .option('--dry-run', 'only show what would be added')
    .option('-y, --yes', "agree to an app's address beforehand")
    .action(async (kind: string | undefined, target: string[], _options, command: Command) =>
      (await import('./apps.ts')).addAny(where(command), kind, target.join('/'), command.optsWithGlobals()),
    );
  withCommonOptions(group.command('set <name>'))
    .description('change what the tool calls of a server carry; write the entries of your clients again afterwards')
    .option('--meta <name=value...>', 'all that they are to carry in _meta, such as warehouse_id=0123456789abcdef')
    .option('--no-meta', 'nothing')
    .option('--dry-run', 'only show what would change')
    .action(async (name: string, _options, command: Command) =>
      (await import('./servers.ts')).setServer(where(command), name, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('remove <name...>'))
    .description('remove servers from the list; entries in clients stay until "causeway clients remove"')
    .option('--dry-run', 'only show what would be removed')
    .action(async (names: string[], _options, command: Command) =>
      (await import('./servers.ts')).removeServer(where(command), names, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('move <name>'))
    .description('move a server to the one that has replaced it; its name, its rules and the entries of clients stay')
    .option('--dry-run', 'only show what would change; asks the new server whether it answers')
    .option('--force', 'also change files of clients that run now')
    .action(async (name: string, _options, command: Command) =>
      (await import('./move.ts')).moveServer(where(command), name, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('test [name...]'))
    .description('connect to a server as an AI client does, and print its tools')
    .action(async (names: string[], _options, command: Command) =>
      (await import('./servers.ts')).test(where(command), names, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('start <name>'))
    .description('start a Databricks App that is stopped, and wait until it runs: a server of the list, or app:NAME')
    .option('-p, --profile <name>', 'the profile (default: the one of the server, or as the Databricks CLI chooses)')
    .action(async (name: string, _options, command: Command) =>
      (await import('./apps.ts')).startServer(where(command), name, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('sign-in <name>'))
    .description('sign in to what is behind a service, such as GitHub: a server of the list, or CATALOG.SCHEMA.SERVICE')
    .option('-p, --profile <name>', 'the profile (default: the one of the server, or as the Databricks CLI chooses)')
    .option('--no-browser', 'only show the address to open')
    .action(async (name: string, _options, command: Command) =>
      (await import('./service-sign-in.ts')).signInToService(where(command), name, command.optsWithGlobals()),
    );
  withCommonOptions(group.command('sign-out <name>'))
    .description('sign out of what is behind a service, for all clients and computers')
    .option('-p, --profile <name>', 'the profile (default: the one of the server, or as the Databricks CLI chooses)')
    .action(async (name: string, _options, command: Command) =>
      (await import('./service-sign-in.ts')).signOutOfService(where(command), name, command.optsWithGlobals()),
    );
};

function withCommonOptions(command: Command): Command {
  return command
    .option('--json', 'print JSON')
    .option('--config-root <dir>', 'use this folder as the home folder, with its servers and profiles');
}
