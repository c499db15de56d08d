import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createState, type ReplaceableState } from './state.ts';

const STARTER = '3f0c8a1d5e7b2946';
const SHARED = '8baced1ff014912d';
const STARTUP = 400;

describe('a warehouse in transition', () => {
  let state: ReplaceableState;
  beforeEach(() => {
    vi.useFakeTimers();
    state = createState({ startupMs: STARTUP });
  });
  afterEach(() => {
    state.close();
    vi.useRealTimers();
  });

  function stateOf(id: string): string | undefined {
    return state.warehouses.find((warehouse) => warehouse.id === id)?.state;
  }

  test('is STOPPED, STARTING, RUNNING, STOPPING and STOPPED, each after its time', () => {
    expect(stateOf(STARTER)).toBe('STOPPED');
    state.startWarehouse(STARTER);
    vi.advanceTimersByTime(STARTUP - 1);
    expect(stateOf(STARTER)).toBe('STARTING');
    vi.advanceTimersByTime(1);
    expect(stateOf(STARTER)).toBe('RUNNING');
    state.stopWarehouse(STARTER);
    vi.advanceTimersByTime(STARTUP - 1);
    expect(stateOf(STARTER)).toBe('STOPPING');
    vi.advanceTimersByTime(1);
    expect(stateOf(STARTER)).toBe('STOPPED');
    expect(stateOf(SHARED)).toBe('RUNNING');
  });

  test('follows the last request: a stop while it starts, a start while it stops', () => {
    state.startWarehouse(STARTER);
    state.stopWarehouse(STARTER);
    state.stopWarehouse(SHARED);
    state.startWarehouse(SHARED);
    expect([stateOf(STARTER), stateOf(SHARED)]).toEqual(['STOPPING', 'STARTING']);
    vi.advanceTimersByTime(STARTUP);
    expect([stateOf(STARTER), stateOf(SHARED)]).toEqual(['STOPPED', 'RUNNING']);
  });

  test('whenRunning waits for the start to end', async () => {
    state.startWarehouse(STARTER);
    const waiting = state.whenRunning(STARTER);
    vi.advanceTimersByTime(STARTUP);
    await waiting;
    expect(stateOf(STARTER)).toBe('RUNNING');
    await state.whenRunning(SHARED);
  });

  test('whenRunning gives up when the warehouse turns back, is not starting, or no caller waits any more', async () => {
    state.startWarehouse(STARTER);
    const waiting = expect(state.whenRunning(STARTER)).rejects.toThrow('is STOPPING');
    state.stopWarehouse(STARTER);
    await waiting;
    vi.advanceTimersByTime(STARTUP);
    await expect(state.whenRunning(STARTER)).rejects.toThrow('is STOPPED');
    await expect(state.whenRunning('no such id')).rejects.toThrow('does not exist');
    state.startWarehouse(STARTER);
    const stopped = new AbortController();
    const abandoned = expect(state.whenRunning(STARTER, stopped.signal)).rejects.toThrow();
    stopped.abort();
    await abandoned;
  });

  test('another state discards the previous transition', () => {
    state.startWarehouse(STARTER);
    state.replace({ startupMs: 1 });
    vi.advanceTimersByTime(STARTUP);
    expect(stateOf(STARTER)).toBe('STOPPED');
  });
});

test('two states are equal and share nothing', () => {
  const [one, other] = [createState(), createState()];
  expect(one.warehouses).toEqual(other.warehouses);
  one.warehouses[0]?.canUse.add('nobody');
  one.users.pop();
  one.overrides.set('1', { userId: '1', type: 'LAST_SELECTED', warehouseId: undefined });
  expect(one.warehouses).not.toEqual(other.warehouses);
  expect(other.users).toHaveLength(4);
  expect(other.overrides.size).toBe(0);
});

test('a state keeps the given values, and the rest are defaults', () => {
  const state = createState({
    overrides: [{ userId: '8241', type: 'CUSTOM', warehouseId: SHARED }],
    lastSelected: { '8241': STARTER },
    workspaceDefaultWarehouseId: undefined,
  });
  expect(state.overrides.get('8241')).toEqual({ userId: '8241', type: 'CUSTOM', warehouseId: SHARED });
  expect(state.lastSelected.get('8241')).toBe(STARTER);
  expect(state.workspaceDefaultWarehouseId).toBeUndefined();
  expect(state.warehouses).toEqual(createState().warehouses);
});
