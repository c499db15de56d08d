/**
 * `node test/bench/catalog.ts [COMMAND]`: `servers browse` over 50 × 40 × 20 services, each answer 80 ms late: the time to the first rows
 * and to the end, and the requests, beside a command that makes one plain request in the same run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { largeCatalog } from '../workspace/large-catalog.ts';
import { startWorkspace } from '../workspace/workspace.ts';

const ROUNDS = 5;
const ANSWER_MS = 80;
const COMMANDS: [string, string[]][] = [
  ['whoami (one request)', ['whoami', '-p', 'ben']],
  ['browse', ['servers', 'browse', '-p', 'ben']],
  ['browse --kind services', ['servers', 'browse', '--kind', 'services', '-p', 'ben']],
  ['browse --search NAME', ['servers', 'browse', '--search', 'catalog_33.schema_02', '-p', 'ben']],
  ['browse --in CATALOG', ['servers', 'browse', '--in', 'catalog_33', '-p', 'ben']],
];

const command = process.argv[2] ?? new URL('../../out/cli/causeway.js', import.meta.url).pathname;
const workspace = await startWorkspace({ state: largeCatalog({ catalogs: 50, schemas: 40, services: 20 }) });
workspace.faults.add({ path: '/api/*', effect: { kind: 'delay', milliseconds: ANSWER_MS }, times: 'always' });
const home = await mkdtemp(join(tmpdir(), 'causeway-bench-'));

async function run(args: string[]): Promise<{ first: number; whole: number; lines: number; requests: number }> {
  workspace.requests.clear();
  const start = performance.now();
  const env = { DATABRICKS_CONFIG_FILE: workspace.profileFile, CAUSEWAY_HOME: home };
  const child = spawn(process.execPath, [command, ...args], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  let [first, lines] = [Number.NaN, 0];
  child.stdout.on('data', (chunk: Buffer) => {
    if (lines === 0) first = performance.now() - start;
    lines += chunk.toString().split('\n').length - 1;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`causeway ${args.join(' ')} ended with ${code}.`);
  return { first, whole: performance.now() - start, lines, requests: workspace.requests.count() };
}

const middle = (values: number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;

console.log('command                  lines  requests  first rows     whole');
for (const [name, args] of COMMANDS) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await run(args));
  const first = `${middle(rounds.map((one) => one.first)).toFixed(0)} ms`;
  const whole = `${middle(rounds.map((one) => one.whole)).toFixed(0)} ms`;
  const { lines = 0, requests = 0 } = rounds.at(-1) ?? {};
  console.log(
    [
      name.padEnd(22),
      String(lines).padStart(7),
      String(requests).padStart(8),
      first.padStart(10),
      whole.padStart(8),
    ].join('  '),
  );
}
await workspace.close();
await rm(home, { recursive: true, force: true });
