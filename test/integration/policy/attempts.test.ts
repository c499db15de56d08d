import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSecretStore } from '../../../main/auth/secrets/open-store.ts';
import { openServers } from '../../../main/clients/servers.ts';
import { currentPolicy } from '../../../main/policy/system-policy.ts';
import { RulesFile } from '../../../main/rules/rules-file.ts';
import { plainSettings } from '../../plain-desktop.ts';
import { userNamed } from '../../workspace/caller.ts';
import { startWorkspace } from '../../workspace/workspace.ts';
import { profileOf, SQL, startApplication, startSession } from '../cli/sql-session.ts';
import { callAgain, callSql, locked, MANAGED, managedHome, oneWorkspace } from './managed-home.ts';

const ALLOWED = 'https://acme.cloud.databricks.com';
const ELSEWHERE = 'https://elsewhere.cloud.databricks.com';
const run = promisify(execFile);

describe('a user who wants another workspace is refused, who', () => {
  test('signs in to it', async () => {
    const { run: causeway } = await managedHome(oneWorkspace);
    const { code, stderr } = await causeway('login', '--host', ELSEWHERE, '--profile', 'other');
    expect(code).toBe(1);
    expect(stderr).toMatch(MANAGED);
    expect(stderr).toContain('Customer data stays in our workspace');
    expect(stderr).toContain('it@example.com');
  });

  test('writes a profile for it into the configuration file', async () => {
    const { run: causeway, env, configFile, readConfig, proxy } = await managedHome(oneWorkspace);
    const other = await startWorkspace();
    onTestFinished(() => other.close());
    await writeFile(configFile, `${await readConfig()}\n${profileOf(other, 'ben')}`);
    expect((await causeway('whoami', '--profile', 'ben')).stderr).toMatch(MANAGED);
    const { stdout } = await causeway('profiles', '--skip-validate', '--json');
    expect(JSON.parse(stdout).find(({ name }: { name: string }) => name === 'ben')).toMatchObject({
      state: 'unusable',
    });
    const refused = proxy(['--profile', 'ben', '--path', SQL]);
    expect(await refused.ended).toBe(2);
    expect(refused.stderr).toMatch(MANAGED);
    expect(env.HOME).toBeDefined();
  });

  test('names it in DATABRICKS_HOST and DATABRICKS_TOKEN', async () => {
    const { runIn } = await managedHome(oneWorkspace);
    const env = { DATABRICKS_CONFIG_FILE: '/none', DATABRICKS_HOST: ELSEWHERE, DATABRICKS_TOKEN: 'dapi-own' };
    expect((await runIn(env, 'whoami')).stderr).toMatch(MANAGED);
  });

  test('names it in --url', async () => {
    const { proxy } = await managedHome(oneWorkspace);
    const refused = proxy(['--url', `${ELSEWHERE}${SQL}`, '--profile', 'ana']);
    expect(await refused.ended).toBe(2);
  });

  test.each<[string, (host: string) => string]>([
    ['the allowed host in front of another', (host) => host.replace('//', `//${new URL(ELSEWHERE).host}@`)],
    ['a dot after the host', () => `${ALLOWED}.`],
    ['another name of the host', (host) => host.replace('127.0.0.1', 'localhost')],
    ['another port', (host) => host.replace(/\d+$/, (port) => String(Number(port) + 1))],
    ['another scheme', (host) => host.replace('http:', 'https:')],
    ['a letter that looks like another', () => ALLOWED.replace('a', '\u0430')],
    ['the host as the beginning of another', () => `${ALLOWED}.example`],
  ])('writes %s into a profile', async (_, other) => {
    const {
      workspace,
      configFile,
      readConfig,
      run: causeway,
    } = await managedHome(() => ({
      workspaces: locked([ALLOWED]),
    }));
    const { token } = userNamed(workspace, 'ana');
    await writeFile(configFile, `${await readConfig()}\n[own]\nhost = ${other(workspace.host)}\ntoken = ${token}\n`);
    const { code, stderr } = await causeway('whoami', '--profile', 'own');
    expect([1, 2]).toContain(code);
    expect(stderr).toMatch(/Managed by your organization|Profile "own"/);
    expect(workspace.requests.count({})).toBe(0);
  });

  test('puts it in their own configuration file', async () => {
    const { runIn, policy } = await managedHome(oneWorkspace);
    const other = await startWorkspace();
    onTestFinished(() => other.close());
    const own = join(policy.parent, 'own.cfg');
    await writeFile(own, profileOf(other, 'ana'));
    const { code, stderr } = await runIn({ DATABRICKS_CONFIG_FILE: own }, 'whoami', '--profile', 'ana');
    expect(code).toBe(1);
    expect(stderr).toMatch(MANAGED);
    expect(other.requests.count({})).toBe(0);
  });

  test('has a session that is older than the policy', async () => {
    const { policy, proxy } = await managedHome(() => ({}));
    const session = proxy();
    expect(await callSql(session, 'SELECT 1')).not.toMatch(MANAGED);
    await policy.set({ workspaces: locked([ELSEWHERE]) });
    expect(await callAgain(session, 'SELECT 1')).toMatch(MANAGED);
    await policy.set({});
    expect(await callAgain(session, 'SELECT 1')).not.toMatch(MANAGED);
  });

  test('has a session through the application that is older than the policy', async () => {
    const { env, policy, proxy } = await managedHome(() => ({}));
    await startApplication(env);
    const session = proxy();
    await callSql(session, 'SELECT 1');
    await policy.set({ workspaces: locked([ELSEWHERE]) });
    expect(await callAgain(session, 'SELECT 1')).toMatch(MANAGED);
  });

  test('uses the running application', async () => {
    const { env, workspace, configFile, proxy } = await managedHome(oneWorkspace);
    await startApplication(env);
    const other = await startWorkspace();
    onTestFinished(() => other.close());
    await writeFile(configFile, `${profileOf(workspace, 'ana')}\n${profileOf(other, 'ben')}`);
    const refused = proxy(['--profile', 'ben', '--path', SQL]);
    expect(await refused.ended).toBe(2);
    expect(refused.stderr).toMatch(MANAGED);
  });
});

describe('a user who wants to write is refused, who', () => {
  test('runs a standalone proxy', async () => {
    const { proxy } = await managedHome(oneWorkspace);
    const answer = await callSql(proxy(), 'DROP TABLE sales');
    expect(answer).toContain('the organization allows only read-only tools');
    expect(answer).toContain('causeway policy show');
  });

  test('runs a proxy through the application', async () => {
    const { env, proxy } = await managedHome(oneWorkspace);
    await startApplication(env);
    expect(await callSql(proxy(), 'DROP TABLE sales')).toContain('the organization allows only read-only tools');
  });

  test('runs all servers as one', async () => {
    const { run: causeway, proxy } = await managedHome(oneWorkspace);
    await causeway('servers', 'add', 'sql', '--profile', 'ana');
    expect(await callSql(proxy(['--all']), 'DROP TABLE sales')).toContain('Unknown tool');
  });

  test('has their own rules that allow it', async () => {
    const { env, run: causeway, proxy } = await managedHome(oneWorkspace);
    await causeway('servers', 'add', 'sql', '--profile', 'ana');
    await causeway('rules', 'set', '--all', '--no-read-only');
    await causeway('rules', 'set', 'databricks-sql', '--on', 'execute_sql', '--no-read-only');
    expect(new RulesFile(env).path).toContain(env.CAUSEWAY_HOME);
    expect(await callSql(proxy(), 'DROP TABLE sales')).toContain('the organization allows only read-only tools');
  });

  test('has a session that is older than the policy', async () => {
    const { policy, proxy } = await managedHome(() => ({}));
    const session = proxy();
    expect(await callSql(session, 'SELECT 1')).not.toContain('organization');
    await policy.set({ readOnly: locked(true) });
    expect(await callAgain(session, 'SELECT 1')).toContain('the organization allows only read-only tools');
    await policy.set({});
    expect(await callAgain(session, 'SELECT 1')).not.toContain('organization');
  });

  test('calls a tool that the organization has turned off, under another spelling', async () => {
    const { proxy } = await managedHome(() => ({ rules: locked({ servers: { [SQL]: { off: ['execute_sql'] } } }) }));
    expect(await callSql(proxy(), 'SELECT 1', 'EXECUTE_SQL')).toContain('The organization has turned off');
  });

  test.each(['execute_sql ', 'execute\u200b_sql', 'execute_sq\uff4c', 'execute_sql\0'])(
    'calls a tool that the organization has turned off as %j, which is not a tool',
    async (tool) => {
      const { proxy, workspace } = await managedHome(() => ({
        rules: locked({ servers: { [SQL]: { off: ['execute_sql'] } } }),
      }));
      const answer = await callSql(proxy(), 'DROP TABLE sales', tool);
      expect(answer).toMatch(/[Uu]nknown tool|not found|turned off/);
      expect(JSON.stringify(workspace.statements)).not.toContain('DROP');
    },
  );

  test.each([`${SQL}/`, SQL.replace('/sql', '//sql'), SQL.replace('sql', '%73ql'), SQL.toUpperCase(), `${SQL}?a=b`])(
    'names the server %s, for which the organization has a rule',
    async (path) => {
      const { proxy } = await managedHome(() => ({ rules: locked({ servers: { [SQL]: { readOnly: true } } }) }));
      const session = proxy(['--profile', 'ana', '--path', path]);
      await session.open({ clientInfo: { name: 'x', version: '1' } }).catch(() => undefined);
      const answer = await callAgain(session, 'DROP TABLE sales').catch(() => 'no session');
      expect(answer).toMatch(/the organization allows only read-only tools|no session/);
    },
  );

  test('has a second profile for the same workspace', async () => {
    const { workspace, configFile, readConfig, proxy } = await managedHome(oneWorkspace);
    await writeFile(configFile, `${await readConfig()}\n${profileOf(workspace, 'ben')}`);
    const answer = await callSql(proxy(['--profile', 'ben', '--path', SQL]), 'DROP TABLE sales');
    expect(answer).toContain('the organization allows only read-only tools');
  });

  test('names another client, or none', async () => {
    const { proxy } = await managedHome(() => ({ rules: locked({ all: { readOnly: true } }) }));
    for (const name of ['claude-code', '', 'causeway', '*']) {
      const session = proxy();
      await session.open({ clientInfo: { name, version: '1' } });
      expect(await callAgain(session, 'DROP TABLE sales')).toContain('the organization allows only read-only tools');
    }
  });

  test('runs an older proxy, which knows no policy, through the running application', async () => {
    const { env } = await managedHome(oneWorkspace);
    await startApplication(env);
    const session = await startSession(env);
    expect(await callAgain(session, 'DROP TABLE sales')).toContain('the organization allows only read-only tools');
  });
});

describe('a user who wants another server is refused, who', () => {
  test('adds it', async () => {
    const { run: causeway } = await managedHome(oneWorkspace);
    const { code, stderr } = await causeway('servers', 'add', 'genie', '7191', '--profile', 'ana');
    expect(code).toBe(1);
    expect(stderr).toContain('/api/2.0/mcp/genie/7191 is not allowed');
  });

  test.each(['/api/2.0/mcp/genie/7191', `${SQL}/../genie/7191`, '/api/2.0/mcp/%67enie/7191'])(
    'starts a proxy for %s',
    async (path) => {
      const { proxy } = await managedHome(oneWorkspace);
      const refused = proxy(['--profile', 'ana', '--path', path]);
      expect(await refused.ended).toBe(2);
    },
  );

  test('writes it into the list of servers', async () => {
    const { env, run: causeway } = await managedHome(oneWorkspace);
    const { path } = await openServers(env);
    await mkdir(join(path, '..'), { recursive: true });
    const server = { name: 'genie', profile: 'ana', kind: 'genie', path: '/api/2.0/mcp/genie/7191' };
    await writeFile(path, JSON.stringify({ servers: [server] }));
    const { code, stderr } = await causeway('servers', 'test', 'genie');
    expect(code).toBe(1);
    expect(stderr).toMatch(MANAGED);
  });

  test('has a session that is older than the policy', async () => {
    const { policy, proxy } = await managedHome(() => ({}));
    const session = proxy();
    await callSql(session, 'SELECT 1');
    await policy.set({ servers: locked(['/api/2.0/mcp/genie/*']) });
    expect(await callAgain(session, 'SELECT 1')).toContain('is not allowed');
  });

  test('removes a required one, by the command or by hand', async () => {
    const required = [{ name: 'databricks-sql', profile: 'ana', path: SQL, kind: 'sql' }];
    const { env, run: causeway } = await managedHome(() => ({ requiredServers: locked(required) }));
    expect((await causeway('servers', 'remove', 'databricks-sql')).stderr).toMatch(MANAGED);
    const { path } = await openServers(env);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, '{"servers":[]}');
    expect(JSON.parse((await causeway('servers', '--json')).stdout)).toMatchObject(required);
  });
});

describe('a user who wants an entry in another AI client is refused, who', () => {
  test('adds one with the command, even with --force', async () => {
    const { env, run: causeway } = await managedHome(() => ({ clients: locked(['codex']) }));
    await causeway('servers', 'add', 'sql', '--profile', 'ana');
    await mkdir(join(String(env.HOME), '.cursor'));
    for (const id of ['cursor', 'CURSOR']) {
      const { code, stderr } = await causeway('clients', 'add', id, '--force');
      expect(code).toBe(1);
      expect(stderr).toContain('Cursor is not allowed to have entries');
    }
    expect((await causeway('clients', 'add', '\uff43ursor', '--force')).stderr).toContain('There is no client');
    await expect(readFile(join(String(env.HOME), '.cursor', 'mcp.json'))).rejects.toThrow('ENOENT');
  });

  test.each<[string, object]>([
    ['readOnly', { readOnly: locked(true) }],
    ['rules', { rules: locked({ servers: { [SQL]: { off: ['execute_sql'] } } }) }],
    ['audit', { audit: locked({ file: true }) }],
    ['oauthApplication', { oauthApplication: locked({ clientId: 'acme-causeway' }) }],
  ])('adds one that connects directly, past %s', async (key, keys) => {
    const { env, run: causeway } = await managedHome(() => keys);
    const file = join(String(env.HOME), '.cursor', 'mcp.json');
    await mkdir(dirname(file));
    await writeFile(file, '{}');
    await causeway('servers', 'add', 'sql', '--profile', 'ana');
    const direct = await causeway('clients', 'add', 'cursor', '--http', '--client-id', 'x', '--force');
    expect(direct.code).toBe(1);
    expect(direct.stderr).toContain('AI clients connect through Causeway, not directly');
    expect(direct.stderr).toContain(`key "${key}"`);
    expect(await readFile(file, 'utf8')).toBe('{}');
    expect((await causeway('clients', 'add', 'cursor', '--force')).code).toBe(0);
  });

  test('restores a backup that has such entries', async () => {
    const { env, policy, run: causeway } = await managedHome(() => ({}));
    const file = join(String(env.HOME), '.cursor', 'mcp.json');
    await causeway('servers', 'add', 'sql', '--profile', 'ana');
    await mkdir(dirname(file));
    await writeFile(file, '{}');
    await causeway('clients', 'add', 'cursor', '--force');
    await causeway('clients', 'remove', 'cursor', '--force');
    await policy.set({ clients: locked(['codex']) });
    const backups = JSON.parse((await causeway('clients', 'backups', '--json')).stdout);
    expect(backups).not.toHaveLength(0);
    for (const { id } of backups) {
      const { code, stderr } = await causeway('clients', 'restore', id, '--force');
      expect(code).toBe(1);
      expect(stderr).toContain('Cursor is not allowed to have entries');
    }
    expect(await readFile(file, 'utf8')).not.toContain('databricks-sql');
  });

  test('removes those of a required one', async () => {
    const { env, run: causeway } = await managedHome(() => ({ requiredClients: locked(['cursor']) }));
    await causeway('servers', 'add', 'sql', '--profile', 'ana');
    await mkdir(join(String(env.HOME), '.cursor'));
    await causeway('clients', 'add', 'cursor');
    expect((await causeway('clients', 'remove', 'cursor')).stderr).toContain('the entries of Cursor must stay');
    expect(await readFile(join(String(env.HOME), '.cursor', 'mcp.json'), 'utf8')).toContain('databricks-sql');
  });

  test('writes it by hand: the entry works under the same policy', async () => {
    const { proxy } = await managedHome((host) => ({ ...oneWorkspace(host), clients: locked(['cursor']) }));
    expect(await callSql(proxy(), 'DROP TABLE sales')).toContain('the organization allows only read-only tools');
  });
});

describe('a user who wants secrets elsewhere is refused, who', () => {
  test('sets CAUSEWAY_TOKEN_STORE', async () => {
    const { env } = await managedHome(() => ({ tokenStore: locked('keychain') }));
    const notices: string[] = [];
    const store = await openSecretStore({ env, service: 'Causeway', onNotice: (words) => notices.push(words) });
    const { Secret } = await import('../../../main/platform/secret.ts');
    await store.set('name', new Secret('value'));
    await store.delete('name');
    expect(env.CAUSEWAY_TOKEN_STORE).toBe('encrypted-file');
    const { stdout } = await run('find', [String(env.CAUSEWAY_HOME), '-name', '*secret*']).catch(() => ({
      stdout: '',
    }));
    expect(stdout).toBe('');
  });

  test('edits settings.json', async () => {
    const { env, policy } = await managedHome(() => ({ tokenStore: locked('keychain'), updates: locked('off') }));
    await currentPolicy();
    const { path } = plainSettings(env);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, '{"tokenStore":"encrypted-file","automaticUpdates":true}');
    const settings = plainSettings(env);
    expect(settings.current).toMatchObject({ tokenStore: 'keychain', automaticUpdates: false });
    expect(() => settings.change({ tokenStore: 'encrypted-file' })).toThrow(MANAGED);
    expect(() => settings.change({ appearance: 'dark' })).not.toThrow();
    await policy.set({ tokenStore: { value: 'keychain', locked: false } });
    await currentPolicy();
    expect(settings.current.tokenStore).toBe('encrypted-file');
  });
});

test('a user who signs in through another OAuth application is refused', async () => {
  const { run: causeway, workspace } = await managedHome(() => ({
    oauthApplication: locked({ clientId: 'acme-causeway', scopes: ['sql'] }),
  }));
  const login = ['login', '--host', workspace.host, '--profile', 'own', '--client-id', 'my-own', '--no-browser'];
  expect((await causeway(...login)).stderr).toContain('the OAuth application must be "acme-causeway"');
});

describe('a user who wants to remove Causeway from a computer that requires an AI client', () => {
  async function required() {
    const home = await managedHome(() => ({ requiredClients: locked(['cursor'], 'Everyone uses our data') }));
    const file = join(String(home.env.HOME), '.cursor', 'mcp.json');
    await mkdir(dirname(file));
    await writeFile(file, '{}');
    await home.run('servers', 'add', 'sql', '--profile', 'ana');
    expect((await home.run('clients', 'add', 'cursor', '--force')).code).toBe(0);
    return { ...home, file, entries: () => readFile(file, 'utf8') };
  }
  const refusal = /Causeway must stay for the entries of cursor\. Everyone uses our data/;

  test.each([[[]], [['--yes']], [['--yes', '--force']], [['--yes', '--json']]])(
    'is refused, who runs causeway uninstall %j',
    async (args) => {
      const { env, run: causeway, entries } = await required();
      const { code, stderr, stdout } = await causeway('uninstall', ...args);
      expect(code).toBe(1);
      expect(stderr + stdout).toMatch(refusal);
      expect(await entries()).toContain('databricks-sql');
      expect(await run('ls', [String(env.CAUSEWAY_HOME)])).toMatchObject({ stdout: expect.stringContaining('config') });
    },
  );

  test('is refused, who restores the file as it was before', async () => {
    const { run: causeway, entries } = await required();
    const [backup] = JSON.parse((await causeway('clients', 'backups', '--json')).stdout);
    const { code, stderr } = await causeway('clients', 'restore', backup.id, '--force');
    expect(code).toBe(1);
    expect(stderr).toContain('the entries of Cursor must stay');
    expect(await entries()).toContain('databricks-sql');
  });

  test('loses the entries when an administrator removes the package', async () => {
    const { env, run: causeway, entries, policy } = await required();
    await mkdir(dirname(policy.mark), { mode: 0o755 });
    await writeFile(policy.mark, `${process.pid}\n`, { mode: 0o644 });
    const { code, stdout } = await causeway('uninstall', '--yes', '--force');
    expect(stdout).toMatch(/Cursor: .*: removed/);
    expect(code).toBe(0);
    expect(await entries()).not.toContain('databricks-sql');
    await expect(readFile(join(String(env.CAUSEWAY_HOME), 'config'))).rejects.toThrow('ENOENT');
  });

  test.each<[string, (mark: string) => Promise<unknown>]>([
    ['that others can write', (mark) => writeFile(mark, String(process.pid)).then(() => chmod(mark, 0o666))],
    [
      'that is a link',
      (mark) => writeFile(`${mark}-own`, String(process.pid)).then(() => symlink(`${mark}-own`, mark)),
    ],
    ['of a process that has ended', (mark) => writeFile(mark, '999999999')],
    ['that names no process', (mark) => writeFile(mark, '-1')],
  ])('is refused with a removal marker %s', async (_, make) => {
    const { run: causeway, entries, policy } = await required();
    await mkdir(dirname(policy.mark), { mode: 0o755 });
    await make(policy.mark);
    expect((await causeway('uninstall', '--yes', '--force')).stderr).toMatch(refusal);
    expect((await causeway('clients', 'remove', 'cursor', '--force')).code).toBe(1);
    expect(await entries()).toContain('databricks-sql');
  });
});

const VARIABLES = [
  'CAUSEWAY_POLICY',
  'CAUSEWAY_POLICY_FILE',
  'CAUSEWAY_HOME',
  'HOME',
  'XDG_CONFIG_HOME',
  'XDG_CONFIG_DIRS',
];
test.each([...VARIABLES, 'XDG_RUNTIME_DIR', 'TMPDIR', 'PATH', 'SystemRoot', 'USERPROFILE', 'DATABRICKS_CONFIG_FILE'])(
  'a user who sets %s finds the same policy',
  async (variable) => {
    const { runIn, policy } = await managedHome(oneWorkspace);
    const own = await mkdtemp(join(tmpdir(), 'causeway-own-'));
    onTestFinished(() => rm(own, { recursive: true }));
    await writeFile(join(own, 'policy.json'), '{"version":1}');
    const { stdout } = await runIn({ [variable]: own }, 'policy', 'show', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ source: policy.file, contact: 'it@example.com' });
  },
);

test.each(['--policy', '--policy-file', '--no-policy', '--unmanaged', '--config'])(
  'a user who writes %s into the arguments learns that there is no such option',
  async (option) => {
    const { run: causeway, proxy } = await managedHome(oneWorkspace);
    expect((await causeway('whoami', option, '/tmp/own.json')).code).toBe(2);
    expect(await proxy(['--profile', 'ana', '--path', SQL, option, '/tmp/own.json']).ended).toBe(2);
  },
);

test('cannot be prevented: a user with their own token and another MCP client', async () => {
  const { workspace } = await managedHome(() => ({ workspaces: locked([]) }));
  const { token } = userNamed(workspace, 'ana');
  const answer = await fetch(`${workspace.host}${SQL}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'own', version: '1' } },
    }),
  });
  expect(answer.status).toBe(200);
});
