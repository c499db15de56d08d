import type { Person, WantedOverride } from '../../../preload/contract.ts';
import type { WarehouseService } from '../../causeway.ts';
import { danglingState, type OverrideRow } from '../../warehouses/all-overrides.ts';
import type { LineResult } from '../../warehouses/bulk/apply.ts';
import type { StoredOverride } from '../../warehouses/override-changes.ts';
import type { OverrideFields } from '../../workspace/overrides.ts';

/** Makes one user's override what is wanted. Gives what was stored, and the row to show; null for who has none any more. */
export async function changeOverride(
  { admin, list }: WarehouseService,
  user: Person,
  wanted: WantedOverride,
): Promise<{ changed: StoredOverride | 'cleared' | 'had-none'; row: OverrideRow | null }> {
  if (wanted.type === 'NONE') return { changed: await admin.clearOverride(user.id), row: null };
  const fields = fieldsOf(wanted);
  const changed = await admin.setOverride(user.id, fields);
  const { warehouse_id: target } = fields;
  if (target === undefined) return { changed, row: rowOf(user, fields, undefined, null) };
  const [all, canUse] = await Promise.all([list(), admin.canUse(user.id, target)]);
  const warehouse = all.find(({ id }) => id === target);
  return { changed, row: rowOf(user, fields, warehouse, canUse) };
}

/** The rows to show after many changes: null for who has no override any more. */
export async function rowsAfter(
  results: readonly LineResult[],
  warehouses: WarehouseService,
  nameOf: (userId: string) => Person | undefined,
): Promise<[userId: string, row: OverrideRow | null][]> {
  const byId = new Map((await warehouses.list()).map((warehouse) => [warehouse.id, warehouse]));
  return results.map(({ planned }) => {
    const { userId, userName } = planned;
    if (!('fields' in planned)) return [userId, null];
    const user = nameOf(userId) ?? { id: userId, userName, displayName: userName };
    const { warehouse_id: target } = planned.fields;
    const canUse = target === undefined ? null : (planned.canUse ?? 'unchecked');
    return [userId, rowOf(user, planned.fields, byId.get(target ?? ''), canUse)];
  });
}

function fieldsOf(wanted: Exclude<WantedOverride, { type: 'NONE' }>): OverrideFields {
  return wanted.type === 'CUSTOM' ? { type: wanted.type, warehouse_id: wanted.warehouseId } : { type: wanted.type };
}

function rowOf(
  user: Person,
  {
    type,
    warehouse_id: warehouseId = null,
  }: Pick<OverrideFields, 'type'> & { warehouse_id?: string | null | undefined },
  warehouse: { name: string; state: string } | undefined,
  canUse: OverrideRow['canUse'],
): OverrideRow {
  const { id: userId, userName, displayName } = user;
  const names = { warehouseName: warehouse?.name ?? null, warehouseState: warehouse?.state ?? null };
  const dangling =
    warehouseId === null ? null : (danglingState(warehouse?.state) ?? (canUse === false ? 'cannot-use' : null));
  return { userId, userName, displayName, type, warehouseId, ...names, dangling, canUse };
}
