import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Pool } from 'undici';
import { quantile, times } from './clock.ts';
import { type Contender, openSession } from './contender.ts';
import { residentMiB } from './memory.ts';

const WARM_UP = 300;
const SEQUENTIAL = 2_000;
const CALLS = 12_800;
export const IN_FLIGHT = 64;
export const ALL_CALLS = WARM_UP + SEQUENTIAL + CALLS;

/** What calls cost: milliseconds one after the other, and calls a second with 64 in flight. */
export interface DirectFigures {
  p50: number;
  p99: number;
  perSecond: number;
}

/** What they cost one way, beside the direct calls just before; and the process's MiB before and after. */
export interface CallFigures extends DirectFigures {
  /** Milliseconds that p50 is above the direct calls'. */
  added: number;
  /** Calls a second as a share of the direct ones. */
  share: number;
  idle: number;
  after: number;
}

type Call = () => Promise<void>;

const params = { name: 'echo', arguments: { text: 'ok' } };

async function measure(call: Call): Promise<DirectFigures> {
  await times(WARM_UP, call);
  const one = await times(SEQUENTIAL, call);
  return { p50: quantile(one, 0.5), p99: quantile(one, 0.99), perSecond: await throughput(call) };
}

async function throughput(call: Call): Promise<number> {
  let left = CALLS;
  const start = performance.now();
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return (CALLS / (performance.now() - start)) * 1000;
}

/** The floor: the same calls from this process, without anything between. */
export async function measureDirectCalls(origin: string, path: string): Promise<DirectFigures> {
  const pool = new Pool(origin, { connections: IN_FLIGHT });
  let id = 0;
  const figures = await measure(async () => {
    id += 1;
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
    await body.text();
  });
  await pool.close();
  return figures;
}

/** Measures a contender in turns with direct calls, so that whatever else the machine does falls on both; medians. */
export async function measureCalls(
  contender: Contender,
  path: string,
  direct: () => Promise<DirectFigures>,
  howOften: number,
): Promise<CallFigures> {
  const rounds: CallFigures[] = [];
  while (rounds.length < howOften) {
    const floor = await direct();
    const own = await measureOnce(contender, path);
    rounds.push({ ...own, added: own.p50 - floor.p50, share: own.perSecond / floor.perSecond });
  }
  const median = (figure: keyof CallFigures) =>
    quantile(
      rounds.map((figures) => figures[figure]),
      0.5,
    );
  return {
    p50: median('p50'),
    p99: median('p99'),
    perSecond: median('perSecond'),
    added: median('added'),
    share: median('share'),
    idle: median('idle'),
    after: median('after'),
  };
}

/** The median of each figure of some direct calls. */
export function medianOf(runs: DirectFigures[]): DirectFigures {
  const median = (figure: keyof DirectFigures) =>
    quantile(
      runs.map((figures) => figures[figure]),
      0.5,
    );
  return { p50: median('p50'), p99: median('p99'), perSecond: median('perSecond') };
}

async function measureOnce(contender: Contender, path: string) {
  const client = await openSession(contender, path);
  const idle = await residentMiB(client.pid);
  const figures = await measure(() => client.request('tools/call', params));
  const after = await residentMiB(client.pid);
  await client.close();
  return { ...figures, idle, after };
}

/** MiB that Node takes to wait for its stdin and do nothing else. */
export async function bareNodeMiB(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log("ready")']);
  await once(child.stdout, 'data');
  const resident = await residentMiB(child.pid ?? 0);
  child.stdin.end();
  await once(child, 'exit');
  return resident;
}
