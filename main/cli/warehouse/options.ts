import type { Command } from 'commander';
import type { WorkspaceSession } from '../../app/causeway.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { WarehouseSummary } from '../../warehouses/directory.ts';
import type { CommandContext } from '../command.ts';

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

/** Opens the profile that the options name. */
export function openSession(context: CommandContext, options: CommonOptions): Promise<WorkspaceSession> {
  return context.causeway().open(options.profile);
}

/** The warehouse that a text means. One that is being deleted counts only if no other matches. @throws {CausewayError} `ambiguous`, `not_found` */
export async function findWarehouse(
  session: WorkspaceSession,
  text: string,
  signal: AbortSignal,
): Promise<WarehouseSummary> {
  return warehouseNamed(await session.warehouses.list(signal), text);
}

/** The same among warehouses that have already been read. */
export async function warehouseNamed(all: readonly WarehouseSummary[], text: string): Promise<WarehouseSummary> {
  const [{ chooseByName }, { isGone }] = await Promise.all([
    import('../../warehouses/names.ts'),
    import('../../warehouses/heuristic.ts'),
  ]);
  return chooseByName(all, text, 'warehouses', '`causeway warehouse list` shows them all.', ({ state }) =>
    isGone(state),
  );
}

/** Whose queries a change is about, for messages. */
export interface Whose {
  /** `You`, or a user's name as it may be printed. */
  name: string;
  do: 'do' | 'does';
}

/** Why queries would fail on a target, without a full stop; undefined if nothing is known against it. */
export function whyQueriesFail(
  { name, state }: WarehouseSummary,
  canUse: boolean | 'unknown',
  whose: Whose,
): string | undefined {
  if (state === 'DELETING') return `${name} is being deleted`;
  if (state === 'DELETED') return `${name} was deleted`;
  return canUse === false ? `${whose.name} ${whose.do} not have the CAN USE permission on ${name}` : undefined;
}

/** What is not known about a target, as a sentence; empty if everything is known. */
export function accessDoubt(canUse: boolean | 'unknown', who: string): string {
  return canUse === 'unknown' ? `Causeway could not check whether ${who} may use it.` : '';
}

/** Refuses a target on which queries would fail, unless the user forces it. */
export function refuseUnusable(warehouse: WarehouseSummary, canUse: boolean | 'unknown', whose: Whose, force = false) {
  const why = whyQueriesFail(warehouse, canUse, whose);
  if (why === undefined || force) return;
  const first = canUse === false ? 'Ask for the permission' : 'Choose another one';
  const remedy = `Nothing was changed. ${first}, or pass --force to set it anyway.`;
  throw new CausewayError('permission_denied', `${why}: queries would fail.`, { remedy });
}
