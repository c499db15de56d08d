import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Effect, FaultRule } from '../../workspace/faults.ts';
import { type CommandLine, openCommandLine, type Run, runCommand, USERS, WAREHOUSES } from './harness.ts';

/**
 * Each REST fault of the embedded workspace during each operation: what the user reads, and that whatever was changed in
 * spite of the fault, or was not changed, is what they were told.
 */

const { shared, science } = WAREHOUSES;
const OVERRIDES = '/api/warehouses/v1/default-warehouse-overrides*';
const LIST = '/api/2.0/sql/warehouses';

interface Operation {
  args: string[];
  /** The request that goes wrong. */
  request: { method: string; path: string };
  /** Whether the operation has done what it was to do, by the workspace's own state; absent if nothing changes. */
  isDone?: (cli: CommandLine) => boolean;
}

const overrideOf = ({ workspace }: CommandLine, user: keyof typeof USERS) => workspace.state.overrides.get(USERS[user]);
const stateOf = ({ workspace }: CommandLine, id: string) =>
  workspace.state.warehouses.find((warehouse) => warehouse.id === id)?.state ?? '';

const OPERATIONS: Record<string, Operation> = {
  show: { args: ['warehouse'], request: { method: 'GET', path: OVERRIDES } },
  list: { args: ['warehouse', 'list'], request: { method: 'GET', path: LIST } },
  all: { args: ['warehouse', 'all'], request: { method: 'GET', path: OVERRIDES } },
  export: { args: ['warehouse', 'export'], request: { method: 'GET', path: OVERRIDES } },
  get: { args: ['warehouses', 'get-default-warehouse-override', 'me'], request: { method: 'GET', path: OVERRIDES } },
  set: {
    args: ['warehouse', 'set', shared],
    request: { method: 'PATCH', path: OVERRIDES },
    isDone: (cli) => overrideOf(cli, 'ana')?.warehouseId === shared,
  },
  'last-selected': {
    args: ['warehouse', 'last-selected'],
    request: { method: 'PATCH', path: OVERRIDES },
    isDone: (cli) => overrideOf(cli, 'ana')?.type === 'LAST_SELECTED',
  },
  clear: {
    args: ['warehouse', 'clear'],
    request: { method: 'DELETE', path: OVERRIDES },
    isDone: (cli) => overrideOf(cli, 'ana') === undefined,
  },
  'for USER set': {
    args: ['warehouse', 'for', 'chloe', 'set', shared, '--yes'],
    request: { method: 'PATCH', path: OVERRIDES },
    isDone: (cli) => overrideOf(cli, 'chloe')?.warehouseId === shared,
  },
  'for USER clear': {
    args: ['warehouse', 'for', 'chloe', 'clear', '--yes'],
    request: { method: 'DELETE', path: OVERRIDES },
    isDone: (cli) => overrideOf(cli, 'chloe') === undefined,
  },
  create: {
    args: ['warehouses', 'create-default-warehouse-override', USERS.ben, 'LAST_SELECTED'],
    request: { method: 'POST', path: OVERRIDES },
    isDone: (cli) => overrideOf(cli, 'ben')?.type === 'LAST_SELECTED',
  },
  update: {
    args: ['warehouses', 'update-default-warehouse-override', 'me', '*', 'LAST_SELECTED'],
    request: { method: 'PATCH', path: OVERRIDES },
    isDone: (cli) => overrideOf(cli, 'ana')?.type === 'LAST_SELECTED',
  },
  delete: {
    args: ['warehouses', 'delete-default-warehouse-override', 'me'],
    request: { method: 'DELETE', path: OVERRIDES },
    isDone: (cli) => overrideOf(cli, 'ana') === undefined,
  },
  start: {
    args: ['warehouse', 'start', science],
    request: { method: 'POST', path: '*/start' },
    isDone: (cli) => ['STARTING', 'RUNNING'].includes(stateOf(cli, science)),
  },
  stop: {
    args: ['warehouse', 'stop', shared, '--yes'],
    request: { method: 'POST', path: '*/stop' },
    isDone: (cli) => ['STOPPING', 'STOPPED'].includes(stateOf(cli, shared)),
  },
};

/** What the user reads: nothing of the fault, or a text on stdout or stderr with an exit code. */
type Expected = 'nothing' | { code: number; reads: RegExp };

interface FaultRow {
  effect: Effect;
  times?: FaultRule['times'];
  /** During operations that only read. */
  reading: Expected;
  /** During operations that change something, if that differs. */
  changing?: Expected;
  /** During the one change that must not be sent twice, if that differs. */
  creating?: Expected;
  /** Where a fault in one reading does not spoil the whole answer, `warehouse` says this. */
  showing?: Expected;
}

const tooBusy = (reads: RegExp): Pick<FaultRow, 'reading' | 'showing'> => ({
  reading: { code: 5, reads },
  showing: { code: 0, reads: /Your override could not be read/ },
});

const FAULTS: Record<string, FaultRow> = {
  'a refused token': {
    effect: { kind: 'refuse-token' },
    reading: { code: 3, reads: /refuses the personal access token.*Create a new one/s },
  },
  'the IP access list': {
    effect: { kind: 'block-ip' },
    reading: { code: 5, reads: /blocked by Databricks IP ACL.*Connect through your VPN or office network/s },
  },
  'a missing scope': {
    effect: { kind: 'missing-scope', scope: 'sql' },
    reading: { code: 1, reads: /does not have required scopes: sql.*Create a personal access token with the scope/s },
    showing: { code: 0, reads: /Your override could not be read\..*required scopes: sql/s },
  },
  'one 429': { effect: { kind: 'rate-limit', retryAfter: '0' }, times: 1, reading: 'nothing' },
  'two 503 with a date': {
    effect: { kind: 'unavailable', retryAfter: new Date(0).toUTCString() },
    times: 2,
    reading: 'nothing',
  },
  'only 429': {
    effect: { kind: 'rate-limit', retryAfter: '0' },
    times: 'always',
    ...tooBusy(/The request rate limit.*Wait a minute and try again/s),
  },
  'only 503': {
    effect: { kind: 'unavailable', retryAfter: '0' },
    times: 'always',
    ...tooBusy(/The service is temporarily unavailable.*Try again in a minute/s),
  },
  '429 for longer than anybody waits': {
    effect: { kind: 'rate-limit', retryAfter: '3600' },
    ...tooBusy(/The request rate limit/),
  },
  'a gateway’s page': {
    effect: { kind: 'html' },
    ...tooBusy(/upstream connect error/),
    changing: { code: 1, reads: /upstream connect error/ },
  },
  'a private link': {
    effect: { kind: 'redirect' },
    reading: { code: 5, reads: /only over its private link.*Connect through your VPN or office network/s },
  },
  'a login page elsewhere': {
    effect: { kind: 'redirect', location: 'https://login.example.com/?next=x' },
    reading: { code: 5, reads: /redirect to https:\/\/login\.example\.com\/.*captive portal/s },
  },
  'a web page in place of the answer': {
    effect: { kind: 'answer', status: 200, body: '<!doctype html><title>Welcome to Hotel Wi-Fi</title>' },
    reading: { code: 5, reads: /is a web page.*not a proxy or a sign-in page/s },
    // Whether the change was made is open: trying again is not what a script may do.
    changing: { code: 1, reads: /is a web page/ },
  },
  'half an answer': {
    effect: { kind: 'answer', status: 200, body: '{"name": "default-wareh' },
    reading: { code: 1, reads: /is not JSON/ },
    showing: { code: 0, reads: /Your override could not be read.*is not JSON/s },
  },
  'an answer of another shape': {
    effect: { kind: 'answer', status: 200, body: '{"name": 7, "warehouses": 7, "default_warehouse_overrides": 7}' },
    reading: { code: 1, reads: /does not match its documentation/ },
    changing: {
      code: 1,
      reads:
        /does not match its documentation|change was accepted, but the workspace now|accepted the request, but the warehouse is now/,
    },
    showing: { code: 0, reads: /Your override could not be read.*does not match its documentation/s },
  },
  'a 500 in plain text': {
    effect: { kind: 'answer', status: 500, body: 'INTERNAL_ERROR: the sky is falling' },
    ...tooBusy(/the sky is falling/),
    changing: { code: 1, reads: /the sky is falling/ },
  },
  'a 403 of API 1.2': {
    effect: { kind: 'answer', status: 403, body: '{"error": "not for you"}' },
    reading: { code: 1, reads: /not for you|Only workspace admins/ },
    showing: { code: 0, reads: /Your override could not be read.*not for you/s },
  },
  'a connection dropped once': {
    effect: { kind: 'drop', when: 'unhandled' },
    reading: 'nothing',
    creating: {
      code: 1,
      reads: /The change was not made: the workspace has no override\. Try again/,
    },
  },
  'a connection dropped after the work was done': {
    effect: { kind: 'drop', when: 'before-headers' },
    reading: 'nothing',
  },
  'a connection dropped after the head': { effect: { kind: 'drop', when: 'after-headers' }, reading: 'nothing' },
  'an answer cut off': { effect: { kind: 'cut', afterBytes: 5 }, reading: 'nothing' },
  'a connection that is always dropped': {
    effect: { kind: 'drop', when: 'unhandled' },
    times: 'always',
    reading: { code: 5, reads: /The connection to .* was cut.*Check your network, VPN and proxy/s },
    changing: {
      code: 1,
      reads: /was lost before it answered.*(change was not made|may have taken effect)/s,
    },
  },
  'an answer that is late': { effect: { kind: 'delay', milliseconds: 150 }, reading: 'nothing' },
  'an answer that stalls': { effect: { kind: 'stall', milliseconds: 150, afterBytes: 3 }, reading: 'nothing' },
  'an answer byte by byte': { effect: { kind: 'trickle' }, reading: 'nothing' },
  'an answer with white space': { effect: { kind: 'pad', bytes: 100_000 }, reading: 'nothing' },
  'an answer of 50 MB': {
    effect: { kind: 'pad', bytes: 50_000_000 },
    reading: { code: 1, reads: /larger than 16 MiB/ },
    showing: { code: 0, reads: /Your override could not be read.*larger than 16 MiB/s },
  },
};

/** A workspace of each test's own, so that they can run side by side: most of their time is waiting between attempts. */
const openFaulty = () =>
  openCommandLine({
    state: {
      overrides: [
        { userId: USERS.ana, type: 'CUSTOM', warehouseId: science },
        { userId: USERS.chloe, type: 'CUSTOM', warehouseId: science },
      ],
    },
  });

async function suffer(operation: Operation, { effect, times }: FaultRow): Promise<Run & { done: boolean | undefined }> {
  await using cli = await openFaulty();
  const fault = cli.workspace.faults.add({ effect, times: times ?? 1, ...operation.request });
  const run = await cli.run('ana', ...operation.args);
  expect(fault.hits, 'the fault has to be met').toBeGreaterThan(0);
  return { ...run, done: operation.isDone?.(cli) };
}

function expectedOf(name: string, operation: Operation, row: FaultRow): Expected {
  if (name === 'show') return row.showing ?? row.reading;
  if (name === 'create' && row.creating) return row.creating;
  return operation.isDone ? (row.changing ?? row.reading) : row.reading;
}

/** A change that was made, or may have been, was never reported as not made; one that was not made never as made. */
function tellsTheTruth({ code, stderr, done }: Run & { done: boolean | undefined }): void {
  if (done === undefined) return;
  if (code === 0) expect(done, 'success was reported').toBe(true);
  else if (done)
    expect(stderr, 'the change was made all the same').toMatch(/may have taken effect|had already been made/);
}

describe.concurrent.each(Object.entries(FAULTS))('%s', (_fault, row) => {
  test.each(Object.entries(OPERATIONS))('is reported truthfully during %s', async (name, operation) => {
    const run = await suffer(operation, row);
    const expected = expectedOf(name, operation, row);
    tellsTheTruth(run);
    if (expected === 'nothing') {
      expect(run).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/^(Changed in http\S+( as \S+)? \(profile ana\)\.\n)?$/),
      });
      return;
    }
    if (operation.isDone && run.code === 0) {
      // The answer was lost, and the change was found to have been made.
      expect(run.done).toBe(true);
    } else {
      // The Databricks CLI's own commands end with 1 whatever has failed.
      expect(run.code).toBe(operation.args[0] === 'warehouses' ? 1 : expected.code);
      expect(run.stdout + run.stderr).toMatch(expected.reads);
    }
    expect(run.stdout + run.stderr).not.toMatch(/dapi[0-9a-f]{8}|\n\s+at /);
  });
});

describe('reading back', () => {
  let cli: CommandLine;
  beforeEach(async () => {
    cli = await openFaulty();
  });
  afterEach(() => cli[Symbol.asyncDispose]());

  const readBack = { method: 'GET', path: OVERRIDES };

  test('reports the change as made when it fails after the change', async () => {
    cli.workspace.faults.add({ effect: { kind: 'html' }, ...readBack });
    const { code, stdout, stderr } = await cli.run('ana', 'warehouse', 'set', shared);
    expect(code).toBe(0);
    expect(stdout).toContain(`CUSTOM ${shared}`);
    expect(stderr).toContain('The change was saved, but could not be read back.');
  });

  test('reports the removal as accepted when it fails afterwards', async () => {
    cli.workspace.faults.add({ effect: { kind: 'html' }, ...readBack });
    const { code, stderr } = await cli.run('ana', 'warehouse', 'clear');
    expect(code).toBe(5);
    expect(stderr).toContain('The override was removed, but this could not be checked.');
    expect(overrideOf(cli, 'ana')).toBeUndefined();
  });

  test('reports a different override than the one that was set', async () => {
    const answer = JSON.stringify({ name: `default-warehouse-overrides/${USERS.ana}`, type: 'LAST_SELECTED' });
    cli.workspace.faults.add({ effect: { kind: 'answer', status: 200, body: answer }, ...readBack });
    const { code, stderr } = await cli.run('ana', 'warehouse', 'set', shared);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'The change was accepted, but the workspace now has an override to the last selected warehouse (LAST_SELECTED).',
    );
  });

  test('reports an unknown outcome when it fails after a lost response', async () => {
    cli.workspace.faults.add({
      effect: { kind: 'cut', afterBytes: 1 },
      method: 'PATCH',
      path: OVERRIDES,
      times: 'always',
    });
    cli.workspace.faults.add({ effect: { kind: 'html' }, ...readBack });
    const { code, stderr } = await cli.run('ana', 'warehouse', 'set', shared);
    expect(code).toBe(1);
    expect(stderr).toMatch(/was lost.*Checking the result failed.*502.*may have taken effect/s);
    expect(overrideOf(cli, 'ana')?.warehouseId).toBe(shared);
  });
});

test('an endless list is given up with an explanation', { timeout: 120_000 }, async () => {
  await using cli = await openCommandLine();
  cli.workspace.faults.add({ effect: { kind: 'next-page' }, method: 'GET', path: LIST, times: 'always' });
  const { code, stderr } = await cli.run('ana', 'warehouse', 'list');
  expect(code).toBe(1);
  expect(stderr).toMatch(/list does not end after 5000 pages/);
});

test('an unreachable workspace is reported with the host and what to check', async () => {
  const { workspace, [Symbol.asyncDispose]: close } = await openCommandLine();
  await close();
  const { code, stderr } = await runCommand({ DATABRICKS_HOST: workspace.host, DATABRICKS_TOKEN: 'dapi0' }, [
    'warehouse',
  ]);
  expect(code).toBe(5);
  expect(stderr).toContain(
    `${workspace.host} cannot be reached (ECONNREFUSED). Check the host name and your network, VPN`,
  );
});
