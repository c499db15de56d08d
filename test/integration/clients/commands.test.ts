import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openServers } from '../../../main/clients/servers.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { runCauseway } from '../auth/causeway-process.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';

let workspace: EmbeddedWorkspace;
let home: OwnHome;

beforeAll(async () => {
  workspace = await startWorkspace();
  home = await ownHome(await readFile(workspace.profileFile, 'utf8'));
});
afterAll(async () => {
  await workspace.close();
  await home.remove();
});

const causeway = (...args: string[]) => runCauseway(home, args);
const json = async (...args: string[]) => JSON.parse((await causeway(...args, '--json')).stdout);

describe('causeway servers', () => {
  test('adds by kind and target or by path, lists, and removes', async () => {
    expect(await json('servers', 'add', '--path', '/api/2.0/mcp/sql', '--profile', 'ana')).toEqual({
      dryRun: false,
      isNew: true,
      tools: 3,
      error: null,
      server: {
        name: 'databricks-sql',
        profile: 'ana',
        kind: 'sql',
        path: '/api/2.0/mcp/sql',
        title: null,
        meta: {},
        confirmed: null,
        successor: { path: '/ai-gateway/mcp-services/system.ai.dbsql', add: 'system.ai.dbsql' },
      },
    });
    const twice = await causeway('servers', 'add', '--path', '/api/2.0/mcp/sql', '--profile', 'ana', '--json');
    expect(twice.code).toBe(1);
    expect(JSON.parse(twice.stdout).error).toMatchObject({
      code: 'already_exists',
      candidates: [{ name: 'databricks-sql' }],
    });
    for (const same of ['/api/2.0/mcp/sql', '/api/2.0/mcp/sql/', '/api/2.0/mcp/SQL']) {
      const spelled = await causeway('servers', 'add', '--path', same, '--profile', 'ana');
      expect([spelled.code, spelled.stderr]).toEqual([
        1,
        expect.stringContaining('"databricks-sql" is already /api/2.0/mcp/sql'),
      ]);
    }
    expect((await json('servers')).servers).toHaveLength(1);
    expect(await json('servers', 'add', 'functions', 'main.default')).toMatchObject({
      server: { name: 'functions-default', profile: 'ana', path: '/api/2.0/mcp/functions/main/default' },
    });
    expect(await json('servers', 'add', 'vector-search', 'main', 'support')).toMatchObject({
      server: { path: '/api/2.0/mcp/vector-search/main/support' },
    });
    expect(
      await json('servers', 'add', '--path', '/api/2.0/mcp/genie/01ef', '--name', 'my-genie', '--no-check'),
    ).toMatchObject({
      server: { name: 'my-genie', kind: 'genie' },
    });
    expect((await causeway('servers', 'remove', 'my-genie', 'search-support')).code).toBe(0);
    expect(await json('servers')).toMatchObject({
      servers: [{ name: 'databricks-sql' }, { name: 'functions-default' }],
    });
  });

  test('--dry-run says what would be done, and does nothing', async () => {
    const before = await json('servers');
    expect(
      (await causeway('servers', 'add', '--path', '/api/2.0/mcp/genie/01ef7191', '--dry-run', '--no-check')).stdout,
    ).toMatch(/^Would add genie-7191: /);
    expect((await causeway('servers', 'remove', 'databricks-sql', '--dry-run')).stdout).toMatch(
      /^Would remove databricks-sql/,
    );
    expect((await causeway('servers', 'remove', 'nothing', '--dry-run')).code).toBe(4);
    expect(
      (await causeway('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'databricks-sql', '--dry-run')).code,
    ).toBe(1);
    expect(await json('servers')).toEqual(before);
  });

  test('the list shows the title of a Genie space, because its name may not say it', async () => {
    const other = join(home.folder, 'with a title');
    const { path } = await openServers({ HOME: other });
    const untitled = { name: 'sql', profile: 'ana', kind: 'sql', path: '/api/2.0/mcp/sql' };
    const space = { name: 'genie-7191', profile: 'ana', kind: 'genie', path: '/api/2.0/mcp/genie/7191' };
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, JSON.stringify({ servers: [untitled, { ...space, title: 'Sales questions' }] }));
    const { stdout } = await causeway('servers', '--config-root', other);
    expect(stdout).toMatch(/^NAME +KIND +PROFILE +PATH +TITLE\n/);
    expect(stdout).toMatch(/^genie-7191 .* Sales questions$/m);
    expect((await causeway('servers')).stdout).not.toContain('TITLE');
  });

  test('--config-root has its own list and its own profiles', async () => {
    const other = join(home.folder, 'somebody else');
    await mkdir(join(other, '.cursor'), { recursive: true });
    await writeFile(
      join(other, '.databrickscfg'),
      '[DEFAULT]\nhost = https://bo.cloud.databricks.com\ntoken = dapi-bo\n',
    );
    const before = await json('servers');
    expect(
      (await causeway('servers', 'add', '--path', '/api/2.0/mcp/sql', '--profile', 'ana', '--config-root', other)).code,
    ).toBe(3);
    expect(
      await json(
        'servers',
        'add',
        '--path',
        '/api/2.0/mcp/sql',
        '--name',
        'theirs',
        '--no-check',
        '--config-root',
        other,
      ),
    ).toMatchObject({
      server: { profile: 'DEFAULT' },
    });
    expect(await json('servers', '--config-root', other)).toMatchObject({ servers: [{ name: 'theirs' }] });
    expect(await json('servers')).toEqual(before);
    const [diff] = (await json('clients', 'diff', '--config-root', other)).changes;
    expect(diff).toMatchObject({ client: 'cursor', diff: expect.stringContaining('"theirs"') });
  });

  test.each([
    [['add', 'genie'], 2, "A genie server takes the Genie space's id"],
    [['add', 'functions', 'main'], 2, 'CATALOG.SCHEMA'],
    [['add', 'mysql'], 2, '"mysql" is not a kind of server'],
    [['add', '--path', '/api/2.0/mcp/sql', '--name', 'My SQL'], 2, 'cannot name a server'],
    [['add', '--path', '/api/2.0/mcp/sql', '--name', 'databricks-sql'], 1, 'There is already a server'],
    [['add', '--path', '/etc/passwd'], 2, 'is not a managed MCP server'],
    [['add', '--path', '/api/2.0/mcp/sql', '--profile', 'nobody'], 3, 'nobody'],
    [['remove', 'databricks-sq'], 4, 'Did you mean "databricks-sql"?'],
    [['add', 'genei'], 2, 'Did you mean "genie"?'],
    [['remove', 'nothing'], 4, 'Servers in the list: databricks-sql, functions-default'],
    [['nonsense'], 2, '"nonsense" is not a command of causeway servers'],
  ])('ends servers %j with %i: %s', async (args, code, words) => {
    const run = await causeway('servers', ...args);
    expect(run.stderr).toContain(words);
    expect(run.code).toBe(code);
  });

  test('test connects and prints the tools; a server that refuses is reported, and decides the exit code', async () => {
    const tested = await causeway('servers', 'test', 'databricks-sql');
    expect(tested.stdout).toMatch(/databricks-sql: 3 tools\n {2}execute_sql {2}/);
    await causeway(
      'servers',
      'add',
      '--path',
      '/api/2.0/mcp/genie/nowhere',
      '--name',
      'nowhere',
      '--profile',
      'ana',
      '--no-check',
    );
    const both = await causeway('servers', 'test', 'databricks-sql', 'nowhere');
    expect(both.code).toBe(4);
    expect(both.stderr).toMatch(/^nowhere: /m);
    await causeway('servers', 'remove', 'nowhere');
  });

  test.each([
    [
      'cut off',
      Buffer.from('{\n  "servers": [ half'),
      /servers\.json, line 2, column 16: this is not valid JSON: invalid symbol\./,
    ],
    [
      'of another form',
      Buffer.from('{"servers": [{"name": "sql"}]}'),
      /servers\.json, line 1, column \d+: servers\.0\.\w+: /,
    ],
    [
      'of another encoding',
      Buffer.from('{ "servers": [], "name": "f\u00fcr" }', 'latin1'),
      /servers\.json, line 1, column \d+: .* is not UTF-8/,
    ],
  ])('a list that is %s is named with the place, and left as it is', async (_how, bytes, message) => {
    const file = join(home.folder, 'causeway', 'config', 'servers.json');
    const whole = await readFile(file, 'utf8');
    await writeFile(file, bytes);
    for (const args of [['list'], ['add', 'genie', 'x'], ['remove', 'databricks-sql']]) {
      const run = await causeway('servers', ...args);
      expect(run).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
    }
    expect(await readFile(file)).toEqual(bytes);
    expect(await readdir(dirname(file))).not.toContainEqual(expect.stringContaining('damaged'));
    await writeFile(file, whole);
  });

  test('a list with a byte order mark from an editor is read', async () => {
    const file = join(home.folder, 'causeway', 'config', 'servers.json');
    const whole = await readFile(file, 'utf8');
    await writeFile(file, `\uFEFF${whole}`);
    const { stdout, stderr } = await causeway('servers', 'list');
    expect({ isListed: stdout.includes('databricks-sql'), stderr }).toEqual({ isListed: true, stderr: '' });
    await writeFile(file, whole);
  });
});

describe('causeway clients', () => {
  test('a client starts the entry that was written, and reaches the workspace through it', async () => {
    await mkdir(join(home.folder, '.cursor'));
    const [outcome] = (await json('clients', 'add', 'cursor', '--server', 'databricks-sql')).changes;
    expect(outcome).toMatchObject({ client: 'cursor', result: 'written' });
    const { mcpServers } = JSON.parse(await readFile(outcome.file, 'utf8'));
    const { command, args } = mcpServers['databricks-sql'];
    expect(command).toBe(process.execPath);
    const record = expect.stringMatching(/\/environment-[0-9a-f]{8}\.json$/);
    expect(args.slice(1)).toEqual(['proxy', '--environment', record, '--profile', 'ana', '--path', '/api/2.0/mcp/sql']);
    const client = new Client({ name: 'test', version: '1' });
    const env = { HOME: home.folder, USERPROFILE: home.folder };
    await client.connect(new StdioClientTransport({ command, args, env }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('execute_sql');
    await client.close();
    expect((await causeway('clients')).stdout).toMatch(
      /^Cursor +cursor +databricks-sql +added +~\/\.cursor\/mcp\.json$/m,
    );
    const list = await causeway('clients', 'list', 'cursor');
    expect(list.stdout).toContain('    databricks-sql: added\n');
    expect(list.stdout).toContain(`found because ${join(home.folder, '.cursor')} exists`);
  });

  test('an error is reported with its code, which gives the exit code, and with its two parts', async () => {
    const run = await causeway('clients', 'add', 'zed', '--server', 'databricks-sql', '--json');
    expect(run.code).toBe(4);
    const what = 'Zed was not found on this computer.';
    const remedy = 'Nothing was written. Install it, or open it once, then try again.';
    const [outcome] = JSON.parse(run.stdout).changes;
    expect(outcome).toMatchObject({ client: 'zed', result: 'failed' });
    expect(outcome.error).toMatchObject({ code: 'not_found', message: what, remedy });
    const { stderr } = await causeway('clients', 'add', 'zed', '--server', 'databricks-sql');
    expect(stderr).toBe(`Zed: ${what} ${remedy}\n`);
  });

  test('--config-root leads to another home, --dry-run writes nothing', async () => {
    const other = join(home.folder, 'other home');
    await mkdir(join(other, '.codex'), { recursive: true });
    const diff = await causeway('clients', 'add', '--dry-run', '--config-root', other);
    expect(diff.stdout).toContain('+[mcp_servers.databricks-sql]');
    expect(diff.stdout).not.toContain('Cursor');
    const config = join(other, '.codex', 'config.toml');
    await expect(readFile(config)).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await causeway('clients', 'add', '--config-root', other)).code).toBe(0);
    expect(await readFile(config, 'utf8')).toContain('[mcp_servers.functions-default]');
    expect((await causeway('clients', 'remove', '--config-root', other)).code).toBe(0);
    await expect(readFile(config)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('backups are listed, and restored by one command', async () => {
    const [backup] = (await json('clients', 'backups')).backups.filter(
      ({ client }: { client: string }) => client === 'cursor',
    );
    const dry = await causeway('clients', 'restore', backup.id, '--dry-run');
    expect(dry.stdout).toMatch(/^would restore .*mcp\.json\n/);
    expect(dry.stdout).toMatch(/^-.*"databricks-sql"/m);
    expect(await readFile(backup.file, 'utf8')).toContain('databricks-sql');
    expect((await causeway('clients', 'restore', backup.id)).stdout).toContain('Restored ');
    await expect(readFile(backup.file)).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await causeway('clients', 'restore', 'nothing')).code).toBe(4);
  });

  test('json prints what to paste, and the links that make clients add it themselves', async () => {
    const { mcpServers } = JSON.parse((await causeway('clients', 'json')).stdout);
    expect(mcpServers['databricks-sql'].args).toContain('proxy');
    const { entries, links } = JSON.parse((await causeway('clients', 'json', 'vscode', '-s', 'databricks-sql')).stdout);
    expect(entries.servers['databricks-sql']).toMatchObject({ type: 'stdio' });
    expect(decodeURIComponent(links['databricks-sql'])).toMatch(/^vscode:mcp\/install\?\{"name":"databricks-sql"/);
  });

  test.each([
    [['add', 'cursr'], 4, 'Did you mean "cursor"?'],
    [['restore', 'cursor-11'], 4, 'There is no backup'],
    [['add', 'emacs'], 4, 'There is no client "emacs"'],
    [['add', 'zed'], 4, 'Zed was not found on this computer'],
    [['add', '--client-id', 'x'], 2, 'Add --http'],
    [['add', '--server', 'none'], 4, 'There is no server "none"'],
    [['nonsense'], 2, '"nonsense" is not a command of causeway clients'],
  ])('ends clients %j with %i: %s', async (args, code, words) => {
    const run = await causeway('clients', ...args);
    expect(run.stderr).toContain(words);
    expect(run.code).toBe(code);
  });
});

test('clients list takes names, installed or not', async () => {
  const listed = async (...args: string[]) => {
    const { clients } = JSON.parse((await causeway('clients', 'list', '--json', ...args)).stdout);
    return clients.map(({ id }: { id: string }) => id);
  };
  expect(await listed('zed', 'goose')).toEqual(['zed', 'goose']);
  expect((await causeway('clients', 'list', 'nothing')).code).toBe(4);
});

test('removing from a client that is not installed does not advise to install it', async () => {
  const { code, stderr } = await causeway('clients', 'remove', 'zed');
  expect([code, stderr]).toEqual([4, 'Zed: Zed was not found on this computer. There is nothing to remove.\n']);
});
