/**
 * `node test/bench/large-files.ts [--calls N] [--sizes 10,20,60]` (after `npm run build`): what a large file of an AI client costs. First
 * the calls of a client through the hub of the real application, while its window lists the clients, with a small file and with one of
 * 20 MB; in a desktop session only. Then adding and removing an entry with the command, in files of several sizes, at rest and while a
 * program rewrites them every two seconds.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startApplication, whyNotHere } from '../desktop/application.ts';
import { quantile, times } from './clock.ts';
import { copyCommand } from './contender.ts';
import { startProgram } from './program.ts';
import { StdioClient } from './stdio-client.ts';
import { table } from './table.ts';

const CLAUDE = '.claude.json';
const REWRITER = fileURLToPath(new URL('../integration/clients/rewriter.ts', import.meta.url));
/** Of util-linux. */
const CHRT = 'chrt';
const REWRITTEN_EVERY_MS = 2_000;
/** How often quiet calls and calls beside listings take turns. */
const TURNS = 3;

const { values } = parseArgs({
  options: { calls: { type: 'string', default: '2000' }, sizes: { type: 'string', default: '10,20,60' } },
});

/** The file of someone who has used Claude Code for long, of that size. */
function history(megabytes: number): string {
  const text = 'fix the "bug" in {this} [file], ä and all: '.repeat(10);
  const items = Array.from({ length: 8 }, (_, at) => ({ display: `${at} ${text}`, pastedContents: {} }));
  const projects: Record<string, unknown> = {};
  const each = JSON.stringify({ p: { allowedTools: [], history: items } }, null, 2).length + 300;
  for (let at = 0; at < (megabytes * 1_000_000) / each; at += 1) {
    projects[`/home/ana/project-${at}`] = { allowedTools: [], history: items, mcpServers: {}, lastCost: at / 7 };
  }
  return JSON.stringify({ numStartups: 1, projects, mcpServers: { files: { command: 'npx' } }, userID: 'x' }, null, 2);
}

declare global {
  /** In the application's main process. */
  var loopDelay: ReturnType<typeof import('node:perf_hooks').monitorEventLoopDelay> | undefined;
}

interface Latency {
  quiet: number[];
  listing: number[];
  listings: number;
  /** The longest that the main process's event loop was held up for, in milliseconds, without and with listings. */
  heldUp: { quiet: number; listing: number };
}

/** What calls through the application take, without and with listings without a pause beside them. */
async function measureCalls(megabytes: number, calls: number): Promise<Latency> {
  const server = await startProgram('floor-server.ts', []);
  const application = await startApplication({
    prepare: (home) => writeFile(join(home, CLAUDE), megabytes === 0 ? '{}' : history(megabytes)),
  });
  const { env, home } = application;
  const profile = `\n[floor]\nhost = ${server.firstLine}\ntoken = dapi-floor\n`;
  await appendFile(join(home, '.databrickscfg'), profile);
  const command = await copyCommand(home);
  try {
    const page = await application.window();
    await page.waitForFunction('window.causeway !== undefined');
    const args = [command, 'proxy', '--profile', 'floor', '--path', '/api/2.0/mcp/json'];
    const client = new StdioClient(process.execPath, args, env);
    await client.open();
    const call = () => client.request('tools/call', { name: 'echo', arguments: { text: 'ok' } });
    const found: Latency = { quiet: [], listing: [], listings: 0, heldUp: { quiet: 0, listing: 0 } };
    /** The longest delay of the main process's event loop since it was last asked. */
    const heldUp = () =>
      application.electron.evaluate(() => {
        const before = globalThis.loopDelay;
        globalThis.loopDelay = process.getBuiltinModule('node:perf_hooks').monitorEventLoopDelay({ resolution: 1 });
        globalThis.loopDelay.enable();
        return (before?.max ?? 0) / 1e6;
      });
    await times(500, call);
    await page.evaluate('window.causeway.request.listClients()');
    await beOrdinary(application.electron.process().pid ?? 0);
    for (let turn = 0; turn < TURNS; turn += 1) {
      await heldUp();
      found.quiet.push(...(await times(calls, call)));
      found.heldUp.quiet = Math.max(found.heldUp.quiet, await heldUp());
      await page.evaluate(LIST_ON);
      found.listing.push(...(await times(calls, call)));
      found.listings += Number(await page.evaluate(LIST_OFF));
      found.heldUp.listing = Math.max(found.heldUp.listing, await heldUp());
    }
    await client.close();
    return found;
  } finally {
    await application.close();
    await server.end();
  }
}

/**
 * Where the benchmark has real-time priority, threads of it do not interrupt each other: the one that works on files, which ordinarily
 * comes after all others, is given back its place.
 */
async function beOrdinary(pid: number): Promise<void> {
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    const nice = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
    if (nice === constants.priority.PRIORITY_BELOW_NORMAL) spawnSync(CHRT, ['-o', '-p', '0', thread]);
  }
}

/** Run in the window's page, which asks for the clients as its screen does. */
const LIST_ON = `
  window.isListing = true;
  window.listed = 0;
  window.lists = (async () => {
    for (; window.isListing; window.listed += 1) await window.causeway.request.listClients();
  })();
  undefined`;
const LIST_OFF = '(async () => { window.isListing = false; await window.lists; return window.listed; })()';

const ms = (value: number) => `${value.toFixed(2)} ms`;

function rowsOf(name: string, { quiet, listing, listings, heldUp }: Latency): string[][] {
  const calls = [0.5, 0.99, 0.999, 1].map((share, at) => {
    const [without, beside] = [quantile(quiet, share), quantile(listing, share)];
    const label = share === 1 ? 'longest' : `p${share * 100}`;
    const what = at === 0 ? `${name}, ${listings} listings` : '';
    return [what, label, ms(without), ms(beside), `${(beside / without).toFixed(2)} ×`, `+${ms(beside - without)}`];
  });
  return [...calls, ['', 'main thread held up', ms(heldUp.quiet), ms(heldUp.listing), '', '']];
}

interface Change {
  seconds: number;
  peakMiB: number;
  outcome: string;
}

/** Prints the most memory that a process has had, when it ends. */
const NOTE_PEAK = `process.on('exit', () => require('fs').writeSync(2, '\\npeak ' + process.resourceUsage().maxRSS + '\\n'))`;

function change(command: string, env: NodeJS.ProcessEnv, args: string[]): Change {
  const start = performance.now();
  const { stderr, status } = spawnSync(process.execPath, ['-r', join(env.HOME ?? '', 'peak.cjs'), command, ...args], {
    env,
    encoding: 'utf8',
  });
  const seconds = (performance.now() - start) / 1000;
  const peakMiB = Number(/^peak (\d+)$/m.exec(stderr)?.[1]) / 1024;
  const outcome = status === 0 ? 'done' : `failed: ${stderr.split('\n').find((line) => line.trim() !== '') ?? status}`;
  return { seconds, peakMiB, outcome };
}

/** Adding and removing one entry in a file of that size. */
async function measureChanges(megabytes: number): Promise<string[][]> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-large-'));
  const env = { HOME: home, USERPROFILE: home, PATH: process.env.PATH, CAUSEWAY_HOME: join(home, 'causeway-home') };
  const command = await copyCommand(home);
  const file = join(home, CLAUDE);
  await writeFile(file, history(megabytes));
  await writeFile(join(home, 'peak.cjs'), NOTE_PEAK);
  await writeFile(join(home, '.databrickscfg'), '[DEFAULT]\nhost = https://w.example.com\ntoken = dapi-x\n');
  change(command, env, ['servers', 'add', '--path', '/api/2.0/mcp/sql', '--no-check']);
  const shown = ({ seconds, peakMiB, outcome }: Change) =>
    `${seconds.toFixed(2)} s, ${peakMiB.toFixed(0)} MiB${outcome === 'done' ? '' : `, ${outcome}`}`;
  const both = () =>
    [
      ['add', 'claude-code'],
      ['remove', 'claude-code'],
    ].map((args) => shown(change(command, env, ['clients', ...args])));
  try {
    const listing = shown(change(command, env, ['clients']));
    const atRest = both();
    const rewriter = spawn(process.execPath, [REWRITER, file, 'renamed', String(REWRITTEN_EVERY_MS)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(rewriter.stdout, 'data');
    const rewritten = both();
    rewriter.kill();
    await once(rewriter, 'close');
    return [
      [`${megabytes} MB`, 'at rest', listing, ...atRest],
      ['', `rewritten every ${REWRITTEN_EVERY_MS / 1000} s`, '', ...rewritten],
    ];
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

const reason = whyNotHere(process.env);
if (reason === undefined) {
  const small = await measureCalls(0, Number(values.calls));
  const large = await measureCalls(20, Number(values.calls));
  const head = ['a call through the application', '', 'quiet', 'beside listings', 'ratio', 'difference'];
  console.log(table([head, ...rowsOf('a small file', small), ...rowsOf('a file of 20 MB', large)]));
  console.log('Wanted: at most +5 ms at p99.9.\n');
} else console.log(`The application is left out. ${reason}\n`);

const rows: string[][] = [['a file of', '', 'clients', 'clients add', 'clients remove']];
for (const size of values.sizes.split(',')) rows.push(...(await measureChanges(Number(size))));
console.log(table(rows));
