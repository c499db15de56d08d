import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import type { Hub } from '../../../main/hub/server.ts';
import { type Program, startProgram } from '../../bench/program.ts';
import {
  INITIALIZE_RESULT,
  json,
  result,
  type ScriptedServer,
  startScriptedServer,
} from '../bridge/scripted-server.ts';
import { environment, homeWith, ProxyProcess } from '../proxy/proxy-process.ts';

const PATH = '/api/2.0/mcp/sql';
const LEVELS = ['debug', 'info', 'warning', 'error'];

/** What the server was asked for within one session. */
interface Granted {
  followed: Set<unknown>;
  level: string;
  listening: ServerResponse | undefined;
}

let server: ScriptedServer;
let sessions: Map<string, Granted>;
let home: string;
let env: NodeJS.ProcessEnv;
const ends: (() => Promise<unknown>)[] = [];

/** A server that tells each session of the resources that it follows, and of the log as loudly as it asked for. */
beforeEach(async () => {
  sessions = new Map();
  server = await startScriptedServer(({ method, headers, frame, body }, response) => {
    const granted = sessions.get(String(headers['mcp-session-id']));
    if (frame?.method === 'initialize') {
      const id = `session-${sessions.size + 1}`;
      sessions.set(id, { followed: new Set(), level: 'error', listening: undefined });
      return json(response, result(frame.id, INITIALIZE_RESULT), { 'mcp-session-id': id });
    }
    if (!granted) return void response.writeHead(404).end();
    if (method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      granted.listening = response;
      return;
    }
    const { uri, level } = Object(frame?.params);
    if (frame?.method === 'resources/subscribe') granted.followed.add(uri);
    if (frame?.method === 'resources/unsubscribe') granted.followed.delete(uri);
    if (frame?.method === 'logging/setLevel') granted.level = level;
    // A call, or a batch of them.
    if (frame?.method === 'tools/call' || body[0] === 0x5b) return;
    if (frame?.id === undefined) response.writeHead(202).end();
    else json(response, result(frame.id, {}));
  });
  const own = await homeWith({ acme: { host: server.origin, token: 'dapi-acme' } });
  home = own.home;
  env = environment(home, { CAUSEWAY_HOME: home });
  ends.push(own.close, server.close);
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** What happens at the server, told to whoever asked to hear of it. */
function happens(uri: string, level: string): void {
  const tell = (granted: Granted, method: string, params: object) =>
    granted.listening?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`);
  for (const granted of sessions.values()) {
    if (granted.followed.has(uri)) tell(granted, 'notifications/resources/updated', { uri });
    const isLoud = LEVELS.indexOf(level) >= LEVELS.indexOf(granted.level);
    if (isLoud) tell(granted, 'notifications/message', { level, data: uri });
  }
}

async function startHub(): Promise<Program> {
  const hub = await startProgram('hub-program.ts', [home]);
  ends.push(() => hub.end());
  return hub;
}

function startProxy(): ProxyProcess {
  const proxy = new ProxyProcess(['--profile', 'acme', '--path', PATH], env);
  ends.push(() => proxy.close());
  return proxy;
}

/** A hub in this process, which can be asked who is attached. */
async function hubHere(): Promise<Hub> {
  const causeway = createCauseway({ env });
  const hub = await causeway.serveProxies();
  ends.push(
    () => causeway.close(),
    () => hub.close(),
  );
  return hub;
}

describe('a session whose application was killed', () => {
  const moves: [string, (proxy: ProxyProcess, hub: Program) => Promise<unknown>][] = [
    [
      'attached to another one',
      async (proxy, hub) => {
        // It does not look for the application before the other one is there.
        proxy.child.kill('SIGSTOP');
        await hub.end();
        const other = await hubHere();
        proxy.child.kill('SIGCONT');
        await expect.poll(() => other.sessions().length).toBe(1);
      },
    ],
    ['without any', (_proxy, hub) => hub.end()],
  ];

  it.each(moves)('continues %s: its subscriptions and log level stay', async (_name, move) => {
    const hub = await startHub();
    const proxy = startProxy();
    await proxy.open();
    await proxy.request(1, 'resources/subscribe', { uri: 'file:///a' });
    await proxy.request(2, 'resources/subscribe', { uri: 'file:///b' });
    await proxy.request(3, 'resources/unsubscribe', { uri: 'file:///a' });
    await proxy.request(4, 'logging/setLevel', { level: 'info' });
    await move(proxy, hub);
    const now = () => sessions.get('session-2');
    await expect
      .poll(() => [now()?.level, [...(now()?.followed ?? [])], now()?.listening !== undefined], { timeout: 10_000 })
      .toEqual(['info', ['file:///b'], true]);
    sessions.delete('session-1');
    const before = proxy.frames.length;
    happens('file:///a', 'debug');
    happens('file:///b', 'info');
    const heard = (await proxy.until(before + 2)).map((frame) => JSON.parse(String(frame)));
    expect(heard.slice(before)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'file:///b' } },
      { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'file:///b' } },
    ]);
    // Of what was asked again the client has had the answers before.
    expect(heard.slice(0, before).map(({ id }) => id)).toEqual(['open', 1, 2, 3, 4]);
  });

  it('is opened without it if it was not open yet, and the client is answered once', async () => {
    const { script } = server;
    server.script = (arrival, response) => {
      if (server.count('initialize') > 1) return script(arrival, response);
    };
    const hub = await startHub();
    const proxy = startProxy();
    const opened = proxy.open();
    await expect.poll(() => server.count('initialize')).toBe(1);
    await hub.end();
    expect(await opened).toHaveProperty('result');
    await proxy.request(1, 'tools/list');
    expect(proxy.frames).toHaveLength(2);
    expect(server.count('notifications/initialized')).toBe(1);
  });

  it('still gets answers to idempotent requests after the client has closed its end', async () => {
    const { script } = server;
    server.script = (arrival, response) => {
      const isHeld = arrival.frame?.method === 'tools/list' && server.count('tools/list') === 1;
      if (!isHeld) return script(arrival, response);
    };
    const hub = await startHub();
    const proxy = startProxy();
    await proxy.open();
    proxy.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    proxy.stdin.end();
    await expect.poll(() => server.count('tools/list')).toBe(1);
    await hub.end();
    expect(await proxy.answerTo(1)).toHaveProperty('result');
    expect(await proxy.ended).toBe(0);
  });

  it('gets an error for each outstanding call of a batch that says what is unknown', async () => {
    const hub = await startHub();
    const proxy = startProxy();
    await proxy.open();
    proxy.send([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'f' } })));
    await expect.poll(() => server.arrivals.some(({ body }) => body[0] === 0x5b)).toBe(true);
    await hub.end();
    for (const id of [1, 2]) {
      expect((await proxy.answerTo(id)).error.message).toMatch(
        /^Causeway was closed before .+ It may have run\. Check the result/,
      );
    }
  });
});
