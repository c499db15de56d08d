import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SQL } from '../cli/sql-session.ts';
import { callSql, locked, managedHome } from './managed-home.ts';

const NO_PERMISSIONS = /Every client may use every tool/;

describe('under a locked read only', () => {
  const readOnlyHome = () =>
    managedHome(() => ({ organization: 'Acme', contact: 'it@acme.example', readOnly: locked(true, 'Audited data') }));

  test.each([
    ['--all', '--no-read-only'],
    ['--client', 'codex', '--no-read-only'],
    ['sql', '--no-read-only'],
    ['sql', '--client', 'codex', '--no-read-only', '--new', 'ask'],
    ['sql', '--on', 'execute_sql'],
    ['sql', '--ask', 'execute_sql'],
  ])('permissions set %s %s is refused, stores nothing, and names who decided', async (...args) => {
    const { env, run } = await readOnlyHome();
    await run('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'sql', '--profile', 'ana');
    for (const more of [[], ['--dry-run'], ['--json']]) {
      const { code, stdout, stderr } = await run('permissions', 'set', ...args, ...more);
      expect(code).toBe(1);
      expect(stdout + stderr).toContain('Managed by your organization (Acme)');
      expect(stdout + stderr).toContain('Audited data');
    }
    await expect(readFile(join(String(env.CAUSEWAY_HOME), 'config', 'permissions.json'))).rejects.toThrow('ENOENT');
  });

  test('what is stricter, or only concerns tools that read, can be set', async () => {
    const { run } = await readOnlyHome();
    await run('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'sql', '--profile', 'ana');
    const set = await run('permissions', 'set', 'sql', '--on', 'poll_sql_result', '--off', 'execute_sql_read_only');
    expect(set.code).toBe(0);
    expect(set.stderr).toContain("Your organization's permissions apply too: read only (all servers)");
  });

  test('permissions list shows what is in effect, and by whom', async () => {
    const { run } = await readOnlyHome();
    const { stdout } = await run('permissions', 'list');
    expect(stdout).not.toMatch(NO_PERMISSIONS);
    expect(stdout).toMatch(/all +all +read only +organization/);
    const data = JSON.parse((await run('permissions', 'list', '--json')).stdout);
    expect(data.permissions).toEqual([]);
    expect(data.inEffect).toEqual([
      expect.objectContaining({ servers: null, client: null, readOnly: true, by: 'organization', locked: true }),
    ]);
    expect(data.organization).toMatchObject({ name: 'Acme', contact: 'it@acme.example', locked: true, error: null });
  });

  test('what the user has allowed before the policy came is shown as without effect', async () => {
    const { run, policy } = await managedHome(() => ({}));
    await run('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'sql', '--profile', 'ana');
    await run('permissions', 'set', '--all', '--no-read-only', '--new', 'ask');
    await run('permissions', 'set', 'sql', '--on', 'execute_sql', '--off', 'poll_sql_result');
    await policy.set({ readOnly: locked(true) });
    const { stdout } = await run('permissions');
    expect(stdout).toContain('no effect: not read only; new tools ask first, because read only stays on');
    expect(stdout).toContain('because execute_sql stays off, because only tools that read are allowed');
    const data = JSON.parse((await run('permissions', '--json')).stdout);
    expect(data.permissions).toHaveLength(2);
    expect(data.inEffect).toMatchObject([
      { readOnly: true, by: 'organization' },
      { newTools: 'ask', by: 'user' },
      { servers: ['sql'], off: ['poll_sql_result'], by: 'user' },
    ]);
    expect(data.inEffect[1].readOnly).toBeNull();
  });
});

test('servers test, status and diagnose tell what is in effect, and who decided', async () => {
  const { run } = await managedHome(() => ({
    organization: 'Acme',
    readOnly: locked(true),
    optional: ['later'],
    later: locked('x'),
  }));
  await run('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'sql', '--profile', 'ana');
  expect((await run('servers', 'test', 'sql')).stdout).toMatch(/execute_sql {2}\(off for AI clients, organization\)/);
  const [tested] = JSON.parse((await run('servers', 'test', 'sql', '--json')).stdout).servers;
  expect(tested.tools).toContainEqual(expect.objectContaining({ name: 'execute_sql', decidedBy: 'organization' }));
  expect(tested.tools).toContainEqual(expect.objectContaining({ name: 'poll_sql_result', permission: 'allow' }));
  const status = await run('status');
  expect(status.stdout).toContain('all servers: read only (organization)');
  expect(JSON.parse((await run('status', '--json')).stdout).permissions.inEffect).toMatchObject([
    { readOnly: true, by: 'organization' },
  ]);
  const diagnosed = (await run('diagnose', '--profile', 'ana')).stdout;
  expect(diagnosed).toContain('Managed by Acme');
  expect(diagnosed).toContain('Read only: on');
  expect(diagnosed).toContain('ignores as optional: later');
  expect((await run('policy', 'show')).stdout).toContain('ignores as optional: later');
});

test('locked permissions for a server, a client and new tools hold against permissions set, and only there', async () => {
  const codex = { name: 'Codex', wireNames: ['codex-mcp-client'] };
  const { run } = await managedHome(() => ({
    rules: locked({
      clients: { desk: { ...codex, readOnly: true } },
      servers: { [SQL]: { off: ['execute_sql'], ask: ['poll_sql_result'], newTools: 'ask' } },
    }),
  }));
  await run('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'sql', '--profile', 'ana');
  await run('servers', 'add', 'genie', '--name', 'genie', '--profile', 'ana', '--path', '/api/2.0/mcp/genie/0a');
  const said = async (...args: string[]) => (await run('permissions', 'set', ...args)).stderr;
  expect(await said('--client', 'codex', '--no-read-only')).toContain('read only stays on');
  expect(await said('sql', '--on', 'execute_sql')).toContain('execute_sql stays off');
  expect(await said('sql', '--ask', 'execute_sql')).toContain('execute_sql stays off');
  expect(await said('sql', '--on', 'poll_sql_result')).toContain('poll_sql_result still asks first');
  expect(await said('sql', '--new', 'on')).toContain('new tools still ask first');
  expect(await said('genie', '--on', 'execute_sql', '--new', 'on')).not.toContain('Managed by');
  expect(await said('sql', '--client', 'cursor', '--no-read-only')).not.toContain('Managed by');
});

test('what a wider permission of the user leaves without effect is said when it is set, and shown so', async () => {
  const { run } = await managedHome(() => ({}));
  await run('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'sql', '--profile', 'ana');
  expect((await run('permissions', 'set', '--all', '--read-only')).stderr).toBe('');
  const set = await run(
    'permissions',
    'set',
    'sql',
    '--no-read-only',
    '--on',
    'execute_sql',
    '--off',
    'poll_sql_result',
  );
  expect(set.code).toBe(0);
  expect(set.stderr).toContain(
    'This has no effect, because of your own permissions: read only is on for all servers; execute_sql',
  );
  const { stdout } = await run('permissions');
  expect(stdout).toMatch(
    /sql +all +off: poll_sql_result \(no effect: not read only; .*, because read only is on for all/,
  );
  expect(JSON.parse((await run('permissions', '--json')).stdout).inEffect).toMatchObject([
    { servers: null, readOnly: true },
    { servers: ['sql'], off: ['poll_sql_result'], on: [] },
  ]);
  expect((await run('permissions', 'set', 'sql', '--client', 'codex', '--no-read-only')).stderr).toContain(
    'for all servers',
  );
  await run('permissions', 'set', '--all', '--no-read-only');
  expect((await run('permissions', 'set', 'sql', '--on', 'execute_sql')).stderr).not.toContain('no effect');
});

test('with --dry-run, a default that the change would end is not said to apply', async () => {
  const { run } = await managedHome(() => ({ readOnly: { value: true, locked: false } }));
  const { code, stderr } = await run('permissions', 'set', '--all', '--no-read-only', '--dry-run');
  expect([code, stderr]).toEqual([0, '']);
});

test('a default holds until the user decides otherwise, also to allow', async () => {
  const { run, proxy } = await managedHome(() => ({ readOnly: { value: true, locked: false } }));
  expect((await run('permissions')).stdout).toMatch(/read only +organization, until you decide/);
  expect(await callSql(proxy(), 'CREATE TABLE a (b INT)')).toContain('read-only');
  expect((await run('permissions', 'set', '--all', '--no-read-only')).code).toBe(0);
  expect((await run('permissions')).stdout).not.toContain('organization');
  expect(await callSql(proxy(), 'CREATE TABLE a (b INT)')).not.toContain('read-only');
});

test('with a policy that cannot be used, permissions say so and cannot be changed', async () => {
  const { run, policy } = await managedHome(() => ({}));
  await writeFile(policy.file, '{');
  const { stdout } = await run('permissions');
  expect(stdout).not.toMatch(NO_PERMISSIONS);
  expect(stdout).toContain('No tool may be called');
  expect((await run('permissions', 'set', '--all', '--read-only')).code).toBe(1);
  const data = JSON.parse((await run('permissions', '--json')).stdout);
  expect(data.organization.error.message).toContain('its policy cannot be used');
});
