import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Caller, callerAs, callerWith, userNamed } from '../caller.ts';
import { discover, OAuthClient } from '../sign-in/oauth-client.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace.ts';
import { WORDINGS } from './refusals.ts';
import { DEFAULT_SETTINGS, type ManagedServerSettings } from './settings.ts';

/** Services of AI Gateway and external connections, called over HTTP. */

const SERVICES = '/ai-gateway/mcp-services';
const GITHUB = `${SERVICES}/system.ai.github`;
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const RUNNING = '8baced1ff014912d';

let workspace: EmbeddedWorkspace;
let ben: Caller;
let chloe: Caller;
const clients: Client[] = [];
beforeAll(async () => {
  workspace = await startWorkspace({ autoApprove: 'ben@example.com' });
  [ben, chloe] = [callerAs(workspace, 'ben'), callerAs(workspace, 'chloe')];
});
beforeEach(() => {
  workspace.state.replace({ startupMs: 5, workspaceDefaultWarehouseId: RUNNING });
  Object.assign(workspace.mcp.settings, DEFAULT_SETTINGS, { answers: 'json' });
});
afterEach(async () => {
  workspace.faults.clear();
  await Promise.all(clients.splice(0).map((client) => client.close()));
});
afterAll(() => workspace.close());

function call(name: string, args: Record<string, unknown> = {}, meta?: Record<string, unknown>) {
  return {
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name, arguments: args, ...(meta && { _meta: meta }) },
  };
}

const SEARCH = call('search_code', { query: 'retry' });

async function connect(path: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '0' });
  const headers = { authorization: `Bearer ${userNamed(workspace, 'ben').token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(workspace.host + path), { requestInit: { headers } }));
  clients.push(client);
  return client;
}

async function toolNames(path: string): Promise<unknown[]> {
  return (await (await connect(path)).listTools()).tools.map(({ name }) => name);
}

describe('what the gateway refuses', () => {
  const set = (settings: Partial<ManagedServerSettings>) => Object.assign(workspace.mcp.settings, settings);

  it.each([
    ['policy', 200, -32003],
    ['approval', 403, -32003],
    ['guardrail', 200, -32003],
  ] as const)('is a call that a rule forbids: %s, with status %i', async (rule, status, code) => {
    set({ refusals: [{ rule, status }] });
    expect((await ben('POST', GITHUB, LIST)).status).toBe(200);
    const refused = await ben('POST', `${SERVICES}/system.ai.web_search`, call('web_search', { query: 'duckdb' }));
    expect([refused.status, refused.body]).toMatchObject([
      status,
      { id: 7, error: { code, message: WORDINGS[rule].words } },
    ]);
  });

  it('can come as an event stream, of one service, for one method', async () => {
    set({
      refusals: [
        { rule: 'network-policy', service: 'system.ai.web_search', method: 'tools/list', form: 'sse', status: 502 },
      ],
    });
    const refused = await ben('POST', `${SERVICES}/system.ai.web_search`, LIST);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([502, 'text/event-stream']);
    expect(refused.text).toContain('because of serverless network policy');
    expect((await ben('POST', GITHUB, LIST)).status).toBe(200);
  });

  it('can come as the REST APIs word it, with a time to wait', async () => {
    set({ refusals: [{ rule: 'rate-limit-user', form: 'rest', retryAfter: '7' }] });
    const { status, body, headers } = await ben(
      'POST',
      `${SERVICES}/system.ai.web_search`,
      call('web_search', { query: 'a' }),
    );
    expect([status, body.error_code, headers.get('retry-after')]).toEqual([429, 'REQUEST_LIMIT_EXCEEDED', '7']);
    expect(body.message).toContain("for 'system.ai.web_search'");
  });

  it('can be a call without a tag', async () => {
    set({ demandedTag: 'team' });
    const send = (tags?: string) =>
      fetch(`${workspace.host}${SERVICES}/system.ai.web_search`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${userNamed(workspace, 'ben').token}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'mcp-protocol-version': '2025-06-18',
          ...(tags !== undefined && { 'databricks-ai-gateway-request-tags': tags }),
        },
        body: JSON.stringify(call('web_search', { query: 'duckdb' })),
      }).then(async (response) => await response.json());
    for (const tags of [undefined, 'no json', '{"team":5}', '{"project":"a"}']) {
      expect(await send(tags)).toMatchObject({ error: { code: -32003 } });
    }
    expect(await send('{"team":"data"}')).toMatchObject({ result: {} });
  });
});

describe('what a service offers', () => {
  it.each([
    ['system.ai.dbsql', ['execute_sql', 'execute_sql_read_only', 'poll_sql_result']],
    ['system.ai.genie_one_mcp', ['genie_ask', 'genie_poll_response', 'genie_get_query_result']],
    ['system.ai.web_search', ['web_search']],
    ['system.ai.github', ['search_code', 'get_issue', 'create_issue', 'delete_branch', 'run_workflow']],
    ['main.support.tickets', ['ticket_search', 'ticket_read', 'ticket_close']],
  ])('%s offers %o', async (name, expected) => {
    for (const answers of ['json', 'sse'] as const) {
      workspace.mcp.settings.answers = answers;
      expect(await toolNames(`${SERVICES}/${name}`)).toEqual(expected);
    }
  });

  it('a tool has annotations, or none', async () => {
    const { tools } = await (await connect(GITHUB)).listTools();
    expect(tools.map(({ annotations }) => annotations)).toEqual([
      { readOnlyHint: true },
      { readOnlyHint: true },
      { readOnlyHint: false, destructiveHint: false },
      { readOnlyHint: false, destructiveHint: true },
      undefined,
    ]);
  });

  it('a tool that its selectors leave out cannot be called', async () => {
    const { body } = await ben('POST', `${SERVICES}/main.support.tickets`, call('customer_export', { format: 'csv' }));
    expect(body).toMatchObject({
      error: { code: -32003, message: 'Tool not allowed by MCP service configuration.' },
    });
  });

  it('a call is recorded with its service and its tool', async () => {
    await ben('POST', `${SERVICES}/system.ai.web_search`, call('web_search', { query: 'duckdb' }));
    expect(workspace.state.mcpCalls).toEqual([
      expect.objectContaining({
        server: 'service',
        name: 'system.ai.web_search',
        method: 'tools/call',
        tool: 'web_search',
      }),
    ]);
  });

  it('Genie One answers when it is polled, and only its own user', async () => {
    const client = await connect(`${SERVICES}/system.ai.genie_one_mcp`);
    const asked = await client.callTool({ name: 'genie_ask', arguments: { question: 'How many trips were there?' } });
    const { conversation_id, response_id } = Object(asked.structuredContent);
    const polling = { name: 'genie_poll_response', arguments: { conversation_id, response_id } };
    await expect
      .poll(async () => (await client.callTool(polling)).structuredContent, { timeout: 20_000 })
      .toMatchObject({ status: 'completed', final_answer: expect.stringContaining('trips') });
    const { body } = await chloe('POST', `${SERVICES}/system.ai.genie_one_mcp`, call(polling.name, polling.arguments));
    expect(body).toMatchObject({ error: { message: expect.stringContaining('not found') } });
  });
});

describe('sessions of services', () => {
  it('do not exist: each request is independent', async () => {
    const { status, headers } = await ben('POST', `${SERVICES}/system.ai.web_search`, LIST);
    expect([status, headers.get('mcp-session-id')]).toEqual([200, null]);
  });

  it('have an id that is issued and required, with the switch', async () => {
    workspace.mcp.settings.serviceSessions = 'demanded';
    expect((await ben('POST', `${SERVICES}/system.ai.web_search`, LIST)).status).toBe(400);
    const client = await connect(`${SERVICES}/system.ai.web_search`);
    expect(client.transport?.sessionId).toEqual(expect.any(String));
    workspace.faults.expireSessions(404);
    await expect(client.listTools()).rejects.toThrow();
  });
});

describe('refusals', () => {
  it('a token without the scope is answered with a 403 that names the scope', async () => {
    const oauth = new OAuthClient(workspace, await discover(workspace));
    const { access_token } = await oauth.signIn({ scope: 'sql offline_access' });
    const { status, body } = await callerWith(workspace, access_token)('POST', GITHUB, LIST);
    expect([status, body.message]).toEqual([403, 'Provided OAuth token does not have required scopes: ai-gateway']);
    const right = await oauth.signIn({ scope: 'ai-gateway offline_access' });
    expect((await callerWith(workspace, right.access_token)('POST', GITHUB, LIST)).status).toBe(200);
  });

  it('a user without the grant is answered with a 403 that names the service and no scope', async () => {
    const { status, body } = await chloe('POST', `${SERVICES}/system.ai.slack`, LIST);
    expect([status, body.message]).toEqual([403, "User does not have EXECUTE on MCP service 'system.ai.slack'."]);
    workspace.gateway.grant('chloe', 'system.ai.slack');
    expect((await chloe('POST', `${SERVICES}/system.ai.slack`, LIST)).status).toBe(200);
    workspace.gateway.revoke('ben', 'system.ai.slack');
    expect((await ben('POST', `${SERVICES}/system.ai.slack`, LIST)).status).toBe(403);
    expect((await callerAs(workspace, 'ana')('POST', `${SERVICES}/system.ai.slack`, LIST)).status).toBe(200);
    workspace.mcp.settings.missingExecute = 404;
    const hidden = await ben('POST', `${SERVICES}/system.ai.slack`, LIST);
    expect([hidden.status, hidden.body.message]).toEqual([404, "MCP service 'system.ai.slack' does not exist."]);
  });

  it('an unknown service answers 404', async () => {
    expect((await ben('POST', `${SERVICES}/system.ai.nothing`, LIST)).status).toBe(404);
  });

  it('an invalid token is answered with 401 and a challenge, or with 400 and two words', async () => {
    const stranger = callerWith(workspace, 'dapi0');
    const refused = await stranger('POST', `${SERVICES}/system.ai.web_search`, LIST);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('invalid_token');
    workspace.mcp.settings.rejectedToken = '400';
    const { status, text } = await stranger('POST', `${SERVICES}/system.ai.web_search`, LIST);
    expect([status, text]).toEqual([400, 'Invalid Token']);
    expect((await callerWith(workspace, undefined)('POST', GITHUB, LIST)).status).toBe(401);
  });

  it('a service without a sign-in can answer 401 anyway', async () => {
    workspace.faults.add({ path: `${SERVICES}/system.ai.web_search`, effect: { kind: 'refuse-token' } });
    const { status, headers } = await ben('POST', `${SERVICES}/system.ai.web_search`, LIST);
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('resource_metadata=')]);
    expect((await ben('POST', `${SERVICES}/system.ai.web_search`, LIST)).status).toBe(200);
  });

  it('without the preview every service but Genie One is suspended', async () => {
    workspace.mcp.settings.preview = 'suspended';
    const { status, body } = await ben('POST', `${SERVICES}/system.ai.dbsql`, LIST);
    expect([status, body.message]).toEqual([400, 'The MCP service is administratively suspended']);
    expect((await ben('POST', `${SERVICES}/system.ai.genie_one_mcp`, LIST)).status).toBe(200);
  });
});

describe('a connection that waits for a sign-in', () => {
  it('answers a call with a 401 whose metadata name the service, although the token is good', async () => {
    expect((await ben('POST', GITHUB, LIST)).status).toBe(200);
    const { status, headers } = await ben('POST', GITHUB, SEARCH);
    const metadata = `${workspace.host}/.well-known/oauth-protected-resource${GITHUB}`;
    expect([status, headers.get('www-authenticate')]).toEqual([401, `Bearer resource_metadata="${metadata}"`]);
    expect(await (await fetch(metadata)).json()).toEqual({
      resource: workspace.host + GITHUB,
      authorization_servers: [`${workspace.host}/oidc`],
      scopes_supported: ['ai-gateway', 'offline_access'],
      bearer_methods_supported: ['header'],
    });
  });

  it('blames the token in its challenge, with the switch', async () => {
    workspace.mcp.settings.challengeBlamesToken = true;
    expect((await ben('POST', GITHUB, SEARCH)).headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it('refuses every request this way, with the switch', async () => {
    workspace.mcp.settings.signInNeededFor = 'every-method';
    expect((await ben('POST', GITHUB, LIST)).status).toBe(401);
    await expect(connect(GITHUB)).rejects.toThrow();
  });

  it.each(['json', 'sse'] as const)('answers with a URL elicitation, in %s, with the switch', async (answers) => {
    Object.assign(workspace.mcp.settings, { signInSignal: 'elicitation', answers });
    const { status, text, headers } = await ben('POST', GITHUB, SEARCH);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain(answers === 'sse' ? 'text/event-stream' : 'application/json');
    const message = JSON.parse(answers === 'sse' ? (/^data: (.*)$/m.exec(text)?.[1] ?? '') : text);
    expect(message).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      error: {
        code: -32042,
        data: {
          elicitations: [
            {
              mode: 'url',
              url: `${workspace.host}/mcp-service-login?name=system.ai.github`,
              elicitationId: expect.any(String),
            },
          ],
        },
      },
    });
  });

  it('answers each request of an array', async () => {
    workspace.mcp.settings.signInSignal = 'elicitation';
    const { text } = await ben('POST', GITHUB, [SEARCH, { ...SEARCH, id: 8 }]);
    expect(JSON.parse(text)).toMatchObject([
      { id: 7, error: { code: -32042 } },
      { id: 8, error: { code: -32042 } },
    ]);
  });

  it('can signal differently from the others', async () => {
    const github = workspace.state.mcpServices.find(({ name }) => name.endsWith('.github'));
    if (github) github.signInSignal = 'elicitation';
    expect((await ben('POST', GITHUB, SEARCH)).status).toBe(200);
    const slack = call('search_messages', { query: 'x' });
    expect((await ben('POST', `${SERVICES}/system.ai.slack`, slack)).status).toBe(401);
  });

  it('is served once its user has signed in, to that user alone, and not after signing out', async () => {
    workspace.gateway.signIn('ben', 'system.ai.github');
    expect(workspace.gateway.isSignedIn('ben', 'system.ai.github')).toBe(true);
    const { body } = await ben('POST', GITHUB, SEARCH);
    expect(body).toMatchObject({
      result: { structuredContent: { server: 'system.ai.github', tool: 'search_code', arguments: { query: 'retry' } } },
    });
    expect((await chloe('POST', GITHUB, SEARCH)).status).toBe(401);
    workspace.gateway.signOut('ben', 'system.ai.github');
    expect((await ben('POST', GITHUB, SEARCH)).status).toBe(401);
  });

  it('does not wait if all users share one credential', async () => {
    const { body } = await ben('POST', `${SERVICES}/main.support.tickets`, call('ticket_read', { ticket: '12' }));
    expect(body).toMatchObject({ result: { structuredContent: { arguments: { ticket: '12' } } } });
    expect(() => workspace.gateway.signIn('ben', 'main.support.tickets')).toThrow('no sign-in of its own');
  });
});

describe('external connections', () => {
  const PATH = '/api/2.0/mcp/external/issue_tracker';

  it('offer the tools of the server behind them', async () => {
    expect(await toolNames(PATH)).toEqual(['find_issues', 'close_issue']);
  });

  it('require a grant, and a sign-in if their kind needs one', async () => {
    const [tracker] = workspace.state.connections;
    Object.assign(tracker ?? {}, { grantedTo: new Set(['analysts']), securableKind: 'CONNECTION_HTTP_DCR' });
    workspace.mcp.settings.signInSignal = 'elicitation';
    expect((await chloe('POST', PATH, LIST)).status).toBe(403);
    const { body } = await ben('POST', PATH, call('find_issues', { words: 'x' }));
    expect(JSON.stringify(body)).toContain('/mcp-service-login?connection=issue_tracker');
  });

  it.each(['nothing', 'orders_db'])('do not include %s, which answers 404', async (name) => {
    expect((await ben('POST', `/api/2.0/mcp/external/${name}`, LIST)).status).toBe(404);
  });
});

it.each([
  ['absent', 404],
  ['gone', 410],
  ['served', 200],
] as const)('the old address of Genie One, when it is %s, answers %i', async (oldGenieOne, status) => {
  workspace.mcp.settings.oldGenieOne = oldGenieOne;
  workspace.mcp.settings.sessions = 'none';
  expect((await ben('POST', '/api/2.0/mcp/genie', LIST)).status).toBe(status);
});

describe.each(['/api/2.0/mcp/sql', `${SERVICES}/system.ai.dbsql`])('a warehouse in the call, at %s', (path) => {
  const OVERRIDE = 'b2d94c07a61e83f5';
  const PIN = 'd10f6b8e24a97c53';

  beforeEach(() => {
    const userId = userNamed(workspace, 'ben').id;
    workspace.state.overrides.set(userId, { userId, type: 'CUSTOM', warehouseId: OVERRIDE });
    workspace.mcp.settings.sessions = 'none';
  });

  async function choiceOf(meta?: Record<string, unknown>): Promise<unknown> {
    await ben('POST', path, call('execute_sql', { query: 'SELECT 1' }, meta));
    return workspace.statements.at(-1)?.choice;
  }

  it.each([
    ['first', 'request', PIN],
    ['behind-override', 'override', OVERRIDE],
    ['ignored', 'override', OVERRIDE],
  ] as const)('is read with the setting "%s": the %s decides', async (warehousePin, source, warehouseId) => {
    workspace.mcp.settings.warehousePin = warehousePin;
    expect(await choiceOf()).toMatchObject({ source: 'override', warehouseId: OVERRIDE });
    expect(await choiceOf({ warehouse_id: PIN })).toMatchObject({ source, warehouseId });
    workspace.state.overrides.clear();
    const isSeen = warehousePin !== 'ignored';
    expect(await choiceOf({ warehouse_id: PIN })).toMatchObject({ warehouseId: isSeen ? PIN : RUNNING });
  });

  it.each([
    ['0000000000000000', 'RESOURCE_DOES_NOT_EXIST', 'does not exist'],
    ['c7e5190b3d48f62a', 'PERMISSION_DENIED', 'CAN_USE'],
  ])('fails the query if it is %s: %s', async (warehouse_id, error_code, message) => {
    const { body } = await ben('POST', path, call('execute_sql', { query: 'SELECT 1' }, { warehouse_id }));
    expect(body).toMatchObject({
      result: {
        structuredContent: {
          status: { state: 'FAILED', error: { error_code, message: expect.stringContaining(message) } },
        },
      },
    });
  });
});

it('a policy that disallows writes refuses them at the service, not at the older server', async () => {
  Object.assign(workspace.mcp.settings, { disallowWrites: true, waitMs: 20_000, sessions: 'none' });
  const write = call('execute_sql', { query: 'CREATE TABLE main.default.noted AS SELECT 1 AS a' });
  const states = [];
  for (const path of [`${SERVICES}/system.ai.dbsql`, '/api/2.0/mcp/sql']) {
    await ben('POST', path, write);
    states.push(workspace.statements.at(-1)?.status.state);
  }
  expect(states).toEqual(['FAILED', 'SUCCEEDED']);
});
