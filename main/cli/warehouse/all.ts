import { mentions, type OverrideRow } from '../../warehouses/all-overrides.ts';
import type { CommandContext } from '../command.ts';
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

/** `causeway warehouse all [FILTER]`: every user's override, printed as the pages arrive. */
export async function all(context: CommandContext, filter: string, options: AllOptions): Promise<void> {
  const { warehouses } = await openSession(context, options);
  const rows = filtered(warehouses.admin.all({ withAccess: options.access === true }, context.signal), filter, options);
  if (options.json) {
    await writeJsonArray(context.stdout, rows);
    return;
  }
  let count = 0;
  for await (const row of rows) {
    await writeLine(context.stdout, describe(row));
    count += 1;
  }
  if (count === 0) await writeLine(context.stderr, 'No user has such an override.');
}

async function* filtered(
  rows: AsyncIterable<OverrideRow>,
  filter: string,
  { dangling }: AllOptions,
): AsyncGenerator<OverrideRow> {
  for await (const row of rows) {
    if (dangling && row.dangling === null) continue;
    if (mentions(row, filter)) yield row;
  }
}

function describe({ userId, userName, type, warehouseId, warehouseName, dangling }: OverrideRow): string {
  const target = type === 'CUSTOM' ? (warehouseName ?? warehouseId ?? '') : type.toLowerCase().replace('_', ' ');
  const problem = dangling === null ? '' : `  ! ${DANGLING[dangling]}`;
  return printable(`${(userName || userId).padEnd(36)}  ${target}${problem}`);
}
