import type { OverrideRow } from '../../preload/contract/overrides.ts';
import { ownerFailure, queryFailure } from '../../preload/contract/words/warehouse.ts';
import type { RestClient } from '../workspace/client.ts';
import { type OverrideRecord, ownerOf } from '../workspace/overrides.ts';
import { gather } from '../workspace/paging.ts';
import { type Access, accessFrom, readPermissions } from './access.ts';
import { type Directory, readDirectory, type WarehouseSummary } from './directory.ts';
import { overrideOperations } from './override-operations.ts';
import type { UserSummary } from './users.ts';

/** One user's override as an admin sees it, with names instead of ids as far as they can be found. */
export type UserOverride = OverrideRow;

/** Whether any displayed field of an override contains a text, ignoring case. */
export function mentions(row: UserOverride, text: string): boolean {
  const { userId, userName, displayName, type, warehouseId, warehouseName } = row;
  const all = [userId, userName, displayName, type, warehouseId, warehouseName].join(' ');
  return all.toLowerCase().includes(text.trim().toLowerCase());
}

export interface AllOptions {
  /** Also finds who cannot use the warehouse: one more request for each warehouse that is named. */
  withAccess?: boolean;
}

/**
 * Every user's override, in the workspace's order, as the pages arrive. Memory grows with the number of users and
 * warehouses, not with that of overrides.
 * @throws {CausewayError} `permission_denied` for a user who is not a workspace admin
 */
export async function* allOverrides(
  client: RestClient,
  { withAccess = false }: AllOptions = {},
  signal?: AbortSignal,
): AsyncGenerator<UserOverride> {
  // Begun before the first page is here, and awaited with it: a refusal of the list itself comes first.
  const directory = readDirectory(client, { withGroups: withAccess }, signal);
  directory.catch(() => {});
  const records = overrideOperations(client).list(signal);
  if (!withAccess) {
    for await (const record of records) yield toRow(record, await directory);
    return;
  }
  const all = await gather(records);
  const rows = [];
  for (const record of all) rows.push(toRow(record, await directory));
  const lists = await readPermissions(client, worthALook(rows), signal);
  const access = accessFrom((await directory).users, lists);
  for (const row of rows) yield withAccessOf(row, access);
}

/** The warehouses whose permissions are relevant: those that exist. */
export function worthALook(rows: Iterable<UserOverride>): Set<string> {
  const ids = new Set<string>();
  for (const { warehouseId, dangling } of rows) if (warehouseId !== null && dangling === null) ids.add(warehouseId);
  return ids;
}

/** A row once it was looked whether its user may use the warehouse. */
export function withAccessOf(row: UserOverride, access: Access): UserOverride {
  if (row.warehouseId === null || row.dangling !== null) return row;
  const allowed = access(row.userId, row.warehouseId);
  // The permissions of a warehouse that is being deleted can still be read.
  const canUse = allowed === true && row.warehouseState === null ? 'unknown' : allowed;
  return { ...row, canUse, dangling: canUse === false ? 'cannot-use' : null };
}

function toRow(record: OverrideRecord, directory: Directory): UserOverride {
  const { users, usersComplete, warehouses, warehousesComplete } = directory;
  const id = ownerOf(record);
  const { type, warehouse_id: warehouseId = null } = record;
  const warehouse = warehouses.get(warehouseId ?? '');
  const owner = users.get(id) ?? { id, userName: '', displayName: '', isGone: usersComplete };
  const row = overrideRow(owner, { type, warehouseId }, warehouse, 'unchecked');
  // An admin sees every warehouse there is: one that is not in the complete list is gone.
  return row.dangling !== 'warehouse-gone' || warehouse || warehousesComplete ? row : { ...row, dangling: null };
}

/** Whose override it is, as far as that is known. */
export interface OverrideOwner extends UserSummary {
  kind?: UserOverride['ownerKind'] | undefined;
  active?: boolean | undefined;
  isGone?: boolean | undefined;
}

/** A user's override as a row. `canUse` is what was found out about this user. */
export function overrideRow(
  owner: OverrideOwner,
  { type, warehouseId }: Pick<UserOverride, 'type' | 'warehouseId'>,
  warehouse: Pick<WarehouseSummary, 'name' | 'state'> | undefined,
  canUse: NonNullable<UserOverride['canUse']>,
): UserOverride {
  const { id: userId, userName, displayName, kind = 'unknown', active, isGone = false } = owner;
  const onWarehouse = warehouseId === null ? null : queryFailure(warehouse?.state, canUse);
  return {
    userId,
    userName,
    displayName,
    ownerKind: kind,
    type,
    warehouseId,
    warehouseName: warehouse?.name ?? null,
    warehouseState: warehouse?.state ?? null,
    dangling: ownerFailure({ isGone, active }) ?? onWarehouse,
    canUse: warehouseId === null ? null : canUse,
  };
}
