import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { hubFolder, type Rendezvous, readRendezvous } from '../../../main/hub/rendezvous.ts';
import { freshNonce, proofOf, type Transcript } from '../../../main/hub/wire.ts';
import { orderly, type ScriptedServer, startScriptedServer } from '../bridge/scripted-server.ts';
import { environment, homeWith, ProxyProcess } from '../proxy/proxy-process.ts';
import { enter, linesOf } from './handshake.ts';

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

/** A hub of another version, which answers each line of the handshake with the next of these, and each frame with its own result. */
async function otherHub(answers: ((transcript: Transcript) => unknown)[], file: object = {}): Promise<unknown[]> {
  const folder = hubFolder(env);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const address = join(folder, 'other.sock');
  const said: unknown[] = [];
  const sockets = new Set<Socket>();
  const other = createServer((socket) => {
    sockets.add(socket);
    let lines = 0;
    let transcript: Transcript = { address, proxyNonce: '', hubNonce: freshNonce() };
    createInterface({ input: socket }).on('line', (line) => {
      const heard = JSON.parse(line);
      const answer = answers[lines];
      lines += 1;
      if (!answer) return void socket.write(`{"jsonrpc":"2.0","id":"${heard.id}","result":{"from":"hub"}}\n`);
      said.push(heard);
      if (lines === 1) transcript = { ...transcript, proxyNonce: heard.nonce };
      socket.write(`${JSON.stringify(answer(transcript))}\n`);
    });
    socket.on('error', () => {});
  });
  other.listen(address);
  await once(other, 'listening');
  await chmod(address, 0o600);
  const published = { hub: 2, address, key: SECRET, pid: process.pid, more: 'of a later version', ...file };
  await writeFile(join(folder, 'hub.json'), JSON.stringify(published), { mode: 0o600 });
  ends.push(async () => {
    for (const socket of sockets) socket.destroy();
    other.close();
  });
  return said;
}

const SECRET = 's';
const challenge = (transcript: Transcript) => ({
  hub: 2,
  nonce: transcript.hubNonce,
  proof: proofOf('hub', SECRET, transcript),
  later: 1,
});

function proxy(): ProxyProcess {
  const process = new ProxyProcess(['--profile', 'acme', '--path', PATH], env);
  ends.push(() => process.close());
  return process;
}

describe('a proxy that meets a hub of another version', () => {
  it.each([
    ['another protocol', [() => ({ hub: 3, nonce: freshNonce() })], 1],
    ['no support for it', [challenge, () => ({ hub: 2, ready: false, version: '9.0.0' })], 2],
  ])('that has %s works alone, and writes nothing to stderr', async (_, answers, lines) => {
    const said = await otherHub(answers);
    const client = proxy();
    expect(await client.open()).toHaveProperty('result');
    expect(said).toHaveLength(lines);
    expect(await client.request(1, 'tools/call', { text: 'alone' })).toMatchObject({
      result: { content: [{ text: 'alone' }] },
    });
    expect(client.stderr).toBe('');
  });

  it('whose file is of the previous protocol works alone, and sends it nothing', async () => {
    const said = await otherHub([() => ({ hub: 1, ready: true })], { hub: undefined, key: undefined, secret: 's' });
    const client = proxy();
    expect(await client.open()).toHaveProperty('result');
    expect(await client.request(1, 'tools/call', { text: 'alone' })).toHaveProperty('result');
    expect(said).toEqual([]);
  });

  it('of the same protocol goes through it, whatever else it says', async () => {
    const said = await otherHub([challenge, () => ({ hub: 2, ready: true, version: '99.1.0', later: { a: ['b'] } })]);
    const client = proxy();
    expect(await client.request('a', 'initialize', {})).toMatchObject({ result: { from: 'hub' } });
    expect(said).toMatchObject([{ hub: 2 }, { version: expect.any(String), request: { path: PATH } }]);
    expect(server.arrivals).toEqual([]);
  });
});

describe('a hub that meets a proxy of another version', () => {
  async function startHub(): Promise<Rendezvous> {
    const causeway = createCauseway({ env });
    const hub = await causeway.serveProxies();
    ends.push(
      () => causeway.close(),
      () => hub.close(),
    );
    const rendezvous = readRendezvous(hubFolder(env));
    if (!rendezvous) throw new Error('the hub has not said where it is');
    return rendezvous;
  }

  it.each([
    ['of the previous protocol', { hub: 1, secret: 'known', version: '0', pid: 1, request: { path: PATH } }],
    ['of a later protocol', { hub: 3, nonce: freshNonce(), version: '9' }],
  ])('%s closes the connection without an answer, so that the proxy works alone', async (_, hello) => {
    const { socket, send, heard } = linesOf((await startHub()).address);
    send(hello);
    expect(await heard()).toBeUndefined();
    socket.destroy();
    expect(server.arrivals).toEqual([]);
  });

  it('of the same protocol serves it, whatever else it says', async () => {
    const request = { profile: 'acme', path: PATH, later: 1 };
    const { welcome, send, heard, socket } = await enter(await startHub(), request, { version: '99.1.0', later: [1] });
    expect(welcome).toMatchObject({ hub: 2, ready: true });
    send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } });
    expect(await heard()).toMatchObject({ id: 1, result: {} });
    socket.destroy();
  });
});
