import { type Command, Option } from 'commander';
import { SWITCHES } from '../../rules/decision.ts';
import type { RegisterCommand } from '../command.ts';
import { noSuchCommand } from '../failure.ts';

const HELP = `
A rule is for a SERVER (by its name in "causeway servers"), for a client at a server, for a client everywhere (--client without
a SERVER), or for everything (--all). Changes hold at once, also for running sessions.

With read only, a client may use the tools that the server marks as read-only, and of the SQL server those that are known to
be. Causeway cannot check what a server says. Name tools after the server, apart by blanks or commas.`;

/** `causeway rules …`: what AI clients may do with the servers' tools. Each command's code loads when it runs. */
export const registerRules: RegisterCommand = (program, context) => {
  const group = program
    .command('rules')
    .description('what AI clients may do: read only, tools on or off, ask first')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
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
};

function withScope(command: Command): Command {
  return command
    .option('-c, --client <client>', 'only for this client, by its id in "causeway clients"')
    .option('--all', 'for every client and every server')
    .option('--json', 'print JSON')
    .option('--dry-run', 'only show what would change');
}
