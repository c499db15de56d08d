import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Caller, callerAs } from './caller.ts';
import { type EmbeddedWorkspace, startWorkspace } from './workspace.ts';

const BASE = '/api/2.0/sql/warehouses';
const STARTER = '3f0c8a1d5e7b2946';
const SHARED = '8baced1ff014912d';
const SCIENCE = 'b2d94c07a61e83f5';
const FINANCE = 'c7e5190b3d48f62a';
const DELETING = 'e93a7d52c0b614f8';
const DELETED = 'f46b21c98d0e5a73';

let workspace: EmbeddedWorkspace;
let ana: Caller;
let ben: Caller;

beforeAll(async () => {
  workspace = await startWorkspace();
  [ana, ben] = [callerAs(workspace, 'ana'), callerAs(workspace, 'ben')];
});
beforeEach(() => workspace.state.replace({ startupMs: 1 }));
afterAll(() => workspace.close());

async function stateOf(id: string): Promise<unknown> {
  return (await ana('GET', `${BASE}/${id}`)).body.state;
}

async function names(caller: Caller, query: string): Promise<unknown[]> {
  const { body } = await caller('GET', BASE + query);
  return (body.warehouses as { name: string }[]).map(({ name }) => name);
}

/** Reads until the warehouse has left the state that it is passing through. */
async function settled(id: string): Promise<unknown> {
  for (;;) {
    const state = await stateOf(id);
    if (state !== 'STARTING' && state !== 'STOPPING' && state !== 'DELETING') return state;
  }
}

describe('list', () => {
  test('shows all warehouses, usable or not, in mixed states and sizes', async () => {
    const { body } = await ben('GET', BASE);
    const warehouses = body.warehouses as Record<string, unknown>[];
    expect(warehouses.length).toBeGreaterThanOrEqual(5);
    expect(new Set(warehouses.map(({ state }) => state))).toEqual(new Set(['RUNNING', 'STOPPED', 'DELETING']));
    expect(new Set(warehouses.map((item) => item.enable_serverless_compute))).toEqual(new Set([true, false]));
    expect(new Set(warehouses.map((item) => item.cluster_size)).size).toBeGreaterThan(2);
    expect(warehouses.filter(({ name }) => String(name).toLowerCase().startsWith('shared'))).toHaveLength(1);
    expect(warehouses.every(({ id }) => typeof id === 'string')).toBe(true);
    expect(body.next_page_token).toBeUndefined();
  });

  test('skip_cannot_use leaves out what the caller cannot use', async () => {
    expect(await names(ben, '')).toContain('Finance BI');
    expect(await names(ben, '?skip_cannot_use=true')).not.toContain('Finance BI');
    expect(await names(ben, '?skip_cannot_use=false')).toContain('Finance BI');
    expect(await names(ana, '?skip_cannot_use=true')).toContain('Finance BI');
  });

  test('a deleted warehouse is gone from the list, but can still be read by its id', async () => {
    expect(await names(ana, '')).not.toContain('Old sandbox');
    expect(await stateOf(DELETED)).toBe('DELETED');
  });

  test('pages, including an empty one with a next token, return every warehouse once', async () => {
    const seen: unknown[] = [];
    const sizes: number[] = [];
    for (let token = ''; ; ) {
      const { body } = await ben('GET', `${BASE}?skip_cannot_use=true&page_size=1&page_token=${token}`);
      const page = body.warehouses as { name: string }[];
      sizes.push(page.length);
      seen.push(...page.map(({ name }) => name));
      if (body.next_page_token === undefined) break;
      token = String(body.next_page_token);
    }
    expect(sizes.slice(0, -1)).toContain(0);
    expect(seen).toEqual(await names(ben, '?skip_cannot_use=true'));
  });
});

describe('start and stop', () => {
  test('start answers at once, and the warehouse passes through STARTING to RUNNING; no other one changes', async () => {
    workspace.state.replace({ startupMs: 60_000 });
    const answer = await ben('POST', `${BASE}/${STARTER}/start`);
    expect([answer.status, answer.body]).toEqual([200, {}]);
    expect([await stateOf(STARTER), await stateOf(SHARED), await stateOf(SCIENCE)]).toEqual([
      'STARTING',
      'RUNNING',
      'STOPPED',
    ]);
    workspace.state.replace({ startupMs: 1 });
    await ben('POST', `${BASE}/${STARTER}/start`);
    expect(await settled(STARTER)).toBe('RUNNING');
  });

  test('stop passes through STOPPING to STOPPED', async () => {
    workspace.state.replace({ startupMs: 60_000 });
    expect((await ana('POST', `${BASE}/${SHARED}/stop`)).status).toBe(200);
    expect(await stateOf(SHARED)).toBe('STOPPING');
    workspace.state.replace({ startupMs: 1 });
    await ana('POST', `${BASE}/${SHARED}/stop`);
    expect(await settled(SHARED)).toBe('STOPPED');
  });

  test('starting a running one and stopping a stopped one changes nothing', async () => {
    expect((await ana('POST', `${BASE}/${SHARED}/start`)).status).toBe(200);
    expect((await ana('POST', `${BASE}/${STARTER}/stop`)).status).toBe(200);
    expect([await stateOf(SHARED), await stateOf(STARTER)]).toEqual(['RUNNING', 'STOPPED']);
  });

  test.each([
    ['start of one that the caller cannot use', () => ben('POST', `${BASE}/${FINANCE}/start`), 403],
    ['stop by a user who does not manage it', () => ben('POST', `${BASE}/${SHARED}/stop`), 403],
    ['start of one that is being deleted', () => ana('POST', `${BASE}/${DELETING}/start`), 400],
    ['start of a deleted one', () => ana('POST', `${BASE}/${DELETED}/start`), 404],
    ['start of one that never existed', () => ana('POST', `${BASE}/0000000000000000/start`), 404],
    ['reading one that never existed', () => ana('GET', `${BASE}/0000000000000000`), 404],
  ])('%s is refused', async (_what, run, status) => {
    const answer = await run();
    expect(answer.status).toBe(status);
    expect(typeof answer.body.error_code).toBe('string');
  });

  test('deletion passes through DELETING to DELETED, for a user who manages it', async () => {
    expect((await ben('DELETE', `${BASE}/${STARTER}`)).status).toBe(403);
    expect((await ana('DELETE', `${BASE}/${STARTER}`)).status).toBe(200);
    expect(await settled(STARTER)).toBe('DELETED');
  });
});

describe('the default warehouse', () => {
  test('any user reads it, whatever override they have', async () => {
    workspace.state.overrides.set('8241', { userId: '8241', type: 'CUSTOM', warehouseId: SHARED });
    const { status, body } = await callerAs(workspace, 'chloe')('GET', `${BASE}/default`);
    expect([status, body.id]).toEqual([200, STARTER]);
  });

  test('is a 404 if none is set, if it was deleted, and if the workspace does not know the address', async () => {
    workspace.state.replace({ workspaceDefaultWarehouseId: undefined });
    expect((await ben('GET', `${BASE}/default`)).status).toBe(404);
    workspace.state.replace({ workspaceDefaultWarehouseId: DELETED });
    expect((await ben('GET', `${BASE}/default`)).status).toBe(404);
    workspace.state.replace({});
    workspace.features.defaultWarehouse = false;
    expect((await ben('GET', `${BASE}/default`)).status).toBe(404);
    workspace.features.defaultWarehouse = true;
  });
});
