import { Command, Option } from 'commander';
import { CausewayError } from '../platform/errors.ts';
import { VERSION } from '../platform/version.ts';
import { SWITCHES } from '../rules/switches.ts';
import { registerClients } from './clients/register.ts';
import type { CommandContext, RegisterCommand } from './command.ts';
import { registerCompletion } from './completion/register.ts';
import { noSuchCommand, pathOf } from './failure.ts';
import { addHelp } from './help.ts';
import { registerProxy } from './proxy-arguments.ts';
import { registerServers } from './servers/register.ts';
import { registerWarehouse } from './warehouse/register.ts';
import { registerWarehouses } from './warehouses/register.ts';

const COMMANDS: RegisterCommand[] = [
  registerProxy,
  registerStatus,
  registerDiagnose,
  registerAccount,
  registerWarehouse,
  registerWarehouses,
  registerServers,
  registerClients,
  registerRules,
  registerPolicy,
  registerAudit,
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
      "Connects AI clients to a Databricks workspace's managed MCP servers, and controls which SQL warehouse their queries run on.",
    )
    .version(VERSION, '-v, --version', 'print the version')
    .configureOutput({ writeOut: (text) => context.stdout.write(text), writeErr: (text) => context.stderr.write(text) })
    .showHelpAfterError('(causeway --help lists the commands)')
    .hook('preAction', (_program, action) => {
      onCommand(action);
      refuseEmptyValues(action);
    });
  for (const register of COMMANDS) register(program, context);
  addHelp(program, context);
  for (const command of everyCommand(program)) {
    command.exitOverride((error) => {
      onCommand(command);
      throw error;
    });
  }
  return program;
}

/** Every command below one, and it itself. */
function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

/** An empty value, as an unset variable of a script leaves it, must not mean the same as no option. */
function refuseEmptyValues(command: Command): void {
  // These refuse it in the words of the Databricks CLI.
  if (command.parent?.name() === 'warehouses') return;
  for (let at: Command | null = command; at; at = at.parent) {
    for (const option of at.options) {
      if (at.getOptionValue(option.attributeName()) !== '') continue;
      throw new CausewayError('usage', `${option.long ?? option.flags} was given without a value.`, {
        remedy: `Name one, or leave it out. \`${pathOf(command)} --help\` lists the options.`,
      });
    }
  }
}

const STATUS_HELP = `
Servers are asked now, as an AI client would ask them, and nobody is asked to sign in. Sessions are those that go through
the running application: without it each AI client connects by itself, and is not seen here.
What cannot be found out is reported, and does not change the exit code.
--watch looks at sessions every second and at the rest every 30 seconds, until Ctrl-C; with --json each change is one line.`;

/** `causeway status`: whether Causeway runs, and how sessions, servers, AI clients and the warehouse are. */
function registerStatus(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('the application, its sessions, your servers, AI clients and warehouse on one screen')
    .option('-p, --profile <name>', 'the profile whose warehouse is shown (default: as the Databricks CLI chooses)')
    .option('-w, --watch', 'show it again whenever something changes, until Ctrl-C')
    .option('--json', 'print JSON')
    .addHelpText('after', STATUS_HELP)
    .action(async (options) => (await import('./status.ts')).status(context, options));
}

const DIAGNOSE_HELP = `
Problems come first, each with what to do about it. The exit code is that of what has failed (1 where several
things have failed in different ways), and 5 where nothing has failed and something could not be checked.
The report holds the checks, the state, the settings and the newest lines of the log. Tokens, passwords, names of people
and the home folder are taken out of it.`;

/** `causeway diagnose`: the checks of the window, in the terminal. */
function registerDiagnose(program: Command, context: CommandContext): void {
  program
    .command('diagnose')
    .description('check this computer, the network and the workspace, and say what to do about what is wrong')
    .option('-p, --profile <name>', 'the profile to check (default: as the Databricks CLI chooses)')
    .option('--report <file>', 'also write a report for whoever helps you; "-" prints it instead of the checks')
    .option('--force', 'replace the file if there is one')
    .option('--json', 'print JSON')
    .addHelpText('after', DIAGNOSE_HELP)
    .action(async (options) => (await import('./diagnose.ts')).diagnose(context, options));
}

const UNINSTALL_HELP = `
Entries of Causeway go from the files of all AI clients, sign-ins are revoked and forgotten, the application quits, and what it
keeps on this computer is deleted. Your profiles in the Databricks configuration file stay, and so do your warehouse override and
your sign-ins to services such as GitHub, which are at the workspace. The program itself goes as it came: with its installer, or
with npm. Where something could not be removed the exit code is 1; run it again then.`;

/** `causeway uninstall`: takes away what Causeway has left on this computer. */
function registerUninstall(program: Command, context: CommandContext): void {
  program
    .command('uninstall')
    .description('show what Causeway has left on this computer; --yes removes it')
    .option('-y, --yes', 'remove it')
    .option('--force', 'also from files of AI clients that are running, which may write the entries again')
    .option('--json', 'print JSON')
    .addOption(new Option('--after <pid>', 'wait for the end of this process first').hideHelp())
    .addHelpText('after', UNINSTALL_HELP)
    .action(async (options) => (await import('./uninstall.ts')).uninstallCommand(context, options));
}

const LOGIN_HELP = `
A profile is a section of the Databricks configuration file (~/.databrickscfg). With --host and no --profile, the profile of
that workspace is used, or created. On a computer without a browser use --no-browser, and forward port 8020, for example with
ssh -L 8020:localhost:8020.

Profiles with auth_type = azure-cli, azure-client-secret, github-oidc, env-oidc, file-oidc, oauth-m2m or pat need no login;
"causeway whoami" shows whether they work. For azure-cli, run "az login".`;

/** Signing in and out, and who is signed in where. Each command's code loads when it runs. */
function registerAccount(program: Command, context: CommandContext): void {
  withJson(withProfile(program.command('login')))
    .description('sign in to a workspace in the browser')
    .option('--host <address>', "the workspace's address, as the browser shows it")
    .option('--no-browser', 'only show the address to open')
    .option('--client-id <id>', 'sign in through this OAuth application of your account, and remember it')
    .option('--client-secret-stdin', "read that application's secret from stdin")
    .option('--callback-port <port>', 'the port of its redirect URL')
    .option('--scopes <scopes>', 'the scopes to ask for, separated by commas')
    .option('--built-in-client', 'forget the OAuth application and sign in through the built-in one')
    .addHelpText('after', LOGIN_HELP)
    .action(async (options) => (await import('./login.ts')).login(context, options));

  withJson(withProfile(program.command('logout')))
    .description('sign out: remove the tokens from this computer and revoke them at the workspace')
    .action(async (options) => (await import('./account.ts')).logout(context, options));

  withJson(program.command('profiles'))
    .description('every profile: workspace, method, state, who, expiry')
    .option('--skip-validate', 'do not ask the workspaces')
    .action(async (options) => (await import('./account.ts')).profiles(context, options));

  withJson(withProfile(program.command('whoami')))
    .description('who the token stands for, and whether it works')
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

const RULES_HELP = `
A rule is for a SERVER (by its name in "causeway servers"), for a client at a server, for a client everywhere (--client without
a SERVER), or for everything (--all). Changes hold at once, also for running sessions.

With read only, a client may use the tools that the server marks as read-only, and of the SQL server those that are known to
be. Causeway cannot check what a server says. Name tools after the server, apart by blanks or commas.`;

/** `causeway rules …`: what AI clients may do with the servers' tools. Each command's code loads when it runs. */
function registerRules(program: Command, context: CommandContext): void {
  const group = program
    .command('rules')
    .description('what AI clients may do: read only, tools on or off, ask first')
    .option('--json', 'print JSON')
    .addHelpText('after', RULES_HELP)
    .allowExcessArguments()
    .action(async (_options, command: Command) => {
      const [unknown] = command.args;
      if (unknown !== undefined) throw noSuchCommand(unknown, command);
      await (await import('./rules.ts')).listRules(context, command.optsWithGlobals());
    });
  group
    .command('list')
    .description('the rules, and their latest changes')
    .option('--json', 'print JSON')
    .action(async (_options, command: Command) =>
      (await import('./rules.ts')).listRules(context, command.optsWithGlobals()),
    );
  withScope(group.command('set [server]'))
    .description('change the rules for a server, a client or everything; the others stay as they are')
    .option('--read-only', 'only tools that read')
    .option('--no-read-only', 'also tools that write')
    .addOption(new Option('--new <state>', 'what holds for tools that no rule names').choices(SWITCHES))
    .option('--on <tool...>', 'tools that may be called')
    .option('--off <tool...>', 'tools that may not be called, and are not listed')
    .option('--ask <tool...>', 'tools that may be called once you have allowed the call')
    .action(async (server: string | undefined, _options, command: Command) =>
      (await import('./rules.ts')).setRules(context, server, command.optsWithGlobals()),
    );
  withScope(group.command('clear [server]'))
    .description('remove the rules for a server, a client or everything')
    .action(async (server: string | undefined, _options, command: Command) =>
      (await import('./rules.ts')).clearRules(context, server, command.optsWithGlobals()),
    );
}

const POLICY_HELP = `
A policy is what the administrators of this computer have decided. It is read from a place that they alone can write.`;

/** `causeway policy …`: what the organization has decided. Each command's code loads when it runs. */
function registerPolicy(program: Command, context: CommandContext): void {
  const group = program
    .command('policy')
    .description('what your organization has decided, and what of it you cannot change')
    .addHelpText('after', POLICY_HELP);
  withJson(group.command('show'))
    .description('what is decided, by which file, and what is locked')
    .action(async (options) => (await import('./policy.ts')).showPolicy(context, options));
  withJson(group.command('check <file>'))
    .description('check a file before it becomes the policy')
    .action(async (file: string, options) => (await import('./policy.ts')).checkPolicy(context, file, options));
}

const AUDIT_HELP = `
Kept of each call: when, which AI client, profile, server, tool, outcome and duration. Never what was asked or answered.
A session of a proxy that works alone looks at this when it begins.`;

/** `causeway audit …`: which calls were made, without contents. Each command's code loads when it runs. */
function registerAudit(program: Command, context: CommandContext): void {
  const group = program
    .command('audit')
    .description('keep or send which calls were made, without contents')
    .option('--json', 'print JSON')
    .addHelpText('after', AUDIT_HELP)
    .allowExcessArguments()
    .action(async (_options, command: Command) => {
      const [unknown] = command.args;
      if (unknown !== undefined) throw noSuchCommand(unknown, command);
      await (await import('./audit.ts')).showAudit(context, command.optsWithGlobals());
    });
  withJson(group.command('on'))
    .description('audit calls from now on: in a file, unless --otlp alone is given')
    .option('--file', 'in a file in the folder of the log, also beside --otlp')
    .option('--otlp <url>', 'to an OpenTelemetry collector, by OTLP over HTTP')
    .action(async (_options, command: Command) =>
      (await import('./audit.ts')).startAudit(context, command.optsWithGlobals()),
    );
  withJson(group.command('off'))
    .description('audit no calls; what was written stays')
    .action(async (_options, command: Command) =>
      (await import('./audit.ts')).stopAudit(context, command.optsWithGlobals()),
    );
}

const PROVISION_HELP = `
A file in YAML or JSON with profiles (without secrets), servers, rules and the AI clients that get entries. What is missing is added;
what is there and differs is named and left alone; nothing is removed. docs/policy.md has an example.`;

/** `causeway provision`: profiles, servers, rules and entries of a computer in one file. Its code loads when it runs. */
function registerProvision(program: Command, context: CommandContext): void {
  withJson(program.command('provision [file]'))
    .description('set this computer up as a file says, or write such a file')
    .option('--dry-run', 'only show what would change')
    .option('--export <file>', 'write what this computer has, without secrets; "-" prints it')
    .option('--force', 'with --export: replace the file if there is one')
    .option('--schema', 'print the JSON Schema of the file')
    .addHelpText('after', PROVISION_HELP)
    .action(async (file: string | undefined, options) =>
      (await import('./provision.ts')).provision(context, file, options),
    );
}

function withScope(command: Command): Command {
  return command
    .option('-c, --client <client>', 'only for this client, by its id in "causeway clients"')
    .option('--all', 'for every client and every server')
    .option('--json', 'print JSON')
    .option('--dry-run', 'only show what would change');
}
