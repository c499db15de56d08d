import type { RegisterCommand } from '../command.ts';

const HELP = `
Servers are asked now, as an AI client would ask them, and nobody is asked to sign in. What cannot be found out is said, and
does not change the exit code.`;

/** `causeway status`: whether Causeway runs, and how servers, AI clients and the warehouse are. */
export const registerStatus: RegisterCommand = (program, context) => {
  program
    .command('status')
    .description('the application, your servers, AI clients and warehouse on one screen')
    .option('-p, --profile <name>', 'the profile whose warehouse is shown (default: as the Databricks CLI chooses)')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (options) => (await import('./status.ts')).status(context, options));
};
