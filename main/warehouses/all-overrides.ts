import type { RestClient } from '../workspace/client.ts';
import { type OverrideRecord, ownerOf } from '../workspace/overrides.ts';
import { gather } from '../workspace/paging.ts';
import { type Access, accessFrom, readPermissions } from './access.ts';
import { type Directory, readDirectory } from './directory.ts';
import { overrideOperations } from './override-operations.ts';

/** One user's override as an admin sees it, with names instead of ids as far as they can be found. */
export interface UserOverride {
  userId: string;
  /** Empty if the workspace does not say. */
  userName: string;
  displayName: string;
  /** `CUSTOM`, `LAST_SELECTED` or a newer word. */
  type: string;
  warehouseId: string | null;
  warehouseName: string | null;
  warehouseState: string | null;
  /** Why this user's queries will fail, found beforehand; null says only that no reason was found. */
  dangling: 'warehouse-gone' | 'deleting' | 'cannot-use' | null;
  /**
   * Whether this user may run queries on the warehouse: `unchecked` if nobody has looked, `unknown` if it could not
   * be read, or if it could not be read whether the warehouse is still there; null if the override names no warehouse.
   */
  canUse: boolean | 'unknown' | 'unchecked' | null;
}

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
  const { users, warehouses, warehousesComplete } = directory;
  const userId = ownerOf(record);
  const user = users.get(userId);
  const warehouseId = record.warehouse_id ?? null;
  const warehouse = warehouseId === null ? undefined : warehouses.get(warehouseId);
  return {
    userId,
    userName: user?.userName ?? '',
    displayName: user?.displayName ?? '',
    type: record.type,
    warehouseId,
    warehouseName: warehouse?.name ?? null,
    warehouseState: warehouse?.state ?? null,
    dangling: warehouseId === null || (!warehouse && !warehousesComplete) ? null : danglingState(warehouse?.state),
    canUse: warehouseId === null ? null : 'unchecked',
  };
}

/** An admin sees every warehouse there is: one that is not in the list is gone. */
export function danglingState(state: string | undefined): UserOverride['dangling'] {
  if (state === undefined || state === 'DELETED') return 'warehouse-gone';
  return state === 'DELETING' ? 'deleting' : null;
}
