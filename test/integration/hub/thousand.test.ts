import { readdir } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Causeway, createCauseway } from '../../../main/app/causeway.ts';
import { hubFolder, type Rendezvous, readRendezvous } from '../../../main/hub/rendezvous.ts';
import type { Hub } from '../../../main/hub/server.ts';
import { orderly, type ScriptedServer, startScriptedServer } from '../bridge/scripted-server.ts';
import { environment, homeWith } from '../proxy/proxy-process.ts';
import { enter } from './handshake.ts';

const PROXIES = 1_000;
const ROUNDS = 3;
/** How many attach at the same moment: a listening socket's queue is finite. */
const AT_ONCE = 50;

let server: ScriptedServer;
let session: ReturnType<typeof orderly>;
let home: Awaited<ReturnType<typeof homeWith>>;
let causeway: Causeway;
let hub: Hub;
let rendezvous: Rendezvous;

beforeAll(async () => {
  session = orderly();
  server = await startScriptedServer(session.script);
  home = await homeWith({ acme: { host: server.origin, token: 'dapi-acme' } });
  const env = environment(home.home, { CAUSEWAY_HOME: home.home });
  causeway = createCauseway({ env });
  hub = await causeway.serveProxies();
  const published = readRendezvous(hubFolder(env));
  if (!published) throw new Error('the hub has not said where it is');
  rendezvous = published;
});
afterAll(async () => {
  await hub.close();
  await causeway.close();
  await server.close();
  await home.close();
});

/** A proxy as the hub sees it: a socket that proves itself, opens a session and makes one call. */
async function attached(number: number): Promise<Socket> {
  const { socket, send, heard, welcome } = await enter(rendezvous, { path: '/api/2.0/mcp/sql' }, { pid: number });
  expect(welcome).toMatchObject({ ready: true });
  send({ jsonrpc: '2.0', id: 'init', method: 'initialize', params: { protocolVersion: '2025-06-18' } });
  expect(await heard()).toMatchObject({ id: 'init', result: {} });
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  send({ jsonrpc: '2.0', id: number, method: 'tools/call', params: { text: `${number}` } });
  expect(await heard()).toMatchObject({ id: number, result: { content: [{ text: `${number}` }] } });
  return socket;
}

/** Most proxies delete their session, some are killed, some in the middle of a call. */
async function leaves(socket: Socket, number: number): Promise<void> {
  // One that leaves in the middle of a call may see its connection reset first.
  const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
  if (number % 5 === 0) socket.write(`{"jsonrpc":"2.0","id":0,"method":"tools/call"}\n`);
  if (number % 3 === 0) socket.destroy();
  else socket.resume().end();
  await closed;
}

/** What this process holds of the operating system. The test's own ends are closed when it is asked. */
async function held() {
  const resources = process.getActiveResourcesInfo();
  const count = (kind: string) => resources.filter((name) => name === kind).length;
  return {
    pipes: count('PipeWrap'),
    descriptors: process.platform === 'linux' ? (await readdir('/proc/self/fd')).length : 0,
  };
}

async function comeAndGo(): Promise<void> {
  const sockets: Socket[] = [];
  for (let from = 0; from < PROXIES; from += AT_ONCE) {
    sockets.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => attached(from + at)))));
  }
  expect(hub.sessions()).toHaveLength(PROXIES);
  expect(session.sessions.size).toBe(PROXIES);
  await Promise.all(sockets.map(leaves));
  await expect.poll(() => hub.sessions().length, { timeout: 20_000 }).toBe(0);
}

it('a thousand proxies that start and end, three times over, leave nothing behind', { timeout: 120_000 }, async () => {
  const before = await held();
  const resident: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await comeAndGo();
    session.expireAll();
    server.arrivals.length = 0;
    resident.push(process.memoryUsage.rss() / 1024 / 1024);
    await expect.poll(async () => (await held()).pipes).toBe(before.pipes);
  }
  console.log(`resident after each thousand: ${resident.map((mib) => `${mib.toFixed(0)} MiB`).join(', ')}`);
  // Idle connections to the server are left, both ends of which are in this process: as many as were busy at once, not
  // as many as there were proxies in all.
  const { descriptors } = await held();
  expect(descriptors - before.descriptors).toBeLessThan(2.5 * PROXIES);
  await causeway.close();
  await expect.poll(async () => (await held()).descriptors).toBeLessThanOrEqual(before.descriptors);
});
