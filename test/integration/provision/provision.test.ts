import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { parseProvision } from '../../../main/app/provision/provision-file.ts';
import { ownHome } from '../auth/own-home.ts';
import { locked, managedHome } from '../policy/managed-home.ts';
import { runCommand } from '../warehouses/harness.ts';

const HOST = 'https://acme.cloud.databricks.com';
const FILE = `version: 1
profiles:
  - name: work
    host: ${HOST}/?o=1
servers:
  - { name: databricks-sql, profile: work, kind: sql, path: /api/2.0/mcp/sql }
  - { name: sales, profile: work, kind: genie, path: /api/2.0/mcp/genie/7191, meta: { warehouse_id: abc } }
rules:
  all: { readOnly: true }
  servers:
    ${HOST}/api/2.0/mcp/sql: { off: [execute_sql] }
clients:
  - { id: cursor }
  - { id: codex, servers: [sales] }
`;

/** A home with Cursor and Codex, and a file in it. */
async function home(config = '') {
  const own = await ownHome(config);
  onTestFinished(() => own.remove());
  await mkdir(join(own.folder, '.cursor'));
  await mkdir(join(own.folder, '.codex'));
  const file = join(own.folder, 'team.yaml');
  await writeFile(file, FILE);
  const run = (...args: string[]) => runCommand(own.env, args);
  const apply = async (...more: string[]) => {
    const { code, stdout, stderr } = await run('provision', file, '--json', ...more);
    const done: { what: string; name: string; result: string; message?: string }[] = stdout
      ? JSON.parse(stdout).changes
      : [];
    return { code, stderr, done, results: done.map(({ what, result }) => `${what} ${result}`) };
  };
  return { ...own, file, run, apply, cursor: join(own.folder, '.cursor', 'mcp.json') };
}

const all = (result: string) => [
  `profile ${result}`,
  `server ${result}`,
  `server ${result}`,
  `permission ${result}`,
  `permission ${result}`,
  `client ${result}`,
  `client ${result}`,
];

describe('causeway provision', () => {
  test('adds what is missing, and changes nothing the second time', async () => {
    const { apply, readConfig, run, cursor, folder } = await home('# mine\n');
    expect(await apply()).toMatchObject({ code: 0, results: all('added') });
    expect(await readConfig()).toBe(`# mine\n\n[work]\nhost = ${HOST}\n\n[__settings__]\ndefault_profile = work\n`);
    expect(Object.keys(JSON.parse(await readFile(cursor, 'utf8')).mcpServers)).toEqual(['databricks-sql', 'sales']);
    expect(await readFile(join(folder, '.codex', 'config.toml'), 'utf8')).not.toContain('databricks-sql');
    const { stdout } = await run('permissions', '--json');
    expect(JSON.parse(stdout).permissions).toMatchObject([{ readOnly: true }, { off: ['execute_sql'] }]);
    expect(await apply()).toMatchObject({ code: 0, results: all('unchanged') });
  });

  test('with --dry-run shows what would change, and changes nothing', async () => {
    const { apply, run, file, readConfig, cursor } = await home('# mine\n');
    expect(await apply('--dry-run')).toMatchObject({ code: 0, results: all('would-add') });
    expect((await run('provision', file, '--dry-run')).stdout).toContain('+    "databricks-sql": {');
    expect(await readConfig()).toBe('# mine\n');
    expect(JSON.parse((await run('servers', '--json')).stdout)).toEqual({ servers: [] });
    await expect(readFile(cursor)).rejects.toThrow('ENOENT');
  });

  test('names what exists and differs, leaves it alone, and adds the rest', async () => {
    const { apply, run, readConfig, cursor } = await home(`[other]\nhost = ${HOST}\n`);
    await run(
      'servers',
      'add',
      '--path',
      '/api/2.0/mcp/genie/9999',
      '--no-check',
      '--name',
      'sales',
      '--profile',
      'other',
    );
    await run('permissions', 'set', '--all', '--new', 'ask');
    await writeFile(cursor, '{"mcpServers":{"databricks-sql":{"command":"mine"}}}');
    const { code, done } = await apply();
    expect(code).toBe(1);
    expect(done.filter(({ result }) => result === 'conflict')).toMatchObject([
      { what: 'server', name: 'sales', message: expect.stringContaining('/api/2.0/mcp/genie/9999') },
      { what: 'permission', name: 'everything' },
      { what: 'client', name: `cursor (${cursor})`, message: expect.stringContaining('"databricks-sql"') },
    ]);
    expect(await readConfig()).toContain('[work]');
    expect(JSON.parse(await readFile(cursor, 'utf8')).mcpServers['databricks-sql']).toEqual({ command: 'mine' });
    expect(JSON.parse((await run('permissions', '--json')).stdout).permissions[0]).toMatchObject({ newTools: 'ask' });
  });

  test('adds no server whose profile is a different one here', async () => {
    const { apply, readConfig } = await home('[work]\nhost = https://else.cloud.databricks.com\ntoken = dapi-1\n');
    const { done } = await apply();
    expect(done.slice(0, 2)).toMatchObject([
      { what: 'profile', result: 'conflict', message: expect.stringContaining('https://else.cloud.databricks.com') },
      { what: 'server', result: 'failed' },
    ]);
    expect(await readConfig()).toContain('dapi-1');
  });

  test('says which AI client is not installed', async () => {
    const { apply, file } = await home();
    await writeFile(file, 'version: 1\nclients: [{ id: windsurf }]\n');
    expect(await apply()).toMatchObject({ code: 0, results: ['client not-installed'] });
  });

  test.each([
    [
      'version: 1\nprofiles:\n  - name: a\n    host: h\n    token: dapi',
      'line 5, column 12: profiles.0.token: secrets are not allowed',
    ],
    ['version: 1\nservers:\n  - name: a\n    path: x', 'servers.0'],
    ['version: 1\n  x: [', 'line 1, column 10: Nested mappings are not allowed in compact mappings.'],
    ['{"version": 2}', 'line 1, column 13: version'],
    ['version: 1\nservers:\n  - &x { name: a }\n  - *x\n', 'line 4, column 5: aliases (*name) are not resolved here'],
    ['version: 1\n---\nversion: 1\n', 'line 2, column 1: another document begins here'],
    [`version: 1\nrules: ${'['.repeat(100_000)}`, 'it is nested too deeply'],
    ['version: 1\nversion: 1\n', 'line 2, column 1: Map keys must be unique'],
    ['version: 1\n\tprofiles: []\n', 'line 2, column 1: Tabs are not allowed as indentation'],
    ['', 'line 1, column 1'],
  ])('refuses %j with the position', async (text, words) => {
    const { run, file } = await home();
    await writeFile(file, text);
    const { code, stderr } = await run('provision', file);
    expect(code).toBe(1);
    expect(stderr).toContain(words);
  });

  test('follows the policy', async () => {
    const { env, run } = await managedHome((host) => ({
      workspaces: locked([host]),
      servers: locked(['/api/2.0/mcp/sql']),
      clients: locked(['codex']),
    }));
    await mkdir(join(String(env.HOME), '.cursor'));
    const file = join(String(env.HOME), 'team.yaml');
    const servers = '\n  - { name: g, profile: ana, kind: genie, path: /api/2.0/mcp/genie/1 }';
    await writeFile(
      file,
      `version: 1\nprofiles: [{ name: work, host: "${HOST}" }]\nservers:${servers}\nclients: [{ id: cursor }]\n`,
    );
    for (const more of [['--dry-run'], []]) {
      const { code, stdout } = await run('provision', file, '--json', ...more);
      expect(code).toBe(1);
      const done: { message?: string; result: string }[] = JSON.parse(stdout).changes;
      expect(done.map(({ result }) => result)).toEqual(['failed', 'failed', 'failed']);
      for (const { message } of done) expect(message).toContain('Managed by your organization');
    }
  });
});

test('profiles and servers with names that every object has are set up like others', async () => {
  const { run, file, apply, cursor } = await home();
  await writeFile(
    file,
    `version: 1
profiles: [{ name: __proto__, host: ${HOST} }, { name: constructor, host: ${HOST} }]
servers: [{ name: constructor, profile: __proto__, path: /api/2.0/mcp/sql }]
clients: [{ id: cursor }]
`,
  );
  const parts = (result: string) => ['profile', 'profile', 'server', 'client'].map((what) => `${what} ${result}`);
  expect(await apply()).toMatchObject({ code: 0, results: parts('added') });
  expect(await apply()).toMatchObject({ code: 0, results: parts('unchanged') });
  expect(Object.keys(JSON.parse(await readFile(cursor, 'utf8')).mcpServers)).toEqual(['constructor']);
  expect((await run('clients', 'remove', 'cursor')).code).toBe(0);
  expect(await readFile(cursor, 'utf8').catch(() => '')).not.toContain('constructor');
});

describe('causeway provision --export', () => {
  test('writes a file that sets up another computer the same way, without secrets', async () => {
    const one = await home();
    await one.apply();
    const own = `[own]\nhost = https://:hunter2@acme.cloud.databricks.com/?o=7&token=hunter2\ntoken = dapi-secret\n`;
    const wrong = '[wrong]\nhost = https://ana:hunter2@acme.cloud.databricks.com\n';
    await writeFile(one.configFile, `${await one.readConfig()}\n${own}\n${wrong}`);
    const file = join(one.folder, 'exported.yaml');
    const { code, stderr, stdout } = await one.run('provision', '--export', file);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('no secrets') });
    expect(stderr).toContain('Left out of profile "own": token');
    const text = await readFile(file, 'utf8');
    expect(text).not.toMatch(/dapi|hunter2/);
    expect(text).toContain('workspace_id: "7"');
    const other = await home();
    await writeFile(other.file, text);
    const applied = await other.apply();
    expect(new Set(applied.done.map(({ result }) => result))).toEqual(new Set(['added']));
    const again = join(other.folder, 'again.json');
    await other.run('provision', '--export', again);
    expect(JSON.parse(await readFile(again, 'utf8'))).toEqual(parse(text));
  });

  test('replaces no file unless told to, and prints to stdout with -', async () => {
    const { run, file } = await home();
    expect((await run('provision', '--export', file)).stderr).toContain('There is already a file');
    expect((await run('provision', '--export', '-')).stdout).toContain('version: 1');
    expect((await run('provision', '--export', file, '--force')).code).toBe(0);
    expect(parseProvision(file, await readFile(file)).clients).toEqual([]);
  });
});

test('causeway provision --schema prints only a JSON Schema', async () => {
  const { run, file } = await home();
  const schema = JSON.parse((await run('provision', '--schema')).stdout);
  expect(schema).toMatchObject({ type: 'object', additionalProperties: false, required: ['version'] });
  expect((await run('provision', '--schema', file)).code).toBe(2);
  expect((await run('provision')).code).toBe(2);
});
