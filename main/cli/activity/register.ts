import type { Command } from 'commander';
import type { RegisterCommand } from '../command.ts';
import { unlessUnknown } from '../failure.ts';

const HELP = `
Shows what the window's Activity shows, whether or not the application runs. Never shows contents. --follow prints each call as it
ends, until Ctrl-C; with --json, as one line.`;

const DELETE_HELP = `
Deletes kept calls from this computer for good. AI clients stay connected. While the application runs, its window shows it.`;

/** `causeway activity`: the calls of AI clients. Its code loads when it runs. */
export const registerActivity: RegisterCommand = (program, context) => {
  const group = program
    .command('activity')
    .description('show which tools AI clients have called, and how the calls ended')
    .option('-f, --follow', 'keep running and show each call as it ends, until Ctrl-C')
    .option('--failed', 'only calls that failed')
    .option('-n, --last <count>', 'how many calls, the newest last (default: 50)')
    .option('--since <time>', 'only calls since then: 2h, 7d, or a day such as 2026-11-27')
    .option('--client <name>', 'only calls of this AI client')
    .option('--server <name>', 'only calls to this server')
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
  group
    .command('delete')
    .description('delete kept calls')
    .option('--day <day>', 'those of a day, such as 2026-11-27')
    .option('--client <name>', 'those of an AI client')
    .option('--all', 'all of them')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print JSON')
    .addHelpText('after', DELETE_HELP)
    .action(async (_options, command: Command) =>
      (await import('./delete.ts')).deleteActivity(context, command.optsWithGlobals()),
    );
};
