/** `npm run bench`: what the bridge costs, beside a direct HTTP call to the same server in the same run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { startProgram } from './program.ts';
import { StdioClient } from './stdio-client.ts';

const COLD_STARTS = 15;
const WARM_UP = 300;
const SEQUENTIAL = 2_000;
const CALLS = 12_800;
const IN_FLIGHT = 64;

const command = fileURLToPath(new URL('../../out/cli/causeway.js', import.meta.url));
const server = await startProgram('floor-server.ts', []);
const origin = server.firstLine;
const home = await mkdtemp(join(tmpdir(), 'causeway-bench-'));
await writeFile(join(home, '.databrickscfg'), `[DEFAULT]\nhost = ${origin}\ntoken = dapi-bench\n`, { mode: 0o600 });
const env = { HOME: home, USERPROFILE: home, PATH: process.env.PATH };
const hub = await startProgram('hub-program.ts', [home]);
const hubEnv = { ...env, CAUSEWAY_HOME: home };

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
async function coldStarts(environment: NodeJS.ProcessEnv): Promise<number> {
  const took: number[] = [];
  for (let at = 0; at < COLD_STARTS; at += 1) {
    const start = performance.now();
    const client = new StdioClient(process.execPath, [command, 'proxy', '--path', '/api/2.0/mcp/json'], environment);
    await client.open();
    took.push(performance.now() - start);
    await client.close();
  }
  return quantile(
    took.sort((a, b) => a - b),
    0.5,
  );
}

async function bareNode(): Promise<void> {
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
}

async function measureProxy(environment: NodeJS.ProcessEnv, path: string) {
  const client = new StdioClient(process.execPath, [command, 'proxy', '--path', path], environment);
  await client.open();
  const idle = await client.residentMiB();
  const figures = await measure(() => client.request('tools/call', params));
  const after = await client.residentMiB();
  await client.close();
  return { ...figures, idle, after };
}

const ms = (value: number) => `${value.toFixed(2)} ms`;
const mib = (value: number) => `${value.toFixed(0)} MiB`;
const percent = (part: number, whole: number) => `${((part / whole) * 100).toFixed(0)} %`;

const rows: string[][] = [['', 'direct undici', 'proxy alone', 'proxy through the hub']];
const bare = quantile(await times(COLD_STARTS, bareNode), 0.5);
const cold = { alone: await coldStarts(env), hub: await coldStarts(hubEnv) };
rows.push([
  'spawn to the answer of initialize, p50',
  `${ms(bare)} (bare Node, spawn to exit)`,
  `${ms(cold.alone)} = ${(cold.alone / bare).toFixed(1)} × bare`,
  `${ms(cold.hub)} = ${(cold.hub / bare).toFixed(1)} × bare`,
]);

for (const form of ['json', 'events']) {
  const path = `/api/2.0/mcp/${form}`;
  const pool = new Pool(origin, { connections: IN_FLIGHT });
  const direct = await measure(directCall(pool, path));
  await pool.close();
  const alone = await measureProxy(env, path);
  const shared = await measureProxy(hubEnv, path);
  const added = (of: number, floor: number) => `${ms(of)} (${of < floor ? '' : '+'}${(of - floor).toFixed(2)})`;
  const share = (of: number) => `${of.toFixed(0)} = ${percent(of, direct.perSecond)} of direct`;
  const memory = (of: { idle: number; after: number }) => `${mib(of.idle)} → ${mib(of.after)}`;
  rows.push(
    [`one call, p50, ${form}`, ms(direct.p50), added(alone.p50, direct.p50), added(shared.p50, direct.p50)],
    [`one call, p99, ${form}`, ms(direct.p99), added(alone.p99, direct.p99), added(shared.p99, direct.p99)],
    [
      `calls a second, ${IN_FLIGHT} in flight, ${form}`,
      direct.perSecond.toFixed(0),
      share(alone.perSecond),
      share(shared.perSecond),
    ],
    [`resident memory, idle → after ${WARM_UP + SEQUENTIAL + CALLS} calls, ${form}`, '', memory(alone), memory(shared)],
  );
}

const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
for (const row of rows)
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );

hub.end();
server.end();
await rm(home, { recursive: true });
