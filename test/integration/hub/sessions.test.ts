import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { askHub } from '../../../main/hub/attach.ts';
import { hubFolder, readRendezvous } from '../../../main/hub/rendezvous.ts';
import type { HubCall, HubSession } from '../../../main/hub/session-record.ts';
import { freshNonce, HUB_PROTOCOL } from '../../../main/hub/wire.ts';
import { readSessions } from '../../../main/hub/wire-schemas.ts';
import { json, orderly, result, type ScriptedServer, startScriptedServer } from '../bridge/scripted-server.ts';
import { environment, homeWith, ProxyProcess } from '../proxy/proxy-process.ts';
import { linesOf } from './handshake.ts';

const PATH = '/api/2.0/mcp/sql';

/** How tools say that they failed: as MCP has it, and as the SQL server does. */
const RESULTS: Record<string, object> = {
  failing: { isError: true },
  statement: { structuredContent: { statement_id: 's1', status: { state: 'FAILED', error: { message: 'No' } } } },
};

let server: ScriptedServer;
let env: NodeJS.ProcessEnv;
/** Ends the connections of the calls that the server does not answer. */
let cut: () => void;
/** How many calls the server has and does not answer. */
let waiting: () => number;
let heard: { lists: HubSession[][]; calls: HubCall[] };
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  const unanswered: ServerResponse[] = [];
  waiting = () => unanswered.length;
  cut = () => {
    for (const response of unanswered) response.destroy();
  };
  let isBusy = true;
  const session = orderly({
    onCall: ({ frame }, response) => {
      const { name } = Object(frame?.params);
      if (name === 'busy' && isBusy) {
        isBusy = false;
        response.writeHead(503).end();
      } else if (name === 'never') unanswered.push(response);
      else json(response, result(frame?.id, { content: [], ...RESULTS[name] }));
    },
  });
  server = await startScriptedServer(session.script);
  const { home, close } = await homeWith({ acme: { host: server.origin, token: 'dapi-acme' } });
  env = environment(home, { CAUSEWAY_HOME: home });
  const causeway = createCauseway({ env });
  heard = { lists: [], calls: [] };
  const { lists, calls } = heard;
  const hub = await causeway.serveProxies({
    onSessions: (sessions) => lists.push(sessions),
    onCall: (call) => calls.push(call),
  });
  ends.push(
    close,
    server.close,
    () => causeway.close(),
    () => hub.close(),
  );
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function proxy(): ProxyProcess {
  const process = new ProxyProcess(['--profile', 'acme', '--path', PATH], env);
  ends.push(() => process.close());
  return process;
}

it('the application knows which clients are attached, what they call and with which result, and when they disconnect', async () => {
  const client = proxy();
  await client.request('open', 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'claude-ai', version: '0.9' },
  });
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await client.request(1, 'tools/call', { name: 'working' });
  await client.request(2, 'tools/call', { name: 'failing' });
  await client.request(4, 'tools/call', { name: 'statement' });
  client.send({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'never' } });
  await expect
    .poll(() => heard.lists.at(-1))
    .toMatchObject([
      {
        id: 1,
        pid: client.child.pid,
        profile: 'acme',
        path: PATH,
        clientName: 'claude-ai',
        clientVersion: '0.9',
        protocolVersion: '2025-06-18',
        open: 1,
        done: 4,
        failed: 2,
      },
    ]);
  cut();
  expect((await client.answerTo(3)).error).toBeDefined();
  client.child.kill('SIGKILL');
  await expect.poll(() => heard.lists.at(-1)).toEqual([]);
  expect(heard.calls).toMatchObject([
    { id: 1, session: 1, method: 'initialize', tool: null, outcome: 'answered' },
    { id: 2, clientName: 'claude-ai', profile: 'acme', path: PATH, tool: 'working', outcome: 'answered' },
    { id: 3, tool: 'failing', outcome: 'tool-error' },
    { id: 4, tool: 'statement', outcome: 'tool-error' },
    { id: 5, tool: 'never', outcome: 'lost', errorCode: -31_999 },
  ]);
});

it('the application knows the attempts to send a call, and how each ended', async () => {
  const client = proxy();
  await client.open();
  await client.request(1, 'tools/call', { name: 'busy' });
  client.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'never' } });
  await expect.poll(() => heard.lists.at(-1)).toMatchObject([{ open: 1 }]);
  await expect.poll(waiting).toBe(1);
  cut();
  await client.answerTo(2);
  await expect.poll(() => heard.calls).toHaveLength(3);
  const took = { afterMs: expect.any(Number), tookMs: expect.any(Number) };
  expect(heard.calls.map(({ attempts }) => attempts)).toEqual([
    [{ ...took, failure: null }],
    [
      { ...took, failure: { status: 503, reason: 'refused' } },
      { ...took, failure: null },
    ],
    [{ ...took, failure: { status: null, reason: 'broken' } }],
  ]);
  expect(heard.calls.at(-1)).toMatchObject({ pid: client.child.pid, problem: { code: expect.any(String) } });
});

it('consecutive calls do not each create a list', async () => {
  const client = proxy();
  await client.open();
  for (let id = 0; id < 200; id += 1) await client.request(id, 'tools/call', { name: 'working' });
  await expect.poll(() => heard.lists.at(-1)).toMatchObject([{ open: 0, done: 201 }]);
  expect(heard.calls).toHaveLength(201);
  expect(heard.lists.length).toBeLessThan(100);
});

it('a client that is killed with an open call is gone at once, and the call is canceled at the server', async () => {
  const { script } = server;
  const held: (() => unknown)[] = [];
  server.script = (arrival, response) => {
    if (arrival.frame?.method !== 'notifications/cancelled') return script(arrival, response);
    held.push(() => script(arrival, response));
  };
  const client = proxy();
  await client.open();
  client.send({ jsonrpc: '2.0', id: 'long', method: 'tools/call', params: { name: 'never' } });
  await expect.poll(() => heard.lists.at(-1)).toMatchObject([{ open: 1 }]);
  await expect.poll(() => server.count('tools/call')).toBe(1);
  client.child.kill('SIGKILL');
  await expect.poll(() => heard.lists.at(-1)).toEqual([]);
  expect(heard.calls.at(-1)).toMatchObject({ tool: 'never', outcome: 'lost' });
  await expect.poll(() => held.length).toBe(1);
  const { headers, frame } = server.arrivals.find((each) => each.frame?.method === 'notifications/cancelled') ?? {};
  expect([headers?.['mcp-session-id'], frame?.params?.requestId]).toEqual(['session-1', 'long']);
  held[0]?.();
  await expect.poll(() => server.arrivals.at(-1)?.method).toBe('DELETE');
});

it('sessions are listed only for a command that proves that it holds the secret', async () => {
  const rendezvous = readRendezvous(hubFolder(env));
  if (!rendezvous) throw new Error('no hub');
  const client = proxy();
  await client.open();
  client.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'never' } });
  await expect.poll(() => heard.lists.at(-1)).toMatchObject([{ open: 1 }]);
  expect(readSessions((await askHub(rendezvous, { question: 'sessions' })) ?? '')?.sessions).toEqual(
    heard.lists.at(-1),
  );
  expect(await askHub({ ...rendezvous, secret: 'another' }, { question: 'sessions' })).toBeNull();
  const stranger = linesOf(rendezvous.address);
  stranger.send({ hub: HUB_PROTOCOL, nonce: freshNonce() });
  await stranger.heard();
  stranger.send({ proof: freshNonce(), version: '0', pid: 1, question: 'sessions' });
  expect(await stranger.heard()).toBeUndefined();
  client.child.kill('SIGKILL');
  await expect.poll(() => heard.lists.at(-1)).toEqual([]);
  expect(readSessions((await askHub(rendezvous, { question: 'sessions' })) ?? '')?.sessions).toEqual([]);
});
