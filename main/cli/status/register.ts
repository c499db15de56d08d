import type { RegisterCommand } from '../command.ts';

const HELP = `
Servers are asked now, as an AI client would ask them, and nobody is asked to sign in. Sessions are those that go through
the running application: without it each AI client connects by itself, and is not seen here.
What cannot be found out is reported, and does not change the exit code.
--watch looks at sessions every second and at the rest every 30 seconds, until Ctrl-C; with --json each change is one line.`;

/** `causeway status`: whether Causeway runs, and how sessions, servers, AI clients and the warehouse are. */
export const registerStatus: RegisterCommand = (program, context) => {
  program
    .command('status')
    .description('the application, its sessions, your servers, AI clients and warehouse on one screen')
    .option('-p, --profile <name>', 'the profile whose warehouse is shown (default: as the Databricks CLI chooses)')
    .option('-w, --watch', 'show it again whenever something changes, until Ctrl-C')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (options) => (await import('./status.ts')).status(context, options));
};
