import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCauseway } from '../../../main/causeway.ts';
import { hubFolder, readRendezvous } from '../../../main/hub/rendezvous.ts';
import { orderly, type ScriptedServer, startScriptedServer } from '../bridge/scripted-server.ts';
import { environment, homeWith, ProxyProcess } from '../proxy/proxy-process.ts';

const PATH = '/api/2.0/mcp/sql';

let server: ScriptedServer;
let env: NodeJS.ProcessEnv;
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  server = await startScriptedServer(orderly().script);
  const { home, close } = await homeWith({ acme: { host: server.origin, token: 'dapi-acme' } });
  env = environment(home, { CAUSEWAY_HOME: home });
  ends.push(close, server.close);
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A hub of another version, which answers every hello with this line, and each frame with a result of its own. */
async function otherHub(welcome: unknown): Promise<{ hellos: { hub: number; version: string }[] }> {
  const folder = hubFolder(env);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const address = join(folder, 'other.sock');
  const hellos: { hub: number; version: string }[] = [];
  const sockets = new Set<Socket>();
  const other = createServer((socket) => {
    sockets.add(socket);
    let isKnown = false;
    createInterface({ input: socket }).on('line', (line) => {
      const said = JSON.parse(line);
      if (!isKnown) hellos.push(said);
      if (!isKnown) socket.write(`${JSON.stringify(welcome)}\n`);
      else if (said.id !== undefined) socket.write(`{"jsonrpc":"2.0","id":"${said.id}","result":{"from":"hub"}}\n`);
      isKnown = true;
    });
    socket.on('error', () => {});
  });
  other.listen(address);
  await once(other, 'listening');
  const published = JSON.stringify({ address, secret: 's', pid: process.pid, more: 'of a later version' });
  await writeFile(join(folder, 'hub.json'), published, { mode: 0o600 });
  ends.push(async () => {
    for (const socket of sockets) socket.destroy();
    other.close();
  });
  return { hellos };
}

function proxy(): ProxyProcess {
  const process = new ProxyProcess(['--profile', 'acme', '--path', PATH], env);
  ends.push(() => process.close());
  return process;
}

describe('a proxy that meets a hub of another version', () => {
  it.each([
    ['a protocol of its own', { hub: 2, ready: true, version: '9.0.0' }],
    ['no protocol', { ready: true, version: '0.1.0' }],
    ['no wish to serve', { hub: 1, ready: false, version: '9.0.0' }],
  ])('with %s works alone', async (_, welcome) => {
    const { hellos } = await otherHub(welcome);
    const client = proxy();
    expect(await client.open()).toMatchObject({ result: { serverInfo: { name: 'scripted' } } });
    expect(hellos).toHaveLength(1);
    expect(await client.request(1, 'tools/call', { text: 'alone' })).toMatchObject({
      result: { content: [{ text: 'alone' }] },
    });
    expect(client.stderr).toBe('');
  });

  it('but the same protocol goes through it, whatever else it says', async () => {
    const { hellos } = await otherHub({ hub: 1, ready: true, version: '99.1.0', later: { kinds: ['of', 'things'] } });
    const client = proxy();
    expect(await client.request('a', 'initialize', {})).toMatchObject({ result: { from: 'hub' } });
    expect(hellos).toMatchObject([{ hub: 1, version: expect.any(String) }]);
    expect(server.arrivals).toEqual([]);
  });
});

describe('a hub that meets a proxy of another version', () => {
  /** What a proxy hears that says this, besides what proves it. */
  async function heardBy(hello: Record<string, unknown>): Promise<string[]> {
    const causeway = createCauseway({ env });
    const hub = await causeway.serveProxies();
    ends.push(
      () => causeway.close(),
      () => hub.close(),
    );
    const { address, secret } = readRendezvous(hubFolder(env)) ?? { address: '', secret: '' };
    const socket = connect(address);
    const heard: string[] = [];
    const over = new Promise<void>((resolve) => {
      socket.on('close', () => resolve());
      createInterface({ input: socket }).on('line', (line) => {
        if (heard.push(line) === 2) resolve();
      });
    });
    socket.on('error', () => {});
    const request = { profile: 'acme', path: PATH, later: 1 };
    socket.write(`${JSON.stringify({ secret, pid: 1, request, ...hello })}\n`);
    socket.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}\n');
    await over;
    socket.destroy();
    return heard;
  }

  it('lets it go where the protocol is another, so that it works alone', async () => {
    expect(await heardBy({ hub: 2, version: '9.0.0' })).toEqual([]);
    expect(server.arrivals).toEqual([]);
  });

  it('serves it where the protocol is the same, whatever else it says', async () => {
    const [welcome = '', answer = ''] = await heardBy({ hub: 1, version: '99.1.0', later: [1, 2] });
    expect(JSON.parse(welcome)).toMatchObject({ hub: 1, ready: true });
    expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { serverInfo: { name: 'scripted' } } });
  });
});
