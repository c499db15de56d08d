import { type Command, Option } from 'commander';
import type { CommandContext, RegisterCommand } from '../command.ts';
import { unlessUnknown } from '../failure.ts';
import { withCommonOptions, withYes } from './options.ts';

const HELP = `
NAME is a warehouse's id, its name, or a part of at least three letters that only its name contains.
USER is a numeric id, a user name, an email address, a name, or a part of at least three letters that fits only one user.`;

/** `causeway warehouse …`: the warehouse that queries run on, for people. Each command's code loads when it runs. */
export const registerWarehouse: RegisterCommand = (program, context) => {
  const group = withCommonOptions(program.command('warehouse'))
    .description('show and change the SQL warehouse that your queries run on')
    .option('--compare', 'also show which warehouse the Databricks CLI resolves to by its rules')
    .addHelpText('after', HELP)
    .allowExcessArguments()
    .action(unlessUnknown(async (command) => (await import('./own.ts')).show(context, command.optsWithGlobals())));
  for (const add of [addOwn, addPower, addVerify, addAdmin, addBulk]) add(group, context);
};

const joined = (words: string[]) => words.join(' ');

function addOwn(group: Command, context: CommandContext): void {
  withCommonOptions(group.command('set <name...>'))
    .description('run your queries on this warehouse')
    .option('--force', 'set it even if you may not use it')
    .action(async (name: string[], _options, command: Command) =>
      (await import('./change.ts')).changeOwn(context, 'set', joined(name), command.optsWithGlobals()),
    );
  withCommonOptions(group.command('last-selected'))
    .description('run your queries on the warehouse that you last selected')
    .action(async (_options, command: Command) =>
      (await import('./change.ts')).changeOwn(context, 'last-selected', '', command.optsWithGlobals()),
    );
  withCommonOptions(group.command('clear'))
    .description('remove your override and use the workspace default')
    .action(async (_options, command: Command) =>
      (await import('./change.ts')).changeOwn(context, 'clear', '', command.optsWithGlobals()),
    );
  withCommonOptions(group.command('list [filter...]'))
    .description('list the warehouses that you can see')
    .option('--usable', 'only warehouses that you may use')
    .action(async (filter: string[], _options, command: Command) =>
      (await import('./own.ts')).listWarehouses(context, joined(filter), command.optsWithGlobals()),
    );
}

function addPower(group: Command, context: CommandContext): void {
  for (const verb of ['start', 'stop'] as const) {
    const command = withCommonOptions(group.command(`${verb} [name...]`))
      .description(`${verb} a warehouse (default: the one that your queries run on)`)
      .option('--wait', 'wait until it is done');
    if (verb === 'stop') withYes(command);
    command.action(async (name: string[], _options, command: Command) =>
      (await import('./own.ts')).power(context, verb, joined(name), command.optsWithGlobals()),
    );
  }
}

function addVerify(group: Command, context: CommandContext): void {
  withCommonOptions(group.command('verify [name...]'))
    .description('check that your queries run where they should')
    .option('--prove', 'also send a query, and look up in the query history where it ran; nothing is stopped')
    .option('--cold', 'also stop all running warehouses, send a query, and see which one starts')
    .addOption(new Option('--end-to-end', 'an older name of --cold').hideHelp())
    .option(
      '--pin [warehouse]',
      'the query names this warehouse in _meta (default: the one your AI clients are pinned to); implies --prove',
    )
    .option('--stop-warehouses', 'stop warehouses without asking')
    .action(async (name: string[], _options, command: Command) =>
      (await import('./verify.ts')).verify(context, joined(name), command.optsWithGlobals()),
    );
}

function addAdmin(group: Command, context: CommandContext): void {
  withYes(withCommonOptions(group.command('for <user> [verb] [name...]')))
    .description("show or change another user's override: show, set NAME, last-selected or clear (admins)")
    .option('--force', 'set it even if the user may not use the warehouse')
    .action(async (user: string, verb: string | undefined, name: string[], _options, command: Command) =>
      (await import('./overrides.ts')).forUser(context, user, verb ?? 'show', joined(name), command.optsWithGlobals()),
    );
  withYes(withCommonOptions(group.command('default [verb] [name...]')))
    .description('show or change the workspace default: show, set NAME or clear (admins)')
    .action(async (verb: string | undefined, name: string[], _options, command: Command) =>
      (await import('./default.ts')).workspaceDefault(context, verb ?? 'show', joined(name), command.optsWithGlobals()),
    );
  withCommonOptions(group.command('all [filter...]'))
    .description("list every user's override (admins)")
    .option('--dangling', 'only overrides that make queries fail, or might (implies --access)')
    .option('--access', 'also check whether each user may use the warehouse')
    .action(async (filter: string[], _options, command: Command) =>
      (await import('./overrides.ts')).all(context, joined(filter), command.optsWithGlobals()),
    );
}

function withBulkOptions(command: Command): Command {
  return withYes(command)
    .option('--dry-run', 'only show the difference')
    .option('--fail-on-change', 'with --dry-run: end with exit code 6 if something would change');
}

function addBulk(group: Command, context: CommandContext): void {
  withBulkOptions(withCommonOptions(group.command('import [file]')))
    .description('apply the overrides in a CSV or JSON file, after showing the difference (admins)')
    .option('--only', 'also clear the overrides of all users who are not in the file')
    .option('--skip-invalid', 'apply the other lines where some have problems')
    .option('--undo <journal>', 'instead of a file: undo an earlier import, by its ID or "last"')
    .option('--results <file>', 'where to write the result of each line (default: FILE.results.csv)')
    .action(async (file: string | undefined, _options, command: Command) =>
      (await import('./bulk.ts')).importOverrides(context, file ?? '', command.optsWithGlobals()),
    );
  withBulkOptions(withCommonOptions(group.command('assign [name...]')))
    .description('give all members of a group the same override (admins)')
    .requiredOption('-g, --group <group>', 'the name or ID of the group; groups in it count too')
    .option('--last-selected', 'instead of a warehouse: the one that each user last selected')
    .option('--clear', "instead of a warehouse: remove the members' overrides")
    .option('--only', 'also clear the overrides of all users who are not in the group')
    .option('--results <file>', 'where to write the result for each user')
    .action(async (name: string[], _options, command: Command) =>
      (await import('./bulk.ts')).assign(context, joined(name), command.optsWithGlobals()),
    );
  withCommonOptions(group.command('journals'))
    .description('list what imports on this computer have changed, the newest first')
    .action(async (_options, command: Command) =>
      (await import('./journals.ts')).listJournals(context, command.optsWithGlobals().json === true),
    );
  withCommonOptions(group.command('export [file]'))
    .description('write every user\'s override as CSV, to stdout or a file; "-" is stdout (admins)')
    .option('--force', 'replace the file if it exists')
    .action(async (file: string | undefined, _options, command: Command) =>
      (await import('./export.ts')).exportOverrides(context, file ?? '', command.optsWithGlobals()),
    );
}
