import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ProxyProcess } from '../proxy/proxy-process.ts';
import { runCommand, WAREHOUSES } from '../warehouses/harness.ts';
import { homeOfAna, SQL, startApplication, startSession } from './sql-session.ts';

async function home() {
  const own = await homeOfAna();
  const { workspace, env } = own;
  const [first, second] = workspace.state.warehouses.filter(({ state }) => state === 'RUNNING' || state === 'STOPPED');
  if (!first || !second) throw new Error('The workspace has no two warehouses.');
  const causeway = (...args: string[]) => runCommand(env, args);
  /** Runs a query as an AI client does that was started with these arguments, and gives the warehouse it ran on. */
  const ranOn = async (args: string[], more: object = {}, name = 'execute_sql') => {
    const proxy = args.includes('--all') ? await startAll(env, args) : await startSession(env, args);
    await proxy.request(1, 'tools/call', { name, arguments: { query: 'SELECT 1' }, ...more });
    const choice = workspace.statements.at(-1)?.choice;
    return choice && 'warehouseId' in choice ? choice : undefined;
  };
  return { ...own, causeway, ranOn, first, second };
}

async function startAll(env: NodeJS.ProcessEnv, args: string[]): Promise<ProxyProcess> {
  const proxy = new ProxyProcess(args, env);
  onTestFinished(() => proxy.close());
  await proxy.open({ clientInfo: { name: 'test', version: '1' } });
  return proxy;
}

describe.each(['alone', 'through the application'])('a pinned warehouse, %s', (how) => {
  test('is the one that calls run on, whatever the client and the override say', async () => {
    const { causeway, env, first, second, ranOn } = await home();
    if (how !== 'alone') await startApplication(env);
    await causeway('warehouse', 'set', second.id);
    expect(await ranOn([])).toMatchObject({ source: 'override', warehouseId: second.id });
    const pinned = ['--meta', `warehouse_id=${first.id}`];
    const byRequest = { source: 'request', warehouseId: first.id };
    expect(await ranOn(pinned)).toEqual(byRequest);
    expect(await ranOn(pinned, { _meta: { warehouse_id: second.id, progressToken: 1 } })).toEqual(byRequest);
  });
});

describe('a server with a pinned warehouse', () => {
  test('is written into clients with the pin, listed with it, and changed afterwards', async () => {
    const { causeway, folder } = await home();
    const added = await causeway(
      'servers',
      'add',
      '--path',
      '/api/2.0/mcp/sql',
      '--name',
      'sql-small',
      '--meta',
      'warehouse_id=a1',
    );
    expect(added.stdout).toContain('Added sql-small: /api/2.0/mcp/sql as ana, with warehouse_id=a1');
    await causeway('servers', 'add', '--path', '/api/2.0/mcp/sql');
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

  test('has no entry with an address, because an address cannot carry the pin', async () => {
    const { causeway, folder } = await home();
    await mkdir(join(folder, '.claude'));
    await causeway('servers', 'add', '--path', '/api/2.0/mcp/sql', '--meta', 'warehouse_id=a1');
    const refused = await causeway('clients', 'add', 'claude-code', '--http', '--client-id', 'an-application');
    expect(refused.code).not.toBe(0);
    expect(refused.stdout + refused.stderr).toContain('With an address, Claude Code cannot send');
  });

  test.each([
    [['set', 'databricks-sql'], 2, 'No change was given.'],
    [['set', 'nothing', '--no-meta'], 4, 'There is no server "nothing".'],
    [['set', 'databricks-sql', '--meta', 'a1'], 2, '--meta "a1" is not NAME=VALUE.'],
    [['add', '--path', '/api/2.0/mcp/sql', '--meta', '=1'], 2, '--meta "=1" is not NAME=VALUE.'],
  ])('is refused for %j', async (args, code, words) => {
    const { causeway } = await home();
    await causeway('servers', 'add', '--path', '/api/2.0/mcp/sql');
    const refused = await causeway('servers', ...args);
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(words)]);
  });
});

describe('a warehouse pinned for one client', () => {
  async function withCursorAndClaude() {
    const own = await home();
    const { causeway, folder } = own;
    await mkdir(join(folder, '.cursor'));
    await mkdir(join(folder, '.claude'));
    await causeway('servers', 'add', '--path', '/api/2.0/mcp/sql');
    await causeway('clients', 'add', 'cursor', 'claude-code');
    const argsIn = async (...file: string[]) => {
      const { mcpServers } = JSON.parse(await readFile(join(folder, ...file), 'utf8'));
      return (mcpServers['databricks-sql'].args as string[]).slice(-2);
    };
    const inCursor = () => argsIn('.cursor', 'mcp.json');
    const inClaude = () => argsIn('.claude.json');
    const pin = (...more: string[]) => causeway('clients', 'add', 'cursor', '--server', 'databricks-sql', ...more);
    return { ...own, inCursor, inClaude, pin };
  }

  const PATH_ONLY = ['--path', SQL];
  /** Long enough that no random folder has it in its name. */
  const WAREHOUSE = '0123456789abcdef';
  const pinnedTo = (id: string) => ['--meta', `warehouse_id=${id}`];

  test('is written only into its entry, shown in advance, kept by later writes, and removed again', async () => {
    const { causeway, inCursor, inClaude, pin } = await withCursorAndClaude();
    const preview = await pin('--meta', 'warehouse_id=a1', '--dry-run');
    expect(preview.stdout).toMatch(/^Cursor: would change .*\+ +"warehouse_id=a1"/ms);
    expect(await inCursor()).toEqual(PATH_ONLY);

    expect((await pin('--meta', 'warehouse_id=a1')).code).toBe(0);
    expect([await inCursor(), await inClaude()]).toEqual([pinnedTo('a1'), PATH_ONLY]);
    expect((await causeway('clients', 'list', 'cursor')).stdout).toContain(
      'databricks-sql: calls include warehouse_id=a1\n',
    );

    await causeway('clients', 'add');
    await causeway('clients', 'repair');
    expect([await inCursor(), await inClaude()]).toEqual([pinnedTo('a1'), PATH_ONLY]);

    expect((await pin('--no-meta')).code).toBe(0);
    expect(await inCursor()).toEqual(PATH_ONLY);
  });

  test("takes precedence over the server's pin, and lasts when that changes", async () => {
    const { causeway, inCursor, inClaude, pin } = await withCursorAndClaude();
    await pin('--meta', 'warehouse_id=a1');
    await causeway('servers', 'set', 'databricks-sql', '--meta', 'warehouse_id=b2');
    await causeway('clients', 'repair');
    expect([await inCursor(), await inClaude()]).toEqual([pinnedTo('a1'), pinnedTo('b2')]);
    await pin('--no-meta');
    expect(await inCursor()).toEqual(pinnedTo('b2'));
  });

  test("lasts even if it equals the server's pin at first", async () => {
    const { causeway, inCursor, pin } = await withCursorAndClaude();
    await causeway('servers', 'set', 'databricks-sql', '--meta', 'warehouse_id=b2');
    await causeway('clients', 'repair');
    expect((await pin('--meta', 'warehouse_id=b2')).stdout).toContain('Cursor: unchanged');
    await causeway('servers', 'set', 'databricks-sql', '--no-meta');
    await causeway('clients', 'repair');
    expect(await inCursor()).toEqual(pinnedTo('b2'));
  });

  test('is removed with the entry', async () => {
    const { causeway, inCursor, pin } = await withCursorAndClaude();
    await pin('--meta', 'warehouse_id=a1');
    await causeway('clients', 'remove', 'cursor');
    await causeway('clients', 'add', 'cursor');
    expect(await inCursor()).toEqual(PATH_ONLY);
  });

  test('decides for the calls of its entry, before the override', async () => {
    const { causeway, first, second, pin, inCursor, ranOn } = await withCursorAndClaude();
    await causeway('warehouse', 'set', second.id);
    await pin('--meta', `warehouse_id=${first.id}`);
    expect(await ranOn(await inCursor())).toEqual({ source: 'request', warehouseId: first.id });
    expect(await ranOn([])).toMatchObject({ source: 'override', warehouseId: second.id });
  });

  test('lasts when one entry for all servers replaces its own, and when that is removed again', async () => {
    const { causeway, first, second, pin, inCursor, folder, ranOn } = await withCursorAndClaude();
    const args = async () => {
      const { mcpServers } = JSON.parse(await readFile(join(folder, '.cursor', 'mcp.json'), 'utf8'));
      return mcpServers.causeway.args as string[];
    };
    await causeway(
      'servers',
      'add',
      '--path',
      '/api/2.0/mcp/sql',
      '--name',
      'other',
      '--meta',
      `warehouse_id=${first.id}`,
    );
    await causeway('servers', 'set', 'other', '--no-meta');
    await causeway('warehouse', 'set', second.id);
    await pin('--meta', `warehouse_id=${first.id}`);
    await causeway('clients', 'add', 'cursor', '--all-in-one');
    const inAll = ['--all', '--meta', `databricks-sql/warehouse_id=${first.id}`];
    expect((await args()).slice(-3)).toEqual(inAll);
    await causeway('clients', 'repair');
    expect((await args()).slice(-3)).toEqual(inAll);
    expect((await causeway('clients', 'list', 'cursor')).stdout).toContain(
      `databricks-sql: calls include warehouse_id=${first.id}\n`,
    );
    expect((await causeway('warehouse')).stdout).toContain('pinned: databricks-sql in Cursor runs on');
    const byRequest = { source: 'request', warehouseId: first.id };
    expect(await ranOn(inAll, {}, 'databricks-sql__execute_sql')).toEqual(byRequest);
    expect(await ranOn(inAll, {}, 'other__execute_sql')).toMatchObject({ warehouseId: second.id });

    await causeway('clients', 'add', 'cursor');
    expect(await inCursor()).toEqual(pinnedTo(first.id));
  });

  test('is changed and removed in one entry for all servers', async () => {
    const { causeway, pin, folder } = await withCursorAndClaude();
    const entries = async () => {
      const { mcpServers } = JSON.parse(await readFile(join(folder, '.cursor', 'mcp.json'), 'utf8'));
      return mcpServers as Record<string, { args: string[] }>;
    };
    await causeway('clients', 'add', 'cursor', '--all-in-one');
    expect((await pin('--meta', 'warehouse_id=a1')).code).toBe(0);
    expect(Object.keys(await entries())).toEqual(['causeway']);
    expect((await entries()).causeway?.args.slice(-2)).toEqual(['--meta', 'databricks-sql/warehouse_id=a1']);
    await pin('--meta', 'warehouse_id=b2');
    expect((await entries()).causeway?.args.slice(-2)).toEqual(['--meta', 'databricks-sql/warehouse_id=b2']);
    expect((await pin('--no-meta')).code).toBe(0);
    expect((await entries()).causeway?.args.slice(-1)).toEqual(['--all']);
  });

  test('is in the text to paste into that client, and into no other', async () => {
    const { causeway, pin } = await withCursorAndClaude();
    await pin('--meta', `warehouse_id=${WAREHOUSE}`);
    const toPaste = async (...args: string[]) => JSON.parse((await causeway('clients', 'json', ...args)).stdout);
    const { entries, links } = await toPaste('cursor');
    expect(entries.mcpServers['databricks-sql'].args.slice(-2)).toEqual(pinnedTo(WAREHOUSE));
    const config = new URL(links['databricks-sql']).searchParams.get('config') ?? '';
    expect(Buffer.from(config, 'base64').toString()).toContain(`warehouse_id=${WAREHOUSE}`);
    expect((await toPaste('cursor', '--all-in-one')).entries.mcpServers.causeway.args.slice(-2)).toEqual([
      '--meta',
      `databricks-sql/warehouse_id=${WAREHOUSE}`,
    ]);
    expect(JSON.stringify([await toPaste('claude-code'), await toPaste()])).not.toContain(WAREHOUSE);
  });

  test('comes first in the chain, with whose pin it is and what is undocumented', async () => {
    const { causeway, first, second, pin } = await withCursorAndClaude();
    expect((await causeway('warehouse')).stdout).not.toContain('pinned');
    await causeway('servers', 'set', 'databricks-sql', '--meta', `warehouse_id=${second.id}`);
    await pin('--meta', `warehouse_id=${first.id}`);
    const [, , ofServer, ofCursor, rank, override] = (await causeway('warehouse')).stdout.split('\n');
    expect(ofServer).toBe(`↑ pinned: databricks-sql in every client runs on ${second.name} (${second.id})`);
    expect(ofCursor).toBe(`↑ pinned: databricks-sql in Cursor runs on ${first.name} (${first.id})`);
    expect(rank).toContain('Databricks does not document it');
    expect(override).toContain('1 override');
    const { pins } = JSON.parse((await causeway('warehouse', '--json')).stdout);
    expect(pins).toEqual([
      { server: 'databricks-sql', warehouseId: second.id, client: null, project: null, problem: null },
      {
        server: 'databricks-sql',
        warehouseId: first.id,
        client: { id: 'cursor', name: 'Cursor' },
        project: null,
        problem: null,
      },
    ]);
  });

  test.each([
    ['that nobody can see', 'ffffffffffffffff', 'You cannot see a warehouse with the ID ffffffffffffffff.'],
    ['by its name', 'shared analytics', `A pin takes a warehouse's id: ${WAREHOUSES.shared}.`],
    ['that is being deleted', WAREHOUSES.deleting, 'is being deleted. These calls will fail.'],
    ['that was deleted', WAREHOUSES.deleted, 'These calls will fail.'],
  ])('says that calls will fail if it names a warehouse %s', async (_which, id, words) => {
    const { causeway } = await withCursorAndClaude();
    await causeway('servers', 'set', 'databricks-sql', '--meta', `warehouse_id=${id}`);
    const { stdout } = await causeway('warehouse');
    expect(stdout).toContain(words);
    expect(stdout).toMatch(/^↑ pinned: databricks-sql in every client is pinned to /m);
    expect(stdout).not.toContain('Your queries can run.');
    const { pins } = JSON.parse((await causeway('warehouse', '--json')).stdout);
    expect(pins).toMatchObject([{ warehouseId: id, problem: expect.stringContaining(words) }]);
  });

  test.each([
    [['clients', 'add', '--meta', 'warehouse_id=a1'], 'Name both'],
    [['clients', 'add', 'cursor', '--server', 'databricks-sql', '--meta', 'a1'], '--meta "a1" is not NAME=VALUE.'],
    [
      ['clients', 'add', 'claude-code', '-s', 'databricks-sql', '--meta', 'a=b', '--http', '--client-id', 'x'],
      'With an address, Claude Code cannot send',
    ],
  ])('is refused for %j', async (args, words) => {
    const { causeway } = await withCursorAndClaude();
    const refused = await causeway(...args);
    expect(refused.code).not.toBe(0);
    expect(refused.stdout + refused.stderr).toContain(words);
  });
});
