/**
 * `node test/bench/activity.ts [CALLS]`: what the window and the command read of 4.5 million kept calls (50,000 a day for 90 days), beside the
 * same in a file with 1,000 calls in the same run; the start of the application beside one without a file; and two applications and
 * twenty proxies that write at once while one of them is killed again and again.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { ActivityStore, activityFile } from '../../main/activity/store.ts';
import { storedCall } from '../../main/activity/stored-call.ts';
import { ThreadedStore } from '../../main/activity/threaded-store.ts';
import { ACTIVITY_THREAD } from '../../main/desktop/places.ts';
import type { HubCall } from '../../main/hub/session-record.ts';
import { ALL_CALLS } from '../../preload/contract/all-calls.ts';
import type { CallFilter } from '../../preload/contract.ts';
import { endedCall } from '../ended-call.ts';
import { table } from './table.ts';

const CALLS = Number(process.argv[2] ?? 4_500_000);
const FEW = 1_000;
const DAYS = 90;
const ROUNDS = 15;
const STARTS = 5;
const DAY_MS = 24 * 60 * 60_000;
const PAGE = 100;

const [START_PROGRAM, WRITER] = ['activity/start.ts', '../integration/activity/store-writer.ts'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

const CLIENTS = ['claude-ai', 'claude-code', 'cursor-vscode', 'codex-mcp-client', 'gemini-cli-mcp-client'];
const PATHS = [
  '/api/2.0/mcp/sql',
  '/api/2.0/mcp/genie/01ef',
  '/api/2.0/mcp/functions/main/tools',
  '/api/2.0/mcp/external/github',
];
const TOOLS = ['execute_sql', 'execute_sql_read_only', 'poll_sql_result', 'ask_genie', 'search_code', 'list_tables'];

/** A call as an office's week has them: most are answered, one of 40 fails, and one of 100,000 is of a tool that is seldom used. */
function callAt(at: number, of: number, now: number): HubCall {
  const outcome = at % 40 === 7 ? 'tool-error' : at % 200 === 9 ? 'error' : at % 500 === 3 ? 'lost' : 'answered';
  return {
    ...endedCall({
      session: Math.floor(at / 300),
      clientName: CLIENTS[(at * 7) % CLIENTS.length] ?? null,
      path: PATHS[at % 9 === 0 ? (at / 9) % PATHS.length : 0] ?? '',
      tool: at % 100_000 === 1 ? 'vacuum_table' : (TOOLS[(at * 3) % TOOLS.length] ?? null),
      startedAt: Math.floor(now - DAYS * DAY_MS + ((at + 1) / of) * (DAYS * DAY_MS - 60_000)),
      durationMs: 2 + ((at * 7919) % 100_000) / 7,
      outcome,
      errorCode: outcome === 'error' ? -32_602 : null,
      user: 'ana@example.com',
    }),
    id: at + 1,
  };
}

async function fill(path: string, calls: number): Promise<number> {
  await mkdir(dirname(path), { recursive: true });
  const store = await ActivityStore.open(path, { busyMs: 1_000, cacheKib: 65_536 });
  const now = Date.now();
  const start = performance.now();
  for (let from = 0; from < calls; from += 5_000) {
    const batch = Array.from({ length: Math.min(5_000, calls - from) }, (_, at) =>
      storedCall(callAt(from + at, calls, now), 'Warehouse queries'),
    );
    store.add(batch, DAYS + 1, now);
    if (from % 500_000 === 0) console.error(`${from.toLocaleString('en')} calls`);
  }
  store.close();
  return performance.now() - start;
}

const ms = (value: number) => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

function threaded(path: string): ThreadedStore {
  return new ThreadedStore({
    program: ACTIVITY_THREAD,
    path,
    days: () => DAYS + 1,
    onChange: () => {},
    onFault: (fault) => {
      throw fault;
    },
  });
}

type Step = (store: ThreadedStore, total: number) => Promise<unknown>;

const page = (filter: Partial<CallFilter>, from: (total: number) => number = () => 0): Step => {
  return (store, total) => store.ask('page', { filter: { ...ALL_CALLS, ...filter }, upTo: null }, from(total), PAGE);
};
const aDay = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toLocaleDateString('sv');

let lastNumber = 0;
const STEPS: [name: string, step: Step][] = [
  ['first rows', page({})],
  ['the last rows of the list', page({}, (total) => total - PAGE)],
  ['filter: a client', page({ client: 'Cursor' })],
  ['filter: a server', page({ path: PATHS[3] ?? null })],
  ['filter: failed', page({ outcome: 'failed' })],
  ['filter: failed first', page({ failedFirst: true })],
  ['filter: a day', page({ day: aDay(45) })],
  ['filter: a day, a client, failed', page({ day: aDay(45), client: 'Cursor', outcome: 'failed' })],
  ['filter: words', page({ text: 'cursor genie -32602' })],
  ['filter: a tool of one call in 100,000', page({ tool: 'vacuum_table' })],
  ['what can be filtered by, and how many', (store) => store.ask('summary')],
  ['chart of the last day', (store) => store.ask('day', ALL_CALLS)],
  ['durations of the last minutes', (store) => store.ask('latency', ALL_CALLS)],
  [
    'ten calls written',
    async (store) => {
      for (let at = 0; at < 10; at += 1) {
        lastNumber += 1;
        store.add(storedCall({ ...endedCall({ startedAt: Date.now(), session: 9 }), id: lastNumber }, null));
      }
      await store.ask('find', 0);
    },
  ],
];

/** The first time, when nothing of the file is in the thread's memory, and the median of the further ones. */
async function measure(path: string): Promise<Map<string, { first: number; usual: number }>> {
  const figures = new Map<string, { first: number; usual: number }>();
  for (const [name, step] of STEPS) {
    const store = threaded(path);
    const start = performance.now();
    const { kept } = await store.ask('summary');
    const opened = performance.now() - start;
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const begin = performance.now();
      await step(store, kept);
      times.push(performance.now() - begin);
    }
    if (!figures.has('thread started, file opened'))
      figures.set('thread started, file opened', { first: opened, usual: opened });
    figures.set(name, { first: times[0] ?? Number.NaN, usual: median(times) });
    await store.close();
  }
  return figures;
}

/** From the start of a process until all that the application builds before its window is there, without Electron; alternately. */
async function startsMs(homes: readonly string[]): Promise<number[]> {
  const times = homes.map((): number[] => []);
  for (let round = 0; round < STARTS; round += 1) {
    for (const [at, home] of homes.entries()) {
      const begin = performance.now();
      const child = spawn(process.execPath, [START_PROGRAM ?? ''], {
        env: { HOME: home, CAUSEWAY_HOME: home, PATH: '' },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      await once(child.stdout, 'data');
      times[at]?.push(performance.now() - begin);
      await once(child, 'exit');
    }
  }
  return times.map(median);
}

interface Crowd {
  written: number;
  tookMs: number;
  kills: number;
  isWhole: boolean;
  lost: number;
}

/** Two applications, each with its thread, and twenty proxies, of which one after the other is killed while it writes. */
async function crowd(path: string, perProxy: number): Promise<Crowd> {
  const before = count(path, 'SELECT count(*) FROM call');
  const start = performance.now();
  const acknowledged = new Map<ChildProcess, number>();
  const begin = (calls: number) => {
    const child = spawn(process.execPath, [WRITER ?? '', path, String(calls)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    acknowledged.set(child, 0);
    child.stdout.on('data', (text: Buffer) => acknowledged.set(child, Number(String(text).trim().split('\n').at(-1))));
    return child;
  };
  const proxies = Array.from({ length: 20 }, () => begin(perProxy));
  const applications = [threaded(path), threaded(path)];
  const ends = proxies.map((child) => once(child, 'exit'));
  let kills = 0;
  let isOver = false;
  const killing = (async () => {
    while (!isOver && kills < 10) {
      const victim = begin(1_000_000);
      while (!isOver && (acknowledged.get(victim) ?? 0) < 50) await new Promise((resolve) => setTimeout(resolve, 5));
      victim.kill('SIGKILL');
      await once(victim, 'exit');
      kills += 1;
    }
  })();
  let ofApplications = 0;
  while (proxies.some((child) => child.exitCode === null)) {
    for (const [at, application] of applications.entries()) {
      ofApplications += 1;
      application.add(
        storedCall(
          { ...endedCall({ startedAt: Date.now(), session: 100 + at }), id: 1_000_000 + ofApplications },
          null,
        ),
      );
    }
    await Promise.all(applications.map((application) => application.ask('find', 0)));
  }
  await Promise.all(ends);
  isOver = true;
  await killing;
  for (const application of applications) await application.close();
  const tookMs = performance.now() - start;
  const written = count(path, 'SELECT count(*) FROM call') - before;
  const said = [...acknowledged.values()].reduce((sum, calls) => sum + calls, 0) + ofApplications;
  const isWhole =
    count(path, 'SELECT sum(calls) FROM hourly WHERE kind = 0') === before + written && integrity(path) === 'ok';
  return { written, tookMs, kills, isWhole, lost: Math.max(0, said - written) };
}

function count(path: string, sql: string): number {
  const database = new DatabaseSync(path);
  const [value] = Object.values(database.prepare(sql).get() ?? {});
  database.close();
  return Number(value);
}

function integrity(path: string): string {
  const database = new DatabaseSync(path);
  const [row] = database.prepare('PRAGMA integrity_check').all();
  database.close();
  return String(row?.integrity_check);
}

const folder = await mkdtemp(join(tmpdir(), 'causeway-activity-bench-'));
try {
  const homes = { none: join(folder, 'none'), few: join(folder, 'few'), many: join(folder, 'many') };
  const files = { few: activityFile({ CAUSEWAY_HOME: homes.few }), many: activityFile({ CAUSEWAY_HOME: homes.many }) };
  await fill(files.few, FEW);
  const filled = await fill(files.many, CALLS);
  const size = statSync(files.many).size;
  const [few, many] = [await measure(files.few), await measure(files.many)];
  const calls = CALLS.toLocaleString('en');
  console.log(
    table([
      ['', `${FEW.toLocaleString('en')} calls: first`, 'then', `${calls} calls: first`, 'then'],
      ...[...many].map(([name, { first, usual }]) => {
        const floor = few.get(name);
        return [name, ms(floor?.first ?? Number.NaN), ms(floor?.usual ?? Number.NaN), ms(first), ms(usual)];
      }),
    ]),
  );
  console.log(
    `\nThe file with ${calls} calls has ${(size / 1024 / 1024).toFixed(0)} MiB, ${(size / CALLS).toFixed(0)} bytes a call; it was filled with ${Math.round(CALLS / (filled / 1000)).toLocaleString('en')} calls a second.`,
  );
  await mkdir(homes.none, { recursive: true });
  const [without = Number.NaN, withCalls = Number.NaN] = await startsMs([homes.none, homes.many]);
  console.log(`Start without a file ${ms(without)}, with ${calls} calls ${ms(withCalls)}.`);
  const { written, tookMs, kills, isWhole, lost } = await crowd(files.many, 500);
  console.log(
    `Two applications and twenty proxies at once: ${written.toLocaleString('en')} calls in ${(tookMs / 1000).toFixed(1)} s, ${kills} writers killed, ${lost} acknowledged calls lost, file ${isWhole ? 'whole' : 'DAMAGED'}.`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
