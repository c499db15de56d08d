import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createCauseway } from '../../main/causeway.ts';
import { attach } from '../../main/hub/attach.ts';
import { prepareRendezvous, publishRendezvous } from '../../main/hub/publish.ts';
import { type Rendezvous, readRendezvous } from '../../main/hub/rendezvous.ts';
import { type Hub, startHub } from '../../main/hub/server.ts';
import { isProcessAlive } from '../../main/platform/process-alive.ts';
import { orderly, type ScriptedServer, startScriptedServer } from '../integration/bridge/scripted-server.ts';
import { enter, linesOf } from '../integration/hub/handshake.ts';

const CAUSEWAY = fileURLToPath(new URL('../../out/cli/causeway.js', import.meta.url));
const HUB_START = fileURLToPath(new URL('../integration/faults/hub-start.ts', import.meta.url));

let home: string;
let env: NodeJS.ProcessEnv;
const children: ChildProcess[] = [];
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'causeway-windows-'));
  env = { ...process.env, HOME: home, USERPROFILE: home, CAUSEWAY_HOME: join(home, 'causeway') };
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  for (const child of children.splice(0)) await kill(child);
  await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

const folder = () => join(home, 'causeway', 'hub');

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

function program(args: string[]) {
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

async function start(): Promise<{ hub: Hub; rendezvous: Rendezvous }> {
  const hub = await startHub({ folder: folder(), env, serve: () => Promise.reject(new Error('There is no bridge.')) });
  ends.push(() => hub.close());
  const rendezvous = readRendezvous(folder());
  assert.ok(rendezvous);
  return { hub, rendezvous };
}

test('the hub listens on a pipe whose name cannot be foreseen and is another one at each start', async () => {
  const names = new Set<string>();
  for (let times = 0; times < 2; times += 1) {
    const { hub, rendezvous } = await start();
    assert.match(rendezvous.address, /^\\\\\.\\pipe\\causeway-[0-9a-f]{32}$/);
    names.add(rendezvous.address);
    await hub.close();
    ends.pop();
  }
  assert.equal(names.size, 2);
});

test('hub and proxy prove to each other that they hold the secret', async () => {
  const { rendezvous } = await start();
  // It has proven itself, and says that it serves nobody.
  assert.equal(Object((await enter(rendezvous, { path: '/api/2.0/mcp/sql' })).welcome).ready, false);
  await assert.rejects(enter({ ...rendezvous, secret: 'another' }, { path: '/api/2.0/mcp/sql' }), /not proven itself/);
});

test('who only reads from the pipe hears nothing', async () => {
  const { rendezvous } = await start();
  assert.equal(await linesOf(rendezvous.address).heard(), undefined);
});

test('a program that listens under the name of a hub that has gone learns nothing', async () => {
  const rendezvous = await prepareRendezvous(folder(), env);
  let heard = '';
  const impostor = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        heard += String(chunk);
        socket.write(`${JSON.stringify({ hub: 2, nonce: 'x'.repeat(43), proof: 'y'.repeat(43) })}\n`);
      });
  }).listen(rendezvous.address);
  await once(impostor, 'listening');
  ends.push(async () => void impostor.close());
  const { kind } = await attach(rendezvous, { path: '/api/2.0/mcp/a-secret-place' });
  assert.equal(kind, 'impostor');
  assert.ok(!heard.includes('a-secret-place') && !heard.includes(rendezvous.secret));
});

test('nobody else can listen under the name of a hub that runs', async (context) => {
  const { rendezvous } = await start();
  const second = createServer().listen(rendezvous.address);
  const outcome = await Promise.race([
    once(second, 'error').then(([error]) => String(Object(error).code)),
    once(second, 'listening').then(() => 'listening'),
  ]);
  second.close();
  // Wine lets a second program make an instance of a pipe that must be the first.
  if (outcome === 'listening' && process.env.WINEPREFIX !== undefined) return context.skip('not under Wine');
  assert.match(outcome, /EADDRINUSE|EACCES/);
});

test('a hub starts in the place of one that was killed, and a second one does not start beside it', async () => {
  const first = program([HUB_START]);
  await once(first.stdout, 'data');
  const stale = readRendezvous(folder());
  await kill(first);
  const { rendezvous } = await start();
  assert.notEqual(rendezvous.address, stale?.address);
  await assert.rejects(start(), /running already/);
});

/** A server, an application with a hub, and proxies as an AI client starts them. */
async function stage(): Promise<ScriptedServer> {
  const server = await startScriptedServer(orderly().script);
  ends.push(server.close);
  await writeFile(join(home, '.databrickscfg'), `[DEFAULT]\nhost = ${server.origin}\ntoken = dapi-test\n`);
  return server;
}

async function initializeThrough(proxy: ReturnType<typeof program>): Promise<unknown> {
  const answer = once(createInterface({ input: proxy.stdout }), 'line');
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  proxy.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  return JSON.parse(String((await answer)[0]));
}

test('a proxy goes through the hub, and alone when the hub was killed and its name is stale', async () => {
  await stage();
  const causeway = createCauseway({ env });
  const hub = await causeway.serveProxies();
  const proxy = program([CAUSEWAY, 'proxy', '--path', '/api/2.0/mcp/sql']);
  assert.ok(Object(await initializeThrough(proxy)).result);
  // On a slow machine it begins alone and finds the hub later.
  for (let tries = 0; hub.sessions().length === 0 && tries < 200; tries += 1) await sleep(100);
  assert.equal(hub.sessions().length, 1);
  await kill(proxy);
  await hub.close();
  await causeway.close();

  await publishRendezvous(folder(), await prepareRendezvous(folder(), env));
  const alone = program([CAUSEWAY, 'proxy', '--path', '/api/2.0/mcp/sql']);
  assert.ok(Object(await initializeThrough(alone)).result);
});

test('a proxy ends when the program that started it is killed', async () => {
  await stage();
  const script = `
    const proxy = require('child_process').spawn(process.execPath, [process.argv[1], 'proxy', '--path', '/api/2.0/mcp/sql']);
    console.log(proxy.pid);
    setInterval(() => {}, 1000);`;
  const client = program(['-e', script, CAUSEWAY]);
  const [pid] = await once(client.stdout, 'data');
  await kill(client);
  for (let tries = 0; isProcessAlive(Number(String(pid))) && tries < 100; tries += 1) await sleep(100);
  assert.equal(isProcessAlive(Number(String(pid))), false);
});
