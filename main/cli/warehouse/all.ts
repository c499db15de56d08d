import { mentions, type OverrideRow } from '../../warehouses/all-overrides.ts';
import { type CommandContext, EXIT_UNKNOWN } from '../command.ts';
import { printable, writeJsonArray, writeLine } from '../print.ts';
import { type CommonOptions, openSession } from './options.ts';

export interface AllOptions extends CommonOptions {
  dangling?: boolean;
  access?: boolean;
}

const DANGLING = {
  'warehouse-gone': 'the warehouse is gone',
  deleting: 'the warehouse is being deleted',
  'cannot-use': 'the user may not use it',
} as const;

/** How many overrides were looked at, how many were shown, and of how many it cannot be told whether queries run. */
interface Tally {
  looked: number;
  shown: number;
  unknown: number;
  lastSelected: number;
}

/**
 * `causeway warehouse all [FILTER]`: every user's override, printed as the pages arrive. `--dangling` looks who may use
 * what, and shows those whose queries will fail and those of whom it cannot be told: exit code 5 if there are any of these.
 */
export async function all(context: CommandContext, filter: string, options: AllOptions): Promise<void> {
  const { warehouses } = await openSession(context, options);
  const withAccess = options.access === true || options.dangling === true;
  const tally: Tally = { looked: 0, shown: 0, unknown: 0, lastSelected: 0 };
  const rows = chosen(warehouses.admin.all({ withAccess }, context.signal), filter, options, tally);
  if (options.json) await writeJsonArray(context.stdout, rows);
  else for await (const row of rows) await writeLine(context.stdout, describe(row));
  if (options.dangling) await sayWhatIsUnknown(context, tally);
  if (options.json || tally.shown > 0) return;
  await writeLine(context.stderr, nothingShown(tally, filter, options));
}

async function* chosen(
  rows: AsyncIterable<OverrideRow>,
  filter: string,
  { dangling }: AllOptions,
  tally: Tally,
): AsyncGenerator<OverrideRow> {
  for await (const row of rows) {
    if (!mentions(row, filter)) continue;
    tally.looked += 1;
    if (row.canUse === 'unknown') tally.unknown += 1;
    if (row.warehouseId === null) tally.lastSelected += 1;
    if (dangling && row.dangling === null && row.canUse !== 'unknown') continue;
    tally.shown += 1;
    yield row;
  }
}

/** What was not found out is no all-clear. */
async function sayWhatIsUnknown(context: CommandContext, { unknown, lastSelected }: Tally): Promise<void> {
  if (unknown > 0) {
    context.setExitCode(EXIT_UNKNOWN);
    const of = unknown === 1 ? '1 override' : `${unknown} overrides`;
    await writeLine(context.stderr, `Of ${of} it could not be read whether the user may use the warehouse.`);
  }
  if (lastSelected > 0) {
    const which = lastSelected === 1 ? '1 override names' : `${lastSelected} overrides name`;
    await writeLine(context.stderr, `${which} no warehouse: where those queries run, only the workspace knows.`);
  }
}

function nothingShown({ looked }: Tally, filter: string, { dangling }: AllOptions): string {
  const fitting = filter === '' ? '' : printable(` that fits "${filter}"`);
  if (looked === 0) return `No user has an override${fitting}.`;
  if (!dangling) return 'No user has such an override.';
  const which =
    looked === 1 ? `The one override${fitting} names no` : `None of the ${looked} overrides${fitting} names a`;
  return `${which} warehouse that is gone or that its user may not use.`;
}

function describe({ userId, userName, type, warehouseId, warehouseName, dangling, canUse }: OverrideRow): string {
  const target = type === 'CUSTOM' ? (warehouseName ?? warehouseId ?? '') : type.toLowerCase().replace('_', ' ');
  const doubt = canUse === 'unknown' ? '  ? whether the user may use it could not be read' : '';
  const problem = dangling === null ? doubt : `  ! ${DANGLING[dangling]}`;
  return printable(`${(userName || userId).padEnd(36)}  ${target}${problem}`);
}
