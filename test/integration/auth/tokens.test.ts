import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuthEvent, AuthService, Profile } from '../../../main/auth/auth.ts';
import { openAuth } from '../../../main/auth/open.ts';
import type { Secret } from '../../../main/platform/secret.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { type OwnHome, ownHome } from './own-home.ts';
import { scriptedBrowser } from './scripted-browser.ts';

const MINUTE = 60_000;
const REFRESH = { grantType: 'refresh_token' };
let workspace: EmbeddedWorkspace;
let home: OwnHome;
let clock: number;
let opened: AuthService[];

beforeEach(async () => {
  workspace = await startWorkspace({ autoApprove: 'ana@example.com' });
  const { host, users, servicePrincipal } = workspace;
  home = await ownHome(`
[user]
host = ${host}
[cli]
host = ${host}
auth_type = databricks-cli
[pat]
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
`);
  clock = Date.now();
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((auth) => auth.close()));
  await workspace.close();
  await home.remove();
});

/** As another process would: nothing is shared but the person's files. */
function open(): AuthService {
  const auth = openAuth({ env: home.env, now: () => clock, openBrowser: scriptedBrowser().open });
  opened.push(auth);
  return auth;
}

async function signedIn(): Promise<{ auth: AuthService; profile: Profile; events: AuthEvent[] }> {
  const auth = open();
  const profile = await auth.profile('user');
  await auth.signIn(profile);
  const events: AuthEvent[] = [];
  auth.subscribe((event) => events.push(event));
  return { auth, profile, events };
}

/** Whom the workspace takes a token for. */
async function ownerOf(token: Secret): Promise<string> {
  const headers = { authorization: `Bearer ${token.reveal()}` };
  const response = await fetch(`${workspace.host}/api/2.0/preview/scim/v2/Me`, { headers });
  return response.ok ? String(Object(await response.json()).userName) : `HTTP ${response.status}`;
}

describe('a personal access token', () => {
  test('is given out as it is, and read anew when the workspace refuses it', async () => {
    const auth = open();
    const profile = await auth.profile('pat');
    const source = auth.tokens(profile);
    const token = await source.token();
    expect(await ownerOf(token)).toBe('ana@example.com');
    await expect(source.token({ rejected: token })).rejects.toMatchObject({
      code: 'unauthenticated',
      message: `${workspace.host} refuses the personal access token of profile "pat": it has expired, was revoked, or belongs to another workspace.`,
      remedy: `Make a new one in the workspace (Settings, Developer, Access tokens) and put it into ${home.configFile}.`,
    });
    await writeFile(home.configFile, `[pat]\nhost = ${workspace.host}\ntoken = ${workspace.users[1]?.token}\n`);
    expect(await ownerOf(await source.token({ rejected: token }))).toBe('ben@example.com');
  });

  test('is never given out for a host that the profile did not name when it was opened', async () => {
    const auth = open();
    const profile = await auth.profile('pat');
    await writeFile(home.configFile, '[pat]\nhost = https://elsewhere.example\ntoken = dapi-of-elsewhere\n');
    await expect(auth.tokens(profile).token()).rejects.toMatchObject({
      code: 'profile_unusable',
      message: `Profile "pat" now names https://elsewhere.example, not ${workspace.host}.`,
    });
  });
});

describe('client credentials', () => {
  test('give a token that is renewed before it ends, once for all who ask', async () => {
    const auth = open();
    const source = auth.tokens(await auth.profile('agent'));
    const [first, second] = await Promise.all([source.token(), source.token()]);
    expect(first.equals(second)).toBe(true);
    expect(await ownerOf(first)).toBe(workspace.servicePrincipal.clientId);
    clock += 56 * MINUTE;
    expect((await source.token()).equals(first)).toBe(false);
    expect(workspace.requests.count({ grantType: 'client_credentials' })).toBe(2);
  });

  test('give another token when the workspace refuses one', async () => {
    const auth = open();
    const source = auth.tokens(await auth.profile('agent'));
    const first = await source.token();
    workspace.faults.expireAccessTokens();
    const [second, third] = await Promise.all([source.token({ rejected: first }), source.token({ rejected: first })]);
    expect(second.equals(third)).toBe(true);
    expect(await ownerOf(second)).toBe(workspace.servicePrincipal.clientId);
    expect((await source.token({ rejected: first })).equals(second)).toBe(true);
  });

  test('that are wrong are refused in words, without the secret', async () => {
    const auth = open();
    const failure = await auth
      .tokens(await auth.profile('liar'))
      .token()
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'sign_in_failed',
      message: `${workspace.host} refused the client ${workspace.servicePrincipal.clientId} (invalid_client).`,
    });
    expect(inspect(failure, { depth: 10 })).not.toContain('hush');
  });

  test('go to the workspace only: not after a redirect, not where its metadata points', async () => {
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
      workspace.faults.add({
        path: '/oidc/v1/token',
        effect: { kind: 'redirect', location: `${elsewhere}/t`, status: 307 },
      });
      await expect(source.token()).rejects.toMatchObject({
        code: 'wrong_workspace',
        message: `${workspace.host} points to ${elsewhere} for signing in; nothing is sent there.`,
      });
      const body = JSON.stringify({ issuer: `${workspace.host}/oidc`, token_endpoint: `${elsewhere}/t` });
      const headers = { 'content-type': 'application/json' };
      workspace.faults.add({ path: '/oidc/.well-known/*', effect: { kind: 'answer', status: 200, headers, body } });
      await expect(source.token()).rejects.toMatchObject({
        code: 'wrong_workspace',
        message: `${workspace.host} names a sign-in service elsewhere (${elsewhere}/t).`,
      });
      expect(reached).toEqual([]);
      expect(await ownerOf(await source.token())).toBe(workspace.servicePrincipal.clientId);
    } finally {
      thief.close();
    }
  });
});

describe('a sign-in of our own', () => {
  test('is renewed five minutes before its end, once for all who ask in all processes', async () => {
    const { auth, profile } = await signedIn();
    const first = await auth.tokens(profile).token();
    clock += 50 * MINUTE;
    expect((await auth.tokens(profile).token()).equals(first)).toBe(true);
    clock += 6 * MINUTE;
    const services = [auth, open(), open(), open()];
    const tokens = await Promise.all(
      services.flatMap((service) => Array.from({ length: 10 }, () => service.tokens(profile).token())),
    );
    expect(new Set(tokens.map((token) => token.reveal())).size).toBe(1);
    expect(tokens[0]?.equals(first)).toBe(false);
    expect(workspace.requests.count(REFRESH)).toBe(1);
  });

  test('gets one new token however many are refused at once, and none for who is late', async () => {
    const { auth, profile } = await signedIn();
    const other = open();
    const refused = await auth.tokens(profile).token();
    await other.tokens(profile).token();
    workspace.faults.expireAccessTokens();
    const asked = [auth, other].flatMap((service) =>
      Array.from({ length: 8 }, () => service.tokens(profile).token({ rejected: refused })),
    );
    const [renewed, ...rest] = await Promise.all(asked);
    expect(rest.every((token) => token.equals(renewed))).toBe(true);
    expect(await open().tokens(profile).token({ rejected: refused })).toEqual(renewed);
    expect(workspace.requests.count(REFRESH)).toBe(1);
  });

  test('goes on with the rotated refresh token, again and again, in a process each', async () => {
    const { profile } = await signedIn();
    for (let round = 0; round < 5; round += 1) {
      clock += 58 * MINUTE;
      expect(await ownerOf(await open().tokens(profile).token())).toBe('ana@example.com');
    }
    expect(workspace.requests.count(REFRESH)).toBe(5);
  });

  test('survives a computer that slept for a day, and a clock that was set back', async () => {
    const { auth, profile } = await signedIn();
    clock += 24 * 60 * MINUTE;
    expect(await ownerOf(await auth.tokens(profile).token())).toBe('ana@example.com');
    clock -= 48 * 60 * MINUTE;
    expect(await ownerOf(await auth.tokens(profile).token())).toBe('ana@example.com');
    expect(workspace.requests.count(REFRESH)).toBe(2);
  });

  test('uses what still works while the workspace cannot renew, and asks again later', async () => {
    const { auth, profile } = await signedIn();
    const source = auth.tokens(profile);
    const first = await source.token();
    const fault = workspace.faults.add({ path: '/oidc/v1/token', times: 'always', effect: { kind: 'unavailable' } });
    clock += 56 * MINUTE;
    for (let ask = 0; ask < 5; ask += 1) expect((await source.token()).equals(first)).toBe(true);
    expect(fault.hits).toBe(1);
    clock += 5 * MINUTE;
    await expect(source.token()).rejects.toMatchObject({
      code: 'unavailable',
      message: `The sign-in service of ${workspace.host} is not available (HTTP 503).`,
    });
    workspace.faults.clear();
    expect(await ownerOf(await source.token())).toBe('ana@example.com');
  });

  test('whose refresh token has ended is signed out: said once, and the workspace is not asked again', async () => {
    const { auth, profile, events } = await signedIn();
    workspace.faults.revokeRefreshTokens();
    clock += 58 * MINUTE;
    const source = auth.tokens(profile);
    const asked = await Promise.allSettled(Array.from({ length: 5 }, () => source.token()));
    for (const each of asked) {
      expect(each).toMatchObject({
        status: 'rejected',
        reason: {
          code: 'signed_out',
          message: `Profile "user" is signed out of ${workspace.host}.`,
          remedy: 'Sign in with: causeway login --profile user.',
        },
      });
    }
    await expect(open().tokens(profile).token()).rejects.toMatchObject({ code: 'signed_out' });
    expect(events).toEqual([{ type: 'signed-out', profile }]);
    expect(workspace.requests.count(REFRESH)).toBe(1);
    expect(await auth.signInState(profile)).toEqual({ state: 'signed-out' });
    await auth.signIn(profile);
    expect(await ownerOf(await source.token())).toBe('ana@example.com');
  });

  test('whose renewal was lost on the way works or is signed out, and does not loop', async () => {
    const { auth, profile } = await signedIn();
    const source = auth.tokens(profile);
    workspace.faults.add({ path: '/oidc/v1/token', effect: { kind: 'drop', when: 'before-headers' } });
    clock += 61 * MINUTE;
    await expect(source.token()).rejects.toMatchObject({ code: 'unreachable' });
    // The workspace has rotated the token that we hold: using it again ends the family.
    await expect(source.token()).rejects.toMatchObject({ code: 'signed_out' });
    await expect(source.token()).rejects.toMatchObject({ code: 'signed_out' });
    expect(workspace.requests.count(REFRESH)).toBe(2);
  });

  test('stops for whoever does not want to wait, and goes on for the others', async () => {
    const { auth, profile } = await signedIn();
    workspace.faults.add({ path: '/oidc/v1/token', effect: { kind: 'delay', milliseconds: 300 } });
    clock += 61 * MINUTE;
    const stop = new AbortController();
    const impatient = auth.tokens(profile).token({ signal: stop.signal });
    const patient = auth.tokens(profile).token();
    stop.abort();
    await expect(impatient).rejects.toMatchObject({ code: 'cancelled' });
    expect(await ownerOf(await patient)).toBe('ana@example.com');
    expect(workspace.requests.count(REFRESH)).toBe(1);
  });

  test('ends at the workspace and on this computer when the person signs out', async () => {
    const { auth, profile, events } = await signedIn();
    const token = await auth.tokens(profile).token();
    expect(await auth.signOut(profile)).toEqual({ revoked: true });
    expect(await ownerOf(token)).toBe('HTTP 401');
    expect(events).toEqual([{ type: 'signed-out', profile }]);
    expect(await readdir(join(home.folder, 'causeway', 'state', 'tokens'))).toEqual([]);
    await expect(auth.tokens(profile).token()).rejects.toMatchObject({ code: 'signed_out' });
    await expect(auth.signOut(profile)).rejects.toMatchObject({ code: 'signed_out' });
  });

  test('ends on this computer also when the workspace does not answer', async () => {
    const { auth, profile } = await signedIn();
    workspace.faults.add({ path: '/oidc/v1/revoke', effect: { kind: 'drop', when: 'unhandled' } });
    expect(await auth.signOut(profile)).toEqual({ revoked: false });
    expect(await open().signInState(profile)).toEqual({ state: 'signed-out' });
  });

  test('moves along when its profile is renamed, and ends when it is removed', async () => {
    const { auth, profile } = await signedIn();
    const token = await auth.tokens(profile).token();
    await auth.renameProfile('user', 'me');
    const renamed = await auth.profile('me');
    expect((await auth.tokens(renamed).token()).equals(token)).toBe(true);
    await auth.removeProfile('me');
    expect(await ownerOf(token)).toBe('HTTP 401');
    expect(await readdir(join(home.folder, 'causeway', 'state', 'tokens'))).toEqual([]);
    expect((await auth.profiles()).map(({ name }) => name)).toEqual(['cli', 'pat', 'agent', 'liar']);
  });

  test('prints nothing of its tokens, however it is printed', async () => {
    const { auth, profile } = await signedIn();
    const token = await auth.tokens(profile).token();
    const printed = inspect([auth, profile, token, await auth.signInState(profile)], { depth: 20, showHidden: true });
    expect(`${printed}${JSON.stringify([token])}${token}`).not.toContain(token.reveal());
  });
});

describe('a profile of the Databricks CLI, on a computer without it', () => {
  test('is signed out until somebody signs in through Causeway, and then uses that', async () => {
    const auth = open();
    const profile = await auth.profile('cli');
    expect(await auth.signInState(profile)).toEqual({ state: 'signed-out' });
    await expect(auth.tokens(profile).token()).rejects.toMatchObject({ code: 'cli_unavailable' });
    await auth.signIn(profile);
    expect(await auth.signInState(profile)).toMatchObject({ state: 'signed-in', userName: 'ana@example.com' });
    const token = await auth.tokens(profile).token();
    expect(await ownerOf(token)).toBe('ana@example.com');
    expect((await auth.tokens(profile).token({ rejected: token })).equals(token)).toBe(false);
    expect(workspace.requests.count(REFRESH)).toBe(1);
  });
});

describe('a program that may sign in by itself', () => {
  function unattended() {
    const browser = scriptedBrowser();
    const auth = openAuth({ env: home.env, now: () => clock, openBrowser: browser.open, signInWhenNeeded: true });
    opened.push(auth);
    return { auth, browser };
  }

  test.each(['user', 'cli'])('asks once for all its requests (profile %s)', async (name) => {
    const { auth, browser } = unattended();
    const source = auth.tokens(await auth.profile(name));
    const tokens = await Promise.all(Array.from({ length: 10 }, () => source.token()));
    expect(new Set(tokens.map((token) => token.reveal())).size).toBe(1);
    expect(browser.opened).toHaveLength(1);
  });

  test('takes no for an answer, until somebody signs in elsewhere', async () => {
    workspace.approve('deny');
    const { auth, browser } = unattended();
    const profile = await auth.profile('user');
    const source = auth.tokens(profile);
    for (let ask = 0; ask < 3; ask += 1) await expect(source.token()).rejects.toMatchObject({ code: 'consent_denied' });
    clock += 10 * MINUTE;
    await expect(source.token()).rejects.toMatchObject({ code: 'consent_denied' });
    expect(browser.opened).toHaveLength(1);
    workspace.approve({ as: 'ana@example.com' });
    await open().signIn(profile);
    expect(await ownerOf(await source.token())).toBe('ana@example.com');
    expect(browser.opened).toHaveLength(1);
  });

  test('tries again when it was the network that said no', async () => {
    const { auth, browser } = unattended();
    const source = auth.tokens(await auth.profile('user'));
    workspace.faults.add({ path: '/oidc/.well-known/*', effect: { kind: 'drop', when: 'unhandled' } });
    await expect(source.token()).rejects.toMatchObject({ code: 'unreachable' });
    expect(browser.opened).toEqual([]);
    expect(await ownerOf(await source.token())).toBe('ana@example.com');
  });

  test('asks anew when a sign-in that was there has ended', async () => {
    const { auth, browser } = unattended();
    const source = auth.tokens(await auth.profile('user'));
    await source.token();
    workspace.faults.revokeRefreshTokens();
    clock += 2 * 60 * MINUTE;
    expect(await ownerOf(await source.token())).toBe('ana@example.com');
    expect(browser.opened).toHaveLength(2);
  });
});
