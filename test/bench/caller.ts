/**
 * Makes the calls that are measured, in its own process: a caller that has made thousands of direct calls already
 * would compare what is compiled by then with a proxy that has just been started. Takes an `Order` as JSON, prints
 * `CallerFigures`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { quantile, times } from './clock.ts';
import { type Invocation, openProgram } from './contender.ts';
import { type Memory, memoryOf, userMicroseconds } from './memory.ts';

/** How many calls come first and are not measured, one after the other, and with 64 in flight. */
export const CALLS = { warmUp: 300, sequential: 2_000, concurrent: 12_800, inFlight: 64 };
/** How many calls are made in all. */
export const ALL_CALLS = CALLS.warmUp + CALLS.sequential + CALLS.concurrent;

/** How long a program rests before its memory counts as that of one that waits, in milliseconds: it is done with its start then. */
const REST_MS = 2_000;

/** What to call: a server's path, or whatever a program leads to. `helper` is the other process that carries its calls. */
export type Order = { origin: string; path: string } | { through: Invocation; helper?: number | undefined };

/** What calls cost: milliseconds one after the other, and calls a second with 64 in flight. */
export interface DirectFigures {
  p50: number;
  p99: number;
  perSecond: number;
}

/** What the calls took, and of the program that they went through its memory before and after. */
export interface CallerFigures extends DirectFigures {
  idle: Memory;
  after: Memory;
  /** Microseconds in user mode for a call, of the program and its helper together. */
  user: number;
}

type Call = () => Promise<void>;

const params = { name: 'echo', arguments: { text: 'ok' } };

async function measure(call: Call): Promise<DirectFigures> {
  await times(CALLS.warmUp, call);
  const one = await times(CALLS.sequential, call);
  return { p50: quantile(one, 0.5), p99: quantile(one, 0.99), perSecond: await throughput(call) };
}

async function throughput(call: Call): Promise<number> {
  let left = CALLS.concurrent;
  const start = performance.now();
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: CALLS.inFlight }, worker));
  return (CALLS.concurrent / (performance.now() - start)) * 1000;
}

async function callDirectly(origin: string, path: string): Promise<DirectFigures> {
  const pool = new Pool(origin, { connections: CALLS.inFlight });
  let last = 0;
  const figures = await measure(async () => {
    last += 1;
    const id = last;
    const { body } = await pool.request({
      method: 'POST',
      path,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: 'Bearer dapi-bench',
        'mcp-session-id': 'floor',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
    });
    const text = await body.text();
    // The client of a proxy reads what it is given, too.
    if (JSON.parse(text.slice(text.indexOf('{'))).id !== id) throw new Error(`call ${id} was not answered: ${text}`);
  });
  await pool.close();
  return figures;
}

async function callThrough(program: Invocation, helper: number | undefined): Promise<CallerFigures> {
  const client = await openProgram(program);
  await sleep(REST_MS);
  const idle = await memoryOf(client.pid);
  const pids = helper === undefined ? [client.pid] : [client.pid, helper];
  const used = async () => (await Promise.all(pids.map(userMicroseconds))).reduce((sum, each) => sum + each);
  const before = await used();
  const figures = await measure(() => client.request('tools/call', params));
  const user = ((await used()) - before) / ALL_CALLS;
  const after = await memoryOf(client.pid);
  await client.close();
  return { ...figures, idle, after, user };
}

if (process.argv[1] === import.meta.filename) {
  const order: Order = JSON.parse(process.argv[2] ?? '');
  const calling =
    'through' in order ? callThrough(order.through, order.helper) : callDirectly(order.origin, order.path);
  console.log(JSON.stringify(await calling));
}
