import { readFile, writeFile } from 'node:fs/promises';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { serverListPath } from '../../../main/platform/paths.ts';
import { homeOfAna, startApplication } from '../cli/sql-session.ts';
import { CAUSEWAY, ProxyProcess } from '../proxy/proxy-process.ts';
import { runCommand } from '../warehouses/harness.ts';

const SPACE = '01ef2b7c5a9d1e3f8c4b6a0d2e5f7191';
const FOUR = [
  ['--path', '/api/2.0/mcp/sql', '--name', 'sql', '--no-check'],
  ['genie', SPACE, '--name', 'genie'],
  ['vector-search', 'main.support', '--name', 'search'],
  ['functions', 'main.default', '--name', 'functions'],
];
const CALLS: [name: string, args: Record<string, string>, content: object][] = [
  ['execute_sql', { query: 'SELECT 1' }, { statement_id: expect.any(String) }],
  [`query_space_${SPACE}`, { query: 'How many trips were there?' }, { status: 'ASKING_AI' }],
  ['main__support__faq_index', { query: 'delivery' }, { result: { row_count: 5 } }],
  ['main__default__initials', { full_name: 'Ada Lovelace' }, { rows: [['AL']] }],
];

/** A home with these servers, alone or with the application running. */
async function home(servers: string[][], how = 'alone') {
  const own = await homeOfAna();
  const causeway = async (...args: string[]) => {
    const run = await runCommand(own.env, args);
    expect(run.stderr).toBe('');
    return run;
  };
  for (const server of servers) await causeway('servers', 'add', ...server, '--profile', 'ana');
  if (how !== 'alone') await startApplication(own.env);
  return { ...own, causeway };
}

/** The official client with `causeway proxy --all` as its server, and how often it was told that the tools have changed. */
async function connect(env: NodeJS.ProcessEnv, args: string[] = [], options: ClientOptions = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CAUSEWAY, 'proxy', '--all', ...args],
    env: { ...(env as Record<string, string>), PATH: process.env.PATH ?? '' },
    stderr: 'pipe',
  });
  let complaints = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const client = new Client({ name: 'codex-mcp-client', version: '0' }, options);
  let changes = 0;
  client.setNotificationHandler('notifications/tools/list_changed', async () => {
    changes += 1;
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    changes: () => changes,
    complaints: () => complaints,
  };
}

describe.each(['alone', 'through the application'])('four servers as one, %s', (how) => {
  test('list their tools under their own names, and each call reaches its server', async () => {
    const { env } = await home(FOUR, how);
    const { client, tools, complaints } = await connect(env);
    const names = await tools();
    expect(new Set(names).size).toBe(names.length);
    for (const [name, args, content] of CALLS) {
      expect(names).toContain(name);
      expect((await client.callTool({ name, arguments: args })).structuredContent).toMatchObject(content);
    }
    expect(client.getServerVersion()?.name).toBe('causeway');
    expect(complaints()).toBe('');
  });

  test('answer many calls at once, each with its own answer', async () => {
    const { env } = await home(FOUR, how);
    const { client, tools } = await connect(env);
    await tools();
    const words = Array.from({ length: 40 }, (_, at) => String.fromCharCode(65 + (at % 26)) + at);
    const answers = await Promise.all(
      words.map((word) => client.callTool({ name: 'main__default__initials', arguments: { full_name: word } })),
    );
    expect(answers.map(({ structuredContent }) => structuredContent)).toEqual(
      words.map((word) => expect.objectContaining({ rows: [[word[0]]] })),
    );
  });

  test('reflect servers that are added and removed, without a restart', async () => {
    const { env, causeway } = await home(FOUR.slice(3), how);
    const { tools, changes } = await connect(env);
    expect(await tools()).not.toContain('execute_sql');
    await causeway('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'sql', '--profile', 'ana');
    await vi.waitFor(() => expect(changes()).toBeGreaterThan(0), 10_000);
    expect(await tools()).toEqual(expect.arrayContaining(['execute_sql', 'main__default__initials']));
    const before = changes();
    await causeway('servers', 'remove', 'functions');
    await vi.waitFor(() => expect(changes()).toBeGreaterThan(before), 10_000);
    expect(await tools()).not.toContain('main__default__initials');
  });

  test('report a list of servers that cannot be read, and offer them once it can', async () => {
    const { env } = await home(FOUR.slice(3), how);
    const file = serverListPath(env);
    const whole = await readFile(file, 'utf8');
    await writeFile(file, whole.slice(0, 20));
    const { client, tools, changes, complaints } = await connect(env);
    expect(client.getInstructions()).toMatch(
      /servers\.json, line \d+, column \d+: .*not valid JSON: .*Correct the file/,
    );
    await expect(tools()).rejects.toThrow(/servers\.json, line \d+, column \d+: .*not valid JSON/);
    expect(complaints()).toMatch(/not valid JSON/);
    await writeFile(file, whole);
    await vi.waitFor(() => expect(changes()).toBeGreaterThan(0), 10_000);
    expect(await tools()).toContain('main__default__initials');

    // Once servers are known, they stay while the user edits the file.
    await writeFile(file, whole.slice(0, 20));
    expect((await runCommand(env, ['servers', 'list'])).stderr).toContain('not valid JSON');
    expect(await tools()).toContain('main__default__initials');
    expect(await readFile(file, 'utf8')).toBe(whole.slice(0, 20));
  });

  test("prefix a tool that two servers have with its server's name, each with its own `_meta`", async () => {
    const pinned = ['--path', '/api/2.0/mcp/sql', '--name', 'sql-pinned', '--meta', 'warehouse_id=3f0c8a1d5e7b2946'];
    const { env, workspace } = await home([FOUR[0] ?? [], pinned], how);
    const { client, tools } = await connect(env);
    const names = await tools();
    expect(names).toContain('sql__execute_sql');
    expect(names).toContain('sql-pinned__execute_sql');
    expect(names).not.toContain('execute_sql');
    const ranBy = async (name: string) => {
      await client.callTool({ name, arguments: { query: 'SELECT 1' } });
      return workspace.statements.at(-1)?.choice?.source;
    };
    expect(await ranBy('sql-pinned__execute_sql')).toBe('request');
    expect(await ranBy('sql__execute_sql')).not.toBe('request');
    const unclear = await client.callTool({ name: 'execute_sql', arguments: { query: 'SELECT 1' } });
    expect(unclear.isError).toBe(true);
    expect(JSON.stringify(unclear.content)).toContain('sql__execute_sql, sql-pinned__execute_sql');
  });

  test('follow the permissions: a tool that is off is neither listed nor reached, by any name', async () => {
    const { env, causeway, workspace } = await home(FOUR, how);
    const { client, tools, changes } = await connect(env);
    expect(await tools()).toContain('execute_sql');
    await causeway('permissions', 'set', 'sql', '--client', 'codex', '--off', 'execute_sql');
    await vi.waitFor(() => expect(changes()).toBeGreaterThan(0), 10_000);
    expect(await tools()).not.toContain('execute_sql');
    const ran = workspace.statements.length;
    for (const name of ['execute_sql', 'sql__execute_sql']) {
      const refused = await client.callTool({ name, arguments: { query: 'SELECT 1' } });
      expect(JSON.stringify(refused.content)).toContain('turned off');
    }
    expect(workspace.statements.length).toBe(ran);
    expect(
      (await client.callTool({ name: 'execute_sql_read_only', arguments: { query: 'SELECT 1' } })).isError,
    ).not.toBe(true);
  });

  test('keep serving if one server is down; it says why, and its tools appear later', async () => {
    const { env, workspace } = await home(FOUR, how);
    const effect = { kind: 'unavailable', retryAfter: '1' } as const;
    workspace.faults.add({ effect, path: '/api/2.0/mcp/sql', method: 'POST', times: 1e6 });
    const { client, tools, changes } = await connect(env);
    const names = await tools();
    expect(names).toContain('main__default__initials');
    expect(names).not.toContain('execute_sql');
    const status = (await client.listTools()).tools.find(({ name }) => name === 'connection_status');
    expect(status?.description).toContain('/api/2.0/mcp/sql');
    const before = changes();
    workspace.faults.clear();
    await vi.waitFor(() => expect(changes()).toBeGreaterThan(before), 20_000);
    expect(await tools()).toContain('execute_sql');
  });
});

describe('all servers as one', () => {
  test('use only one profile if one is named', async () => {
    const { env, causeway } = await home(FOUR);
    await causeway('servers', 'remove', 'sql');
    const { client, tools } = await connect(env, ['--profile', 'ben']);
    expect(await tools()).toEqual([]);
    expect(client.getInstructions()).toMatch(/^No server in the list uses the profile "ben"\. /);
  });

  test('report a pin for a server that is not in the list, which would apply to nothing', async () => {
    const { env } = await home(FOUR.slice(0, 1));
    const pins = ['sqll/warehouse_id=1', 'sqll/x=1', 'sql/x=1', 'y=1'].flatMap((pin) => ['--meta', pin]);
    const { tools, complaints } = await connect(env, pins);
    expect(await tools()).toContain('execute_sql');
    expect(complaints()).toBe(
      'causeway proxy: --meta sqll/warehouse_id applies to no server: there is no "sqll" in the list.\n',
    );
  });

  test('include a server whose profile is missing, which says so', async () => {
    const { env, configFile, readConfig } = await home(FOUR.slice(3));
    const config = await readConfig();
    await writeFile(configFile, config.replace('[ana]', '[other]'));
    const { client, tools, changes } = await connect(env);
    expect(await tools()).toEqual(['connection_status']);
    expect((await client.listTools()).tools[0]?.description).toContain('"ana"');
    await writeFile(configFile, config);
    const tried = await client.callTool({ name: 'connection_status', arguments: {} });
    expect(tried.isError).toBe(true);
    await vi.waitFor(async () => expect(await tools()).toContain('main__default__initials'), 15_000);
    await expect.poll(() => changes()).toBeGreaterThan(0);
  });

  test('serve a client of the stateless revision', async () => {
    const { env } = await home(FOUR);
    const { client, tools } = await connect(env, [], { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    expect(await tools()).toContain('execute_sql');
    expect(
      (await client.callTool({ name: 'main__default__initials', arguments: { full_name: 'Ada B' } })).content,
    ).toEqual(expect.anything());
  });

  test('answer a batch as a whole', async () => {
    const { env } = await home(FOUR);
    const proxy = new ProxyProcess(['--all'], { ...env, PATH: process.env.PATH });
    onTestFinished(() => proxy.close());
    await proxy.open({ protocolVersion: '2025-03-26', clientInfo: { name: 'test', version: '1' } });
    await proxy.request('list', 'tools/list');
    const call = (id: number, name: string, args: object) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: args },
    });
    const count = proxy.frames.length;
    proxy.send([
      call(1, 'main__default__initials', { full_name: 'Ada Lovelace' }),
      call(2, 'execute_sql', { query: 'SELECT 1' }),
      { jsonrpc: '2.0', id: 3, method: 'ping' },
    ]);
    const batch = JSON.parse(String((await proxy.until(count + 1))[count]));
    expect(batch.map(({ id }: { id: number }) => id).sort()).toEqual([1, 2, 3]);
    expect(await proxy.finish()).toBe(0);
  });

  test.each([
    [['--all', '--path', '/api/2.0/mcp/sql'], '--all and a server were both given.'],
    [['--all', '--profile'], '--profile needs a value.'],
    [['--all', '--nothing'], 'Unknown flag --nothing.'],
  ])('are refused for %j', async (args, words) => {
    const { env } = await homeOfAna();
    const proxy = new ProxyProcess(args, { ...env, PATH: process.env.PATH });
    onTestFinished(() => proxy.close());
    expect(await proxy.ended).toBe(2);
    expect(proxy.stderr).toContain(words);
  });
});
