import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StatementLookUps } from '../../../main/app/statement-look-ups.ts';
import { recordOn } from '../../../main/warehouses/most-dbus.ts';
import { WorkspaceError } from '../../../main/workspace/errors.ts';
import type { RecordedStatement } from '../../../main/workspace/query-history.ts';

const RECORD: Omit<RecordedStatement, 'id'> = {
  warehouseId: 'w1',
  status: 'FINISHED',
  isFinal: true,
  startedAt: 0,
  totalMs: 10,
  queuedMs: 0,
  compiledMs: 1,
  executedMs: 8,
  fetchedMs: 1,
  taskMs: 8,
  rows: 1,
  readBytes: 0,
  isFromCache: false,
  errorClass: null,
};
const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** @param answer what the history knows of each id; it may throw */
function lookUps(answer: (ids: readonly string[]) => RecordedStatement[]) {
  const asked: string[][] = [];
  const found: [string, string | null | undefined][] = [];
  const names: string[] = [];
  const each = new StatementLookUps({
    historyOf: async () => ({
      statements: async (ids) => {
        asked.push([...ids]);
        return answer(ids);
      },
      warehouse: async (id) => {
        names.push(id);
        return { id, name: `Warehouse ${id}`, cluster_size: 'Medium', num_clusters: 2 };
      },
    }),
    onLookedUp: (_, id, record) => void found.push([id, record === null ? null : record.warehouse?.name]),
  });
  return { each, asked, found, names };
}

const all = (ids: readonly string[]) => ids.map((id) => ({ id, ...RECORD }));

test('a hundred calls a minute cost four requests, each statement is found, and a warehouse is read once', async () => {
  const { each, asked, found, names } = lookUps(all);
  for (let call = 0; call < 100; call += 1) {
    each.add('ana', `statement-${call}`);
    await vi.advanceTimersByTimeAsync(MINUTE / 100);
  }
  expect(asked.length).toBeLessThanOrEqual(5);
  await vi.advanceTimersByTimeAsync(MINUTE);
  expect(new Set(found.map(([id]) => id)).size).toBe(100);
  expect(asked.flat()).toHaveLength(100);
  expect(names).toEqual(['w1']);
});

test('a statement that the history shows late is asked about until it is final', async () => {
  let looks = 0;
  const { each, found } = lookUps((ids) => {
    looks += 1;
    if (looks === 1) return [];
    return ids.map((id) => ({ id, ...RECORD, isFinal: looks > 2, ...(looks === 2 ? { warehouseId: undefined } : {}) }));
  });
  each.add('ana', 'statement-1');
  await vi.advanceTimersByTimeAsync(20 * MINUTE);
  expect(found).toEqual([
    ['statement-1', undefined],
    ['statement-1', 'Warehouse w1'],
  ]);
  expect(looks).toBe(3);
});

test('one that the history never shows is given up after ten minutes', async () => {
  const { each, asked, found } = lookUps(() => []);
  each.add('ana', 'statement-1');
  await vi.advanceTimersByTimeAsync(9 * MINUTE);
  expect(found).toEqual([]);
  await vi.advanceTimersByTimeAsync(2 * MINUTE);
  expect(found).toEqual([['statement-1', null]]);
  expect(asked).toHaveLength(6);
});

test('a user who may not read the history is left alone for a quarter of an hour, a busy workspace for a minute', async () => {
  for (const [status, quiet] of [
    [403, 14 * MINUTE],
    [429, 0.9 * MINUTE],
  ] as const) {
    const { each, asked } = lookUps(() => {
      throw new WorkspaceError('permission_denied', 'no', { status });
    });
    each.add('ana', 'statement-1');
    await vi.advanceTimersByTimeAsync(2_000);
    each.add('ana', 'statement-2');
    await vi.advanceTimersByTimeAsync(quiet);
    expect(asked).toHaveLength(1);
    each.add('ben', 'statement-3');
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    expect(asked.length).toBeGreaterThan(1);
    each.close();
  }
});

test('nothing is asked once it is closed', async () => {
  const { each, asked } = lookUps(all);
  each.add('ana', 'statement-1');
  each.close();
  each.add('ana', 'statement-2');
  await vi.advanceTimersByTimeAsync(MINUTE);
  expect(asked).toEqual([]);
});

test('the most that a statement can have taken is its warehouse for as long as it ran, and nothing from the cache', () => {
  const medium = { id: 'w1', name: 'One', cluster_size: 'Medium', num_clusters: 2 };
  const most = (change: Partial<RecordedStatement>, warehouse: Parameters<typeof recordOn>[1] = medium) =>
    recordOn({ id: 's1', ...RECORD, totalMs: 3_600_000, ...change }, warehouse).mostDbus;
  expect(most({})).toBe(48);
  expect(most({ queuedMs: 1_800_000 })).toBe(24);
  expect(most({ isFromCache: true })).toBe(0);
  expect(most({ totalMs: null })).toBeNull();
  expect(most({}, { ...medium, cluster_size: '5X-Large' })).toBeNull();
  expect(most({}, null)).toBeNull();
  expect(recordOn({ id: 's1', ...RECORD }, null).warehouse).toEqual({ id: 'w1', name: null });
});
