import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCauseway } from '../../../main/causeway.ts';
import { startWorkspace } from '../../workspace/workspace.ts';
import { ownHome } from '../auth/own-home.ts';
import { ProxyProcess } from '../proxy/proxy-process.ts';
import { runCommand } from '../warehouses/harness.ts';

const SQL = '/api/2.0/mcp/sql';

async function home() {
  const workspace = await startWorkspace();
  onTestFinished(() => workspace.close());
  const own = await ownHome(`[ana]\nhost = ${workspace.host}\ntoken = ${workspace.users[0]?.token}\n`);
  onTestFinished(() => own.remove());
  const [first, second] = workspace.state.warehouses.filter(({ state }) => state === 'RUNNING' || state === 'STOPPED');
  if (!first || !second) throw new Error('The workspace has no two warehouses.');
  const causeway = (...args: string[]) => runCommand(own.env, args);
  return { ...own, workspace, causeway, first, second };
}

/** Runs a query as an AI client does that was started with these arguments, and gives the id of the warehouse it ran on. */
async function ranOn({ env, workspace }: Awaited<ReturnType<typeof home>>, args: string[], more: object = {}) {
  const proxy = new ProxyProcess(args, { ...env, PATH: process.env.PATH });
  onTestFinished(() => proxy.close());
  const clientInfo = { name: 'test', version: '1' };
  await proxy.request(0, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  proxy.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await proxy.request(1, 'tools/call', { name: 'execute_sql', arguments: { query: 'SELECT 1' }, ...more });
  const choice = workspace.statements.at(-1)?.choice;
  return choice && 'warehouseId' in choice ? choice : undefined;
}

describe.each(['alone', 'through the application'])('a pinned warehouse, %s', (how) => {
  test('is the one that calls run on, whatever the client and the override say', async () => {
    const scene = await home();
    const { causeway, env, first, second } = scene;
    if (how !== 'alone') {
      const application = createCauseway({ env });
      const hub = await application.serveProxies();
      onTestFinished(async () => {
        await hub.close();
        await application.close();
      });
    }
    await causeway('warehouse', 'set', second.id);
    const args = ['--profile', 'ana', '--path', SQL];
    expect(await ranOn(scene, args)).toMatchObject({ source: 'override', warehouseId: second.id });
    const pinned = [...args, '--meta', `warehouse_id=${first.id}`];
    const byRequest = { source: 'request', warehouseId: first.id };
    expect(await ranOn(scene, pinned)).toEqual(byRequest);
    expect(await ranOn(scene, pinned, { _meta: { warehouse_id: second.id, progressToken: 1 } })).toEqual(byRequest);
  });
});

describe('a server with a pinned warehouse', () => {
  test('is written into clients with it, listed with it, and changed afterwards', async () => {
    const { causeway, folder } = await home();
    const added = await causeway('servers', 'add', 'sql', '--name', 'sql-small', '--meta', 'warehouse_id=a1');
    expect(added.stdout).toContain('Added sql-small: /api/2.0/mcp/sql as ana, with warehouse_id=a1');
    await causeway('servers', 'add', 'sql');
    expect((await causeway('servers')).stdout).toMatch(/META\n.*sql-small.*warehouse_id=a1/s);

    await mkdir(join(folder, '.cursor'));
    expect((await causeway('clients', 'add', 'cursor')).code).toBe(0);
    const entry = async (name: string) =>
      JSON.parse(await readFile(join(folder, '.cursor', 'mcp.json'), 'utf8')).mcpServers[name].args.slice(-6);
    expect(await entry('sql-small')).toEqual(['--profile', 'ana', '--path', SQL, '--meta', 'warehouse_id=a1']);
    expect(await entry('databricks-sql')).not.toContain('--meta');

    const changed = await causeway('servers', 'set', 'sql-small', '--meta', 'warehouse_id=b2');
    expect(changed.stdout).toContain('Now sql-small: /api/2.0/mcp/sql as ana, with warehouse_id=b2\n');
    await causeway('clients', 'repair');
    expect(await entry('sql-small')).toContain('warehouse_id=b2');

    expect((await causeway('servers', 'set', 'sql-small', '--no-meta')).stdout).toContain('as ana\n');
    await causeway('clients', 'repair');
    expect(await entry('sql-small')).not.toContain('--meta');
  });

  test('has no entry with an address, which could not carry it', async () => {
    const { causeway, folder } = await home();
    await mkdir(join(folder, '.claude'));
    await causeway('servers', 'add', 'sql', '--meta', 'warehouse_id=a1');
    const refused = await causeway('clients', 'add', 'claude-code', '--http', '--client-id', 'an-application');
    expect(refused.code).not.toBe(0);
    expect(refused.stdout + refused.stderr).toContain('With an address, Claude Code cannot send');
  });

  test.each([
    [['set', 'databricks-sql'], 2, 'Nothing to change was named.'],
    [['set', 'nothing', '--no-meta'], 4, 'There is no server "nothing".'],
    [['set', 'databricks-sql', '--meta', 'a1'], 2, '--meta "a1" is not NAME=VALUE.'],
    [['add', 'sql', '--meta', '=1'], 2, '--meta "=1" is not NAME=VALUE.'],
  ])('is refused for %j', async (args, code, words) => {
    const { causeway } = await home();
    await causeway('servers', 'add', 'sql');
    const refused = await causeway('servers', ...args);
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(words)]);
  });
});
