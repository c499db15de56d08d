import type { Command } from 'commander';
import type { RegisterCommand } from '../command.ts';
import { addDropIn, addDropInGroup, checkCount, type DropInCommand, refuseArguments, UsageError } from './group.ts';

/** `current-user me`: what says that a profile's sign-in works (spec/managed-mcp-endpoints.md › Authentication, 7). */
const ME: DropInCommand = {
  name: 'me',
  does: 'print who the profile is signed in as, as the workspace says it',
  takes: [],
  addFlags: (command) =>
    command
      .option('--attributes [names]', 'print these attributes only, separated by commas')
      .option('--excluded-attributes [names]', 'leave these attributes out'),
  checkArguments: (command) => checkCount(command, 0),
  run: async (...given) => (await import('./other-operations.ts')).me(...given),
};

/** `auth token` and `auth login` (spec/default-warehouse-override.md › Authentication). */
const TOKEN: DropInCommand = {
  name: 'token',
  does: "print an access token of a user's sign-in, renewed if need be",
  takes: ['PROFILE'],
  addFlags: (command) => withPlace(command).option('--force-refresh', 'renew it even if it is still valid'),
  checkArguments: checkPlace,
  run: async (...given) => (await import('./other-operations.ts')).token(...given),
};

const LOGIN: DropInCommand = {
  name: 'login',
  does: 'sign in to a workspace with the browser, as `causeway login` does',
  takes: ['PROFILE'],
  addFlags: (command) => withPlace(command).option('--no-browser', 'print the address instead of opening it'),
  checkArguments: checkPlace,
  run: async (...given) => (await import('./other-operations.ts')).logIn(...given),
};

/** `account custom-app-integration create` (spec/managed-mcp-endpoints.md › Authentication, 3). */
const CREATE_APPLICATION: DropInCommand = {
  name: 'create',
  does: 'print the command with which an account admin creates an OAuth application',
  takes: [],
  addFlags: (command) =>
    command
      .option('--json [body]', 'the application as JSON')
      .option('--confidential', 'an application with a secret')
      .option('--name [name]', 'the name of the application'),
  checkArguments: (command) => checkCount(command, 0),
  run: async (context, command) => (await import('./other-operations.ts')).createApplication(context, command),
};

/** The CLI's own lookup (spec/default-warehouse-override.md › Verification layers, 2). */
const DEFAULT_WAREHOUSE: DropInCommand = {
  name: 'get-default-warehouse',
  does: 'print the warehouse that the Databricks CLI chooses; --output json adds its name and state',
  takes: [],
  checkArguments: refuseArguments,
  run: async (...given) => (await import('./other-operations.ts')).defaultWarehouse(...given),
};

/** The commands of the Databricks CLI that the specification names besides those for overrides, by their groups. */
export const registerOtherDropIns: RegisterCommand = (program, context) => {
  const user = addDropInGroup(
    program,
    'current-user',
    'who is signed in, with the command of the Databricks CLI',
    context,
  );
  addDropIn(user, ME, context);

  const auth = addDropInGroup(program, 'auth', 'tokens and sign-ins, with commands of the Databricks CLI', context);
  addDropIn(auth, TOKEN, context);
  addDropIn(auth, LOGIN, context);

  const account = addDropInGroup(program, 'account', 'OAuth applications, as in the Databricks CLI', context);
  const applications = addDropInGroup(account, 'custom-app-integration', 'OAuth applications of the account', context);
  addDropIn(applications, CREATE_APPLICATION, context);

  const experimental = addDropInGroup(program, 'experimental', 'experiments of the Databricks CLI', context);
  const aitools = addDropInGroup(experimental, 'aitools', 'what AI agents use', context);
  const tools = addDropInGroup(aitools, 'tools', 'what AI agents use', context);
  addDropIn(tools, DEFAULT_WAREHOUSE, context);
};

/** The flags of the commands that sign in. */
function withPlace(command: Command): Command {
  return command
    .option('--host [address]', 'the workspace URL, instead of a profile')
    .option('--timeout [duration]', 'accepted and ignored; Ctrl-C ends the wait');
}

/** One argument, a profile or a host, which takes the place of both flags. */
function checkPlace(command: Command): void {
  const { args } = command;
  if (args.length > 1) throw new UsageError(`accepts at most 1 arg(s), received ${args.length}`, command);
  const { host, profile } = command.optsWithGlobals<{ host?: unknown; profile?: unknown }>();
  if (args.length === 0 || (host === undefined && profile === undefined)) return;
  const message = `argument ${JSON.stringify(args[0])} cannot be combined with --host or --profile. Name the profile or the host once.`;
  throw new UsageError(message, command);
}
