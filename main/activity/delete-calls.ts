import { setImmediate as nextTurn } from 'node:timers/promises';
import { spanIn } from './call-filter.ts';
import type { ActivityStore } from './store.ts';
import type { StoreReader } from './store-reader.ts';

/** What is deleted: the calls of a day, such as `2026-11-27`, of an AI client by its display name, or of both; else all. */
export interface DeletedCalls {
  day: string | null;
  client: string | null;
}

/**
 * Deletes calls, and what else is stored of that time and client, in steps between which others get their turn.
 * @returns how many calls @throws {StoreFault}
 */
export async function deleteCalls(
  store: ActivityStore,
  reader: StoreReader,
  { day, client }: DeletedCalls,
): Promise<number> {
  let deleted = 0;
  if (day === null && client === null) {
    deleted = reader.summary().kept;
    store.deleteAll();
  } else {
    const span = spanIn(day);
    const clients = client === null ? null : reader.wireNames(client);
    for (let hour: number | null = 0; hour !== null; ) {
      const step = store.deleteSome({ span, clients }, hour);
      deleted += step.deleted;
      hour = step.next;
      await nextTurn();
    }
  }
  await shrink(store);
  return deleted;
}

/** Removes what is older than so many days; with 0, everything. @throws {StoreFault} */
export async function expireCalls(store: ActivityStore, days: number): Promise<void> {
  if (days === 0) store.deleteAll();
  else while (store.expire(days)) await nextTurn();
  await shrink(store);
}

async function shrink(store: ActivityStore): Promise<void> {
  while (store.shrink()) await nextTurn();
}
