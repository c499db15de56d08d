/** `npm run bench`: what the bridge costs, beside a direct HTTP call to the same server in the same run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { startFloorServer } from './floor-server.ts';
import { StdioClient } from './stdio-client.ts';

const COLD_STARTS = 15;
const WARM_UP = 300;
const SEQUENTIAL = 2_000;
const CALLS = 12_800;
const IN_FLIGHT = 64;

const command = new URL('../../out/cli/causeway.js', import.meta.url).pathname;
const server = await startFloorServer();
const home = await mkdtemp(join(tmpdir(), 'causeway-bench-'));
await writeFile(join(home, '.databrickscfg'), `[DEFAULT]\nhost = ${server.origin}\ntoken = dapi-bench\n`);
const env = { HOME: home, USERPROFILE: home, PATH: process.env['PATH'] };

/** One call, however it travels. */
type Call = () => Promise<void>;

const params = { name: 'echo', arguments: { text: 'ok' } };

function quantile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function times(count: number, run: () => Promise<void>): Promise<number[]> {
  const took: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const start = performance.now();
    await run();
    took.push(performance.now() - start);
  }
  return took.sort((a, b) => a - b);
}

/** Calls a second with a fixed number in flight. */
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

async function measure(call: Call) {
  await times(WARM_UP, call);
  const one = await times(SEQUENTIAL, call);
  return { p50: quantile(one, 0.5), p99: quantile(one, 0.99), perSecond: await throughput(call) };
}

function directCall(pool: Pool, path: string): Call {
  let id = 0;
  return async () => {
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
  };
}

/** Milliseconds from the spawn to the answer of `initialize`, one process after the other. */
async function coldStarts(): Promise<number[]> {
  const took: number[] = [];
  for (let at = 0; at < COLD_STARTS; at += 1) {
    const start = performance.now();
    const client = new StdioClient(process.execPath, [command, 'proxy', '--path', '/api/2.0/mcp/json'], env);
    await client.open();
    took.push(performance.now() - start);
    await client.close();
  }
  return took.sort((a, b) => a - b);
}

async function bareNode(): Promise<void> {
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
}

const cold = await coldStarts();
const bare = await times(COLD_STARTS, bareNode);

const rows: string[][] = [['', 'direct undici', 'causeway proxy', 'difference']];
const ms = (value: number) => `${value.toFixed(2)} ms`;
for (const form of ['json', 'events']) {
  const path = `/api/2.0/mcp/${form}`;
  const pool = new Pool(server.origin, { connections: IN_FLIGHT });
  const direct = await measure(directCall(pool, path));
  await pool.close();
  const client = new StdioClient(process.execPath, [command, 'proxy', '--path', path], env);
  await client.open();
  const idle = await client.residentMiB();
  const bridged = await measure(() => client.request('tools/call', params));
  const after = await client.residentMiB();
  await client.close();
  rows.push(
    [`one call, p50, ${form}`, ms(direct.p50), ms(bridged.p50), `+${ms(bridged.p50 - direct.p50)}`],
    [`one call, p99, ${form}`, ms(direct.p99), ms(bridged.p99), `+${ms(bridged.p99 - direct.p99)}`],
    [
      `calls a second, ${IN_FLIGHT} in flight, ${form}`,
      direct.perSecond.toFixed(0),
      bridged.perSecond.toFixed(0),
      `${((bridged.perSecond / direct.perSecond) * 100).toFixed(0)} % of direct`,
    ],
    [
      `resident memory after ${WARM_UP + SEQUENTIAL + CALLS} calls, ${form}`,
      '',
      `${after.toFixed(0)} MiB`,
      `+${(after - idle).toFixed(0)} MiB since idle`,
    ],
  );
}
rows.push([
  'spawn to the answer of initialize, p50',
  `${ms(quantile(bare, 0.5))} (bare Node, spawn to exit)`,
  ms(quantile(cold, 0.5)),
  `${(quantile(cold, 0.5) / quantile(bare, 0.5)).toFixed(1)} × bare Node`,
]);

const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
for (const row of rows)
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );

await server.close();
await rm(home, { recursive: true });
