import type { Command } from 'commander';
import type { RegisterCommand } from '../command.ts';

const LOGIN_HELP = `
A profile is a section of the Databricks configuration file (~/.databrickscfg). With --host and no --profile, the profile of
that workspace is used, or created. On a computer without a browser use --no-browser, and forward port 8020, for example with
ssh -L 8020:localhost:8020.

Profiles with auth_type = azure-cli, azure-client-secret, github-oidc, env-oidc, file-oidc, oauth-m2m or pat need no login;
"causeway whoami" shows whether they work. For azure-cli, run "az login".`;

/** Signing in and out, and who is signed in where. Each command's code loads when it runs. */
export const registerAccount: RegisterCommand = (program, context) => {
  json(profile(program.command('login')))
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

  json(profile(program.command('logout')))
    .description('sign out: remove the tokens from this computer and revoke them at the workspace')
    .action(async (options) => (await import('./account.ts')).logout(context, options));

  json(program.command('profiles'))
    .description('every profile: workspace, method, state, who, expiry')
    .option('--skip-validate', 'do not ask the workspaces')
    .action(async (options) => (await import('./account.ts')).profiles(context, options));

  json(profile(program.command('whoami')))
    .description('who the token stands for, and whether it works')
    .action(async (options) => (await import('./account.ts')).whoami(context, options));
};

function profile(command: Command): Command {
  return command.option(
    '-p, --profile <name>',
    'profile of the configuration file (default: as the Databricks CLI chooses)',
  );
}

function json(command: Command): Command {
  return command.option('--json', 'print JSON');
}
