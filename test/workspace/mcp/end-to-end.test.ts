import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { callerWith, userNamed } from '../caller.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace.ts';

/** The managed servers in the whole workspace: behind its front door, with a personal access token. */

let workspace: EmbeddedWorkspace;
const clients: Client[] = [];
beforeAll(async () => {
  workspace = await startWorkspace({
    profile: 'lenient',
    state: { startupMs: 5, workspaceDefaultWarehouseId: '8baced1ff014912d' },
  });
});
afterEach(async () => {
  workspace.faults.clear();
  await Promise.all(clients.splice(0).map((client) => client.close()));
});
afterAll(() => workspace.close());

async function connect(path: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '0' });
  const authorization = `Bearer ${userNamed(workspace, 'ben').token}`;
  const url = new URL(`/api/2.0/mcp/${path}`, workspace.host);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }));
  clients.push(client);
  return client;
}

it.each<[string, string, Record<string, unknown>, unknown]>([
  ['sql', 'execute_sql', { query: 'SELECT 1' }, { statement_id: expect.any(String) }],
  [
    'genie/01ef2b7c5a9d1e3f8c4b6a0d2e5f7191',
    'query_space_01ef2b7c5a9d1e3f8c4b6a0d2e5f7191',
    { query: 'How many trips were there?' },
    { status: 'ASKING_AI' },
  ],
  ['vector-search/main/support', 'main__support__faq_index', { query: 'delivery' }, { result: { row_count: 5 } }],
  ['functions/main/default', 'main__default__initials', { full_name: 'Ada Lovelace' }, { rows: [['AL']] }],
])('%s lists its tools and runs one', async (path, name, args, expected) => {
  const client = await connect(path);
  expect((await client.listTools()).tools.map((tool) => tool.name)).toContain(name);
  expect((await client.callTool({ name, arguments: args })).structuredContent).toMatchObject({ ...Object(expected) });
});

it('a managed server asks for a token before anything else', async () => {
  for (const token of [undefined, 'dapi0']) {
    const answer = await callerWith(workspace, token)('POST', '/api/2.0/mcp/sql', {});
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  }
});

it('a query runs on the warehouse of the override that the user has set through the API', async () => {
  const ben = callerWith(workspace, userNamed(workspace, 'ben').token);
  const overrides = '/api/warehouses/v1/default-warehouse-overrides';
  const created = await ben('POST', `${overrides}?default_warehouse_override_id=me`, {
    type: 'CUSTOM',
    warehouse_id: 'b2d94c07a61e83f5',
  });
  expect(created.status).toBe(200);
  await (await connect('sql')).callTool({ name: 'execute_sql', arguments: { query: 'SELECT 1' } });
  expect(workspace.statements.at(-1)?.choice).toMatchObject({ source: 'override', warehouseId: 'b2d94c07a61e83f5' });
  await ben('DELETE', `${overrides}/me`);
});

it('the official client reads an answer that trickles in, and reports an expired session', async () => {
  const client = await connect('sql');
  const trickle = workspace.faults.add({ path: '/api/2.0/mcp/*', method: 'POST', effect: { kind: 'trickle' } });
  expect(await client.callTool({ name: 'execute_sql', arguments: { query: 'SELECT 1' } })).toHaveProperty('content');
  expect(trickle.hits).toBe(1);
  workspace.faults.expireSessions(410);
  await expect(client.listTools()).rejects.toMatchObject({ status: 410 });
});

it('a session continues after the connection was cut in the middle of an event stream', async () => {
  const client = await connect('sql');
  workspace.faults.add({ path: '/api/2.0/mcp/*', method: 'POST', effect: { kind: 'cut', afterBytes: 20 } });
  const answer = await fetch(`${workspace.host}/api/2.0/mcp/sql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${userNamed(workspace, 'ben').token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': client.transport?.sessionId ?? '',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 'cut',
      method: 'tools/call',
      params: { name: 'execute_sql', arguments: { query: 'SELECT 1' } },
    }),
  });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  await expect(answer.text()).rejects.toThrow();
  expect((await client.listTools()).tools).toHaveLength(3);
});
