import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SeenCalls } from '../../../main/desktop/warehouse/seen-calls.ts';
import { lastSeen } from '../../../main/warehouses/seen-warehouse.ts';
import type { ActivityCall, CallStatement, EffectiveWarehouseInfo } from '../../../preload/contract.ts';
import { endedCall } from '../../ended-call.ts';

const EFFECTIVE: EffectiveWarehouseInfo = {
  profile: 'ana',
  host: 'https://w.example.com',
  user: { id: '7', userName: 'ana@example.com', displayName: 'Ana', admin: false },
  warehouse: null,
  decidedBy: 'override',
  certainty: 'unknown',
  seen: null,
  override: { type: 'LAST_SELECTED', warehouseId: null },
  steps: [],
  problems: [],
};
const STATEMENT: CallStatement = {
  id: '01f0c8a2-77aa-1b2c',
  state: 'SUCCEEDED',
  isPinned: false,
  polls: 0,
  seenAt: 200,
  lookUp: 'done',
  record: {
    status: 'FINISHED',
    isFinal: true,
    warehouse: { id: 'w1', name: 'One' },
    startedAt: 190,
    totalMs: 1,
    queuedMs: 0,
    compiledMs: 0,
    executedMs: 1,
    fetchedMs: 0,
    taskMs: 1,
    rows: 1,
    readBytes: 0,
    isFromCache: false,
    mostDbus: 0.05,
    errorClass: null,
  },
};

function call(of: Partial<ActivityCall> = {}, statement: Partial<CallStatement> = {}): ActivityCall {
  const base = { ...endedCall({ startedAt: 190 }), id: 1, server: null, profile: 'ana' };
  return { ...base, statement: { ...STATEMENT, ...statement }, ...of };
}

function watched() {
  const home = mkdtempSync(join(tmpdir(), 'causeway-seen-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const env = { CAUSEWAY_HOME: home };
  let readings = 0;
  const calls = new SeenCalls({
    env,
    readAgain: () => {
      readings += 1;
    },
  });
  return { calls, seen: () => lastSeen(env, EFFECTIVE), readings: () => readings };
}

test('a call shows where queries run, and the window reads it again', async () => {
  const { calls, seen, readings } = watched();
  calls.read(EFFECTIVE, 100);
  await calls.saw(call());
  expect(await seen()).toMatchObject({ id: 'w1', name: 'One', at: 190 });
  expect(readings()).toBe(1);
});

test.each<[string, ActivityCall]>([
  ['names its warehouse itself', call({}, { isPinned: true })],
  ['asks Genie, which has a warehouse of its own', call({ path: '/api/2.0/mcp/genie/01ab' })],
  ['is of another profile', call({ profile: 'ben' })],
  ['came before the settings were read', call({ startedAt: 99 })],
  ['was not found in the history', call({}, { record: null })],
  ['ran no statement', call({ statement: null })],
])('a call shows nothing that %s', async (_, ended) => {
  const { calls, seen, readings } = watched();
  calls.read(EFFECTIVE, 100);
  await calls.saw(ended);
  expect(await seen()).toBeUndefined();
  expect(readings()).toBe(0);
});

test('what came before a change of the override shows nothing of what is set now', async () => {
  const { calls, seen } = watched();
  calls.read(EFFECTIVE, 100);
  calls.read({ ...EFFECTIVE, override: { type: 'CUSTOM', warehouseId: 'w2' } }, 195);
  await calls.saw(call());
  expect(await seen()).toBeUndefined();
});
