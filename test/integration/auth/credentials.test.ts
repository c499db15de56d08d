import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { ownerOf, setStage } from './stage.ts';

const MINUTE = 60_000;
const stage = setStage(
  ({ host, users, servicePrincipal }) => `[pat]
host = ${host}
token = ${users[0]?.token}
[agent]
host = ${host}
client_id = ${servicePrincipal.clientId}
client_secret = ${servicePrincipal.clientSecret}
[liar]
host = ${host}
client_id = ${servicePrincipal.clientId}
client_secret = wrong-and-hush
`,
);
let clock: number;

beforeEach(() => {
  clock = Date.now();
});

const open = () => stage.open({ now: () => clock });

describe('a personal access token', () => {
  test('is used as it is, and read again if the workspace refuses it', async () => {
    const auth = open();
    const profile = await auth.profile('pat');
    const source = auth.tokens(profile);
    const token = await source.token();
    expect(await ownerOf(stage, token)).toBe('ana@example.com');
    await expect(source.token({ rejected: token })).rejects.toMatchObject({
      code: 'unauthenticated',
      message: `${stage.workspace.host} refuses the personal access token of profile "pat": it has expired, was revoked, or belongs to another workspace.`,
      remedy: `Create a new one in the workspace (Settings, Developer, Access tokens) and put it into ${stage.home.configFile}.`,
    });
    await writeFile(
      stage.home.configFile,
      `[pat]\nhost = ${stage.workspace.host}\ntoken = ${stage.workspace.users[1]?.token}\n`,
    );
    expect(await ownerOf(stage, await source.token({ rejected: token }))).toBe('ben@example.com');
  });

  test('is never issued for a host that the profile did not name when it was opened', async () => {
    const auth = open();
    const profile = await auth.profile('pat');
    await writeFile(stage.home.configFile, '[pat]\nhost = https://elsewhere.example\ntoken = dapi-of-elsewhere\n');
    await expect(auth.tokens(profile).token()).rejects.toMatchObject({
      code: 'profile_unusable',
      message: `Profile "pat" now names https://elsewhere.example, not ${stage.workspace.host}.`,
    });
  });
});

describe('client credentials', () => {
  test('issue a token that is refreshed before it expires, once for all callers', async () => {
    const auth = open();
    const source = auth.tokens(await auth.profile('agent'));
    const [first, second] = await Promise.all([source.token(), source.token()]);
    expect(first.equals(second)).toBe(true);
    expect(await ownerOf(stage, first)).toBe(stage.workspace.servicePrincipal.clientId);
    clock += 56 * MINUTE;
    expect((await source.token()).equals(first)).toBe(false);
    expect(stage.workspace.requests.count({ grantType: 'client_credentials' })).toBe(2);
  });

  test('issue another token if the workspace refuses one', async () => {
    const auth = open();
    const source = auth.tokens(await auth.profile('agent'));
    const first = await source.token();
    stage.workspace.faults.expireAccessTokens();
    const [second, third] = await Promise.all([source.token({ rejected: first }), source.token({ rejected: first })]);
    expect(second.equals(third)).toBe(true);
    expect(await ownerOf(stage, second)).toBe(stage.workspace.servicePrincipal.clientId);
    expect((await source.token({ rejected: first })).equals(second)).toBe(true);
  });

  test('issue a few tokens only if the workspace refuses every one', async () => {
    const auth = open();
    const source = auth.tokens(await auth.profile('agent'));
    let last: unknown;
    for (let count = 0; count < 10; count += 1) {
      const token = await source.token();
      last = await source.token({ rejected: token }).catch((error: unknown) => error);
    }
    expect(last).toMatchObject({ code: 'unauthenticated', message: expect.stringContaining('refuses every token') });
    expect(stage.workspace.requests.count({ grantType: 'client_credentials' })).toBe(3);
  });

  test('issue another token each time if the one that is refused had worked', async () => {
    const auth = open();
    const source = auth.tokens(await auth.profile('agent'));
    for (let count = 0; count < 10; count += 1) await source.token({ rejected: await source.token(), hasWorked: true });
    expect(stage.workspace.requests.count({ grantType: 'client_credentials' })).toBe(11);
  });

  test('are refused with an explanation that does not contain the secret', async () => {
    const auth = open();
    const failure = await auth
      .tokens(await auth.profile('liar'))
      .token()
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'sign_in_failed',
      message: expect.stringContaining(
        `${stage.workspace.host} refused the client ${stage.workspace.servicePrincipal.clientId} (invalid_client`,
      ),
    });
    expect(inspect(failure, { depth: 10 })).not.toContain('hush');
  });

  test('go only to the workspace: not to a redirect, and not to where its metadata points', async () => {
    const reached: string[] = [];
    const thief = createServer((request, response) => {
      reached.push(request.url ?? '');
      response.end('{}');
    });
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
    const elsewhere = `http://127.0.0.1:${(thief.address() as AddressInfo).port}`;
    try {
      const auth = open();
      const source = auth.tokens(await auth.profile('agent'));
      stage.workspace.faults.add({
        path: '/oidc/v1/token',
        effect: { kind: 'redirect', location: `${elsewhere}/t`, status: 307 },
      });
      await expect(source.token()).rejects.toMatchObject({
        code: 'wrong_workspace',
        message: `${stage.workspace.host} redirects sign-ins to ${elsewhere}. Nothing was sent there.`,
      });
      const body = JSON.stringify({ issuer: `${stage.workspace.host}/oidc`, token_endpoint: `${elsewhere}/t` });
      const headers = { 'content-type': 'application/json' };
      stage.workspace.faults.add({
        path: '/oidc/.well-known/*',
        effect: { kind: 'answer', status: 200, headers, body },
      });
      await expect(source.token()).rejects.toMatchObject({
        code: 'wrong_workspace',
        message: `${stage.workspace.host} names a sign-in service on another host (${elsewhere}/t).`,
      });
      expect(reached).toEqual([]);
      expect(await ownerOf(stage, await source.token())).toBe(stage.workspace.servicePrincipal.clientId);
    } finally {
      thief.close();
    }
  });
});
