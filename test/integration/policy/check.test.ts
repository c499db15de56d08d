import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { locked, managedHome } from './managed-home.ts';

/** Ana's home without a policy, and a file that is not installed. */
async function homeWithFile(keys: (host: string) => object) {
  const home = await managedHome(() => ({}));
  await home.run('servers', 'add', 'sql', '--name', 'sql', '--profile', 'ana');
  expect((await home.run('servers', 'test', 'sql')).code).toBe(0);
  const file = join(home.policy.parent, 'new.json');
  await writeFile(file, JSON.stringify({ version: 1, ...keys(home.workspace.host) }));
  return { ...home, file, check: (...args: string[]) => home.run('policy', 'check', file, ...args) };
}

test('policy check tells, of a file that is not installed, who would lose which tools', async () => {
  const { check, env } = await homeWithFile((host) => ({ workspaces: locked([host]), readOnly: locked(true) }));
  const { code, stdout, stderr } = await check();
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('is a valid policy.\n');
  expect(stdout).toContain(`Tried on this computer, in ${env.HOME}, it would change for its user:`);
  expect(stdout).toMatch(/^tool +execute_sql of sql +refused +readOnly +Only tools that read may be used\.$/m);
  const data = JSON.parse((await check('--json')).stdout);
  expect(data).toMatchObject({ errors: 0, warnings: 0, issues: [], computer: { home: env.HOME } });
  expect(data.effects).toContainEqual({
    what: 'tool',
    name: 'execute_sql',
    server: 'sql',
    client: null,
    effect: 'refused',
    key: 'readOnly',
    why: 'Only tools that read may be used.',
    locked: true,
    already: false,
  });
});

test('policy check fails where a name is wrong or everybody would be locked out, and says what was meant', async () => {
  const { check } = await homeWithFile(() => ({
    workspaces: locked(['https://*.azuredatabricks.net']),
    clients: locked(['claude-cod']),
    rules: locked({ servers: { '/api/2.0/mcp/sql': { off: ['exec_sql'] } } }),
  }));
  const { code, stdout } = await check();
  expect(code).toBe(1);
  expect(stdout).toContain('can be read as a policy, but should not be installed: ');
  expect(stdout).toContain('Error in workspaces.value: No account on this computer could be used: ana.');
  expect(stdout).toContain('There is no AI client "claude-cod". Did you mean "claude-code"?');
  expect(stdout).toContain('The server has no tool "exec_sql". Did you mean "execute_sql"?');
  expect(stdout).toMatch(/^account +ana +refused +workspaces +http:\/\/\S+ is not an allowed workspace\.$/m);
  const data = JSON.parse((await check('--json')).stdout);
  expect(data.errors).toBe(data.issues.filter(({ severity }: { severity: string }) => severity === 'error').length);
});

test('policy check fails on warnings only with --strict', async () => {
  const { check } = await homeWithFile((host) => ({ workspaces: locked([host, 'https://example.com']) }));
  expect(await check()).toMatchObject({ code: 0, stdout: expect.stringContaining('a valid policy, with 2 warnings.') });
  expect((await check('--strict')).code).toBe(1);
  expect(JSON.parse((await check('--strict', '--json')).stdout)).toMatchObject({ errors: 0, warnings: 2 });
});

test('policy check says that nothing is lost where a policy changes nothing, and what holds already', async () => {
  const { check, policy } = await homeWithFile(() => ({ readOnly: locked(true) }));
  await policy.set({ readOnly: locked(true) });
  expect((await check()).stdout).toMatch(/^tool +execute_sql of sql +refused, as now/m);
  await writeFile(join(policy.parent, 'new.json'), '{"version":1}');
  expect((await check()).stdout).toContain('its user would lose nothing.');
});

test('policy check also checks a file where the accounts of this computer cannot be read', async () => {
  const { check, env } = await homeWithFile(() => ({ clients: locked(['claude-cod']) }));
  await writeFile(String(env.DATABRICKS_CONFIG_FILE ?? join(String(env.HOME), '.databrickscfg')), Buffer.from([0xff]));
  const { code, stdout } = await check();
  expect(code).toBe(1);
  expect(stdout).toContain('Did you mean "claude-code"?');
  expect(stdout).toContain('It was not tried on this computer.');
});

test.each([
  ['a key', { readonly: locked(true) }, '"readonly" is not supported by this version. Did you mean "readOnly"?'],
  ['the name of an AI client', { clients: locked(['Claude Code']) }, 'Did you mean "claude-code"?'],
  ['a member of a key', { audit: locked({ file: true, otpl: 'x' }) }, 'Did you mean "otlp"?'],
  [
    'a member of a permission',
    { rules: locked({ servers: { '/api/2.0/mcp/sql': { readOnly: true, newTool: 'off' } } }) },
    'Did you mean "newTools"?',
  ],
  [
    'a member of a required server',
    { requiredServers: locked([{ name: 'a', profil: 'b', profile: 'c', path: '/api/2.0/mcp/sql' }]) },
    'Did you mean "profile"?',
  ],
])('policy check says what was meant by %s that is misspelt', async (_, keys, text) => {
  const { code, stderr } = await (await homeWithFile(() => keys)).check();
  expect(code).toBe(1);
  expect(stderr).toContain(text);
});
