import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createBridge } from '../../../main/bridge/bridge.ts';
import { FrameSplitter } from '../../../main/bridge/frame/splitter.ts';
import type { HubConnection } from '../../../main/hub/attach.ts';
import { Relay } from '../../../main/hub/relay.ts';
import { openPool } from '../../../main/platform/http.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { serve } from '../bridge/connected.ts';
import { CollectingSink } from '../bridge/harness.ts';
import { INITIALIZE_RESULT, json, orderly, result } from '../bridge/scripted-server.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A client's sink that counts who waits for it. */
class CountingSink extends CollectingSink {
  listeners = 0;

  override onDrain(listener: () => void): void {
    this.listeners += 1;
    super.onDrain(listener);
  }
}

/** The hub's end of a connection, and the proxy's. */
async function connected(): Promise<{ hub: Socket; connection: HubConnection }> {
  const server = createServer({ allowHalfOpen: true });
  server.listen(join(tmpdir(), `causeway-relay-${process.pid}-${Math.random()}.sock`));
  await once(server, 'listening');
  const address = server.address();
  const socket = connect({ path: typeof address === 'string' ? address : '', allowHalfOpen: true });
  const [hub] = await once(server, 'connection');
  ends.push(() => {
    hub.destroy();
    socket.destroy();
    server.close();
  });
  return { hub, connection: { socket, rest: Buffer.alloc(0) } };
}

it('a session that moves from one hub to another leaves no listener behind, and still respects a paused client', async () => {
  const sink = new CountingSink();
  let { hub, connection } = await connected();
  const next: (() => void)[] = [];
  const relay = new Relay(connection, sink, {
    reattach: async () => {
      const again = await connected();
      hub = again.hub;
      next.shift()?.();
      return again.connection;
    },
    alone: () => Promise.reject(new Error('there is always a hub')),
  });
  const before = sink.listeners;
  for (let move = 0; move < 20; move += 1) {
    const moved = new Promise<void>((resolve) => next.push(resolve));
    hub.destroy();
    await moved;
  }
  expect(sink.listeners).toBe(before);
  sink.flowing = false;
  hub.write('{"jsonrpc":"2.0","method":"first"}\n');
  await sink.until(1);
  hub.write('{"jsonrpc":"2.0","method":"second"}\n');
  sink.drain();
  expect((await sink.until(2)).map(String).at(-1)).toContain('second');
  await relay.close();
});

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
const LIST_CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

/** Plays a hub whose server has one tool; gives what it is asked. */
function playHub(hub: Socket, name: string): string[] {
  const asked: string[] = [];
  const splitter = new FrameSplitter({
    frame: (frame) => {
      const { id, method } = JSON.parse(String(frame));
      if (id === undefined) return;
      asked.push(method);
      const tools = { tools: [tool(name)] };
      const answer = { jsonrpc: '2.0', id, result: method === 'tools/list' ? tools : INITIALIZE_RESULT };
      hub.write(`${JSON.stringify(answer)}\n`);
    },
    fault: () => {},
  });
  hub.on('data', (chunk: Buffer) => splitter.push(chunk));
  return asked;
}

it.each([
  ['another tool', 'alone', true],
  ['the same tool', 'hub', false],
])('a session that moves to a standalone proxy and back notifies the client of %s', async (_what, name, tells) => {
  const server = await serve(
    orderly({
      onCall: ({ frame }, response) =>
        json(response, result(frame?.id, frame?.method === 'tools/list' ? { tools: [tool(name)] } : {})),
    }).script,
  );
  const pool = await openPool(server.origin, { env: {} });
  ends.push(() => void pool.destroy());
  const { hub, connection } = await connected();
  playHub(hub, 'hub');
  let isBack = false;
  let asked: string[] = [];
  const sink = new CollectingSink();
  const relay = new Relay(connection, sink, {
    reattach: async () => undefined,
    alone: async (client) => {
      const profile = { name: 'test', host: server.origin, method: 'pat' as const, workspaceId: undefined };
      const tokens = { token: async () => new Secret('dapi-test') };
      return createBridge({ profile, path: '/', tokens, connections: pool }, client);
    },
    rejoin: async () => {
      if (!isBack) return undefined;
      const again = await connected();
      asked = playHub(again.hub, 'hub');
      return again.connection;
    },
  });
  const send = (frame: object) => relay.receive(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...frame })));
  const told = () => sink.frames.map((frame) => JSON.parse(String(frame))).filter(({ id }) => id === undefined);
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {} } });
  await sink.answerTo(1);
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list' });
  expect((await sink.answerTo(2)).result).toEqual({ tools: [tool('hub')] });

  hub.destroy();
  if (tells) await expect.poll(told).toEqual([LIST_CHANGED]);
  send({ id: 3, method: 'tools/list' });
  expect((await sink.answerTo(3)).result).toEqual({ tools: [tool(name)] });

  isBack = true;
  await expect.poll(() => asked, { timeout: 15_000 }).toContain('tools/list');
  send({ id: 4, method: 'tools/list' });
  expect((await sink.answerTo(4)).result).toEqual({ tools: [tool('hub')] });
  expect(told()).toEqual(tells ? [LIST_CHANGED, LIST_CHANGED] : []);
  await relay.close();
});

it('a request that the relay has answered itself is not refused when no transport is left, and its id can be used again', async () => {
  const { hub, connection } = await connected();
  const sink = new CollectingSink();
  let isLookedFor = () => {};
  const looking = new Promise<void>((resolve) => {
    isLookedFor = resolve;
  });
  const relay = new Relay(connection, sink, {
    reattach: async () => void (await looking),
    alone: () => Promise.reject(new Error('the profile is gone')),
    remembered: async () => undefined,
  });
  const ping = (id: number) => relay.receive(Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`));
  const answers = () => sink.frames.map((frame) => JSON.parse(String(frame)));
  const ended = new Promise<void>((resolve) => connection.socket.once('close', () => resolve()));
  hub.destroy();
  await ended;
  ping(1);
  expect(await sink.answerTo(1)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  isLookedFor();
  ping(2);
  expect((await sink.answerTo(2)).error.message).toContain('the profile is gone');
  expect(answers().map(({ id }) => id)).toEqual([1, 2]);
  ping(1);
  await expect.poll(() => answers().map(({ id }) => id)).toEqual([1, 2, 1]);
  await relay.close();
});

it('a client whose first opening was answered by the relay has empty lists where the server has none', async () => {
  const { hub, connection } = await connected();
  const sink = new CollectingSink();
  const relay = new Relay(connection, sink, {
    reattach: async () => undefined,
    alone: () => Promise.reject(new Error('there is the hub')),
    remembered: async () => undefined,
  });
  const asked: string[] = [];
  let open = () => {};
  hub.on('data', (bytes) => {
    for (const line of String(bytes).split('\n').filter(Boolean)) {
      const { id, method } = JSON.parse(line);
      if (id === undefined) continue;
      asked.push(method);
      const outcome =
        method === 'initialize'
          ? { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's' } } }
          : { error: { code: -32601, message: 'Method not found' } };
      const answer = () => hub.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
      if (method === 'initialize') open = answer;
      else answer();
    }
  });
  const send = (id: number, method: string) => {
    relay.receive(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params: {} })));
    return sink.answerTo(id);
  };
  expect((await send(1, 'initialize')).result).toMatchObject({ capabilities: { prompts: {}, resources: {} } });
  open();
  // The server's own answer is not passed on; this one shows that it has been read.
  expect((await send(2, 'nothing')).error.code).toBe(-32601);
  expect((await send(3, 'prompts/list')).result).toEqual({ prompts: [] });
  expect(asked).toEqual(['initialize', 'nothing']);
  await relay.close();
});
