import { CausewayError } from '../platform/errors.ts';
import type { RestClient } from '../workspace/client.ts';
import { type OverrideRecord, ownerOf } from '../workspace/overrides.ts';
import type { Warehouse } from '../workspace/warehouses.ts';
import { overrideOperations } from './override-operations.ts';
import { asPerson, type Person } from './people.ts';

/** One user's override as an admin sees it, with names in place of ids as far as they can be found. */
export interface OverrideRow {
  userId: string;
  /** Empty where the workspace does not tell. */
  userName: string;
  displayName: string;
  /** `CUSTOM`, `LAST_SELECTED` or a newer word. */
  type: string;
  warehouseId: string | null;
  warehouseName: string | null;
  warehouseState: string | null;
  /** Why this user's queries will fail, found beforehand. */
  dangling: 'warehouse-gone' | 'deleting' | null;
}

/** The names that rows are filled in with. */
interface Directory {
  people: Map<string, Person>;
  warehouses: Map<string, Warehouse> | undefined;
}

/**
 * Every user's override, in the workspace's order, as the pages arrive. Memory grows with the number of users and
 * warehouses, not with that of overrides.
 * @throws {CausewayError} `permission_denied` for who is no workspace admin
 */
export async function* allOverrides(client: RestClient, signal?: AbortSignal): AsyncGenerator<OverrideRow> {
  // Asked for one after the other only where it must be: names do not wait for the first page.
  const directory = readDirectory(client, signal);
  directory.catch(() => {});
  for await (const record of overrideOperations(client).list(signal)) yield toRow(record, await directory);
}

async function readDirectory(client: RestClient, signal?: AbortSignal): Promise<Directory> {
  const people = new Map<string, Person>();
  const warehouses = new Map<string, Warehouse>();
  const [, sawWarehouses] = await Promise.all([
    orLess(async () => {
      for await (const user of client.users.list(undefined, signal)) people.set(user.id, asPerson(user));
    }),
    orLess(async () => {
      for await (const warehouse of client.warehouses.list({}, signal)) warehouses.set(warehouse.id, warehouse);
    }),
  ]);
  return { people, warehouses: sawWarehouses ? warehouses : undefined };
}

function toRow(record: OverrideRecord, { people, warehouses }: Directory): OverrideRow {
  const userId = ownerOf(record);
  const person = people.get(userId);
  const warehouseId = record.warehouse_id ?? null;
  const warehouse = warehouseId === null ? undefined : warehouses?.get(warehouseId);
  return {
    userId,
    userName: person?.userName ?? '',
    displayName: person?.displayName ?? '',
    type: record.type,
    warehouseId,
    warehouseName: warehouse?.name ?? null,
    warehouseState: warehouse?.state ?? null,
    dangling: warehouseId === null || warehouses === undefined ? null : danglingState(warehouse?.state),
  };
}

/** An admin sees every warehouse there is: one that is not in the list is gone. */
function danglingState(state: string | undefined): OverrideRow['dangling'] {
  if (state === undefined || state === 'DELETED') return 'warehouse-gone';
  return state === 'DELETING' ? 'deleting' : null;
}

/** Names are a convenience: without them the rows show ids. Gives whether they could be read whole. */
async function orLess(read: () => Promise<void>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (error instanceof CausewayError && error.code !== 'cancelled') return false;
    throw error;
  }
}
