import type { Command } from 'commander';
import type { CommandContext, RegisterCommand } from '../command.ts';
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
  registerTags(group, context);
  withJson(group.command('reset [name...]'))
    .description('set settings back to their defaults')
    .option('--all', 'all of them')
    .action(async (names: string[], _options, command: Command) =>
      (await import('./settings.ts')).resetSettings(context, names, command.optsWithGlobals()),
    );
};

const TAGS_HELP = `
Requests to services of the gateway carry these tags, for its usage records, policies and rate limits. They hold no secrets.
AI_GATEWAY_REQUEST_TAGS, one line of JSON in an AI client's environment, adds to them. They apply at once.`;

function registerTags(settings: Command, context: CommandContext): void {
  const tags = withJson(settings.command('tags'))
    .description('show and change the tags of requests to the gateway')
    .addHelpText('after', TAGS_HELP)
    .allowExcessArguments()
    .action(unlessUnknown(async (command) => (await import('./tags.ts')).listTags(context, command.optsWithGlobals())));
  withJson(tags.command('list'))
    .description('list the tags, and who has decided each')
    .action(async (_options, command: Command) =>
      (await import('./tags.ts')).listTags(context, command.optsWithGlobals()),
    );
  withJson(tags.command('set <name=value...>'))
    .description('set tags; one without a value is left out')
    .action(async (texts: string[], _options, command: Command) =>
      (await import('./tags.ts')).setTags(context, texts, command.optsWithGlobals()),
    );
  withJson(tags.command('clear [name...]'))
    .description('remove tags that you have set')
    .option('--all', 'all of them')
    .action(async (names: string[], _options, command: Command) =>
      (await import('./tags.ts')).clearTags(context, names, command.optsWithGlobals()),
    );
}

function withJson(command: Command): Command {
  return command.option('--json', 'print JSON');
}
