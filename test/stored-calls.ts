import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ActivityStore } from '../main/activity/store.ts';
import { StoreReader } from '../main/activity/store-reader.ts';
import { storedCall } from '../main/activity/stored-call.ts';
import { displayNameOf } from '../main/clients/table.ts';
import type { HubCall } from '../main/hub/session-record.ts';
import { ALL_CALLS } from '../preload/contract/all-calls.ts';
import { endedCall } from './ended-call.ts';

/** A file for the store in a folder that the test removes. */
export function storeFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-activity-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'activity.db');
}

/** The store in a new file, or in this one. */
export async function openStore(path = storeFile()) {
  const store = await ActivityStore.open(path, { busyMs: 1_000 });
  let isOpen = true;
  const close = () => {
    if (isOpen) store.close();
    isOpen = false;
  };
  onTestFinished(close);
  const reader = new StoreReader(path, store.database, displayNameOf);
  /** Ids of calls as they are listed. */
  const numbers = (filter = {}, upTo: number | null = null, from = 0, count = 1_000) =>
    reader.page({ filter: { ...ALL_CALLS, ...filter }, upTo }, from, count).rows.map(({ number }) => number);
  const total = (filter = {}) => reader.page({ filter: { ...ALL_CALLS, ...filter }, upTo: null }, 0, 0).total;
  return { path, store, reader, numbers, total, close };
}

/** A call of the application as it is stored. @param number its own */
export function callToStore(number: number, change: Partial<Omit<HubCall, 'id'>> = {}) {
  return storedCall({ ...endedCall(change), id: number }, null);
}
