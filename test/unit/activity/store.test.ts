import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayOfMoment } from '../../../main/activity/call-filter.ts';
import { CallRing } from '../../../main/activity/call-ring.ts';
import { deleteCalls, expireCalls } from '../../../main/activity/delete-calls.ts';
import { openForReading } from '../../../main/activity/open-store.ts';
import { SCHEMA_VERSION } from '../../../main/activity/schema.ts';
import { ActivityStore } from '../../../main/activity/store.ts';
import { QUERIES, StoreReader } from '../../../main/activity/store-reader.ts';
import { knownLater, type StoredCall } from '../../../main/activity/stored-call.ts';
import { displayNameOf } from '../../../main/clients/table.ts';
import type { HubCall } from '../../../main/hub/session-record.ts';
import { ALL_CALLS } from '../../../preload/contract/all-calls.ts';
import type { CallFilter } from '../../../preload/contract.ts';
import { endedCall } from '../../ended-call.ts';
import { callToStore, openStore, storeFile } from '../../stored-calls.ts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const NOON = new Date(2026, 10, 24, 12).getTime();
const DAYS = 90;

describe('what is stored of a call', () => {
  it('is all that the window shows of it, error messages aside', async () => {
    const { store, reader } = await openStore();
    const call: HubCall = {
      ...endedCall({
        startedAt: NOON,
        durationMs: 1234.567,
        outcome: 'error',
        errorCode: -32_000,
        user: 'ana@example.com',
        problem: { code: 'timeout', message: 'It took too long.' },
        attempts: [
          { afterMs: 5, tookMs: 20.125, failure: { status: 503, reason: 'refused' } },
          { afterMs: 325, tookMs: null, failure: null },
        ],
      }),
      id: 7,
    };
    store.add([callToStore(7, call)], DAYS, NOON);
    const [found] = reader.page({ filter: ALL_CALLS, upTo: null }, 0, 10).rows;
    const { contents: _, requestId: __, traceparent: ___, workspace: ____, profile, ...rest } = call;
    expect(found).toEqual({
      ...rest,
      id: found?.id,
      number: 7,
      clientName: 'Claude Desktop',
      profile: profile ?? null,
      server: null,
      session: 1,
      sessionKey: expect.any(String),
      isPoll: false,
      problem: { code: 'timeout', message: null },
    });
    expect(found && reader.find(found.id)).toEqual(found);
  });

  it('is nothing of what may be contents: unusual names, queries in paths, secrets, messages', async () => {
    const { store, path, close } = await openStore();
    const secret = 'dapi0123456789abcdef0123456789abcdef';
    const call = callToStore(1, {
      tool: 'SELECT secret_column FROM t',
      path: '/api/2.0/mcp/sql?q=secret_column',
      clientVersion: secret,
      user: `ana ${secret}`,
      problem: { code: 'internal', message: 'secret_column' },
      startedAt: NOON,
    });
    store.add([call], DAYS, NOON);
    close();
    const bytes = readFileSync(path).toString('latin1');
    expect(bytes).toContain('/api/2.0/mcp/sql');
    for (const text of ['secret_column', secret]) expect(bytes).not.toContain(text);
  });

  it.runIf(process.platform !== 'win32')('can be read by its owner only', async () => {
    const { store, path } = await openStore();
    store.add([callToStore(1)], DAYS, 0);
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('shows where its statement ran once that is known, and is found by it', async () => {
    const { store, reader, numbers, total } = await openStore();
    const ran = { id: '01ef', state: 'PENDING', isPoll: false, isPinned: false };
    const call = endedCall({ startedAt: NOON, statement: ran });
    store.add([callToStore(1, call), callToStore(2, { startedAt: NOON })], DAYS, NOON);
    const unknown = {
      startedAt: null,
      totalMs: 5,
      queuedMs: null,
      compiledMs: null,
      executedMs: null,
      fetchedMs: null,
    };
    const record = {
      ...unknown,
      status: 'FAILED',
      isFinal: true,
      warehouse: { id: 'w1', name: 'Big one' },
      taskMs: null,
      rows: null,
      readBytes: 7,
      isFromCache: false,
      mostDbus: null,
      errorClass: 'TABLE_OR_VIEW_NOT_FOUND',
    };
    const statement = {
      id: '01ef',
      state: 'FAILED',
      isPinned: false,
      polls: 1,
      seenAt: NOON,
      lookUp: 'done' as const,
      record,
    };
    const known = { ...call, id: 1, profile: 'ana', server: null, outcome: 'tool-error' as const, statement };
    expect(store.learn(knownLater(known))).toBe(true);
    expect(store.learn(knownLater({ ...known, id: 3 }))).toBe(false);
    expect(numbers({ text: 'big not_found' })).toEqual([1]);
    expect([numbers({ outcome: 'failed' }), numbers({ outcome: 'answered' }), total()]).toEqual([[1], [2], 2]);
    expect(reader.page({ filter: ALL_CALLS, upTo: null }, 0, 9).rows.map((row) => row.statement)).toEqual([
      null,
      statement,
    ]);
  });
});

describe('the stored calls', () => {
  const kinds: Partial<HubCall>[] = [
    { clientName: 'claude-ai', tool: 'execute_sql' },
    { clientName: 'cursor-vscode', tool: null, method: 'tools/list', outcome: 'lost' },
    { clientName: 'cursor-vscode', tool: 'ask', outcome: 'tool-error' },
    { clientName: null, tool: 'ask', outcome: 'error', errorCode: -32_602 },
  ];
  const filters: Partial<CallFilter>[] = [
    {},
    { client: 'Cursor' },
    { tool: 'ask' },
    { path: '/elsewhere' },
    { outcome: 'failed' },
    { client: 'Cursor', outcome: 'tool-error' },
    { text: 'CURSOR ask' },
    { text: '-32602' },
    { failedFirst: true },
    { day: '2026-11-24', failedFirst: true },
    { day: '2026-11-23', client: 'Cursor' },
    { day: '2026-11-26' },
  ];

  it('are listed as those in memory, with every filter, in pages, over days and hours', async () => {
    const { store, reader, numbers } = await openStore();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(3), fc.nat(2 * 48)), { maxLength: 60 }),
        fc.nat(filters.length - 1),
        fc.nat(20),
        fc.nat(59),
        async (calls, which, from, last) => {
          store.deleteAll();
          const ring = new CallRing();
          const stored: StoredCall[] = [];
          // Half-hours, so that some calls are of one hour and of one millisecond.
          const ends = calls.toSorted(([, a], [, b]) => a - b);
          for (const [kind, halfHours] of ends) {
            const call = endedCall({ ...kinds[kind], startedAt: NOON - DAY + (halfHours * HOUR) / 2, durationMs: 1 });
            const clientName = call.clientName === null ? null : displayNameOf(call.clientName);
            const id = ring.add({ ...call, clientName, profile: null, server: null, statement: null });
            stored.push(callToStore(id, call));
          }
          store.add(stored, DAYS, NOON);
          const filter = { ...ALL_CALLS, ...filters[which] };
          const inMemory = ring.page(filter, null, from, 7);
          expect(reader.page({ filter, upTo: null }, from, 7).total).toBe(inMemory.total);
          expect(numbers(filter, null, from, 7)).toEqual(inMemory.rows.map(({ id }) => id));
          const all = reader.page({ filter: ALL_CALLS, upTo: null }, 0, 100).rows;
          const upTo = all.find(({ number }) => number === last + 1);
          if (upTo) {
            const then = ring.page(filter, last + 1, 0, 100);
            expect(reader.page({ filter, upTo: upTo.id }, 0, 0).total).toBe(then.total);
            expect(numbers(filter, upTo.id)).toEqual(then.rows.map(({ id }) => id));
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('are counted, and named for filters', async () => {
    const { store, reader } = await openStore();
    for (const [at, kind] of kinds.entries())
      store.add([callToStore(at + 1, { ...kind, startedAt: NOON })], DAYS, NOON);
    const summary = reader.summary();
    expect(summary).toMatchObject({ kept: 4, clients: ['Claude Desktop', 'Cursor'], tools: ['ask', 'execute_sql'] });
    expect(summary).toMatchObject({ paths: ['/api/2.0/mcp/sql'], days: ['2026-11-24'] });
    expect(reader.latency(ALL_CALLS, NOON + 60_000)).toMatchObject({ count: 4, worst: 1 });
    expect(reader.day({ ...ALL_CALLS, outcome: 'failed' }, NOON + 60_000).hours.at(-1)).toMatchObject({
      calls: 3,
      failed: 3,
    });
  });

  it('are found by indexes alone', async () => {
    const { store } = await openStore();
    store.add([callToStore(1)], DAYS, 0);
    for (const [name, sql] of Object.entries(QUERIES)) {
      const plan = store.database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      const steps = plan.map(({ detail }) => String(detail)).filter((step) => /\b(call|hourly|session)\b/.test(step));
      expect(steps, name).not.toEqual([]);
      for (const step of steps) expect(step, name).toMatch(/^SEARCH /);
    }
  });

  it('stay few in kind, however many names a client makes up', async () => {
    const { store, reader } = await openStore();
    const insert = store.database.prepare(
      "INSERT INTO kind (key, path, method, tool, outcome) VALUES (?, '/', 'x', 'x', 'lost')",
    );
    store.database.exec('BEGIN');
    for (let count = 0; count < 20_000; count += 1) insert.run(String(count));
    store.database.exec('COMMIT');
    store.add([callToStore(1, { tool: 'made_up', startedAt: NOON })], DAYS, NOON);
    expect(reader.page({ filter: ALL_CALLS, upTo: null }, 0, 1).rows).toMatchObject([{ tool: '(other)' }]);
  });
});

describe('deleting', () => {
  async function threeDays() {
    const opened = await openStore();
    const { store } = opened;
    for (let number = 0; number < 6; number += 1) {
      const clientName = number % 2 === 0 ? 'cursor-vscode' : 'claude-ai';
      store.add(
        [callToStore(number, { clientName, startedAt: NOON - Math.floor(number / 2) * DAY, session: number })],
        DAYS,
        NOON,
      );
    }
    store.addEvents([
      { at: NOON, kind: 'approval', client: 'cursor-vscode', subject: 'execute_sql', outcome: 'allowed' },
    ]);
    const events = () => store.database.prepare('SELECT count(*) AS count FROM event').get()?.count;
    return { ...opened, events };
  }

  it('a day leaves the other days', async () => {
    const { store, reader, numbers, total, events } = await threeDays();
    expect(await deleteCalls(store, reader, { day: dayOfMoment(NOON), client: null })).toBe(2);
    expect(numbers()).toEqual([3, 2, 5, 4]);
    expect([total(), events()]).toEqual([4, 0]);
  });

  it('a client leaves the other clients, and no name of it', async () => {
    const { store, reader, numbers, path, events, close } = await threeDays();
    expect(await deleteCalls(store, reader, { day: null, client: 'Cursor' })).toBe(3);
    expect(numbers()).toEqual([1, 3, 5]);
    expect([reader.summary().clients, events()]).toEqual([['Claude Desktop'], 0]);
    close();
    expect(readFileSync(path).toString('latin1')).not.toContain('cursor-vscode');
  });

  it('all leaves nothing, and further calls are stored', async () => {
    const { store, reader, numbers } = await threeDays();
    expect(await deleteCalls(store, reader, { day: null, client: null })).toBe(6);
    expect(reader.summary()).toEqual({ kept: 0, newest: 0, clients: [], paths: [], tools: [], days: [] });
    store.add([callToStore(9, { startedAt: NOON })], DAYS, NOON);
    expect(numbers()).toEqual([9]);
  });

  it('goes on in steps, and takes no more than it should', async () => {
    const { store, reader, total } = await openStore();
    const calls = Array.from({ length: 2_500 }, (_, number) =>
      callToStore(number, { clientName: number % 5 === 0 ? 'claude-ai' : 'cursor-vscode', startedAt: NOON + number }),
    );
    store.add(calls, DAYS, NOON);
    expect(await deleteCalls(store, reader, { day: null, client: 'Cursor' })).toBe(2_000);
    expect([total(), reader.summary().kept]).toEqual([500, 500]);
  });

  it('what is too old is not listed any longer, goes a little with each call, and wholly where the setting changes', async () => {
    const { store, reader, numbers, total } = await openStore();
    const old = Array.from({ length: 50 }, (_, number) => callToStore(number, { startedAt: NOON + number }));
    store.add(old, DAYS, NOON);
    const later = NOON + 91 * DAY;
    store.add([callToStore(99, { startedAt: later })], DAYS, later);
    expect([numbers(), total()]).toEqual([[99], 1]);
    const stored = () => Number(store.database.prepare('SELECT count(*) AS count FROM call').get()?.count);
    expect(stored()).toBe(49);
    while (store.expire(DAYS, later));
    expect(stored()).toBe(1);
    await expireCalls(store, 0);
    expect(reader.summary().kept).toBe(0);
  });
});

describe('a file that cannot be used', () => {
  const open = (path: string) => ActivityStore.open(path, { busyMs: 0 });
  const read = (path: string) => openForReading(path, { busyMs: 0 });

  it.each([
    ['damaged', 'is damaged', (path: string) => writeFileSync(path, 'no database '.repeat(1_000))],
    [
      'of another program',
      'is not a file of Causeway',
      (path: string) => new DatabaseSync(path).exec('CREATE TABLE theirs (x)'),
    ],
    ['of a newer version', 'was written by a newer version', (path: string) => newer(path)],
    ['a folder', 'is not a file of Causeway', (path: string) => mkdirSync(path)],
  ])('because it is %s is named, and stays as it was', async (_what, words, make) => {
    const path = storeFile();
    make(path);
    const before = statSync(path).isFile() ? readFileSync(path) : undefined;
    await expect(open(path)).rejects.toThrow(words);
    await expect(read(path)).rejects.toThrow(words);
    if (before) expect(readFileSync(path).equals(before)).toBe(true);
  });

  function newer(path: string): void {
    const database = new DatabaseSync(path);
    database.exec(
      `CREATE TABLE later (x); PRAGMA application_id = 0x43776179; PRAGMA user_version = ${SCHEMA_VERSION + 1}`,
    );
    database.close();
  }

  it('because another program holds it is named, and works again afterwards', async () => {
    const { path, store, numbers } = await openStore();
    store.database.exec('PRAGMA busy_timeout = 0');
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    expect(() => store.add([callToStore(1)], DAYS, 0)).toThrow('is locked by another program');
    other.exec('COMMIT');
    other.close();
    store.add([callToStore(1)], DAYS, 0);
    expect(numbers()).toEqual([1]);
  });

  it.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, 20_000)],
    ['overwritten in the middle', (bytes: Buffer) => Buffer.from(bytes).fill(0xa5, 4_096)],
  ])('because it was %s is named when that is read, and stays as it was', async (_what, damage) => {
    const { path, store, close } = await openStore();
    store.add(
      Array.from({ length: 3_000 }, (_, number) => callToStore(number, { startedAt: number * 1_000 })),
      DAYS,
      0,
    );
    close();
    const damaged = damage(readFileSync(path));
    writeFileSync(path, damaged);
    const use = async () => {
      const again = await open(path);
      try {
        const reader = new StoreReader(path, again.database, displayNameOf);
        reader.page({ filter: ALL_CALLS, upTo: null }, 0, 3_000);
        again.add([callToStore(1)], DAYS, 0);
      } finally {
        again.close();
      }
    };
    await expect(use()).rejects.toThrow('is damaged');
    expect(readFileSync(path).equals(damaged)).toBe(true);
  });

  it('is none that does not exist: reading makes no file', async () => {
    const path = storeFile();
    expect(await read(path)).toBeUndefined();
    expect(existsSync(path)).toBe(false);
  });

  it('is none that is empty: another process is about to make it', async () => {
    const path = storeFile();
    appendFileSync(path, '');
    expect(await read(path)).toBeUndefined();
    const { store, numbers } = await openStore(path);
    store.add([callToStore(1)], DAYS, 0);
    expect(numbers()).toEqual([1]);
  });
});
