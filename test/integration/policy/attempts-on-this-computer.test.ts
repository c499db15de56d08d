import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSecretStore } from '../../../main/auth/secrets/open-store.ts';
import { currentPolicy } from '../../../main/permissions/policy/system-policy.ts';
import { plainSettings } from '../../plain-desktop.ts';
import { SQL } from '../cli/sql-session.ts';
import { callSql, locked, MANAGED, managedHome, oneWorkspace } from './managed-home.ts';

const run = promisify(execFile);

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
    const { backups } = JSON.parse((await causeway('clients', 'backups', '--json')).stdout);
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
    const [backup] = JSON.parse((await causeway('clients', 'backups', '--json')).stdout).backups;
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
