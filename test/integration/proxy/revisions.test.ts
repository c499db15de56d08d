import { dirname } from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { withEdit } from '../../../main/permissions/permissions.ts';
import { PermissionsFile } from '../../../main/permissions/permissions-file.ts';
import { serverKey } from '../../../main/permissions/server-key.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { CAUSEWAY } from './proxy-process.ts';

const FUNCTIONS = '/api/2.0/mcp/functions/main/default';
const INITIALS = { name: 'main__default__initials', arguments: { full_name: 'Ada Lovelace' } };

let workspace: EmbeddedWorkspace;
const clients: Client[] = [];

beforeAll(async () => {
  workspace = await startWorkspace({
    state: { startupMs: 5, workspaceDefaultWarehouseId: '8baced1ff014912d' },
    mcp: { revision: 'modern', listening: 'supported' },
  });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  workspace.requests.clear();
  workspace.mcp.settings.answers = (method) => (method === 'tools/call' ? 'sse' : 'json');
});
afterAll(() => workspace.close());

/** The official client in its legacy mode, with `causeway proxy` as its server, spawned as AI clients do. */
async function connect(client = new Client({ name: 'old', version: '0' })): Promise<Client> {
  const home = dirname(workspace.profileFile);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CAUSEWAY, 'proxy', '--profile', 'ana', '--path', FUNCTIONS],
    env: { HOME: home, USERPROFILE: home },
  });
  await client.connect(transport);
  clients.push(client);
  return client;
}

describe('a client with sessions in front of a stateless server', () => {
  it.each(['json', 'sse'] as const)('lists tools and runs one, answered as %s', async (answers) => {
    workspace.mcp.settings.answers = answers;
    const client = await connect();
    // The proxy answers by itself where the server's own answer takes longer than a client may wait.
    expect(['managed-functions', 'causeway']).toContain(client.getServerVersion()?.name);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain(INITIALS.name);
    expect(await client.callTool(INITIALS)).toMatchObject({ structuredContent: { rows: [['AL']] } });
    expect(await client.ping()).toEqual({});
  });

  it("reads the server's own errors", async () => {
    const client = await connect();
    await expect(client.callTool({ name: 'main__default__gone', arguments: {} })).rejects.toThrow('BAD_REQUEST');
    await expect(client.listPrompts()).resolves.toMatchObject({ prompts: [] });
  });

  it('is notified that the tools have changed', async () => {
    let changed = (): void => {};
    const hears = new Promise<void>((resolve) => {
      changed = resolve;
    });
    workspace.state.mcpCalls.length = 0;
    await connect(
      new Client({ name: 'old', version: '0' }, { listChanged: { tools: { onChanged: () => changed() } } }),
    );
    await expect.poll(() => workspace.state.mcpCalls.map(({ method }) => method)).toContain('subscriptions/listen');
    await workspace.mcp.announceToolsChanged();
    await hears;
  });
});

describe('a client of the stateless revision', () => {
  const fresh = (options: ClientOptions = {}) =>
    new Client({ name: 'new', version: '0' }, { ...options, versionNegotiation: { mode: { pin: '2026-07-28' } } });
  afterEach(() => {
    workspace.mcp.settings.revision = 'modern';
  });

  it.each(['modern', 'legacy'] as const)(
    'lists tools and runs one at a server of the %s revision',
    async (revision) => {
      workspace.mcp.settings.revision = revision;
      const client = await connect(fresh());
      expect(client.getServerVersion()).toMatchObject({ name: 'managed-functions' });
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain(INITIALS.name);
      expect(await client.callTool(INITIALS)).toMatchObject({ structuredContent: { rows: [['AL']] } });
      await expect(client.callTool({ name: 'main__default__gone', arguments: {} })).rejects.toThrow('BAD_REQUEST');
    },
  );

  it.each(['modern', 'legacy'] as const)(
    'is notified that permissions have changed the tools of a server of the %s revision',
    async (revision) => {
      workspace.mcp.settings.revision = revision;
      workspace.state.mcpCalls.length = 0;
      let changes = 0;
      const onChanged = () => {
        changes += 1;
      };
      const client = await connect(fresh({ listChanged: { tools: { onChanged } } }));
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain(INITIALS.name);
      if (revision === 'modern') {
        await expect.poll(() => workspace.state.mcpCalls.map(({ method }) => method)).toContain('subscriptions/listen');
      }
      const home = dirname(workspace.profileFile);
      const permissions = new PermissionsFile({ HOME: home, USERPROFILE: home });
      onTestFinished(async () => void (await permissions.change(() => ({ version: 1 }))));
      const scope = { server: serverKey(workspace.host, FUNCTIONS) };
      await permissions.change((now) => withEdit(now, scope, { off: [INITIALS.name] }));
      await expect.poll(() => changes).toBeGreaterThan(0);
      expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain(INITIALS.name);
    },
  );
});
