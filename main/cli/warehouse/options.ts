import type { Command } from 'commander';
import { formatState, isGone, sizeAndKind } from '../../../preload/contract/words/warehouse.ts';
import type { WarehouseService, WorkspaceSession } from '../../app/causeway.ts';
import type { WarehouseSummary } from '../../warehouses/directory.ts';
import type { CommandContext } from '../command.ts';
import { printable } from '../terminal.ts';

/** The options of every command in this folder. */
export interface CommonOptions {
  profile?: string;
  json?: boolean;
}

/** Adds the options of every command in this folder. */
export function withCommonOptions(command: Command): Command {
  return command
    .option('-p, --profile <name>', 'the profile to use (default: as the Databricks CLI chooses)')
    .option('--json', 'print JSON');
}

/** Adds the option of the commands that ask. */
export function withYes(command: Command): Command {
  return command.option('-y, --yes', 'do not ask');
}

/** Opens the profile that the options name. */
export function openSession(context: CommandContext, options: CommonOptions): Promise<WorkspaceSession> {
  return context.causeway().open(options.profile);
}

/** The warehouse that a text names. One that is being deleted counts only if no other matches. @throws {CausewayError} `ambiguous`, `not_found` */
export async function findWarehouse(
  warehouses: WarehouseService,
  text: string,
  signal: AbortSignal,
): Promise<WarehouseSummary> {
  return warehouseNamed(await warehouses.list(signal), text);
}

/** The same among warehouses that have already been read. */
export async function warehouseNamed(all: readonly WarehouseSummary[], text: string): Promise<WarehouseSummary> {
  const { chooseByName } = await import('../../platform/names.ts');
  return chooseByName(all, text, {
    kind: 'warehouses',
    remedy: '`causeway warehouse list` shows them all.',
    isLastResort: ({ state }) => isGone(state),
  });
}

/** A warehouse in a few words: its name, state, size and kind. */
export function describeWarehouse(warehouse: WarehouseSummary): string {
  const details = [formatState(warehouse.state).toLowerCase(), ...sizeAndKind(warehouse)].filter(Boolean).join(', ');
  return `${printable(warehouse.name)} (${printable(details)})`;
}
