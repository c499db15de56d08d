import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isOwnSession } from '../../../main/activity/stored-call.ts';
import { ThreadedStore } from '../../../main/activity/threaded-store.ts';
import { ALL_CALLS } from '../../../preload/contract/all-calls.ts';
import { callToStore, openStore, storeFile } from '../../stored-calls.ts';

const WRITER = fileURLToPath(new URL('store-writer.ts', import.meta.url));
const THREAD = fileURLToPath(new URL('../../../main/activity/activity-thread.ts', import.meta.url));

function writer(path: string, calls: number) {
  const child: ChildProcess = spawn(process.execPath, [WRITER, path, String(calls)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let written = 0;
  child.stdout?.on('data', (text: Buffer) => {
    written = Number(String(text).trim().split('\n').at(-1));
  });
  return { child, ended: once(child, 'exit'), written: () => written };
}

/** What must hold of a file whatever happened: it is whole, and its counts are those of its calls. */
function check(path: string): number {
  const database = new DatabaseSync(path);
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  const one = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  const calls = one('SELECT count(*) FROM call');
  expect(one('SELECT sum(calls) FROM hourly WHERE kind = 0')).toBe(calls);
  expect(one('SELECT sum(calls) FROM hourly WHERE kind <> 0')).toBe(calls);
  database.close();
  return calls;
}

test('several processes begin a file and write into it at once, and one that is killed costs the others nothing', async () => {
  const path = storeFile();
  const [killed, ...others] = [writer(path, 1_000_000), writer(path, 200), writer(path, 200), writer(path, 200)];
  await expect.poll(() => killed?.written(), { timeout: 20_000 }).toBeGreaterThan(50);
  killed?.child.kill('SIGKILL');
  await killed?.ended;
  await Promise.all(others.map(({ ended }) => ended));
  expect(others.map(({ child }) => child.exitCode)).toEqual([0, 0, 0]);
  const calls = check(path);
  // What it had said was written is there; of what it had not, one batch at most.
  const ofKilled = calls - 600;
  expect(ofKilled % 10).toBe(0);
  expect(ofKilled).toBeGreaterThanOrEqual(killed?.written() ?? 0);
  const { numbers } = await openStore(path);
  expect(numbers()).toHaveLength(Math.min(calls, 1_000));
});

describe('the thread of the application', () => {
  function threaded(path: string, days = 90) {
    const faults: string[] = [];
    const store = new ThreadedStore({
      program: THREAD,
      path,
      days: () => days,
      onChange: () => {},
      onFault: (fault) => void faults.push(fault.kind),
    });
    onTestFinished(() => store.close());
    return { store, faults };
  }

  test('stores calls, answers what the window asks, and ends with all of them written', async () => {
    const path = storeFile();
    const { store, faults } = threaded(path);
    expect(await store.ask('summary')).toMatchObject({ kept: 0 });
    for (let number = 1; number <= 30; number += 1) store.add(callToStore(number, { startedAt: Date.now() }));
    const { total, rows } = await store.ask('page', { filter: ALL_CALLS, upTo: null }, 0, 2);
    expect([total, rows.map(({ clientName }) => clientName)]).toEqual([30, ['Claude Desktop', 'Claude Desktop']]);
    expect(rows.every(({ sessionKey }) => sessionKey !== null && isOwnSession(sessionKey))).toBe(true);
    store.add(callToStore(31, { startedAt: Date.now() }));
    await store.close();
    expect([check(path), faults]).toEqual([31, []]);
  });

  test('says once that a file cannot be used, and takes calls no longer', async () => {
    const path = storeFile();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA application_id = 0x43776179; PRAGMA user_version = 999; CREATE TABLE later (x)');
    database.close();
    const { store, faults } = threaded(path);
    for (const number of [1, 2]) {
      store.add(callToStore(number));
      await expect(store.ask('summary')).rejects.toThrow('newer version');
    }
    expect([faults, store.isUsed, store.waiting]).toEqual([['newer'], false, 0]);
  });

  test('keeps calls that cannot be written while another program holds the file, and writes them then', async () => {
    const path = storeFile();
    const { store, faults } = threaded(path);
    store.add(callToStore(1));
    await store.ask('summary');
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    store.add(callToStore(2));
    await store.ask('summary');
    expect([faults, store.waiting]).toEqual([['busy'], 1]);
    other.exec('COMMIT');
    other.close();
    await expect.poll(() => store.waiting, { timeout: 10_000 }).toBe(0);
    expect(store.isUsed).toBe(true);
  });

  test('stores nothing while the setting says so', async () => {
    const path = storeFile();
    const { store } = threaded(path, 0);
    store.add(callToStore(1));
    expect([store.isUsed, store.waiting]).toEqual([false, 0]);
  });
});
