import { Argument, Command, Option } from 'commander';
import { SWITCHES } from '../permissions/switches.ts';
import { CausewayError } from '../platform/errors.ts';
import { VERSION } from '../platform/version.ts';
import { registerActivity } from './activity/register.ts';
import { registerClients } from './clients/register.ts';
import type { CommandContext, RegisterCommand } from './command.ts';
import { registerCompletion } from './completion/register.ts';
import { isDropIn } from './drop-in/group.ts';
import { registerOtherDropIns } from './drop-in/other-commands.ts';
import { registerWarehouses } from './drop-in/warehouses.ts';
import { noSuchCommand, pathOf, unlessUnknown } from './failure.ts';
import { flagsBehindCommand, leadingFlags } from './global-flags.ts';
import { addHelp } from './help.ts';
import { registerProxy } from './proxy-arguments.ts';
import { registerServers } from './servers/register.ts';
import { registerSettings } from './settings/register.ts';
import { flowedIn, helpWidth } from './terminal.ts';
import { registerWarehouse } from './warehouse/register.ts';

const COMMANDS: RegisterCommand[] = [
  registerProxy,
  registerUp,
  registerStatus,
  registerActivity,
  registerDiagnose,
  registerAccount,
  registerWarehouse,
  registerWarehouses,
  registerOtherDropIns,
  registerServers,
  registerClients,
  registerSettings,
  registerPermissions,
  registerApprovals,
  registerPolicy,
  registerAudit,
  registerDashboard,
  registerProvision,
  registerCompletion,
  registerUninstall,
];

/**
 * Every command with its arguments, options and help. Only a command that runs loads more. `onCommand` is told which
 * command was meant, before it runs or is refused.
 */
export function buildProgram(context: CommandContext, onCommand: (command: Command) => void = () => {}): Command {
  const program = new Command('causeway')
    .description(
      'Connects AI clients to Databricks managed MCP servers, and controls which SQL warehouse queries run on.',
    )
    .version(VERSION, '-v, --version', 'print the version')
    .configureOutput({
      writeOut: (text) => context.stdout.write(flowedIn(context.stdout, text)),
      writeErr: (text) => context.stderr.write(flowedIn(context.stderr, text)),
      getOutHelpWidth: () => helpWidth(context.stdout),
      getErrHelpWidth: () => helpWidth(context.stderr),
      outputError: (text, write) => write(text.replace(/^error: /, 'causeway: ')),
    })
    .hook('preAction', (_program, action) => {
      onCommand(action);
      refuseEmptyValues(action);
    });
  for (const register of COMMANDS) register(program, context);
  addHelp(program, context);
  for (const command of everyCommand(program)) {
    // A group takes the name of an unknown command, to name the known ones. Its commands take what they ask for.
    if (command.commands.length === 0 && !isDropIn(command)) command.allowExcessArguments(false);
    if (takesQuiet(command)) command.option('-q, --quiet', 'print results and errors only');
    command.on('command:*', ([name = '']: string[]) => {
      throw noSuchCommand(name, command);
    });
    const what = command.commands.length > 0 ? 'a list of commands' : 'its usage';
    command.showHelpAfterError(`(run \`${pathOf(command)} --help\` for ${what})`);
    command.exitOverride((error) => {
      onCommand(command);
      throw error;
    });
  }
  return program;
}

/**
 * The arguments with `permissions` in place of its old name, `rules`, which scripts may still use, and with the global flags behind the
 * command.
 */
export function commandFirst(program: Command, args: readonly string[]): string[] {
  const { flags, rest } = leadingFlags(args);
  const at = rest[0] === 'help' ? 1 : 0;
  const named = rest[at] === 'rules' ? rest.with(at, 'permissions') : rest;
  return flagsBehindCommand(program, [...flags, ...named]);
}

/** Whether a command prints anything that `--quiet` leaves out. */
function takesQuiet(command: Command): boolean {
  return command.parent !== null && !isDropIn(command) && !['proxy', 'help', 'completion'].includes(command.name());
}

/** A command and all of its subcommands. */
function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

/** An empty value, as from a script's unset variable, must not mean the same as no option. */
function refuseEmptyValues(command: Command): void {
  if (isDropIn(command)) return;
  for (let at: Command | null = command; at; at = at.parent) {
    for (const option of at.options) {
      if (at.getOptionValue(option.attributeName()) !== '') continue;
      throw new CausewayError('usage', `${option.long ?? option.flags} was given without a value.`, {
        remedy: `Add a value, or leave the option out. \`${pathOf(command)} --help\` lists the options.`,
      });
    }
  }
}

const STATUS_HELP = `
Checks each server the way an AI client reaches it, without starting a sign-in. Shows only sessions that go through the
running application. Without it, AI clients connect on their own and are not listed.
Without --check, what does not work is shown and does not change the exit code.
--watch refreshes sessions every second and everything else every 30 seconds, until Ctrl-C. With --json, it prints one line
for each change.`;

/** `causeway status`: whether Causeway runs, and how sessions, servers, AI clients and the warehouse are. */
function registerStatus(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('show the application, its sessions, your servers, AI clients and warehouse')
    .option('-p, --profile <name>', 'the profile whose warehouse to show (default: as the Databricks CLI chooses)')
    .option('-w, --watch', 'keep running and show every change, until Ctrl-C')
    .option('--check', 'fail if something does not work, with the exit code of that failure')
    .option('--json', 'print JSON')
    .addHelpText('after', STATUS_HELP)
    .action(async (options) => (await import('./status.ts')).status(context, options));
}

const DIAGNOSE_HELP = `
Lists problems first, each with its fix. The exit code is that of the failed check, 1 if checks failed in different ways,
or 5 if nothing failed but a check could not run.
The report contains the checks, the state, the settings and the latest lines of the log. It leaves out tokens, passwords,
names of people and the home folder.`;

/** `causeway diagnose`: the window's checks in the terminal. */
function registerDiagnose(program: Command, context: CommandContext): void {
  program
    .command('diagnose')
    .description('check this computer, the network and the workspace, and show how to fix problems')
    .option('-p, --profile <name>', 'the profile to check (default: as the Databricks CLI chooses)')
    .option('--report <file>', 'also write a support report; "-" prints it instead of the checks')
    .option('--force', 'replace the file if it exists')
    .option('--json', 'print JSON')
    .addHelpText('after', DIAGNOSE_HELP)
    .action(async (options) => (await import('./diagnose.ts')).diagnose(context, options));
}

const UNINSTALL_HELP = `
Removes the entries of Causeway from the files of all AI clients, revokes and deletes its sign-ins, quits the application, and
deletes its files on this computer. Your profiles in the Databricks configuration file stay. Your warehouse override and your
sign-ins to services such as GitHub stay too, because the workspace keeps them. To remove the program itself, use its installer
or npm. If something could not be removed, the exit code is 1: run the command again.`;

/** `causeway uninstall`: removes what Causeway has left on this computer. */
function registerUninstall(program: Command, context: CommandContext): void {
  program
    .command('uninstall')
    .description('show everything that Causeway keeps on this computer; --yes removes it')
    .option('-y, --yes', 'remove it')
    .option('--force', 'also change files of running AI clients; they may write the entries again')
    .option('--json', 'print JSON')
    .addOption(new Option('--after <pid>', 'wait for this process to end first').hideHelp())
    .addHelpText('after', UNINSTALL_HELP)
    .action(async (options) => (await import('./uninstall.ts')).uninstallCommand(context, options));
}

const DEVICE_CODE = 'sign in with a code on another device, if the workspace allows it';

function storeOption(): Option {
  return new Option('--store <place>', 'where sign-ins are kept from now on').choices(['keychain', 'encrypted-file']);
}

const UP_HELP = `
Connects a workspace, signs in, chooses the best SQL server that the workspace offers, writes its entry for the AI clients on this
computer, and runs a query through it. You see every change before it is made. What is done already is passed over: run it again
wherever it stopped.`;

/** `causeway up`: everything for a first query. */
function registerUp(program: Command, context: CommandContext): void {
  withJson(withProfile(program.command('up [address]')))
    .description('set everything up: workspace, sign-in, SQL server, AI clients, and a first query')
    .option('--client <client...>', 'only these AI clients (default: all that are found)')
    .option('--no-browser', 'print the address of the sign-in page instead of opening it')
    .option('--device-code', DEVICE_CODE)
    .addOption(storeOption())
    .option('--dry-run', 'only show what would be written')
    .option('-y, --yes', 'do not ask')
    .option('--force', "replace other programs' entries of the same name, and write while clients run")
    .addHelpText('after', UP_HELP)
    .action(async (address: string | undefined, options) => (await import('./up.ts')).up(context, address, options));
}

const LOGIN_HELP = `
A profile is a section of the Databricks configuration file (~/.databrickscfg). With --host and no --profile, the command uses
the profile of that workspace, or creates one.

On a computer without a browser, open the printed address on another one, and paste the address where it ends into the terminal.
Or use --device-code, or forward port 8020, for example with ssh -L 8020:localhost:8020.

Profiles with auth_type = azure-cli, azure-client-secret, github-oidc, env-oidc, file-oidc, oauth-m2m or pat need no login.
\`causeway whoami\` shows whether they work. For azure-cli, run \`az login\`.`;

/** The commands for sign-ins and profiles. Each command's code loads when it runs. */
function registerAccount(program: Command, context: CommandContext): void {
  withJson(withProfile(program.command('login')))
    .description('sign in to a workspace with the browser')
    .option('--host <address>', 'the workspace URL, as your browser shows it')
    .option('--no-browser', 'print the address instead of opening it')
    .option('--device-code', DEVICE_CODE)
    .option('--client-id <id>', 'sign in with this OAuth application of your account, and remember it')
    .option('--client-secret-stdin', "read that application's secret from stdin")
    .option('--callback-port <port>', 'the port of its redirect URL')
    .option('--scopes <scopes>', 'the scopes to request, separated by commas')
    .addOption(storeOption())
    .option('--yes', 'do not ask before another user takes the place of the one who is signed in')
    .option('--built-in-client', 'forget that OAuth application, and sign in with the built-in one')
    .addHelpText('after', LOGIN_HELP)
    .action(async (options) => (await import('./login.ts')).login(context, options));

  withJson(withProfile(program.command('logout')))
    .description('sign out: delete the tokens from this computer and revoke them at the workspace')
    .action(async (options) => (await import('./account.ts')).logout(context, options));

  withJson(program.command('profiles'))
    .description('list the profiles with workspace, method, state and user')
    .option('--skip-validate', 'do not contact the workspaces')
    .action(async (options) => (await import('./account.ts')).profiles(context, options));

  withJson(withProfile(program.command('whoami')))
    .description('show who a profile is signed in as, and whether its token works')
    .action(async (options) => (await import('./account.ts')).whoami(context, options));
}

function withProfile(command: Command): Command {
  return command.option(
    '-p, --profile <name>',
    'profile of the configuration file (default: as the Databricks CLI chooses)',
  );
}

function withJson(command: Command): Command {
  return command.option('--json', 'print JSON');
}

const PERMISSIONS_HELP = `
Permissions apply to a SERVER (a name from \`causeway servers\`), to one client on a server, to one client on all servers (--client
without a SERVER), or to everything (--all). Changes apply immediately, also to running sessions.

With read only, clients may use only tools that the server marks as read-only. On the SQL server, they may use the tools that
Causeway knows to be read-only. Causeway cannot verify what a server says about its tools. Name tools after the server,
separated by spaces or commas.`;

/** `causeway permissions …`: what AI clients may do with the servers' tools. Each command's code loads when it runs. */
function registerPermissions(program: Command, context: CommandContext): void {
  const group = program
    .command('permissions')
    .description('set what AI clients may do: read only, tools on or off, ask first')
    .option('--json', 'print JSON')
    .addHelpText('after', PERMISSIONS_HELP)
    .allowExcessArguments()
    .action(
      unlessUnknown(async (command) =>
        (await import('./permissions-list.ts')).listPermissions(context, command.optsWithGlobals()),
      ),
    );
  group
    .command('list')
    .description('list the permissions and their latest changes')
    .option('--json', 'print JSON')
    .action(async (_options, command: Command) =>
      (await import('./permissions-list.ts')).listPermissions(context, command.optsWithGlobals()),
    );
  withScope(group.command('set [server]'))
    .description('change the permissions for a server, a client or everything')
    .option('--read-only', 'only read-only tools')
    .option('--no-read-only', 'all tools, including those that write')
    .addOption(new Option('--new <state>', 'the state of tools that are not named').choices(SWITCHES))
    .option('--on <tool...>', 'turn these tools on')
    .option('--off <tool...>', 'turn these tools off and hide them')
    .option('--ask <tool...>', 'ask you before each call of these tools')
    .action(async (server: string | undefined, _options, command: Command) =>
      (await import('./permissions.ts')).setPermissions(context, server, command.optsWithGlobals()),
    );
  withScope(group.command('clear [server]'))
    .description('reset the permissions for a server, a client or everything')
    .action(async (server: string | undefined, _options, command: Command) =>
      (await import('./permissions.ts')).clearPermissions(context, server, command.optsWithGlobals()),
    );
}

const APPROVALS_HELP = `
Calls of tools set to "ask" wait in the running application until you allow or block them, in Causeway's window or here.
Only a person in a terminal can allow a call. Programs with your rights can pretend to be one.`;

/** `causeway approvals …`: the calls that wait for the user. Each command's code loads when it runs. */
function registerApprovals(program: Command, context: CommandContext): void {
  const group = program
    .command('approvals')
    .description('list, allow or block the calls that wait for your approval')
    .option('--json', 'print JSON')
    .option('--watch', 'show each call as it comes, and ask')
    .addHelpText('after', APPROVALS_HELP)
    .allowExcessArguments()
    .action(
      unlessUnknown(async (command) =>
        (await import('./approvals.ts')).listApprovals(context, command.optsWithGlobals()),
      ),
    );
  group
    .command('list')
    .description('list the calls that wait, and what is allowed for now')
    .option('--json', 'print JSON')
    .option('--watch', 'show each call as it comes, and ask')
    .action(async (_options, command: Command) =>
      (await import('./approvals.ts')).listApprovals(context, command.optsWithGlobals()),
    );
  group
    .command('allow <id>')
    .description('show a call, and allow it if you agree')
    .option('--json', 'print JSON')
    .action(async (id: string, _options, command: Command) =>
      (await import('./approvals.ts')).allowCall(context, id, command.optsWithGlobals()),
    );
  group
    .command('block <id>')
    .description('block a call')
    .option('--json', 'print JSON')
    .action(async (id: string, _options, command: Command) =>
      (await import('./approvals.ts')).blockCall(context, id, command.optsWithGlobals()),
    );
  group
    .command('extend <id>')
    .description('let a call wait two more minutes')
    .option('--json', 'print JSON')
    .action(async (id: string, _options, command: Command) =>
      (await import('./approvals.ts')).extendCall(context, id, command.optsWithGlobals()),
    );
  group
    .command('revoke')
    .description('end what you have allowed for an hour or a day')
    .option('--json', 'print JSON')
    .action(async (_options, command: Command) =>
      (await import('./approvals.ts')).revokeAllowances(context, command.optsWithGlobals()),
    );
}

const POLICY_HELP = `
A policy contains the settings that the administrators of this computer manage. Only they can write its file.`;

const CHECK_HELP = `
Looks up every name in the file: workspaces, profiles, servers, tools, AI clients. Shows which of your accounts, servers,
AI clients and tools the policy would refuse. The exit code is 1 if there is an error, or everybody here would be locked
out. Nothing is changed or sent.`;

/** `causeway policy …`: what the organization has decided. Each command's code loads when it runs. */
function registerPolicy(program: Command, context: CommandContext): void {
  const group = program
    .command('policy')
    .description('show what your organization manages')
    .addHelpText('after', POLICY_HELP);
  withJson(group.command('show'))
    .description('show the managed settings, their file, and which are locked')
    .action(async (options) => (await import('./policy.ts')).showPolicy(context, options));
  withJson(group.command('check <file>'))
    .description('check a policy file before you install it, and try it on this computer')
    .option('--strict', 'fail on warnings too')
    .addHelpText('after', CHECK_HELP)
    .action(async (file: string, options) => (await import('./policy.ts')).checkPolicy(context, file, options));
  group
    .command('schema')
    .description('print the JSON Schema of a policy file')
    .action(async () => (await import('./policy.ts')).printPolicySchema(context));
}

const AUDIT_HELP = `
Records who made each call, when, with which AI client, and its server, tool, outcome and duration, never its request or
response. Sign-ins and changes of permissions, entries, overrides and default warehouses are recorded too.
A session that does not go through the application applies a change when it starts.`;

/** `causeway audit …`: which calls were made, without contents. Each command's code loads when it runs. */
function registerAudit(program: Command, context: CommandContext): void {
  const group = program
    .command('audit')
    .description('record who calls which tool, without contents, and who changes what')
    .option('--json', 'print JSON')
    .addHelpText('after', AUDIT_HELP)
    .allowExcessArguments()
    .action(
      unlessUnknown(async (command) => (await import('./audit.ts')).showAudit(context, command.optsWithGlobals())),
    );
  withJson(group.command('on'))
    .description('start auditing calls, in a file unless only --otlp is given')
    .option('--file', 'write to a file in the log folder, also with --otlp')
    .option('--otlp <url>', 'send to an OpenTelemetry collector (OTLP over HTTP)')
    .action(async (_options, command: Command) =>
      (await import('./audit.ts')).startAudit(context, command.optsWithGlobals()),
    );
  withJson(group.command('off'))
    .description('stop auditing calls; existing records stay')
    .action(async (_options, command: Command) =>
      (await import('./audit.ts')).stopAudit(context, command.optsWithGlobals()),
    );
}

const DASHBOARD_HELP = `
Shows what AI agents run on SQL warehouses: statements, share of cost, refused calls, cache, waiting, failures and clients.
It reads system tables. By default, only admins may read them.`;

const INSTALL_HELP = `
Creates the dashboard in your own folder of the workspace, and publishes it: viewers see it with their own rights. If it is
there and differs, its content is replaced after you agree.`;

/** `causeway dashboard …`: dashboards for administrators. Each command's code loads when it runs. */
function registerDashboard(program: Command, context: CommandContext): void {
  const group = program
    .command('dashboard')
    .description('install dashboards of what AI agents run and cost')
    .addHelpText('after', DASHBOARD_HELP);
  const withPlace = (command: Command) =>
    withJson(withProfile(command))
      .option('--folder <path>', 'the folder in the workspace (default: your own)')
      .option('--name <name>', 'the name of the dashboard');
  withPlace(group.command('install'))
    .description('create the AI/BI dashboard in the workspace, or bring it up to date')
    .option('--warehouse <name>', 'the warehouse to run it on (default: the one that your queries run on)')
    .option('--no-publish', 'do not publish it')
    .option('--dry-run', 'only show what would be done')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', INSTALL_HELP)
    .action(async (options) => (await import('./dashboard.ts')).install(context, options));
  withPlace(group.command('show'))
    .description('show whether the AI/BI dashboard is installed, published and up to date')
    .action(async (options) => (await import('./dashboard.ts')).show(context, options));
  group
    .command('print')
    .description('print the file of a dashboard, to import or keep it')
    .addArgument(new Argument('[kind]', 'which one').choices(['databricks', 'grafana']).default('databricks'))
    .action(async (kind: string) => (await import('./dashboard.ts')).print(context, kind));
}

const PROVISION_HELP = `
The file is YAML or JSON and contains profiles (without secrets), servers, permissions, and the AI clients to set up. The
command adds what is missing. It reports what differs, changes none of it, and removes nothing. docs/policy.md has an example.`;

/** `causeway provision`: profiles, servers, permissions and entries of a computer in one file. Its code loads when it runs. */
function registerProvision(program: Command, context: CommandContext): void {
  withJson(program.command('provision [file]'))
    .description('set up this computer from a file, or write such a file')
    .option('--dry-run', 'only show what would change')
    .option('--export <file>', 'write the setup of this computer without secrets; "-" prints it')
    .option('--force', 'with --export: replace the file if it exists')
    .option('--schema', 'print the JSON Schema of the file')
    .addHelpText('after', PROVISION_HELP)
    .action(async (file: string | undefined, options) =>
      (await import('./provision.ts')).provision(context, file, options),
    );
}

function withScope(command: Command): Command {
  return command
    .option('-c, --client <client>', 'only for this client (an id from `causeway clients`)')
    .option('--all', 'for all clients and servers')
    .option('--json', 'print JSON')
    .option('--dry-run', 'only show what would change');
}
