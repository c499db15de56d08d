import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Caller, callerAs, callerWith, userNamed } from '../caller.ts';
import { fixtureApps, hostileApps } from '../gateway-fixture.ts';
import { discover, OAuthClient } from '../sign-in/oauth-client.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace.ts';

/** Apps: the API that lists them, and what each answers at its own origin. */

const BASE = '/api/2.0/apps';
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

let workspace: EmbeddedWorkspace;
let ben: Caller;
/** Of the sign-in, Ben's. */
let token: string;
beforeAll(async () => {
  workspace = await startWorkspace({ profile: 'lenient', autoApprove: 'ben@example.com' });
  ben = callerAs(workspace, 'ben');
  token = (await new OAuthClient(workspace, await discover(workspace)).signIn()).access_token;
});
beforeEach(() => {
  workspace.state.replace({ apps: [...fixtureApps(), ...hostileApps()], startupMs: 20 });
  workspace.tokens.clear();
  Object.assign(workspace.apps.settings, { unauthenticated: 'redirect', stoppedStatus: 503 });
});
afterEach(() => {
  workspace.features.apps = true;
});
afterAll(() => workspace.close());

async function call(app: string, bearer = token, path = '/mcp') {
  return callerWith({ host: await workspace.apps.origin(app) }, bearer)('POST', path, LIST);
}

describe('the API', () => {
  interface Item {
    name: string;
    url: string;
    app_status: { state: string };
    compute_status: { state: string };
  }

  async function apps(caller: Caller, size: number): Promise<{ sizes: number[]; items: Item[] }> {
    const sizes: number[] = [];
    const items: Item[] = [];
    for (let next = ''; ; ) {
      const { body } = await caller('GET', `${BASE}?page_size=${size}&page_token=${next}`);
      const page = body.apps as Item[];
      sizes.push(page.length);
      items.push(...page);
      if (body.next_page_token === undefined) return { sizes, items };
      next = String(body.next_page_token);
    }
  }

  test('lists on two pages the apps that the caller can use, with states, and none of another tenant', async () => {
    const { sizes, items } = await apps(ben, 5);
    expect(sizes).toEqual([4, 3]);
    expect(items.map(({ name, app_status, compute_status }) => [name, app_status.state, compute_status.state])).toEqual(
      [
        ['mcp-inventory', 'RUNNING', 'ACTIVE'],
        ['mcp-forecast', 'RUNNING', 'ACTIVE'],
        ['mcp-reports', 'UNAVAILABLE', 'STOPPED'],
        ['mcp-broken', 'CRASHED', 'ACTIVE'],
        ['sales-dashboard', 'RUNNING', 'ACTIVE'],
        ['mcp-wanderer', 'RUNNING', 'ACTIVE'],
        ['mcp-parrot', 'RUNNING', 'ACTIVE'],
      ],
    );
  });

  test('gives each app its own origin, which is not the workspace', async () => {
    const { items } = await apps(ben, 100);
    const origins = new Set([workspace.host, ...items.map(({ url }) => new URL(url).origin)]);
    expect(origins.size).toBe(items.length + 1);
    expect(items[0]?.url).toBe(await workspace.apps.origin('mcp-inventory'));
  });

  test.each([
    ['mcp-inventory', 200],
    ['mcp-payroll', 403],
    ['mcp-stranger', 404],
  ])('answers a look-up of %s with %i', async (name, status) => {
    expect((await ben('GET', `${BASE}/${name}`)).status).toBe(status);
  });

  test('is unknown if there are no apps', async () => {
    workspace.features.apps = false;
    expect((await ben('GET', BASE)).body.error_code).toBe('ENDPOINT_NOT_FOUND');
  });

  test('start and stop move the states, for those who manage the app', async () => {
    const states = async () => {
      const { body } = await ben('GET', `${BASE}/mcp-reports`);
      return [Object(body.compute_status).state, Object(body.app_status).state];
    };
    expect((await callerAs(workspace, 'chloe')('POST', `${BASE}/mcp-reports/start`)).status).toBe(403);
    expect((await ben('POST', `${BASE}/mcp-reports/stop`)).status).toBe(400);
    const started = await ben('POST', `${BASE}/mcp-reports/start`);
    expect(started).toMatchObject({ status: 200, body: { compute_status: { state: 'STARTING' } } });
    expect((await ben('POST', `${BASE}/mcp-reports/start`)).status).toBe(400);
    await expect.poll(states).toEqual(['ACTIVE', 'RUNNING']);
    expect((await call('mcp-reports')).status).toBe(200);
    expect((await ben('POST', `${BASE}/mcp-reports/stop`)).body).toMatchObject({
      compute_status: { state: 'STOPPING' },
    });
    await expect.poll(states).toEqual(['STOPPED', 'UNAVAILABLE']);
  });
});

describe('a running app', () => {
  test('serves the official client', async () => {
    const client = new Client({ name: 'test', version: '0' });
    const address = new URL('/mcp', await workspace.apps.origin('mcp-inventory'));
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['stock_level', 'order_article']);
    const answer = await client.callTool({ name: 'stock_level', arguments: { article: '7' } });
    expect(answer.structuredContent).toMatchObject({ server: 'mcp-inventory', arguments: { article: '7' } });
    await client.close();
    expect(workspace.state.mcpCalls.at(-1)).toMatchObject({
      server: 'app',
      name: 'mcp-inventory',
      tool: 'stock_level',
    });
  });

  test.each([
    ['no token', () => undefined],
    ['a personal token', () => userNamed(workspace, 'ben').token],
    ['a token of Entra ID', () => workspace.entra.tokenFor('ben@example.com')],
    ['a token of another workspace', () => 'none'],
  ])('sends a caller with %s to the login page, or answers 401', async (_name, bearer) => {
    const caller = callerWith({ host: await workspace.apps.origin('mcp-inventory') }, bearer());
    const { status, headers } = await caller('POST', '/mcp', LIST);
    expect([status, new URL(headers.get('location') ?? '').origin]).toEqual([302, workspace.host]);
    workspace.apps.settings.unauthenticated = '401';
    expect((await caller('POST', '/mcp', LIST)).status).toBe(401);
  });

  test('accepts an exchanged Entra ID token', async () => {
    const form = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: workspace.entra.tokenFor('ben@example.com'),
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      scope: 'all-apis',
    };
    const traded = await fetch(`${workspace.host}/oidc/v1/token`, { method: 'POST', body: new URLSearchParams(form) });
    const { access_token } = Object(await traded.json());
    expect((await call('mcp-inventory', access_token)).status).toBe(200);
  });

  test('requires CAN_USE', async () => {
    const { status, headers } = await call('mcp-payroll');
    expect([status, headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
  });

  test('can redirect /mcp to its own inner address', async () => {
    const { status, headers } = await call('mcp-forecast');
    expect([status, headers.get('location')]).toEqual([307, 'http://localhost:8000/mcp/']);
    expect((await call('mcp-forecast', token, '/mcp/')).body).toMatchObject({
      result: { tools: [{ name: 'forecast' }] },
    });
  });

  test('can be something other than an MCP server', async () => {
    const { status, text } = await call('sales-dashboard');
    expect([status, text]).toEqual([200, expect.stringContaining('<!doctype html>')]);
  });
});

test.each(['mcp-reports', 'mcp-broken'])('%s does not run and answers with a page, with any status', async (app) => {
  for (const status of [503, 200]) {
    workspace.apps.settings.stoppedStatus = status;
    const answer = await call(app);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(answer.text).toContain('not running');
  }
});

describe('a malicious app', () => {
  test('can redirect its callers to a foreign host', async () => {
    const { status, headers } = await call('mcp-wanderer');
    expect([status, headers.get('location')]).toEqual([307, `${await workspace.apps.foreignOrigin()}/mcp`]);
  });

  test('can repeat the token in its headers and in its body', async () => {
    const { headers, text } = await call('mcp-parrot');
    expect([headers.get('x-authorization'), text]).toEqual([`Bearer ${token}`, expect.stringContaining(token)]);
  });

  test('can belong to another tenant, and work', async () => {
    expect((await call('mcp-stranger')).body).toMatchObject({ result: { tools: { length: 2 } } });
  });

  test('is recorded with the token that it received, wherever the token was', async () => {
    const foreign = await workspace.apps.foreignOrigin();
    const parrot = await workspace.apps.origin('mcp-parrot');
    await ben('GET', BASE);
    expect(workspace.tokens.originsThatSaw(token)).toEqual([]);
    await call('mcp-parrot');
    await fetch(`${foreign}/?t=${token}`, { method: 'POST', body: '{}' });
    expect(workspace.tokens.originsThatSaw(token)).toEqual([parrot, foreign]);
    expect(workspace.tokens.tokensAt(parrot)).toEqual([token]);
    expect(workspace.tokens.tokensAt(foreign)).toEqual([]);
    expect(workspace.tokens.requestsAt(foreign)).toBe(1);
    expect(workspace.tokens.originsThatSaw(userNamed(workspace, 'ben').token)).toEqual([workspace.host]);
  });
});
