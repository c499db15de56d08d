import { dirname } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { CAUSEWAY } from './proxy-process.ts';

const SQL = '/api/2.0/mcp/sql';
const FUNCTIONS = '/api/2.0/mcp/functions/main/default';
const INITIALS = { name: 'main__default__initials', arguments: { full_name: 'Ada Lovelace' } };
const AL = { structuredContent: { rows: [['AL']] } };
const SPACE = '01ef2b7c5a9d1e3f8c4b6a0d2e5f7191';

let workspace: EmbeddedWorkspace;
let complaints = '';
const clients: Client[] = [];

beforeAll(async () => {
  workspace = await startWorkspace({ state: { startupMs: 5, workspaceDefaultWarehouseId: '8baced1ff014912d' } });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  workspace.faults.clear();
  workspace.requests.clear();
  expect(complaints).toBe('');
});
afterAll(() => workspace.close());

/** The official client with `causeway proxy` as its server, spawned as AI clients do. */
async function connect(path: string, profile = 'ana', more: string[] = []): Promise<Client> {
  const home = dirname(workspace.profileFile);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CAUSEWAY, 'proxy', '--profile', profile, '--path', path, ...more],
    env: { HOME: home, USERPROFILE: home },
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const client = new Client({ name: 'test', version: '0' });
  await client.connect(transport);
  clients.push(client);
  // Now the server has taken `initialized` too: what a test breaks next hits what the test does next.
  await client.listTools();
  return client;
}

const toolsOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

describe('each of the four servers', () => {
  it.each<[path: string, name: string, args: Record<string, string>, content: object]>([
    [SQL, 'execute_sql', { query: 'SELECT 1' }, { statement_id: expect.any(String) }],
    [
      `/api/2.0/mcp/genie/${SPACE}`,
      `query_space_${SPACE}`,
      { query: 'How many trips were there?' },
      { status: 'ASKING_AI' },
    ],
    [
      '/api/2.0/mcp/vector-search/main/support',
      'main__support__faq_index',
      { query: 'delivery' },
      { result: { row_count: 5 } },
    ],
    [FUNCTIONS, INITIALS.name, INITIALS.arguments, AL.structuredContent],
  ])('%s lists its tools and runs one', async (path, name, args, content) => {
    const client = await connect(path);
    expect(await toolsOf(client)).toContain(name);
    expect((await client.callTool({ name, arguments: args })).structuredContent).toMatchObject(content);
    expect(client.getServerVersion()).toBeDefined();
  });

  it('answers a service principal as well as a user', async () => {
    expect(await (await connect(FUNCTIONS, 'agent')).callTool(INITIALS)).toMatchObject(AL);
  });

  it.each(['json', 'sse'] as const)('answers in either form: %s', async (form) => {
    const { answers } = workspace.mcp.settings;
    workspace.mcp.settings.answers = form;
    expect(await (await connect(FUNCTIONS)).callTool(INITIALS)).toMatchObject(AL);
    workspace.mcp.settings.answers = answers;
  });
});

describe('the client sees no error', () => {
  it.each([404, 410] as const)(
    'when its session expires mid-use (%i), not even under ten concurrent calls',
    async (how) => {
      const client = await connect(FUNCTIONS);
      workspace.faults.expireSessions(how);
      const answers = await Promise.all(Array.from({ length: 10 }, () => client.callTool(INITIALS)));
      for (const answer of answers) expect(answer).toMatchObject(AL);
      workspace.faults.expireSessions(how);
      expect(await toolsOf(client)).toContain(INITIALS.name);
    },
  );

  it('when its access token expires: another one is requested, once', async () => {
    const client = await connect(FUNCTIONS, 'agent');
    workspace.requests.clear();
    workspace.faults.expireAccessTokens();
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.callTool(INITIALS)));
    for (const answer of answers) expect(answer).toMatchObject(AL);
    expect(workspace.requests.list({ grantType: 'client_credentials' })).toHaveLength(1);
  });

  it.each([
    ['429 with Retry-After', { kind: 'rate-limit', retryAfter: '0' }],
    ['503', { kind: 'unavailable', retryAfter: '0' }],
    ['a stall in the middle of an answer', { kind: 'stall', milliseconds: 50, afterBytes: 10 }],
    ['an answer in single bytes', { kind: 'trickle' }],
    // The official client itself takes no frame beyond 10 MiB.
    ['an answer of 10 MB', { kind: 'pad', bytes: 10_000_000 }],
  ] as const)('after %s', async (_name, effect) => {
    const client = await connect(FUNCTIONS);
    workspace.faults.add({ effect, path: '/api/2.0/mcp/*', method: 'POST' });
    expect(await client.callTool(INITIALS)).toMatchObject(AL);
    expect(workspace.faults.list()).toEqual([]);
  });

  it('when one call is slow: another overtakes it', async () => {
    const client = await connect(FUNCTIONS);
    const order: string[] = [];
    workspace.faults.add({ effect: { kind: 'stall', milliseconds: 500 }, path: '/api/2.0/mcp/*', method: 'POST' });
    const slow = client.callTool(INITIALS).then(() => order.push('slow'));
    while (workspace.faults.list().length > 0) await new Promise((resolve) => setImmediate(resolve));
    await client.ping().then(() => order.push('fast'));
    await slow;
    expect(order).toEqual(['fast', 'slow']);
  });

  it('if nothing is granted: the list is empty', async () => {
    expect(await toolsOf(await connect('/api/2.0/mcp/functions/main/finance', 'ben'))).toEqual([]);
  });
});

describe('the client gets an explanation', () => {
  it.each<[name: string, effect: Parameters<EmbeddedWorkspace['faults']['add']>[0]['effect'], words: RegExp]>([
    [
      '403 from the IP access list',
      { kind: 'block-ip' },
      /does not accept connections from this network \(403: Source IP address: 203\.0\.113\.7 is blocked .+\)\. Connect through your VPN/,
    ],
    [
      '403 for a scope',
      { kind: 'missing-scope', scope: 'sql' },
      /does not cover \/api\/2\.0\/mcp\/functions\/main\/default \(403: .+ required scopes: sql\)\. Create a personal access token with the scope/,
    ],
    ['a page with 502', { kind: 'html' }, /could not answer \(502: upstream connect error .+\)\. It may have run/],
    [
      'a redirect to a sign-in page',
      { kind: 'redirect', location: 'http://portal.example/' },
      /A sign-in page answered instead of .+\. A captive portal/,
    ],
    [
      'a private link',
      { kind: 'redirect' },
      /does not accept connections from this network \(302: The workspace can be reached only over its private link\.\)/,
    ],
    [
      'an answer that is cut off',
      { kind: 'cut', afterBytes: 20 },
      /(was lost before it answered|ended the response to) tools\/call.+ It may have run/,
    ],
    [
      'a connection that drops',
      { kind: 'drop', when: 'before-headers' },
      /was lost before it answered tools\/call\. It may have run/,
    ],
    [
      '401 for a personal access token',
      { kind: 'refuse-token' },
      /refuses the personal access token of profile "ana": it has expired, was revoked, or belongs to another workspace\. Create a new one/,
    ],
  ])('%s, and the next call works', async (_name, effect, words) => {
    const client = await connect(FUNCTIONS);
    workspace.requests.clear();
    workspace.faults.add({ effect, path: '/api/2.0/mcp/*', method: 'POST' });
    await expect(client.callTool(INITIALS)).rejects.toThrow(words);
    expect(workspace.requests.list({ method: 'POST', path: FUNCTIONS })).toHaveLength(1);
    expect(await client.callTool(INITIALS)).toMatchObject(AL);
  });

  it('for a Genie space that does not exist', async () => {
    await expect(connect('/api/2.0/mcp/genie/01ef0000000000000000000000000000')).rejects.toThrow(/Genie space/);
  });
});
