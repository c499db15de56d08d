import { Client, SdkHttpError } from '@modelcontextprotocol/client';
import { createParser } from 'eventsource-parser';
import { afterEach, describe, expect, it } from 'vitest';
import type { ManagedServerSettings } from './settings.ts';
import { untilDone } from './sql-answers.ts';
import { startTestHost, type TestHost } from './test-host.ts';

const SQL = '/api/2.0/mcp/sql';
const GENIE = '/api/2.0/mcp/genie/01ef2b7c5a9d1e3f8c4b6a0d2e5f7191';
const BEN = 'ben@example.com';
const CHLOE = 'chloe@example.com';
const SHARED = '8baced1ff014912d';
const STOPPED = '3f0c8a1d5e7b2946';

let host: TestHost;
afterEach(() => host.close());

async function start(settings: Partial<ManagedServerSettings> = {}, startupMs = 5): Promise<void> {
  host = await startTestHost({ workspaceDefaultWarehouseId: SHARED, startupMs }, settings);
}

function initialize(protocolVersion = '2025-06-18'): object {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '0' } };
  return { jsonrpc: '2.0', id: 0, method: 'initialize', params };
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const CALL = {
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'execute_sql', arguments: { query: 'SELECT 1' } },
};

async function openSession(path = SQL, user = BEN): Promise<{ 'mcp-session-id': string }> {
  const answer = await host.post(path, user, initialize());
  return { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' };
}

function eventsIn(text: string): { id: string | undefined; data: string }[] {
  const events: { id: string | undefined; data: string }[] = [];
  createParser({ onEvent: ({ id, data }) => void events.push({ id, data }) }).feed(text);
  return events;
}

describe('the form of an answer', () => {
  it.each(['json', 'sse'] as const)('can be %s for everything, and the official client reads it', async (answers) => {
    await start({ answers });
    const session = await openSession();
    const type = answers === 'json' ? 'application/json' : 'text/event-stream';
    for (const request of [LIST, CALL]) {
      const answer = await host.post(SQL, BEN, request, session);
      expect(answer.headers.get('content-type')).toBe(type);
      const text = await answer.text();
      const body: unknown = JSON.parse(answers === 'json' ? text : (eventsIn(text)[0]?.data ?? ''));
      expect(body).toMatchObject({ jsonrpc: '2.0', id: request.id, result: {} });
    }
    const connection = await host.connect(SQL, BEN);
    expect(await connection.toolNames()).toContain('execute_sql');
    expect(await connection.call('execute_sql', { query: 'SELECT 1' })).toHaveProperty('status');
  });

  it('is JSON for lists and an event stream for calls by default', async () => {
    await start();
    const session = await openSession();
    expect((await host.post(SQL, BEN, LIST, session)).headers.get('content-type')).toBe('application/json');
    expect((await host.post(SQL, BEN, CALL, session)).headers.get('content-type')).toBe('text/event-stream');
  });

  it('can send notifications before the answer', async () => {
    await start();
    const params = { ...CALL.params, _meta: { progressToken: 'p', warehouse_id: STOPPED } };
    const answer = await host.post(SQL, BEN, { ...CALL, params }, await openSession());
    const messages = eventsIn(await answer.text()).map(({ data }): unknown => JSON.parse(data));
    expect(messages).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', message: expect.any(String) } },
      { id: CALL.id, result: {} },
    ]);
  });

  it('is 202 without a body for a notification', async () => {
    await start();
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const answer = await host.post(SQL, BEN, notification, await openSession());
    expect([answer.status, await answer.text()]).toEqual([202, '']);
  });
});

describe('a session', () => {
  it('begins with initialize and is required from then on', async () => {
    await start();
    const session = await openSession();
    expect(session['mcp-session-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect((await host.post(SQL, BEN, LIST)).status).toBe(400);
    expect((await host.post(SQL, BEN, LIST, { 'mcp-session-id': 'nobody' })).status).toBe(404);
    expect((await host.post(SQL, BEN, LIST, session)).status).toBe(200);
  });

  it('belongs to one user and one server', async () => {
    await start();
    const session = await openSession();
    expect((await host.post(SQL, CHLOE, LIST, session)).status).toBe(404);
    expect((await host.post(GENIE, BEN, LIST, session)).status).toBe(404);
  });

  it.each([404, 410] as const)('answers %i once it has expired, and another can be opened', async (status) => {
    await start();
    const [old, other] = [await openSession(), await openSession(GENIE)];
    host.servers.expireSessions(status);
    expect((await host.post(SQL, BEN, LIST, old)).status).toBe(status);
    expect((await host.post(GENIE, BEN, LIST, other)).status).toBe(status);
    const fresh = await openSession();
    expect((await host.post(SQL, BEN, LIST, fresh)).status).toBe(200);
    expect((await host.post(SQL, BEN, LIST, old)).status).toBe(status);
  });

  it('shows the official client its end as an HTTP error', async () => {
    await start();
    const connection = await host.connect(SQL, BEN);
    host.servers.expireSessions(404);
    const failure = await connection.toolNames().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SdkHttpError);
    expect(failure).toMatchObject({ status: 404 });
  });

  it('still gets the answers to requests that were sent before it expired', async () => {
    await start({ waitMs: 10_000 }, 50);
    const connection = await host.connect(SQL, BEN);
    const meta = { warehouse_id: STOPPED };
    const { statement_id } = await connection.call('execute_sql', { query: 'SELECT 1' }, meta);
    const arrived = host.state.mcpCalls.length;
    const polled = connection.call('poll_sql_result', { statement_id });
    await expect.poll(() => host.state.mcpCalls.length, { interval: 1 }).toBe(arrived + 1);
    host.servers.expireSessions(404);
    expect(await polled).toMatchObject({ status: { state: 'SUCCEEDED' } });
  });

  it('is neither issued nor required if the servers have none', async () => {
    await start({ sessions: 'none' });
    expect((await host.post(SQL, BEN, initialize())).headers.has('mcp-session-id')).toBe(false);
    expect((await host.post(SQL, BEN, LIST)).status).toBe(200);
    expect((await host.post(SQL, BEN, LIST, { 'mcp-session-id': 'nobody' })).status).toBe(200);
    const connection = await host.connect(SQL, BEN);
    expect(connection.transport.sessionId).toBeUndefined();
    const answer = await untilDone(connection, await connection.call('execute_sql', { query: 'SELECT 1' }));
    expect(answer.status).toEqual({ state: 'SUCCEEDED' });
  });

  it.each([
    ['2024-11-05', '2024-11-05'],
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
  ])('is in revision %s as %s', async (asked, agreed) => {
    await start();
    const answer = await host.post(SQL, BEN, initialize(asked));
    expect(await answer.json()).toMatchObject({
      result: { protocolVersion: agreed, serverInfo: { name: 'managed-sql' }, capabilities: { tools: {} } },
    });
  });

  it('refuses an unknown protocol version', async () => {
    await start();
    const headers = { ...(await openSession()), 'mcp-protocol-version': '1999-01-01' };
    expect((await host.post(SQL, BEN, LIST, headers)).status).toBe(400);
  });
});

describe('a request', () => {
  it.each(['text', '', '0', 0, -7, 1, Number.MAX_SAFE_INTEGER])('can have the id %j', async (id) => {
    await start();
    const answer = await host.post(SQL, BEN, { ...LIST, id }, await openSession());
    expect(await answer.json()).toMatchObject({ id });
  });

  it('is answered with the id 0 if its own is a string and the old fault is turned on', async () => {
    await start({ textIdsBecomeZero: true });
    const session = await openSession();
    expect(await (await host.post(SQL, BEN, { ...LIST, id: 'text' }, session)).json()).toMatchObject({ id: 0 });
    expect(await (await host.post(SQL, BEN, { ...LIST, id: 7 }, session)).json()).toMatchObject({ id: 7 });
  });

  it.each([
    ['is not JSON', '{"jsonrpc":', 400, -32700],
    ['is not JSON-RPC', '{"method":1}', 400, -32700],
    ['is empty', '', 400, -32700],
  ])('is refused when it %s', async (_, body, status, code) => {
    await start();
    const answer = await host.post(SQL, BEN, body, await openSession());
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { code }, id: null });
  });

  it('gets an error for an unknown method', async () => {
    await start();
    const answer = await host.post(SQL, BEN, { ...LIST, method: 'server/discover' }, await openSession());
    expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32601 } });
  });

  it('can be large', async () => {
    await start({ answers: 'json' });
    const query = `SELECT length('${'x'.repeat(8 * 1024 * 1024)}')`;
    const params = { name: 'execute_sql', arguments: { query } };
    const answer = await host.post(SQL, BEN, { ...CALL, params }, await openSession());
    expect(answer.status).toBe(200);
  });

  it('is recorded', async () => {
    await start();
    const session = await openSession();
    await host.post(SQL, BEN, LIST, session);
    expect(host.state.mcpCalls).toEqual([
      { at: expect.any(Number), userId: '9007199254740993002', server: 'sql', method: 'initialize' },
      {
        at: expect.any(Number),
        userId: '9007199254740993002',
        server: 'sql',
        method: 'tools/list',
        sessionId: session['mcp-session-id'],
      },
    ]);
  });
});

describe('GET and DELETE', () => {
  it('find no endpoint, as on the real servers, and do not affect the session', async () => {
    await start();
    const session = await openSession();
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await host.fetch(SQL, BEN, { method, headers: { ...session, accept: 'text/event-stream' } });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({
        error_code: 'ENDPOINT_NOT_FOUND',
        message: 'Endpoint not found for /2.0/mcp/sql',
      });
    }
    expect((await host.post(SQL, BEN, LIST, session)).status).toBe(200);
  });

  it('listen and end the session if that is supported', async () => {
    await start({ listening: 'supported' });
    const client = new Client({ name: 'test', version: '0' });
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
    });
    const { transport } = await host.connect(SQL, BEN, client);
    const session = { 'mcp-session-id': transport.sessionId ?? '' };
    const refused = await host.fetch(SQL, BEN, { headers: { ...session, accept: 'text/event-stream' } });
    // There is one such stream for a session, and the client has it.
    expect(refused.status).toBe(409);
    await host.servers.announceToolsChanged();
    await changed;
    await transport.terminateSession();
    expect((await host.post(SQL, BEN, LIST, session)).status).toBe(404);
  });

  it('end the listening stream of a session that expires', async () => {
    await start({ listening: 'supported' });
    const session = await openSession();
    const stream = await host.fetch(SQL, BEN, { headers: { ...session, accept: 'text/event-stream' } });
    expect(stream.status).toBe(200);
    host.servers.expireSessions(410);
    expect(await stream.text()).toBe('');
  });

  it('resume a broken stream after an event, if events have ids', async () => {
    await start({ listening: 'supported', eventIds: true, answers: 'sse' });
    const opened = await host.post(SQL, BEN, initialize('2025-11-25'));
    const session = {
      'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-11-25',
    };
    const [first, ...rest] = eventsIn(await (await host.post(SQL, BEN, LIST, session)).text());
    expect(first).toEqual({ id: expect.any(String), data: '' });
    expect(rest).toHaveLength(1);
    const headers = { ...session, accept: 'text/event-stream', 'last-event-id': first?.id ?? '' };
    expect(eventsIn(await (await host.fetch(SQL, BEN, { headers })).text())).toEqual(rest);
  });
});

describe('revision 2026-07-28', () => {
  const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } };

  it.each(['json', 'sse'] as const)('is spoken without sessions, in answers as %s', async (answers) => {
    await start({ revision: 'modern', answers });
    const connection = await host.connect(SQL, BEN, new Client({ name: 'test', version: '0' }, modern));
    expect(connection.transport.sessionId).toBeUndefined();
    expect(await connection.toolNames()).toContain('poll_sql_result');
    const answer = await untilDone(connection, await connection.call('execute_sql', { query: 'SELECT 42' }));
    expect(answer).toMatchObject({ result: { data_array: [{ values: [{ string_value: '42' }] }] } });
  });

  it('refuses initialize and GET', async () => {
    await start({ revision: 'modern' });
    expect((await host.post(SQL, BEN, initialize())).status).toBe(400);
    expect((await host.fetch(SQL, BEN, { headers: { accept: 'text/event-stream' } })).status).toBe(405);
    await expect(host.connect(SQL, BEN)).rejects.toThrow();
  });

  it('is not spoken unless it is turned on', async () => {
    await start();
    const client = new Client({ name: 'test', version: '0' }, modern);
    await expect(host.connect(SQL, BEN, client)).rejects.toThrow();
  });
});
