import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Caller, callerAs, callerWith, userNamed } from './caller.ts';
import { remoteControl } from './control-client.ts';
import type { Effect } from './faults.ts';
import { type EmbeddedWorkspace, startWorkspace } from './workspace.ts';

const ME = '/api/2.0/preview/scim/v2/Me';
const OVERRIDE = '/api/warehouses/v1/default-warehouse-overrides?default_warehouse_override_id=me';
const AN_HOUR = 3_600_000;
const SQL = '/api/2.0/mcp/sql';
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

let workspace: EmbeddedWorkspace;
let ana: Caller;
let token: string;

beforeAll(async () => {
  workspace = await startWorkspace({ profile: 'lenient' });
  ana = callerAs(workspace, 'ana');
  token = userNamed(workspace, 'ana').token;
});
beforeEach(() => {
  workspace.faults.clear();
  workspace.requests.clear();
  workspace.state.replace({});
});
afterAll(() => workspace.close());

function inject(effect: Effect, path = ME): void {
  workspace.faults.add({ effect, path });
}

/** Sends one request over a bare socket and gives what came back until the other side ended it. */
async function overSocket(head: string): Promise<string> {
  const { hostname, port } = new URL(workspace.host);
  const socket = connect(Number(port), hostname);
  const pieces: Buffer[] = [];
  socket.on('data', (piece) => pieces.push(piece));
  socket.write(`${head}\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`);
  await once(socket, 'close');
  return Buffer.concat(pieces).toString();
}

/** The pieces of a chunked body, as they were cut, without the empty one that ends it. */
function chunks(text: string): string[] {
  const body = text.slice(text.indexOf('\r\n\r\n') + 4);
  const found = [...body.matchAll(/([0-9a-f]+)\r\n([\s\S]*?)\r\n(?=[0-9a-f]+\r\n|$)/g)];
  return found.map(([, , data = '']) => data).slice(0, -1);
}

describe('answers in place of the real one', () => {
  test.each<[what: string, effect: Effect, status: number, expected: unknown]>([
    ['a refused token', { kind: 'refuse-token' }, 401, { error_code: 401, message: 'Invalid access token.' }],
    [
      'the IP access list',
      { kind: 'block-ip' },
      403,
      {
        error_code: '403',
        message: expect.stringMatching(
          /^Source IP address: [\d.]+ is blocked by Databricks IP ACL for workspace: \d+$/,
        ),
      },
    ],
    [
      'a missing scope',
      { kind: 'missing-scope', scope: 'sql' },
      403,
      { message: 'Provided OAuth token does not have required scopes: sql' },
    ],
    ['a rate limit', { kind: 'rate-limit' }, 429, { error_code: 'REQUEST_LIMIT_EXCEEDED' }],
    ['an outage', { kind: 'unavailable' }, 503, { error_code: 'TEMPORARILY_UNAVAILABLE' }],
    ['anything else', { kind: 'answer', status: 418, body: '{"error":"teapot"}' }, 418, { error: 'teapot' }],
  ])('%s replaces one answer', async (_what, effect, status, expected) => {
    inject(effect);
    const answer = await ana('GET', ME);
    expect([answer.status, answer.body]).toEqual([status, expect.objectContaining(expected as object)]);
    expect((await ana('GET', ME)).status).toBe(200);
  });

  test('a refused token at an MCP server comes with its challenge', async () => {
    inject({ kind: 'refuse-token' }, '/api/2.0/mcp/*');
    const { status, headers } = await ana('POST', SQL, INITIALIZE);
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
    inject({ kind: 'refuse-token' });
    expect((await ana('GET', ME)).headers.has('www-authenticate')).toBe(false);
  });

  test.each(['2', 'Wed, 21 Oct 2026 07:28:00 GMT'])(
    'a rate limit and an outage carry Retry-After: %s',
    async (retryAfter) => {
      for (const kind of ['rate-limit', 'unavailable'] as const) {
        inject({ kind, retryAfter });
        expect((await ana('GET', ME)).headers.get('retry-after')).toBe(retryAfter);
      }
    },
  );

  test('a gateway answers with an HTML page', async () => {
    inject({ kind: 'html' });
    const { status, headers, text } = await ana('GET', ME);
    expect([status, headers.get('content-type')]).toEqual([502, 'text/html; charset=utf-8']);
    expect(text).toContain('<pre>');
  });

  test('a redirect leads to the login page, which is HTML, or to any other address', async () => {
    inject({ kind: 'redirect' });
    const sent = await ana('GET', ME);
    expect(sent.status).toBe(302);
    const page = await fetch(sent.headers.get('location') ?? '');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    inject({ kind: 'redirect', status: 307, location: 'http://127.0.0.1:1/elsewhere' });
    const away = await ana('GET', ME);
    expect([away.status, away.headers.get('location')]).toEqual([307, 'http://127.0.0.1:1/elsewhere']);
  });

  test('a refused request has no effect', async () => {
    inject({ kind: 'unavailable' }, '/api/warehouses/*');
    expect((await ana('POST', OVERRIDE, { type: 'LAST_SELECTED' })).status).toBe(503);
    expect(workspace.state.overrides.size).toBe(0);
  });
});

describe('a real answer that is damaged in transit', () => {
  let whole: string;
  beforeAll(async () => {
    workspace.faults.clear();
    whole = (await ana('GET', ME)).text;
  });

  test('an answer arrives one byte at a time', async () => {
    inject({ kind: 'trickle' });
    expect((await ana('GET', ME)).text).toBe(whole);
    inject({ kind: 'trickle' }, '/login.html');
    const cut = chunks(await overSocket('GET /login.html HTTP/1.1'));
    expect(cut.length).toBeGreaterThan(100);
    expect(cut.every((piece) => piece.length === 1)).toBe(true);
  });

  test.each([0, 1, 100])('an answer is cut after %i bytes of its body', async (afterBytes) => {
    inject({ kind: 'cut', afterBytes });
    const [head = '', body] = (await overSocket(`GET ${ME} HTTP/1.1`)).split('\r\n\r\n');
    expect(head).toContain(`content-length: ${whole.length}`);
    expect(body).toBe(whole.slice(0, afterBytes));
    inject({ kind: 'cut', afterBytes });
    await expect(ana('GET', ME)).rejects.toThrow();
  });

  test('an answer that is padded still parses to the same value', async () => {
    inject({ kind: 'pad', bytes: 50 * 1024 * 1024 });
    const { text } = await ana('GET', ME);
    expect(text.length).toBe(whole.length + 50 * 1024 * 1024);
    expect(JSON.parse(text)).toEqual(JSON.parse(whole));
  });

  test('an answer that is held back arrives complete after its handler is done', async () => {
    inject({ kind: 'delay', milliseconds: AN_HOUR }, '/api/warehouses/*');
    const leaving = new AbortController();
    let answered = false;
    const waiting = fetch(workspace.host + OVERRIDE, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: '{"type":"LAST_SELECTED"}',
      signal: leaving.signal,
    }).finally(() => {
      answered = true;
    });
    await until(() => workspace.state.overrides.size === 1);
    expect(answered).toBe(false);
    leaving.abort();
    await expect(waiting).rejects.toThrow();
    inject({ kind: 'delay', milliseconds: 20 });
    expect((await ana('GET', ME)).text).toBe(whole);
  });

  test.each([0, 10])('an answer stalls after its head and %i bytes, and the rest arrives later', async (afterBytes) => {
    inject({ kind: 'stall', milliseconds: AN_HOUR, afterBytes });
    const leaving = new AbortController();
    const response = await fetch(workspace.host + ME, {
      headers: { authorization: `Bearer ${token}` },
      signal: leaving.signal,
    });
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    if (afterBytes > 0)
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(whole.slice(0, afterBytes));
    leaving.abort();
    await expect(reader?.read()).rejects.toThrow();
    inject({ kind: 'stall', milliseconds: 20, afterBytes });
    expect((await ana('GET', ME)).text).toBe(whole);
  });

  test.each<[when: 'unhandled' | 'before-headers' | 'after-headers', done: number, bytes: RegExp]>([
    ['unhandled', 0, /^$/],
    ['before-headers', 1, /^$/],
    ['after-headers', 1, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n$/],
  ])('a connection is dropped %s', async (when, done, bytes) => {
    inject({ kind: 'drop', when }, '/api/warehouses/*');
    await expect(ana('POST', OVERRIDE, { type: 'LAST_SELECTED' })).rejects.toThrow();
    expect(workspace.state.overrides.size).toBe(done);
    inject({ kind: 'drop', when });
    expect(await overSocket(`GET ${ME} HTTP/1.1`)).toMatch(bytes);
  });

  test('a client that disconnects in the middle leaves nothing behind', async () => {
    inject({ kind: 'stall', milliseconds: AN_HOUR });
    const leaving = new AbortController();
    const response = await fetch(workspace.host + ME, {
      headers: { authorization: `Bearer ${token}` },
      signal: leaving.signal,
    });
    leaving.abort();
    await expect(response.text()).rejects.toThrow();
    await until(() => workspace.requests.list().every(({ status }) => status !== undefined));
  });
});

describe('faults of MCP servers', () => {
  async function initialize(): Promise<string> {
    const { headers } = await ana('POST', SQL, INITIALIZE);
    return headers.get('mcp-session-id') ?? '';
  }

  async function listTools(sessionId: string): Promise<Response> {
    return fetch(workspace.host + SQL, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': sessionId,
        'mcp-protocol-version': '2025-06-18',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' }),
    });
  }

  beforeEach(() => {
    workspace.mcp.settings.answers = 'json';
  });

  test.each([404, 410] as const)('sessions expire with %i, and those opened later stay alive', async (how) => {
    const before = await initialize();
    expect((await listTools(before)).status).toBe(200);
    workspace.faults.expireSessions(how);
    expect((await listTools(before)).status).toBe(how);
    expect((await listTools(await initialize())).status).toBe(200);
  });

  test('an event stream is cut after a number of bytes, or arrives one byte at a time', async () => {
    const sessionId = await initialize();
    workspace.mcp.settings.answers = 'sse';
    const whole = await (await listTools(sessionId)).text();
    expect(whole).toContain('data:');
    inject({ kind: 'trickle' }, SQL);
    expect(await (await listTools(sessionId)).text()).toBe(whole);
    inject({ kind: 'cut', afterBytes: 40 }, SQL);
    const response = await listTools(sessionId);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    await expect(response.text()).rejects.toThrow();
  });

  test.each(['json', 'sse'] as const)('a padded answer as %s keeps its id', async (form) => {
    const sessionId = await initialize();
    workspace.mcp.settings.answers = form;
    inject({ kind: 'pad', bytes: 1_000_000 }, SQL);
    const text = await (await listTools(sessionId)).text();
    expect(text.length).toBeGreaterThan(1_000_000);
    const frame = form === 'json' ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '');
    expect(JSON.parse(frame)).toMatchObject({ jsonrpc: '2.0', id: 2, result: { tools: expect.any(Array) } });
  });
});

describe('the requests that a fault affects', () => {
  test('a rule affects as many requests as it says, of the path and method that it names', async () => {
    const fault = workspace.faults.add({
      effect: { kind: 'unavailable' },
      path: '/api/2.0/preview/*',
      method: 'GET',
      times: 2,
      skip: 1,
    });
    const statuses: number[] = [];
    for (let call = 0; call < 4; call += 1) statuses.push((await ana('GET', ME)).status);
    expect(statuses).toEqual([200, 503, 503, 200]);
    expect(fault.hits).toBe(2);
    expect((await ana('GET', '/api/2.0/sql/warehouses')).status).toBe(200);
  });

  test('`always` lasts until it is removed; another method is let through', async () => {
    const { id } = workspace.faults.add({ effect: { kind: 'unavailable' }, method: 'GET', times: 'always' });
    for (let call = 0; call < 3; call += 1) expect((await ana('GET', ME)).status).toBe(503);
    expect((await ana('POST', OVERRIDE, { type: 'LAST_SELECTED' })).status).toBe(200);
    workspace.faults.remove(id);
    expect((await ana('GET', ME)).status).toBe(200);
  });

  test('the token endpoint is affected like any other address', async () => {
    inject({ kind: 'unavailable' }, '/oidc/v1/token');
    const token = { method: 'POST', body: new URLSearchParams({ grant_type: 'refresh_token' }) };
    expect((await fetch(`${workspace.host}/oidc/v1/token`, token)).status).toBe(503);
    inject({ kind: 'trickle' }, '/oidc/v1/token');
    const answer = await fetch(`${workspace.host}/oidc/v1/token`, token);
    expect(await answer.json()).toHaveProperty('error', 'invalid_request');
  });

  test('an invalid rule is refused when it is added', () => {
    expect(() => workspace.faults.add({ effect: { kind: 'cut', afterBytes: 1.5 } })).toThrow();
  });
});

describe('from another process', () => {
  test('rules are added, listed, counted and removed', async () => {
    const control = remoteControl(workspace.controlUrl);
    const fault = await control.add({ effect: { kind: 'unavailable' }, times: 'always' });
    expect((await ana('GET', ME)).status).toBe(503);
    expect(await control.list()).toEqual([{ ...fault, hits: 1 }]);
    await control.remove(fault.id);
    expect((await ana('GET', ME)).status).toBe(200);
    await control.add({ effect: { kind: 'html' }, times: 5 });
    await control.clear();
    expect(await control.list()).toEqual([]);
  });

  test('tokens, sessions, features, lifetimes and approval can be changed', async () => {
    const control = remoteControl(workspace.controlUrl);
    const ben = userNamed(workspace, 'ben').token;
    await control.refuseToken(ben);
    expect((await callerWith(workspace, ben)('GET', ME)).status).toBe(401);
    await control.setFeatures({ defaultWarehouse: false });
    expect((await ana('GET', '/api/2.0/sql/warehouses/default')).status).toBe(404);
    await control.setFeatures({ defaultWarehouse: true });
    await control.setLifetimes({ accessToken: 7 });
    expect(workspace.lifetimes.accessToken).toBe(7);
    await control.approve({ as: 'ana@example.com' });
    await control.expireSessions(410);
    await control.expireAccessTokens();
    await control.revokeRefreshTokens();
  });

  test('the log says who requested what, and contains no secret', async () => {
    const control = remoteControl(workspace.controlUrl);
    await ana('GET', `${ME}?note=1`);
    await fetch(`${workspace.host}/oidc/v1/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${workspace.servicePrincipal.clientId}:${workspace.servicePrincipal.clientSecret}`)}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'sql' }),
    });
    const requests = await control.requests();
    expect(requests).toMatchObject([
      { method: 'GET', path: ME, query: { note: '1' }, status: 200, userName: 'ana@example.com' },
      { method: 'POST', path: '/oidc/v1/token', status: 200, grantType: 'client_credentials' },
    ]);
    expect(await control.requests({ grantType: 'client_credentials' })).toHaveLength(1);
    expect(await control.requests({ path: '/api/*', method: 'GET' })).toHaveLength(1);
    const text = JSON.stringify(requests);
    expect(text).not.toContain(token);
    expect(text).not.toContain('Basic');
    await control.clearRequests();
    expect(await control.requests()).toEqual([]);
  });

  test('its address cannot be guessed, and unknown requests get an error', async () => {
    expect((await fetch(`${workspace.host}/__control/rules`)).headers.get('content-type')).not.toContain('json');
    expect((await fetch(`${workspace.controlUrl}/nothing`)).status).toBe(404);
    const wrong = await fetch(`${workspace.controlUrl}/rules`, { method: 'POST', body: '{"effect":{"kind":"magic"}}' });
    expect(wrong.status).toBe(400);
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
