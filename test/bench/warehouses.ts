/**
 * `node test/bench/warehouses.ts [COMMAND]`: list, filter, all and export over 10,000 overrides and 2,000 warehouses, each beside the
 * same command in a small workspace in the same run. Every command is its own process, as people run them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { largeWorld } from '../workspace/large-world.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';

interface Figures {
  firstLine: number;
  whole: number;
  lines: number;
  peakBytes: number;
}

const ROUNDS = 5;
const SIZES = {
  small: { overrides: 100, warehouses: 20 },
  large: { overrides: 10_000, warehouses: 2000 },
};
const COMMANDS: [string, string[]][] = [
  ['warehouse', ['warehouse']],
  ['list', ['warehouse', 'list']],
  ['list FILTER', ['warehouse', 'list', 'team 7']],
  ['set NAME', ['warehouse', 'set', 'team 11 of']],
  ['all', ['warehouse', 'all']],
  ['all FILTER', ['warehouse', 'all', 'person-77']],
  ['all --dangling', ['warehouse', 'all', '--dangling']],
  ['export', ['warehouse', 'export']],
  ['list-default-…', ['warehouses', 'list-default-warehouse-overrides']],
];

const command = process.argv[2] ?? new URL('../../out/cli/causeway.js', import.meta.url).pathname;
/** Tells on stderr how much memory the process has held at most. */
const TELL_PEAK = `data:text/javascript,${encodeURIComponent(
  'process.on("exit", () => process.stderr.write("#" + process.resourceUsage().maxRSS))',
)}`;

async function run(workspace: EmbeddedWorkspace, args: string[]): Promise<Figures> {
  const env = { DATABRICKS_CONFIG_FILE: workspace.profileFile };
  const start = performance.now();
  const child = spawn(process.execPath, ['--import', TELL_PEAK, command, ...args, '-p', 'ana'], { env });
  let firstLine = Number.NaN;
  let lines = 0;
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    if (lines === 0) firstLine = performance.now() - start;
    lines += chunk.toString().split('\n').length - 1;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`causeway ${args.join(' ')} ended with ${code}: ${stderr}`);
  const peak = Number(/#(\d+)\s*$/.exec(stderr)?.[1]);
  return { firstLine, whole: performance.now() - start, lines, peakBytes: peak * 1024 };
}

async function medianOf(workspace: EmbeddedWorkspace, args: string[]): Promise<Figures> {
  const all: Figures[] = [];
  for (let round = 0; round < ROUNDS; round += 1) all.push(await run(workspace, args));
  const median = (of: (figures: Figures) => number) => all.map(of).sort((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN;
  return {
    firstLine: median((one) => one.firstLine),
    whole: median((one) => one.whole),
    lines: median((one) => one.lines),
    peakBytes: Math.max(...all.map((one) => one.peakBytes)),
  };
}

const small = await startWorkspace({ state: largeWorld(SIZES.small) });
const large = await startWorkspace({ state: largeWorld(SIZES.large) });
const ms = (value: number) => `${value.toFixed(0)} ms`;
const mib = (value: number) => `${(value / 1024 / 1024).toFixed(0)} MiB`;

console.log('command          lines  first line  whole    peak     beside 100 overrides, 20 warehouses');
for (const [name, args] of COMMANDS) {
  const little = await medianOf(small, args);
  const much = await medianOf(large, args);
  const { firstLine, whole, lines, peakBytes } = much;
  const beside = `whole ${ms(little.whole)} (× ${(whole / little.whole).toFixed(1)}), peak ${mib(little.peakBytes)} (+ ${mib(peakBytes - little.peakBytes)})`;
  const cells = [
    name.padEnd(15),
    String(lines).padStart(6),
    ms(firstLine).padStart(10),
    ms(whole).padStart(8),
    mib(peakBytes).padStart(8),
  ];
  console.log(`${cells.join('  ')}  ${beside}`);
}
await small.close();
await large.close();
