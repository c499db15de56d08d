import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openServers } from '../../../main/clients/servers.ts';
import { PermissionsFile } from '../../../main/permissions/permissions-file.ts';
import { userNamed } from '../../workspace/caller.ts';
import { startWorkspace } from '../../workspace/workspace.ts';
import { profileOf, requestsOf, SQL, startApplication, startSession } from '../cli/sql-session.ts';
import { callAgain, callSql, locked, MANAGED, managedHome, oneWorkspace } from './managed-home.ts';

const ALLOWED = 'https://acme.cloud.databricks.com';
const ELSEWHERE = 'https://elsewhere.cloud.databricks.com';

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
    expect(JSON.parse(stdout).profiles.find(({ profile }: { profile: string }) => profile === 'ben')).toMatchObject({
      state: 'unusable',
    });
    const refused = proxy(['--profile', 'ben', '--path', SQL]);
    expect(await refused.finish()).toBe(2);
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
    expect(await refused.finish()).toBe(2);
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
    expect(await refused.finish()).toBe(2);
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
    await causeway('servers', 'add', '--path', '/api/2.0/mcp/sql', '--profile', 'ana');
    expect(await callSql(proxy(['--all']), 'DROP TABLE sales')).toContain('Unknown tool');
  });

  test('has their own permissions that allow it', async () => {
    const { env, run: causeway, proxy } = await managedHome(oneWorkspace);
    await causeway('servers', 'add', '--path', '/api/2.0/mcp/sql', '--profile', 'ana');
    await causeway('permissions', 'set', '--all', '--no-read-only');
    await causeway('permissions', 'set', 'databricks-sql', '--on', 'execute_sql', '--no-read-only');
    expect(new PermissionsFile(env).path).toContain(env.CAUSEWAY_HOME);
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
      expect(answer).toMatch(/[Uu]nknown tool|not found|turned off|has a NUL/);
      expect(JSON.stringify(workspace.statements)).not.toContain('DROP');
    },
  );

  test.each([
    `${SQL}/`,
    SQL.replace('/sql', '//sql'),
    SQL.replace('sql', '%73ql'),
    SQL.toUpperCase(),
    `${SQL}?a=b`,
    `${SQL}?a=b&a=c`,
    SQL.replace('sql', 'genie%2F..%2Fsql'),
    SQL.replace('sql', 'genie/..;/sql'),
    `${SQL};a=b`,
    `${SQL}%00`,
    `${SQL}%20`,
    `${SQL}%5c`,
    `${SQL}%E2%80%8B`,
  ])('names the server %s, for which the organization has permissions', async (path) => {
    const { proxy, workspace } = await managedHome(() => ({
      rules: locked({ servers: { [SQL]: { readOnly: true } } }),
    }));
    const session = proxy(['--profile', 'ana', '--path', path]);
    await session.open({ clientInfo: { name: 'x', version: '1' } }).catch(() => undefined);
    const answer = await callAgain(session, 'DROP TABLE sales').catch(() => 'no session');
    expect(answer).toMatch(/the organization allows only read-only tools|no session/);
    expect(JSON.stringify(workspace.statements)).not.toContain('DROP');
  });

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
    const { code, stderr } = await causeway('servers', 'add', '--path', '/api/2.0/mcp/genie/7191', '--profile', 'ana');
    expect(code).toBe(1);
    expect(stderr).toContain('/api/2.0/mcp/genie/7191 is not allowed');
  });

  test.each(['/api/2.0/mcp/genie/7191', `${SQL}/../genie/7191`, '/api/2.0/mcp/%67enie/7191'])(
    'starts a proxy for %s',
    async (path) => {
      const { proxy } = await managedHome(oneWorkspace);
      const refused = proxy(['--profile', 'ana', '--path', path]);
      expect(await refused.finish()).toBe(2);
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
    expect(JSON.parse((await causeway('servers', '--json')).stdout).servers).toMatchObject(required);
  });
});

test.each([
  [false, 0],
  [true, 1],
])('whether an AI client asks its user to allow a call is the organization’s choice (%s)', async (value, questions) => {
  const { run, proxy } = await managedHome(() => ({ askInClients: locked(value) }));
  await run('servers', 'add', '--path', SQL, '--name', 'data', '--profile', 'ana');
  await run('permissions', 'set', 'data', '--ask', 'execute_sql');
  const client = proxy();
  await client.open({ clientInfo: { name: 'claude-code', version: '1' }, capabilities: { elicitation: {} } });
  const answered = client.request(1, 'tools/call', { name: 'execute_sql', arguments: { query: 'DROP TABLE taxi' } });
  const asked = () => requestsOf(client).filter(({ method }) => method === 'elicitation/create');
  if (questions > 0) {
    await expect.poll(() => asked().length).toBe(questions);
    client.send({ jsonrpc: '2.0', id: asked()[0]?.id, result: { action: 'decline' } });
  }
  const { result } = await answered;
  expect(JSON.stringify(result)).toContain(value ? 'The user refused this call' : 'Causeway is not running to ask');
  expect(asked()).toHaveLength(questions);
});

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
