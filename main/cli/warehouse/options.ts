import type { Command } from 'commander';
import type { WorkspaceSession } from '../../causeway.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { WarehouseSummary } from '../../warehouses/effective.ts';
import type { CommandContext } from '../command.ts';

/** What every command here takes. */
export interface CommonOptions {
  profile?: string;
  json?: boolean;
}

/** Adds the options that every command here takes. */
export function withCommonOptions(command: Command): Command {
  return command
    .option('-p, --profile <name>', 'the profile to use (default: as the Databricks CLI chooses)')
    .option('--json', 'print JSON');
}

/** Opens the profile that the options name. */
export function openSession(context: CommandContext, options: CommonOptions): Promise<WorkspaceSession> {
  return context.causeway().open(options.profile);
}

/** The warehouse that a text means, among those that can still be chosen. @throws {CausewayError} `ambiguous`, `not_found` */
export async function findWarehouse(
  session: WorkspaceSession,
  text: string,
  signal: AbortSignal,
): Promise<WarehouseSummary> {
  const [{ chooseByName }, all] = await Promise.all([
    import('../../warehouses/names.ts'),
    session.warehouses.list(signal),
  ]);
  const present = all.filter(({ id, state }) => id === text || (state !== 'DELETED' && state !== 'DELETING'));
  return chooseByName(present, text, 'warehouses', '`causeway warehouse list` shows them all.');
}

/** Refuses a target on which queries would fail, unless the person insists. */
export function refuseUnusable(warehouse: WarehouseSummary, canUse: boolean | 'unknown', whose: string, force = false) {
  if (canUse !== false || force) return;
  throw new CausewayError(
    'permission_denied',
    `${whose} not have the CAN USE permission on ${warehouse.name}: queries would fail when it starts.`,
    { remedy: 'Nothing was changed. Ask for the permission, or pass --force to set it all the same.' },
  );
}
