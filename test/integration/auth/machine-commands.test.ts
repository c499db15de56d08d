import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { initializeThroughProxy, runCauseway, startCauseway } from './causeway-process.ts';
import { identityProvider } from './identity-provider.ts';
import { type OwnHome, ownHome } from './own-home.ts';

/** The command with profiles to which nobody signs in here. */

let workspace: EmbeddedWorkspace;
let home: OwnHome;

beforeAll(async () => {
  workspace = await startWorkspace();
  const { host, federation } = workspace;
  const provider = identityProvider();
  const subject = 'system:serviceaccount:reports:nightly';
  federation.policies.push(provider.policy(subject, `${host}/oidc/v1/token`));
  home = await ownHome(
    `[az]
host = ${host}
auth_type = azure-cli
[out]
host = ${host}
azure_tenant_id = signed-out
[entra]
host = ${host}
auth_type = azure-client-secret
azure_tenant_id = contoso
azure_client_id = the-app
[github]
host = ${host}
auth_type = github-oidc
client_id = ${federation.clientId}
[variable]
host = ${host}
auth_type = env-oidc
client_id = ${federation.clientId}
[file]
host = ${host}
auth_type = file-oidc
client_id = ${federation.clientId}
oidc_token_filepath = /nowhere/token
`,
    {
      ARM_CLIENT_SECRET: 'hush-secret-of-the-app',
      DATABRICKS_OIDC_TOKEN: provider.idToken({ sub: subject, aud: `${host}/oidc/v1/token` }),
    },
  );
  const folder = join(home.folder, 'tools');
  await mkdir(folder);
  await writeFile(
    join(folder, 'az'),
    `#!/bin/sh
case "$*" in
*signed-out*) echo "ERROR: Please run 'az login' to setup account." >&2; exit 1;;
"account show"*) echo '{"user":{"name":"ana@example.com","type":"user"}}';;
*) echo '{"accessToken":"${workspace.users[0]?.token}","expires_on":4070908800}';;
esac
`,
  );
  await chmod(join(folder, 'az'), 0o755);
  home.env.PATH = `${folder}:/usr/bin:/bin`;
});
afterAll(async () => {
  await workspace.close();
  await home.remove();
});

test('causeway whoami says which identity a profile of the Azure CLI uses', async () => {
  expect(await runCauseway(home, ['whoami', '--profile', 'az'])).toEqual({
    code: 0,
    stdout: `ana@example.com\nThe token works at ${workspace.host} (profile az, Azure CLI).\n`,
    stderr: '',
  });
});

test('causeway profiles shows each kind with its state and what to do', async () => {
  const { stdout } = await runCauseway(home, ['profiles', '--json']);
  expect(JSON.parse(stdout).profiles).toMatchObject([
    { profile: 'az', method: 'azure-cli', state: 'ready', userName: 'ana@example.com', error: null },
    {
      profile: 'out',
      method: 'azure-cli',
      error: { remedy: expect.stringContaining('Run: az login --tenant signed-out.') },
    },
    { profile: 'entra', method: 'azure-client-secret' },
    {
      profile: 'github',
      method: 'github-oidc',
      error: { remedy: expect.stringContaining('permissions: id-token: write') },
    },
    { profile: 'variable', method: 'env-oidc', state: 'ready', userName: workspace.servicePrincipal.clientId },
    {
      profile: 'file',
      method: 'file-oidc',
      error: { message: expect.stringContaining('There is no file /nowhere/token') },
    },
    // What the variables of this home add to the profiles is a profile of its own too, without a workspace.
    { profile: '(environment)', isDefault: true, state: 'unusable' },
  ]);
  expect(stdout).not.toMatch(/hush|eyJ|causeway login/);
});

test.each([
  ['az', 'login', 'signs in through the Azure CLI', 'Use `az login` and `az logout` instead.'],
  ['entra', 'logout', 'uses the client secret of an Azure service principal', 'Use another profile'],
  ['github', 'login', 'signs in as its GitHub Actions job', 'Use another profile.'],
])('a profile %s refuses %s with an explanation', async (profile, command, has, remedy) => {
  const { code, stderr } = await runCauseway(home, [command, '--profile', profile]);
  expect(code).toBe(2);
  expect(stderr).toContain(`Profile "${profile}" ${has}. It has no sign-in to start or end. ${remedy}`);
});

describe('a missing scope', () => {
  test.each([
    ['az', 'The Entra token of the profile "az" cannot be given scopes.'],
    ['variable', 'Add the scope to the line `scopes` of the profile "variable"'],
  ])('of a profile %s leads to who can grant it, not to a sign-in', async (profile, remedy) => {
    workspace.faults.add({
      path: '/api/2.0/sql/warehouses*',
      effect: { kind: 'missing-scope', scope: 'sql' },
      times: 'always',
    });
    const { stderr } = await runCauseway(home, ['warehouse', 'list', '--profile', profile]);
    workspace.faults.clear();
    expect(stderr).toContain(remedy);
    expect(stderr).not.toContain('causeway login');
  });
});

test('warehouse commands work for a machine identity', async () => {
  const { code, stdout } = await runCauseway(home, ['warehouse', 'list', '--profile', 'variable', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).warehouses).not.toEqual([]);
});

test('causeway proxy passes a call on with a token of the Azure CLI', async () => {
  const proxy = startCauseway(home, ['proxy', '--profile', 'az', '--path', '/api/2.0/mcp/sql']);
  const initialize = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  const call = { name: 'execute_sql_read_only', arguments: { query: 'select 6 * 7 as answer' } };
  for (const frame of [
    { id: 1, method: 'initialize', params: initialize },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: call },
  ]) {
    proxy.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`);
  }
  const answer = () =>
    proxy
      .stdout()
      .split('\n')
      .find((line) => line.includes('"id":2'));
  await expect.poll(answer, { timeout: 20_000 }).toContain('statement_id');
  proxy.child.stdin.end();
  expect(await proxy.ended).toBe(0);
});

test('causeway proxy offers no sign-in if `az login` is needed, and says so', async () => {
  const { tools, code } = await initializeThroughProxy(home, 'out');
  expect(JSON.stringify(tools)).toContain('Run: az login --tenant signed-out.');
  expect(JSON.stringify(tools)).toContain('connection_status');
  expect(JSON.stringify(tools)).not.toContain('sign_in');
  expect(code).toBe(0);
});
