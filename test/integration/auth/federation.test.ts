import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAuth } from '../../../main/auth/open.ts';
import { type GitHubJob, type IdentityProvider, identityProvider, startGitHubJob } from './identity-provider.ts';
import { ownHome } from './own-home.ts';
import { ownerOf, setStage } from './stage.ts';

const MKFIFO = 'mkfifo';
const SUBJECT = 'repo:acme/reports:ref:refs/heads/main';
const stage = setStage(
  ({ host, federation }) => `[github]
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
token_audience = causeway-tests
oidc_token_filepath = HOME/id-token
`,
);

let provider: IdentityProvider;
let jobs: GitHubJob[] = [];
beforeEach(async () => {
  provider = identityProvider();
  const { configFile, readConfig, folder } = stage.home;
  await writeFile(configFile, (await readConfig()).replace('HOME/', `${folder}/`));
});
afterEach(async () => {
  await Promise.all(jobs.map((job) => job.close()));
  jobs = [];
});

const audience = () => `${stage.workspace.host}/oidc/v1/token`;
const tokenFile = () => join(stage.home.folder, 'id-token');
const trust = (wanted = audience(), subject = SUBJECT) =>
  stage.workspace.federation.policies.push(provider.policy(subject, wanted));

async function inJob(status?: number): Promise<GitHubJob> {
  const job = await startGitHubJob(provider, SUBJECT, status);
  jobs.push(job);
  Object.assign(stage.home.env, job.variables);
  return job;
}

async function source(name: string, now?: () => number) {
  const auth = stage.open(now ? { now } : {});
  return auth.tokens(await auth.profile(name));
}

async function failureOf(name: string): Promise<unknown> {
  return (await source(name)).token().catch((error: unknown) => error);
}

describe('github-oidc', () => {
  test('exchanges the job’s ID token for one of the workspace, and again before that expires', async () => {
    trust();
    const job = await inJob();
    let clock = Date.now();
    const tokens = await source('github', () => clock);
    const [token, same] = await Promise.all([tokens.token(), tokens.token()]);
    expect(same.equals(token)).toBe(true);
    expect(await ownerOf(stage, token)).toBe(stage.workspace.servicePrincipal.clientId);
    expect(job.asked).toEqual([audience()]);
    clock += 56 * 60_000;
    // The job's ID tokens end after five minutes: each is asked for when it is needed.
    expect((await tokens.token()).equals(token)).toBe(false);
    expect(job.asked).toHaveLength(2);
  });

  test('gets another token if the workspace refuses one', async () => {
    trust();
    await inJob();
    const tokens = await source('github');
    const first = await tokens.token();
    stage.workspace.faults.expireAccessTokens();
    const [second, third] = await Promise.all([tokens.token({ rejected: first }), tokens.token({ rejected: first })]);
    expect(second.equals(third)).toBe(true);
    expect(await ownerOf(stage, second)).toBe(stage.workspace.servicePrincipal.clientId);
  });

  test('uses a token that is still valid while no new one is available', async () => {
    trust();
    await inJob();
    let clock = Date.now();
    const tokens = await source('github', () => clock);
    const token = await tokens.token();
    clock += 58 * 60_000;
    stage.workspace.faults.add({ path: '/oidc/v1/token', effect: { kind: 'html', status: 500 }, times: 'always' });
    expect((await tokens.token()).equals(token)).toBe(true);
    clock += 3 * 60_000;
    await expect(tokens.token()).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('outside a job says which variable is not set, and what to do', async () => {
    expect(await failureOf('github')).toMatchObject({
      code: 'signed_out',
      message:
        'Profile "github" signs in as a GitHub Actions job, but ACTIONS_ID_TOKEN_REQUEST_URL and ACTIONS_ID_TOKEN_REQUEST_TOKEN are not set.',
      remedy: expect.stringContaining('permissions: id-token: write'),
    });
  });

  test('does not send the job’s bearer token to an address without encryption', async () => {
    Object.assign(stage.home.env, {
      ACTIONS_ID_TOKEN_REQUEST_URL: 'http://actions.example/token',
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'hush',
    });
    expect(await failureOf('github')).toMatchObject({
      message: 'ACTIONS_ID_TOKEN_REQUEST_URL is not an https address.',
    });
  });

  test('says that GitHub returned no token, without the bearer token that GitHub repeats', async () => {
    await inJob(403);
    const failure = await failureOf('github');
    expect(failure).toMatchObject({
      code: 'sign_in_failed',
      message: expect.stringContaining('GitHub Actions returned no ID token (HTTP 403: '),
    });
    expect(inspect(failure, { depth: 9 })).not.toContain('hush-request');
  });

  test('says which federation policy is missing, with the claims of the token, without the token', async () => {
    await inJob();
    const failure = await failureOf('github');
    expect(failure).toMatchObject({
      code: 'sign_in_failed',
      message: `${stage.workspace.host} does not accept the ID token of profile "github" (invalid_grant: No federation policy trusts the issuer of the token.).`,
      remedy: `An account admin must create a federation policy for the service principal federated-agent with the issuer ${provider.issuer}, the subject ${SUBJECT} and the audience ${audience()}.`,
    });
    expect(inspect(failure, { depth: 9 })).not.toContain('eyJ');
  });

  test('says that the audience does not match', async () => {
    trust('something else');
    await inJob();
    expect(await failureOf('github')).toMatchObject({
      code: 'sign_in_failed',
      remedy: `The token is for the audience ${audience()}. Make token_audience of the profile (now ${audience()}) match an audience of the federation policy.`,
    });
  });

  test('says that the client id is not a service principal', async () => {
    const { configFile, readConfig } = stage.home;
    await writeFile(configFile, (await readConfig()).replaceAll('federated-agent', 'nobody'));
    trust();
    await inJob();
    expect(await failureOf('github')).toMatchObject({
      code: 'sign_in_failed',
      remedy: 'Check client_id: nobody must be the application id of a service principal of this account.',
    });
  });

  test.each([
    ['the account of the profile', 'acc-1', 'acc-1'],
    ['its own address', 'HOST/oidc/other', 'HOST/oidc/other'],
    ['another service, such as AWS STS', 'sts.amazonaws.com', 'HOST/oidc/v1/token'],
    ['another address', 'https://evil.example/oidc/v1/token', 'HOST/oidc/v1/token'],
    ['another account', 'acc-2', 'HOST/oidc/v1/token'],
  ])('requests an audience that the host names only if it is its own: %s', async (_what, named, requested) => {
    const audiences = [named.replace('HOST', stage.workspace.host)];
    stage.workspace.faults.add({
      path: '/.well-known/databricks-config',
      effect: {
        kind: 'answer',
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ host_type: 'workspace', token_federation_default_oidc_audiences: audiences }),
      },
      times: 'always',
    });
    const { configFile, readConfig } = stage.home;
    await writeFile(configFile, (await readConfig()).replace('[github]', '[github]\naccount_id = acc-1'));
    const wanted = requested.replace('HOST', stage.workspace.host);
    trust(wanted);
    const job = await inJob();
    await (await source('github')).token();
    expect(job.asked).toEqual([wanted]);
  });
});

describe('env-oidc', () => {
  test('reads the ID token from the variable', async () => {
    trust();
    stage.home.env.DATABRICKS_OIDC_TOKEN = ` ${provider.idToken({ sub: SUBJECT, aud: audience() })}\n`;
    expect(await ownerOf(stage, await (await source('variable')).token())).toBe(
      stage.workspace.servicePrincipal.clientId,
    );
  });

  test.each([
    [undefined, 'not set'],
    ['', 'empty'],
  ])('says that the variable %j is %s', async (value, what) => {
    if (value !== undefined) stage.home.env.DATABRICKS_OIDC_TOKEN = value;
    expect(await failureOf('variable')).toMatchObject({
      code: 'signed_out',
      message: `The environment variable DATABRICKS_OIDC_TOKEN is ${what}. Profile "variable" reads its ID token from it.`,
      remedy: expect.stringContaining('AI clients pass on few variables'),
    });
  });

  test('says when a token expired that the workspace does not accept', async () => {
    trust();
    stage.home.env.DATABRICKS_OIDC_TOKEN = provider.idToken({ sub: SUBJECT, aud: audience(), exp: 1_000_000_000 });
    expect(await failureOf('variable')).toMatchObject({
      code: 'signed_out',
      message:
        'The ID token of profile "variable" expired at 2001-09-09T01:46:40.000Z (invalid_grant: The token has expired.).',
    });
  });

  test('can sign in even if the clock is wrong', async () => {
    trust();
    stage.home.env.DATABRICKS_OIDC_TOKEN = provider.idToken({ sub: SUBJECT, aud: audience() });
    const tokens = await source('variable', () => Date.now() + 86_400_000);
    expect(await ownerOf(stage, await tokens.token())).toBe(stage.workspace.servicePrincipal.clientId);
  });
});

describe('file-oidc', () => {
  test('reads the file again each time, because the platform rewrites it', async () => {
    trust('causeway-tests');
    await writeFile(tokenFile(), provider.idToken({ sub: SUBJECT, aud: 'causeway-tests' }));
    const tokens = await source('file');
    const first = await tokens.token();
    expect(await ownerOf(stage, first)).toBe(stage.workspace.servicePrincipal.clientId);
    await writeFile(tokenFile(), '');
    await expect(tokens.token({ rejected: first })).rejects.toMatchObject({
      code: 'signed_out',
      message: `The file ${tokenFile()} is empty. Profile "file" reads its ID token from it.`,
    });
    await writeFile(tokenFile(), provider.idToken({ sub: SUBJECT, aud: 'causeway-tests' }));
    expect((await tokens.token({ rejected: first })).equals(first)).toBe(false);
  });

  test('says that the file is missing, or is a folder', async () => {
    expect(await failureOf('file')).toMatchObject({
      code: 'signed_out',
      message: `There is no file ${tokenFile()}. Profile "file" reads its ID token from it.`,
    });
    const { configFile, readConfig, folder } = stage.home;
    await writeFile(configFile, (await readConfig()).replace(tokenFile(), folder));
    expect(await failureOf('file')).toMatchObject({ message: expect.stringContaining('cannot be read (EISDIR)') });
  });

  test.skipIf(process.platform === 'win32')('does not wait for a pipe or read an endless file', async () => {
    execFileSync(MKFIFO, [tokenFile()]);
    expect(await failureOf('file')).toMatchObject({
      code: 'signed_out',
      message: `${tokenFile()} is not a file that contains an ID token.`,
    });
    const { configFile, readConfig } = stage.home;
    await writeFile(configFile, (await readConfig()).replace(tokenFile(), '/dev/zero'));
    expect(await failureOf('file')).toMatchObject({ message: '/dev/zero is not a file that contains an ID token.' });
  });

  test('does not show the contents of the file if they are not a token', async () => {
    await writeFile(tokenFile(), 'hush-this-is-another-secret');
    expect(inspect(await failureOf('file'), { depth: 9 })).not.toContain('hush');
  });
});

test('an account-wide federation policy needs no client id', async () => {
  const forms: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.setHeader('content-type', 'application/json');
    if (request.url === '/oidc/v1/token') {
      forms.push(body);
      response.end('{"access_token":"exchanged","token_type":"Bearer","expires_in":3600}');
    } else if (request.url === '/oidc/.well-known/oauth-authorization-server') {
      response.end(JSON.stringify({ issuer: `${host}/oidc`, token_endpoint: `${host}/oidc/v1/token` }));
    } else response.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const home = await ownHome('', { DATABRICKS_HOST: host, DATABRICKS_OIDC_TOKEN: 'an-id-token' });
  try {
    const auth = openAuth({ env: home.env });
    const profile = await auth.profile();
    expect(profile).toMatchObject({ name: '(environment)', method: 'env-oidc' });
    expect((await auth.tokens(profile).token()).reveal()).toBe('exchanged');
    expect(Object.fromEntries(new URLSearchParams(forms[0]))).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: 'an-id-token',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      scope: 'all-apis',
    });
    await auth.close();
  } finally {
    server.close();
    await home.remove();
  }
});
