import type { Command } from 'commander';
import type { RegisterCommand } from '../command.ts';
import { unlessUnknown } from '../failure.ts';

const HELP = `
Shows what the window's Activity shows if the application runs, and the calls of AI clients that connected on their own. Never
shows contents. --follow prints each call as it ends, until Ctrl-C; with --json, as one line.`;

/** `causeway activity`: the calls of AI clients. Its code loads when it runs. */
export const registerActivity: RegisterCommand = (program, context) => {
  const group = program
    .command('activity')
    .description('show which tools AI clients have called, and how the calls ended')
    .option('-f, --follow', 'keep running and show each call as it ends, until Ctrl-C')
    .option('--failed', 'only calls that failed')
    .option('-n, --last <count>', 'how many calls, the newest last (default: 50)')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .allowExcessArguments()
    .action(
      unlessUnknown(async (command) =>
        (await import('./activity.ts')).showActivity(context, command.optsWithGlobals()),
      ),
    );
  group
    .command('statement <id>')
    .description('show where a SQL statement ran, how long each part of it took, and what it read')
    .option('-p, --profile <name>', 'the profile that ran it (default: the one of the call)')
    .option('--json', 'print JSON')
    .action(async (id: string, _options, command: Command) =>
      (await import('./statements.ts')).showStatement(context, id, command.optsWithGlobals()),
    );
  group
    .command('cancel <id>')
    .description('cancel a SQL statement that still runs')
    .option('-p, --profile <name>', 'the profile that ran it (default: the one of the call)')
    .option('--json', 'print JSON')
    .action(async (id: string, _options, command: Command) =>
      (await import('./statements.ts')).cancelStatement(context, id, command.optsWithGlobals()),
    );
};
