/**
 * `node test/bench/window.ts`: how smoothly the window scrolls through 10,000 overrides and 50,000 calls in a real
 * Chromium, beside a plain static page that is scrolled in the same way in the same run; and what it costs while calls
 * come in. `npm run build` first.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchChromium } from '../browser/chromium.ts';
import { serveWindow, type WindowServer } from '../browser/window-server.ts';
import { endedCall } from '../ended-call.ts';
import { largeWorld } from '../workspace/large-world.ts';
import { startWorkspace } from '../workspace/workspace.ts';
import { table } from './table.ts';
import { FRAME_MS, type FrameFigures, frameFigures, type ScrollWay, scroll } from './window/frames.ts';

const OVERRIDES = 10_000;
const CALLS = 50_000;
const CALLS_A_SECOND = 5000;
const SECONDS = 5;
const SIZE = { width: 1280, height: 800 };

const WAYS: [name: string, way: ScrollWay][] = [
  ['a wheel (60 px a frame)', { kind: 'steps', pixels: 60, frames: 240 }],
  ['a fling (900 px a frame)', { kind: 'steps', pixels: 900, frames: 120 }],
  ['the scroll bar dragged', { kind: 'jumps', frames: 100 }],
];

const millis = (value: number) => `${value.toFixed(1)} ms`;
const share = (value: number) => `${(100 * value).toFixed(1)} %`;

function row(what: string, figures: FrameFigures): string[] {
  const { interval, work, overBudget, overFifty, empty } = figures;
  const frames = [interval.p50, interval.p95, interval.worst].map(millis);
  return [what, ...frames, ...[work.p50, work.p95].map(millis), share(overBudget), share(overFifty), share(empty)];
}

/** Measures one way of scrolling, and says so at once: the whole takes minutes where the machine is busy. */
async function measure(page: Page, what: string, way: ScrollWay): Promise<string[]> {
  const figures = row(what, frameFigures(await scroll(page, way)));
  console.error(figures.join('  '));
  return figures;
}

const HEADER = [
  '',
  'frame p50',
  'p95',
  'worst',
  'work p50',
  'p95',
  `work > ${FRAME_MS} ms`,
  'frame > 50 ms',
  'rows not there yet',
];

const home = await mkdtemp(join(tmpdir(), 'causeway-window-bench-'));
const workspace = await startWorkspace({ home, state: largeWorld({ overrides: OVERRIDES, warehouses: 200 }) });
const server = await serveWindow({ HOME: home, CAUSEWAY_HOME: join(home, 'causeway'), PATH: '/usr/bin:/bin' });
const browser = await launchChromium();

try {
  addCalls(server, CALLS);
  const rows: string[][] = [HEADER];
  const floor = await browser.newPage({ viewport: SIZE });
  await floor.setContent(staticPage(OVERRIDES));
  for (const [name, way] of WAYS) rows.push(await measure(floor, `static page, ${name}`, way));
  await floor.close();

  const page = await browser.newPage({ viewport: SIZE });
  await page.goto(server.url);
  const opened = await timed(() => show(page, 'Overrides', '10,000 overrides.'));
  for (const [name, way] of WAYS) rows.push(await measure(page, `10,000 overrides, ${name}`, way));
  await show(page, 'Activity', '50,000 calls.');
  for (const [name, way] of WAYS) rows.push(await measure(page, `50,000 calls, ${name}`, way));
  console.log(table(rows));
  console.log(`\nOverrides: from the click to all 10,000 read and shown ${millis(opened)}.`);

  await page.getByRole('grid').evaluate((table) => table.scrollTo({ top: 0 }));
  const quiet = await busyShare(async () => pause(SECONDS * 1000));
  const coming = await busyShare(() => callsFor(server, SECONDS));
  const watched = frameFigures(await whileCallsCome(page, server));
  await page.getByRole('link', { name: 'Warehouse' }).click();
  const unwatched = await busyShare(() => callsFor(server, SECONDS));
  console.log(
    `${CALLS_A_SECOND} calls a second: main is busy ${share(coming)} of a core while somebody looks, ${share(unwatched)} while nobody does, ${share(quiet)} when none come; frames meanwhile p95 ${millis(watched.interval.p95)}, work p95 ${millis(watched.work.p95)}.`,
  );
} finally {
  await browser.close();
  await server.close();
  await workspace.close();
  await rm(home, { recursive: true, force: true });
}

function addCalls({ activity }: WindowServer, count: number): void {
  const now = Date.now();
  for (let at = 0; at < count; at += 1) {
    activity.add(
      endedCall({
        clientName: ['claude-ai', 'cursor', 'codex'][at % 3] ?? null,
        profile: 'ana',
        path: at % 7 ? '/api/2.0/mcp/sql' : '/api/2.0/mcp/genie/01ef',
        method: 'tools/call',
        tool: at % 5 ? 'execute_sql' : 'poll_sql_result',
        startedAt: now - ((count - at) * 800_000) / CALLS,
        durationMs: 2 + ((at * 7919) % 1000) / 7,
        outcome: at % 40 ? 'answered' : 'tool-error',
      }),
      null,
    );
  }
}

async function show(page: Page, screen: string, ready: string): Promise<void> {
  await page.getByRole('link', { name: screen }).click();
  await page.getByRole('status').filter({ hasText: ready }).first().waitFor();
}

/** As many calls as come in so many seconds, twenty times a second. */
async function callsFor(at: WindowServer, seconds: number): Promise<void> {
  for (let part = 0; part < seconds * 20; part += 1) {
    addCalls(at, CALLS_A_SECOND / 20);
    await pause(50);
  }
}

async function whileCallsCome(page: Page, at: WindowServer) {
  const [frames] = await Promise.all([scroll(page, { kind: 'steps', pixels: 0, frames: 120 }), callsFor(at, SECONDS)]);
  return frames;
}

/** How much of a core this process used, in which everything but the browser runs. */
async function busyShare(during: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  const took = await timed(during);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / took;
}

async function timed(during: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await during();
  return performance.now() - start;
}

function pause(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, time));
}

/** As many rows in a page without any script: what the browser itself needs. */
function staticPage(count: number): string {
  const line = 'height: 56px; border-bottom: 1px solid #ddd; display: grid; grid-template-columns: 1fr 1fr';
  const rows = Array.from(
    { length: count },
    (_, at) => `<div style="${line}"><p>Person ${at}</p><p>Team ${at}</p></div>`,
  );
  return `<div role="grid" style="height: 700px; overflow: auto; font: 14px system-ui">${rows.join('')}</div>`;
}
