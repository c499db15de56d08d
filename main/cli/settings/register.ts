import type { Command } from 'commander';
import type { RegisterCommand } from '../command.ts';
import { unlessUnknown } from '../failure.ts';

const HELP = `
These are the settings of the window. They apply to the application, to this command and to AI clients. While the application
runs, it makes the change at once. When "tokenStore" changes, your sign-ins move.`;

/** `causeway settings …`: what the window's Settings show. Each command's code loads when it runs. */
export const registerSettings: RegisterCommand = (program, context) => {
  const group = withJson(program.command('settings'))
    .description('show and change the settings')
    .addHelpText('after', HELP)
    .allowExcessArguments()
    .action(
      unlessUnknown(async (command) =>
        (await import('./settings.ts')).listSettings(context, command.optsWithGlobals()),
      ),
    );
  withJson(group.command('list'))
    .description('list the settings, and who has decided each')
    .action(async (_options, command: Command) =>
      (await import('./settings.ts')).listSettings(context, command.optsWithGlobals()),
    );
  withJson(group.command('get <name>'))
    .description('print the value of a setting')
    .action(async (name: string, _options, command: Command) =>
      (await import('./settings.ts')).getSetting(context, name, command.optsWithGlobals()),
    );
  withJson(group.command('set <name> <value>'))
    .description('change a setting; switches are "on" or "off"')
    .action(async (name: string, value: string, _options, command: Command) =>
      (await import('./settings.ts')).setSetting(context, { name, value }, command.optsWithGlobals()),
    );
  withJson(group.command('reset [name...]'))
    .description('set settings back to their defaults')
    .option('--all', 'all of them')
    .action(async (names: string[], _options, command: Command) =>
      (await import('./settings.ts')).resetSettings(context, names, command.optsWithGlobals()),
    );
};

function withJson(command: Command): Command {
  return command.option('--json', 'print JSON');
}
