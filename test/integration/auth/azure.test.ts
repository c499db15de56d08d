import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer as createHttpsServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bearerHeaders } from '../../../main/auth/access-token.ts';
import { parseConfig } from '../../../main/auth/profiles/config-document.ts';
import { profileSettings } from '../../../main/auth/profiles/profiles.ts';
import { requestAzureCliToken } from '../../../main/auth/sources/azure.ts';
import { isProcessAlive } from '../../../main/platform/process-alive.ts';
import { type CertificateAuthority, createCertificateAuthority, HAS_OPENSSL } from '../proxy/certificate-authority.ts';
import { type ForwardProxy, startForwardProxy } from '../proxy/forward-proxy.ts';
import { ownerOf, setStage } from './stage.ts';

const DATABRICKS = '2ff814a6-3304-4ab8-85cb-cd0e6f879c1d';
const RESOURCE = '/subscriptions/5-u-b/resourceGroups/rg/providers/Microsoft.Databricks/workspaces/w';
/** Where one is installed, it is found. */
const HAS_AZ = ['/usr/bin/az', '/usr/local/bin/az', '/opt/homebrew/bin/az'].some((path) => existsSync(path));
const stage = setStage(
  ({ host }) => `[az]
host = ${host}
auth_type = azure-cli
[tenant]
host = ${host}
azure_tenant_id = contoso
[resource]
host = ${host}
azure_workspace_resource_id = ${RESOURCE}
[principal]
host = ${host}
azure_tenant_id = contoso
azure_client_id = the-app
azure_client_secret = hush-secret-of-the-app
azure_workspace_resource_id = ${RESOURCE}
`,
);
const token = () => stage.workspace.users[0]?.token ?? '';

async function source(name: string, now?: () => number) {
  const auth = stage.open(now ? { now } : {});
  return auth.tokens(await auth.profile(name));
}

async function failureOf(name: string): Promise<unknown> {
  return (await source(name)).token().catch((error: unknown) => error);
}

describe('azure-cli', () => {
  /** Puts a program that behaves like the Azure CLI where one is usually installed, and on PATH unless that is not wanted. */
  async function install({
    onPath = true,
    account = '{"user":{"name":"ana@example.com","type":"user"}}',
    give = '',
  } = {}) {
    const folder = join(stage.home.folder, '.local', 'bin');
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, 'az'),
      `#!/bin/sh
echo "$@" >> "${stage.home.folder}/calls"
if [ "$1 $2" = "account show" ]; then ${account.startsWith('{') ? `echo '${account}'; exit 0` : account}; fi
${give}
`,
    );
    await chmod(join(folder, 'az'), 0o755);
    if (onPath) stage.home.env.PATH = `${folder}:/usr/bin:/bin`;
  }

  const calls = async () => (await readFile(join(stage.home.folder, 'calls'), 'utf8')).trim().split('\n');
  /** What gives a token for Azure Databricks, and one for the management of Azure. */
  const both = (expiry = '"expires_on":4070908800,"expiresOn":"2099-01-01 00:00:00.000000"') => `case "$*" in
*${DATABRICKS}*) echo '{"accessToken":"${token()}",${expiry},"tokenType":"Bearer"}';;
*) echo '{"accessToken":"management-token",${expiry}}';;
esac`;
  const onlyDatabricks = (expiry?: string) =>
    `${both(expiry).replace(/echo '\{"accessToken":"management.*;;/, 'exit 1;;')}`;

  test.skipIf(HAS_AZ)('is found outside of PATH, and with no PATH at all', async () => {
    await install({ give: both(), onPath: false });
    expect((await (await source('az')).token()).reveal()).toBe(token());
    delete stage.home.env.PATH;
    expect((await (await source('az')).token()).reveal()).toBe(token());
  });

  test('gets its token from the Azure CLI, with the management token beside it', async () => {
    await install({ give: both() });
    const tokens = await source('az');
    const [given, same] = await Promise.all([tokens.token(), tokens.token()]);
    expect(same).toBe(given);
    expect(await ownerOf(stage, given)).toBe('ana@example.com');
    expect(bearerHeaders(given)).toEqual({
      authorization: `Bearer ${token()}`,
      'x-databricks-azure-sp-management-token': 'management-token',
    });
    await tokens.token();
    expect((await calls()).sort()).toEqual([
      `account get-access-token --resource ${DATABRICKS} --output json`,
      'account get-access-token --resource https://management.core.windows.net/ --output json',
      'account show --output json',
    ]);
    expect(inspect(given, { depth: 9, showHidden: true })).not.toContain('management-token');
  });

  test('leaves out the management token if the CLI returns none', async () => {
    await install({ give: onlyDatabricks() });
    expect(bearerHeaders(await (await source('az')).token())).toEqual({ authorization: `Bearer ${token()}` });
  });

  test('names the tenant of the profile, or otherwise the one that the workspace reports', async () => {
    await install({ give: both() });
    await (await source('tenant')).token();
    stage.workspace.faults.add({
      path: '/aad/auth',
      effect: { kind: 'redirect', location: 'https://login.microsoftonline.com/of-the-host/oauth2/authorize?x=1' },
    });
    await (await source('az')).token();
    const asked = (await calls()).filter((call) => call.includes(DATABRICKS));
    expect(asked).toEqual([
      `account get-access-token --resource ${DATABRICKS} --tenant contoso --output json`,
      `account get-access-token --resource ${DATABRICKS} --tenant of-the-host --output json`,
    ]);
  });

  test('names the subscription of the workspace if no tenant is known, and continues without it if that fails', async () => {
    await install({ give: `case "$*" in *subscription*) echo "ERROR: not yours" >&2; exit 1;; esac\n${both()}` });
    expect(bearerHeaders(await (await source('resource')).token())).toMatchObject({
      'x-databricks-azure-workspace-resource-id': RESOURCE,
    });
    expect((await calls()).filter((call) => call.includes(DATABRICKS))).toEqual([
      `account get-access-token --resource ${DATABRICKS} --subscription 5-u-b --output json`,
      `account get-access-token --resource ${DATABRICKS} --output json`,
    ]);
  });

  test.each([
    ['a managed identity is asked without the tenant', 'systemAssignedIdentity', '', ['']],
    [
      'a service principal is asked with the tenant, then without',
      'app-id',
      'case "$*" in *tenant*) echo "ERROR: federated" >&2; exit 1;; esac\n',
      [' --tenant contoso', ''],
    ],
  ])('%s', async (_what, name, refusal, tenants) => {
    await install({ account: `{"user":{"name":"${name}","type":"servicePrincipal"}}`, give: refusal + both() });
    await (await source('tenant')).token();
    const asked = (await calls()).filter((call) => call.includes(DATABRICKS));
    expect(asked).toEqual(
      tenants.map((tenant) => `account get-access-token --resource ${DATABRICKS}${tenant} --output json`),
    );
  });

  test.each([
    ['seconds since 1970', `"expires_on":${Date.parse('2030-01-01T01:00:00Z') / 1000},"expiresOn":"nonsense"`],
    ['local time', `"expiresOn":"${localTime(new Date('2030-01-01T01:00:00Z'))}.123456"`],
  ])('asks again before the token expires, if its expiry is given in %s', async (_form, expiry) => {
    let now = Date.parse('2030-01-01T00:00:00Z');
    await install({ give: onlyDatabricks(expiry) });
    const tokens = await source('az', () => now);
    await tokens.token();
    now += 50 * 60_000;
    await tokens.token();
    expect(await calls()).toHaveLength(3);
    now += 5 * 60_000;
    await tokens.token();
    expect(await calls()).toHaveLength(6);
  });

  test('says that the workspace refuses the only token that the CLI has', async () => {
    await install({ give: both() });
    const tokens = await source('tenant');
    await expect(tokens.token({ rejected: await tokens.token() })).rejects.toMatchObject({
      code: 'unauthenticated',
      message: `${stage.workspace.host} refuses the token that the Azure CLI returns for profile "tenant".`,
      remedy: expect.stringContaining('az login --tenant contoso'),
    });
  });

  test.skipIf(HAS_AZ)('says that the CLI is missing, and finds it once it is installed', async () => {
    const tokens = await source('az');
    await expect(tokens.token()).rejects.toMatchObject({
      code: 'cli_unavailable',
      message: 'The Azure CLI that profile "az" signs in with is not installed.',
      remedy: 'Install it (https://learn.microsoft.com/cli/azure/install-azure-cli), then run: az login.',
    });
    await install({ give: both() });
    expect((await tokens.token()).reveal()).toBe(token());
  });

  test.each([
    [
      'account',
      "ERROR: Please run 'az login' to setup account.",
      'signed_out',
      'The Azure CLI is signed out (profile "tenant": ERROR: Please run \'az login\' to setup account.).',
      'Run: az login --tenant contoso.',
    ],
    [
      'token',
      'ERROR: AADSTS700082: The refresh token has expired due to inactivity. Trace ID: 1-2 Correlation ID: 3-4',
      'signed_out',
      'The Azure CLI is signed out (profile "tenant": ERROR: AADSTS700082: The refresh token has expired due to inactivity).',
      'Run: az login --tenant contoso.',
    ],
    [
      'token',
      'ERROR: AADSTS50020: User account from identity provider does not exist in tenant contoso.',
      'sign_in_failed',
      'The Azure CLI is not signed in to the tenant contoso of ',
      'set azure_tenant_id in profile "tenant"',
    ],
    [
      'token',
      'ERROR: something else',
      'cli_unavailable',
      'The Azure CLI returned no token (ERROR: something else).',
      'To see why, run: az account get-access-token --resource',
    ],
  ])('explains a failed %s call: %s', async (which, line, code, message, remedy) => {
    const fail = `printf '%s\\n' 'WARNING: an update is there' "${line.replaceAll('"', '\\"')}" >&2; exit 1`;
    await install(which === 'account' ? { account: fail } : { give: fail });
    expect(await failureOf('tenant')).toMatchObject({
      code,
      message: expect.stringContaining(message),
      remedy: expect.stringContaining(remedy),
    });
  });

  test('does not repeat an answer that may contain a token', async () => {
    await install({ give: `echo '{"accessToken":{"nested":"hush"}}'` });
    const failure = await failureOf('az');
    expect(failure).toMatchObject({ code: 'cli_unavailable', remedy: 'Update it with: az upgrade.' });
    expect(inspect(failure, { depth: 9 })).not.toContain('hush');
  });

  test('says that the CLI hangs, and ends it with all its child processes', async () => {
    await install({ account: `sleep 600 & echo $! > "${stage.home.folder}/pid"; wait` });
    const auth = stage.open();
    const profile = await auth.profile('az');
    const { azure } = profileSettings(
      { document: parseConfig(await stage.home.readConfig()), path: '', env: {} },
      'az',
    );
    const fetch = async () => new Response();
    const options = { profile, azure, env: stage.home.env, fetch, now: Date.now, timeoutMs: 1_000 };
    await expect(requestAzureCliToken(options, undefined)).rejects.toMatchObject({
      code: 'timeout',
      message: 'The Azure CLI returned no response within 1 s (profile "az").',
      remedy: `To see what it waits for, run: az account get-access-token --resource ${DATABRICKS}.`,
    });
    const pid = Number(await readFile(join(stage.home.folder, 'pid'), 'utf8'));
    await expect.poll(() => isProcessAlive(pid)).toBe(false);
  });

  test('a token that still works is used while the CLI fails', async () => {
    let now = Date.parse('2030-01-01T00:00:00Z');
    await install({ give: onlyDatabricks(`"expires_on":${now / 1000 + 3600}`) });
    const tokens = await source('az', () => now);
    const first = await tokens.token();
    await install({ account: 'echo "ERROR: no network" >&2; exit 1' });
    now += 57 * 60_000;
    expect(await tokens.token()).toBe(first);
    now += 3 * 60_000;
    await expect(tokens.token()).rejects.toMatchObject({ code: 'cli_unavailable' });
  });
});

describe.skipIf(!HAS_OPENSSL)('with certificates that openssl makes: azure-client-secret', () => {
  let authority: CertificateAuthority;
  let entra: Server;
  let company: ForwardProxy;
  let asked: { path: string | undefined; form: Record<string, string> }[] = [];
  let answer: (resource: string) => [status: number, body: object];

  beforeAll(async () => {
    authority = createCertificateAuthority('login.microsoftonline.com');
    entra = createHttpsServer({ key: authority.key, cert: authority.cert }, async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const form = Object.fromEntries(new URLSearchParams(body));
      asked.push({ path: request.url, form });
      const [status, said] = answer(form.resource ?? '');
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
    });
    await new Promise<void>((resolve) => entra.listen(0, '127.0.0.1', resolve));
    company = await startForwardProxy({ 'login.microsoftonline.com:443': (entra.address() as AddressInfo).port });
  });
  beforeEach(() => {
    Object.assign(stage.home.env, { HTTPS_PROXY: company.address, SSL_CERT_FILE: authority.file });
    asked = [];
    answer = (resource) => [
      200,
      // As the older endpoint of Entra ID writes it.
      {
        access_token: resource === DATABRICKS ? token() : 'management-token',
        expires_in: '3599',
        token_type: 'Bearer',
      },
    ];
  });
  afterEach(() => {
    company.asked.length = 0;
  });
  afterAll(async () => {
    await company.close();
    entra.closeAllConnections();
    entra.close();
    authority.remove();
  });

  test('gets both tokens from the tenant, through the proxy and with the certificates that the environment names', async () => {
    let now = Date.now();
    const tokens = await source('principal', () => now);
    const given = await tokens.token();
    expect(await ownerOf(stage, given)).toBe('ana@example.com');
    expect(bearerHeaders(given)).toEqual({
      authorization: `Bearer ${token()}`,
      'x-databricks-azure-sp-management-token': 'management-token',
      'x-databricks-azure-workspace-resource-id': RESOURCE,
    });
    expect(asked.map(({ form }) => form.resource).sort()).toEqual([DATABRICKS, 'https://management.core.windows.net/']);
    expect(asked[0]).toMatchObject({
      path: '/contoso/oauth2/token',
      form: { grant_type: 'client_credentials', client_id: 'the-app', client_secret: 'hush-secret-of-the-app' },
    });
    expect(company.asked[0]).toBe('login.microsoftonline.com:443');
    now += 56 * 60_000;
    await tokens.token();
    expect(asked).toHaveLength(4);
  });

  test.each([
    ['AADSTS7000215: Invalid client secret provided.', 'invalid_client', 'Its client secret is wrong.'],
    ['AADSTS7000222: The provided client secret keys are expired.', 'invalid_client', 'Its client secret has expired.'],
    [
      "AADSTS700016: Application with identifier 'the-app' was not found in the directory.",
      'unauthorized_client',
      'There is no application the-app in the tenant contoso.',
    ],
    [
      "AADSTS90002: Tenant 'contoso' not found.",
      'invalid_request',
      'There is no tenant contoso. Check azure_tenant_id.',
    ],
    ['AADSTS500011: The resource principal was not found.', 'invalid_resource', 'does not have Azure Databricks.'],
    ['AADSTS1: Something new.', 'invalid_request', 'Check azure_tenant_id, azure_client_id and azure_client_secret'],
  ])('explains a refusal without the secret that it repeats: %s', async (description, error, remedy) => {
    answer = () => [
      401,
      { error, error_description: `${description} Trace ID: 1-2 hush-secret-of-the-app`, error_codes: [1] },
    ];
    const failure = await failureOf('principal');
    expect(failure).toMatchObject({
      code: 'sign_in_failed',
      message: expect.stringContaining(description.replace(/\.$/, '')),
      remedy: expect.stringContaining(remedy),
    });
    expect(inspect(failure, { depth: 9 })).not.toMatch(/hush|Trace ID/);
  });

  test('says that Entra ID is down, or that its answer is not a token', async () => {
    answer = () => [500, {}];
    expect(await failureOf('principal')).toMatchObject({
      code: 'unavailable',
      message: 'The sign-in service of login.microsoftonline.com is not available (HTTP 500).',
    });
    answer = () => [200, { token: 'none' }];
    expect(await failureOf('principal')).toMatchObject({ code: 'unexpected_answer' });
  });

  test('does not send the secret if the certificate is not trusted', async () => {
    delete stage.home.env.SSL_CERT_FILE;
    expect(await failureOf('principal')).toMatchObject({ code: 'tls' });
    expect(asked).toEqual([]);
  });
});

/** As the Azure CLI writes a time: in local time, without saying so. */
function localTime(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}
