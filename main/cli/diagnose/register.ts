import type { RegisterCommand } from '../command.ts';

const HELP = `
Problems come first, each with what to do about it. The exit code is that of what has failed (1 where several
things have failed in different ways), and 5 where nothing has failed and something could not be checked.
The report holds the checks, the state, the settings and the newest lines of the log. Tokens, passwords, names of people
and the home folder are taken out of it.`;

/** `causeway diagnose`: the checks of the window, in the terminal. */
export const registerDiagnose: RegisterCommand = (program, context) => {
  program
    .command('diagnose')
    .description('check this computer, the network and the workspace, and say what to do about what is wrong')
    .option('-p, --profile <name>', 'the profile to check (default: as the Databricks CLI chooses)')
    .option('--report <file>', 'also write a report for whoever helps you; "-" prints it instead of the checks')
    .option('--force', 'replace the file if there is one')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (options) => (await import('./diagnose.ts')).diagnose(context, options));
};
