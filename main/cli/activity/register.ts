import type { RegisterCommand } from '../command.ts';

const HELP = `
Shows what the window's Activity shows if the application runs, and the calls of AI clients that connected on their own. Never
shows contents. --follow prints each call as it ends, until Ctrl-C; with --json, as one line.`;

/** `causeway activity`: the calls of AI clients. Its code loads when it runs. */
export const registerActivity: RegisterCommand = (program, context) => {
  program
    .command('activity')
    .description('show which tools AI clients have called, and how the calls ended')
    .option('-f, --follow', 'keep running and show each call as it ends, until Ctrl-C')
    .option('--failed', 'only calls that failed')
    .option('-n, --last <count>', 'how many calls, the newest last (default: 50)')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (options) => (await import('./activity.ts')).showActivity(context, options));
};
