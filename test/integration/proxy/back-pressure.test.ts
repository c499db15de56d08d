import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { residentMiB } from '../../bench/memory.ts';
import { type Program, startProgram } from '../../bench/program.ts';
import {
  json,
  orderly,
  result,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../bridge/scripted-server.ts';
import { environment, homeWith, ProxyProcess } from './proxy-process.ts';

const MIB = 1024 * 1024;
/** More than may stay in memory together. */
const ANSWERS = 160;

let server: ScriptedServer;
let home: Awaited<ReturnType<typeof homeWith>>;
const running: ProxyProcess[] = [];
let hub: Program | undefined;

beforeAll(async () => {
  server = await startScriptedServer(orderly().script);
  home = await homeWith({ acme: { host: server.origin, token: 'dapi-acme' } });
});
afterEach(async () => {
  server.arrivals.length = 0;
  for (const proxy of running.splice(0)) await proxy.close();
  await hub?.end();
  hub = undefined;
});
afterAll(() => Promise.all([server.close(), home.close()]));

/** How a proxy works: by itself, or through an application in its own process. */
type Way = 'alone' | 'through the application';

/** A proxy that has warmed up with 200 calls, so that its memory is what it is at rest. */
async function startWarm(script: Script, way: Way): Promise<ProxyProcess> {
  server.script = ({ frame }, response) => json(response, result(frame?.id));
  if (way === 'through the application') hub = await startProgram('hub-program.ts', [home.home]);
  const proxy = new ProxyProcess(['--path', '/api/2.0/mcp/sql'], environment(home.home, { CAUSEWAY_HOME: home.home }));
  running.push(proxy);
  for (let id = 0; id < 200; id += 1) await proxy.request(id, 'tools/call');
  server.script = script;
  proxy.frames.length = 0;
  server.arrivals.length = 0;
  return proxy;
}

/** Waits until a measure has stopped growing: whatever flows has come to a stop. */
async function standstill(measure: () => number): Promise<void> {
  for (let last = -1, same = 0; same < 10; ) {
    const now = measure();
    same = now === last ? same + 1 : 0;
    last = now;
    await sleep(50);
  }
}

/** The same for what has to flow to a degree first: a busy computer makes pauses of its own. */
async function flowed(measure: () => number, atLeast: number): Promise<void> {
  await expect.poll(measure, { timeout: 60_000 }).toBeGreaterThan(atLeast);
  await standstill(measure);
}

/** What the proxy and the application take up now, each by itself, in MiB. */
async function resident(proxy: ProxyProcess): Promise<number[]> {
  return [await proxy.residentMiB(), ...(hub ? [await residentMiB(hub.pid)] : [])];
}

/** How much the memory of the one that grows most has grown over what it was at rest, in MiB, while something continues. */
async function growthWhile(proxy: ProxyProcess, idle: number[], going: Promise<unknown>): Promise<number> {
  let ended = false;
  let most = 0;
  const watched = going.finally(() => {
    ended = true;
  });
  while (!ended) {
    const now = await resident(proxy);
    most = Math.max(most, ...now.map((mib, at) => mib - (idle[at] ?? 0)));
    await sleep(20);
  }
  await watched;
  return most;
}

const onLinux = describe.skipIf(process.platform !== 'linux');

onLinux('a client that stops reading', () => {
  it.each<[form: string, way: Way]>([
    ['json', 'alone'],
    ['events', 'alone'],
    ['json', 'through the application'],
    ['events', 'through the application'],
  ])(
    'does not make 160 answers of 1 MiB (%s, %s) stay in memory, and gets them all later',
    { timeout: 120_000 },
    async (form, way) => {
      const payload = 'x'.repeat(MIB);
      const proxy = await startWarm(({ frame }, response) => {
        const text = `{"jsonrpc":"2.0","id":${frame?.id},"result":"${payload}"}`;
        if (form === 'json') json(response, text);
        else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${text}\n\n`);
      }, way);
      const idle = await resident(proxy);
      proxy.stdout.pause();
      for (let id = 0; id < ANSWERS; id += 1) proxy.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call"}`);
      const growth = await growthWhile(
        proxy,
        idle,
        flowed(() => server.arrivals.length, 64),
      );
      console.log(
        `${ANSWERS} × 1 MiB unread (${form}, ${way}): +${growth.toFixed(0)} MiB on ${idle.map(Math.round)} MiB`,
      );
      expect(growth).toBeLessThan(120);
      proxy.stdout.resume();
      await proxy.until(ANSWERS);
      expect(new Set(proxy.frames.map((frame) => JSON.parse(String(frame)).id)).size).toBe(ANSWERS);
      expect(proxy.frames.filter((frame) => frame.length < MIB).map(String)).toEqual([]);
    },
  );

  it('is not read from while it sends invalid frames', async () => {
    const proxy = await startWarm(() => {}, 'alone');
    const idle = await resident(proxy);
    proxy.stdout.pause();
    const line = Buffer.from(`${'?'.repeat(60)}\n`.repeat(1000));
    let written = 0;
    for (; written < 200 * MIB && proxy.stdin.writableLength < MIB; written += line.length) {
      proxy.write(line);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const growth = await growthWhile(
      proxy,
      idle,
      standstill(() => -proxy.stdin.writableLength),
    );
    expect(written).toBeLessThan(100 * MIB);
    expect(growth).toBeLessThan(120);
    proxy.stdout.resume();
    await proxy.until(Math.floor(written / 61));
  });
});

onLinux('a client that floods a slow server', () => {
  it.each<Way>(['alone', 'through the application'])(
    'has to wait: only a limited number of its requests are in flight, and all are answered in the end (%s)',
    async (way) => {
      const held: (() => void)[] = [];
      let open = false;
      const proxy = await startWarm(({ frame }, response) => {
        const answer = () => json(response, result(frame?.id));
        if (open) answer();
        else held.push(answer);
      }, way);
      const idle = await resident(proxy);
      const text = 'x'.repeat(20_000);
      for (let id = 0; id < 2_500; id += 1) {
        proxy.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"text":"${text}"}}`);
      }
      const growth = await growthWhile(
        proxy,
        idle,
        flowed(() => held.length, 64),
      );
      console.log(
        `${held.length} of 2500 requests under way (${way}): +${growth.toFixed(0)} MiB on ${idle.map(Math.round)} MiB`,
      );
      expect(held.length).toBeLessThanOrEqual(128);
      expect(proxy.stdin.writableLength).toBeGreaterThan(30 * MIB);
      expect(growth).toBeLessThan(120);
      open = true;
      for (const answer of held) answer();
      await proxy.until(2_500);
      expect(new Set(proxy.frames.map((frame) => JSON.parse(String(frame)).id)).size).toBe(2_500);
    },
  );
});
