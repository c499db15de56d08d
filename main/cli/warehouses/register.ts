import type { Command } from 'commander';
import type { RegisterCommand } from '../command.ts';

const withProfile = (command: Command) =>
  command.option('-p, --profile <name>', 'the profile to use (default: as the Databricks CLI chooses)');

/**
 * `causeway warehouses …`: the five subcommands of the command-line client, with its names, arguments and flags
 * (spec/default-warehouse-override.md › Command-line client subcommands).
 */
export const registerWarehouses: RegisterCommand = (program, context) => {
  const group = program
    .command('warehouses')
    .description("default warehouse overrides as the Databricks CLI's commands of the same names have them")
    .addHelpText('after', '\nUSER_ID is `me` or a numeric user id; NAME is default-warehouse-overrides/USER_ID.');

  withProfile(group.command('create-default-warehouse-override <user_id> <type>'))
    .description('create an override of type CUSTOM or LAST_SELECTED')
    .option('--warehouse-id <id>', 'the warehouse, required with CUSTOM')
    .action(async (id: string, type: string, options) =>
      (await import('./operations.ts')).create(context, id, type, options),
    );
  withProfile(group.command('get-default-warehouse-override <name>'))
    .description('print an override')
    .action(async (name: string, options) => (await import('./operations.ts')).get(context, name, options));
  withProfile(group.command('update-default-warehouse-override <name> <field_mask> <type>'))
    .description('change the fields of an override that the mask names; * is all of them')
    .option('--warehouse-id <id>', 'the warehouse, required with CUSTOM')
    .option('--allow-missing', 'create it if there is none')
    .action(async (name: string, mask: string, type: string, options) =>
      (await import('./operations.ts')).update(context, name, mask, type, options),
    );
  withProfile(group.command('list-default-warehouse-overrides'))
    .description("print every user's override (admins)")
    .action(async (options) => (await import('./operations.ts')).list(context, options));
  withProfile(group.command('delete-default-warehouse-override <name>'))
    .description('delete an override: the user falls back to the workspace default')
    .action(async (name: string, options) => (await import('./operations.ts')).remove(context, name, options));
};
