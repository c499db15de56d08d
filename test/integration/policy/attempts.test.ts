import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSecretStore } from '../../../main/auth/secrets/open-store.ts';
import { openServers } from '../../../main/clients/servers.ts';
import { currentPolicy } from '../../../main/policy/system-policy.ts';
import { RulesFile } from '../../../main/rules/rules-file.ts';
import { plainSettings } from '../../plain-desktop.ts';
import { userNamed } from '../../workspace/caller.ts';
import { startWorkspace } from '../../workspace/workspace.ts';
import { profileOf, SQL, startApplication } from '../cli/sql-session.ts';
import { CAUSEWAY } from '../proxy/proxy-process.ts';
import { callAgain, callSql, locked, managedHome } from './managed-home.ts';

const ELSEWHERE = 'https://elsewhere.cloud.databricks.com';
const MANAGED = /Managed by your organization/;
const run = promisify(execFile);

/** Ana may use one workspace and one server, and only tools that read. */
const oneWorkspace = (host: string) => ({
  contact: 'it@example.com',
  workspaces: locked([host], 'Customer data stays in our workspace'),
  servers: locked([SQL]),
  readOnly: locked(true),
});

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
  test('runs a proxy alone', async () => {
    const { proxy } = await managedHome(oneWorkspace);
    const answer = await callSql(proxy(), 'DROP TABLE sales');
    expect(answer).toContain('the organization allows only tools that read');
    expect(answer).toContain('causeway policy show');
  });

  test('runs a proxy through the application', async () => {
    const { env, proxy } = await managedHome(oneWorkspace);
    await startApplication(env);
    expect(await callSql(proxy(), 'DROP TABLE sales')).toContain('the organization allows only tools that read');
  });

  test('runs all servers as one', async () => {
    const { run: causeway, proxy } = await managedHome(oneWorkspace);
    await causeway('servers', 'add', 'sql', '--profile', 'ana');
    expect(await callSql(proxy(['--all']), 'DROP TABLE sales')).toContain('Unknown tool');
  });

  test('has rules of their own that allow it', async () => {
    const { env, run: causeway, proxy } = await managedHome(oneWorkspace);
    await causeway('servers', 'add', 'sql', '--profile', 'ana');
    await causeway('rules', 'set', '--all', '--no-read-only');
    await causeway('rules', 'set', 'databricks-sql', '--on', 'execute_sql', '--no-read-only');
    expect(new RulesFile(env).path).toContain(env.CAUSEWAY_HOME);
    expect(await callSql(proxy(), 'DROP TABLE sales')).toContain('the organization allows only tools that read');
  });

  test('has a session that is older than the policy', async () => {
    const { policy, proxy } = await managedHome(() => ({}));
    const session = proxy();
    expect(await callSql(session, 'SELECT 1')).not.toContain('organization');
    await policy.set({ readOnly: locked(true) });
    expect(await callAgain(session, 'SELECT 1')).toContain('the organization allows only tools that read');
    await policy.set({});
    expect(await callAgain(session, 'SELECT 1')).not.toContain('organization');
  });

  test('calls a tool that the organization has switched off, under another spelling', async () => {
    const { proxy } = await managedHome(() => ({ rules: locked({ servers: { [SQL]: { off: ['execute_sql'] } } }) }));
    expect(await callSql(proxy(), 'SELECT 1', 'EXECUTE_SQL')).toContain('The organization has switched off');
  });
});

describe('a user who wants another server is refused, who', () => {
  test('adds it', async () => {
    const { run: causeway } = await managedHome(oneWorkspace);
    const { code, stderr } = await causeway('servers', 'add', 'genie', '7191', '--profile', 'ana');
    expect(code).toBe(1);
    expect(stderr).toContain('/api/2.0/mcp/genie/7191 may not be used');
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
  test('adds one with the command, also with --force', async () => {
    const { env, run: causeway } = await managedHome(() => ({ clients: locked(['codex']) }));
    await causeway('servers', 'add', 'sql', '--profile', 'ana');
    await mkdir(join(String(env.HOME), '.cursor'));
    const { code, stderr } = await causeway('clients', 'add', 'cursor', '--force');
    expect(code).toBe(1);
    expect(stderr).toContain('Cursor may not have entries');
    await expect(readFile(join(String(env.HOME), '.cursor', 'mcp.json'))).rejects.toThrow('ENOENT');
  });

  test('removes those of a required one', async () => {
    const { env, run: causeway } = await managedHome(() => ({ requiredClients: locked(['cursor']) }));
    await causeway('servers', 'add', 'sql', '--profile', 'ana');
    await mkdir(join(String(env.HOME), '.cursor'));
    await causeway('clients', 'add', 'cursor');
    expect((await causeway('clients', 'remove', 'cursor')).stderr).toContain('the entries of Cursor have to stay');
    expect(await readFile(join(String(env.HOME), '.cursor', 'mcp.json'), 'utf8')).toContain('databricks-sql');
  });

  test('writes it by hand: the entry works under the same policy', async () => {
    const { proxy } = await managedHome((host) => ({ ...oneWorkspace(host), clients: locked(['cursor']) }));
    expect(await callSql(proxy(), 'DROP TABLE sales')).toContain('the organization allows only tools that read');
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
  expect((await causeway(...login)).stderr).toContain('the OAuth application is "acme-causeway", no other');
});

describe('a policy that cannot be trusted forbids everything, where', () => {
  const refused = async (change: (policy: Awaited<ReturnType<typeof managedHome>>['policy']) => Promise<unknown>) => {
    const home = await managedHome(oneWorkspace);
    await change(home.policy);
    const { stderr, code } = await home.run('whoami', '--profile', 'ana');
    expect(code).toBe(1);
    expect(stderr).toMatch(MANAGED);
    expect(stderr).toContain('Ask your administrator');
    expect(stderr).toContain(home.policy.folder);
    return { ...home, stderr };
  };

  test('others may write to the file', async () => {
    const { stderr } = await refused(({ file }) => chmod(file, 0o666));
    expect(stderr).toContain('can be written by others (its mode is 666)');
  });

  test('others may write to its folder', async () => {
    const { stderr } = await refused(({ folder }) => chmod(folder, 0o777));
    expect(stderr).toContain('can be written by others');
  });

  test('the file is a symbolic link', async () => {
    const { stderr } = await refused(async ({ file, parent }) => {
      await rename(file, join(parent, 'mine.json'));
      await symlink(join(parent, 'mine.json'), file);
    });
    expect(stderr).toContain('is a symbolic link');
  });

  test('the folder is a symbolic link', async () => {
    const { stderr } = await refused(async ({ folder, parent }) => {
      await rename(folder, join(parent, 'moved'));
      await symlink(join(parent, 'moved'), folder);
    });
    expect(stderr).toContain('is no folder of its own');
  });

  test('it is not JSON', async () => {
    const { stderr } = await refused(({ file }) => writeFile(file, '{\n  "version": 1,\n  "workspaces": oops\n}'));
    expect(stderr).toMatch(/line 3, column 17/);
  });

  test('it has a key that this version does not know', async () => {
    const { stderr } = await refused(({ file }) => writeFile(file, '{\n  "version": 1,\n  "allowNothing": true\n}'));
    expect(stderr).toContain('line 3, column 3: allowNothing: this version does not know "allowNothing"');
  });

  test('a value has the wrong type, also for a proxy, the rules and what is written', async () => {
    const {
      proxy,
      run: causeway,
      env,
    } = await refused(({ file }) =>
      writeFile(file, '{ "version": 1, "readOnly": { "value": "yes", "locked": true } }'),
    );
    expect(await proxy().ended).toBe(2);
    expect((await causeway('servers', 'add', 'sql', '--profile', 'ana')).code).toBe(1);
    await mkdir(join(String(env.HOME), '.cursor'));
    expect((await causeway('clients', 'add', 'cursor')).stderr).not.toBe('');
    expect((await causeway('policy', 'show')).code).toBe(1);
  });

  test('a session is open', async () => {
    const { policy, proxy } = await managedHome(() => ({}));
    const session = proxy();
    await callSql(session, 'SELECT 1');
    await writeFile(policy.file, '{');
    expect(await callAgain(session, 'SELECT 1')).toMatch(MANAGED);
  });
});

test.each(['CAUSEWAY_POLICY', 'CAUSEWAY_POLICY_FILE', 'CAUSEWAY_HOME', 'HOME', 'XDG_CONFIG_HOME', 'XDG_CONFIG_DIRS'])(
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

test('cannot be prevented: a user with a token of their own and another MCP client', async () => {
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

const canMount = process.platform === 'linux' && process.getuid?.() === 0;

describe.skipIf(!canMount)('the built command, run by a user without rights', () => {
  const UNPRIVILEGED = '65534';

  /** Copies Node and the built command to where that user may read them: the folder of the tests may be closed to others. */
  async function copyCommand(): Promise<{ node: string; causeway: string }> {
    const copy = await mkdtemp(join(tmpdir(), 'causeway-copy-'));
    onTestFinished(() => rm(copy, { recursive: true }));
    await chmod(copy, 0o755);
    await run('cp', ['-r', dirname(CAUSEWAY), join(copy, 'cli')]);
    await copyFile(process.execPath, join(copy, 'node'));
    return { node: join(copy, 'node'), causeway: join(copy, 'cli', basename(CAUSEWAY)) };
  }

  /** Runs a program under a policy in `/etc/causeway`, which is there for this run alone. */
  async function asUser(policy: string, program: string[], env: NodeJS.ProcessEnv = {}) {
    const layer = await mkdtemp(join(tmpdir(), 'causeway-etc-'));
    onTestFinished(() => rm(layer, { recursive: true, force: true }));
    await chmod(layer, 0o755);
    const script = [
      `mount -t tmpfs -o mode=755 tmpfs ${layer}`,
      `mkdir -p ${layer}/upper/causeway ${layer}/work`,
      `printf %s '${policy}' >${layer}/upper/causeway/policy.json`,
      `mount -t overlay overlay -o lowerdir=/etc,upperdir=${layer}/upper,workdir=${layer}/work /etc`,
      `exec setpriv --reuid=${UNPRIVILEGED} --clear-groups "$@"`,
    ].join(' && ');
    const all = ['-m', 'sh', '-c', script, 'sh', ...program];
    return run('unshare', all, { env: { PATH: process.env.PATH, HOME: layer, ...env } }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );
  }

  const policy = JSON.stringify({ version: 1, workspaces: locked(['https://only.cloud.databricks.com']) });
  const own = { DATABRICKS_HOST: ELSEWHERE, DATABRICKS_TOKEN: 'dapi-own' };

  test('follows /etc/causeway/policy.json', async () => {
    const { node, causeway } = await copyCommand();
    const shown = await asUser(policy, [node, causeway, 'policy', 'show', '--json']);
    expect(shown.stdout).toContain('/etc/causeway/policy.json');
    expect((await asUser(policy, [node, causeway, 'whoami'], own)).stderr).toMatch(MANAGED);
  });

  test('follows it also under another name', async () => {
    const { node, causeway } = await copyCommand();
    const other = join(dirname(causeway), 'other.js');
    await copyFile(causeway, other);
    expect((await asUser(policy, [node, other, 'whoami'], own)).stderr).toMatch(MANAGED);
  });

  test('cannot write it', async () => {
    const { node } = await copyCommand();
    const write = 'require("node:fs").writeFileSync("/etc/causeway/policy.json", "{}")';
    const { code, stderr } = await asUser(policy, [node, '-e', write]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('EACCES');
  });
});
