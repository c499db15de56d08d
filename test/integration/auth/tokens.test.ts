import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AuthEvent, Profile } from '../../../main/auth/auth.ts';
import type { AuthService } from '../../../main/auth/open.ts';
import { scriptedBrowser } from './scripted-browser.ts';
import { ownerOf, setStage } from './stage.ts';

const MINUTE = 60_000;
const REFRESH = { grantType: 'refresh_token' };
const stage = setStage(() => '[other]\nhost = https://other.example\n');
let clock: number;

beforeEach(() => {
  clock = Date.now();
});

/** As another process would: nothing is shared but the user's files. */
const open = () => stage.open({ now: () => clock, openBrowser: scriptedBrowser().open });

/** Whom the workspace takes a revoked access token for. */
const afterRevocation = () => (stage.workspace.endsAccessTokens ? 'HTTP 401' : 'ana@example.com');

async function signedIn(): Promise<{ auth: AuthService; profile: Profile; events: AuthEvent[] }> {
  const auth = open();
  const profile = await auth.profile('user');
  await auth.signIn(profile);
  const events: AuthEvent[] = [];
  auth.subscribe((event) => events.push(event));
  return { auth, profile, events };
}

describe('Causeway’s own sign-in', () => {
  test('is refreshed five minutes before it expires, once for all callers in all processes', async () => {
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
    expect(stage.workspace.requests.count(REFRESH)).toBe(1);
  });

  test('gets one new token however many requests are refused at once, and none for a late refusal', async () => {
    const { auth, profile } = await signedIn();
    const other = open();
    const refused = await auth.tokens(profile).token();
    await other.tokens(profile).token();
    stage.workspace.faults.expireAccessTokens();
    const asked = [auth, other].flatMap((service) =>
      Array.from({ length: 8 }, () => service.tokens(profile).token({ rejected: refused })),
    );
    const [renewed, ...rest] = await Promise.all(asked);
    expect(rest.every((token) => token.equals(renewed))).toBe(true);
    expect(await open().tokens(profile).token({ rejected: refused })).toEqual(renewed);
    expect(stage.workspace.requests.count(REFRESH)).toBe(1);
  });

  test('is renewed a few times only, in all processes together, if the workspace refuses every token', async () => {
    const { profile } = await signedIn();
    /** A call as any other: with the token that there is, and once more with another one. */
    const call = async () => {
      const source = open().tokens(profile);
      const token = await source.token();
      return source.token({ rejected: token }).catch((error: unknown) => error);
    };
    const outcomes: unknown[] = [];
    for (let count = 0; count < 10; count += 1) outcomes.push(await call());
    expect(stage.workspace.requests.count(REFRESH)).toBe(2);
    expect(outcomes.at(-1)).toMatchObject({
      code: 'unauthenticated',
      message: `${stage.workspace.host} refuses every token of profile "user", new ones too. The next one is requested in 60 seconds.`,
      remedy: 'Check the workspace of the profile and the access of its user, or ask a workspace admin.',
    });
    clock += MINUTE;
    await call();
    expect(stage.workspace.requests.count(REFRESH)).toBe(3);
    expect(await call()).toMatchObject({ message: expect.stringContaining('in 2 minutes.') });
    clock += 20 * MINUTE;
    for (let count = 0; count < 3; count += 1) await call();
    // One that has worked for a while begins anew.
    expect(stage.workspace.requests.count(REFRESH)).toBe(6);
  });

  test('is renewed each time if the server that refuses it had accepted it before', async () => {
    const { auth, profile } = await signedIn();
    const source = auth.tokens(profile);
    for (let count = 0; count < 10; count += 1) await source.token({ rejected: await source.token(), hasWorked: true });
    expect(stage.workspace.requests.count(REFRESH)).toBe(10);
  });

  test('continues with the rotated refresh token, repeatedly, in a new process each time', async () => {
    const { profile } = await signedIn();
    for (let round = 0; round < 5; round += 1) {
      clock += 58 * MINUTE;
      expect(await ownerOf(stage, await open().tokens(profile).token())).toBe('ana@example.com');
    }
    expect(stage.workspace.requests.count(REFRESH)).toBe(5);
  });

  test('survives a computer that slept for a day, and a clock that was set back', async () => {
    const { auth, profile } = await signedIn();
    clock += 24 * 60 * MINUTE;
    expect(await ownerOf(stage, await auth.tokens(profile).token())).toBe('ana@example.com');
    clock -= 48 * 60 * MINUTE;
    expect(await ownerOf(stage, await auth.tokens(profile).token())).toBe('ana@example.com');
    expect(stage.workspace.requests.count(REFRESH)).toBe(2);
  });

  test('uses a token that is still valid while the workspace cannot refresh it, and asks again later', async () => {
    const { auth, profile } = await signedIn();
    const source = auth.tokens(profile);
    const first = await source.token();
    const fault = stage.workspace.faults.add({
      path: '/oidc/v1/token',
      times: 'always',
      effect: { kind: 'unavailable' },
    });
    clock += 56 * MINUTE;
    for (let ask = 0; ask < 5; ask += 1) expect((await source.token()).equals(first)).toBe(true);
    expect(fault.hits).toBe(1);
    clock += 5 * MINUTE;
    await expect(source.token()).rejects.toMatchObject({
      code: 'unavailable',
      message: `The sign-in service of ${stage.workspace.host} is not available (HTTP 503).`,
    });
    stage.workspace.faults.clear();
    expect(await ownerOf(stage, await source.token())).toBe('ana@example.com');
  });

  test('waits for a workspace that is briefly busy, with the same refresh token, once for all callers', async () => {
    const { auth, profile } = await signedIn();
    clock += 61 * MINUTE;
    stage.workspace.faults.add({ path: '/oidc/v1/token', effect: { kind: 'unavailable', retryAfter: '0.3' } });
    stage.workspace.faults.add({ path: '/oidc/v1/token', effect: { kind: 'rate-limit' } });
    const source = auth.tokens(profile);
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => source.token()));
    expect(others.every((token) => token.equals(first))).toBe(true);
    expect(first && (await ownerOf(stage, first))).toBe('ana@example.com');
    expect(stage.workspace.requests.count({ path: '/oidc/v1/token' })).toBe(4);
  });

  test.each([
    ['a Retry-After that is too long', 503, { 'retry-after': '3600' }, '', 'unavailable', 'HTTP 503'],
    ['a server error', 500, {}, '{"error":"server_error"}', 'unavailable', 'HTTP 500'],
    ['a gateway timeout', 502, {}, '', 'unavailable', 'HTTP 502'],
    [
      'an unknown application',
      401,
      {},
      '{"error":"invalid_client"}',
      'sign_in_failed',
      'does not accept the OAuth application databricks-cli (invalid_client)',
    ],
    [
      'an application that cannot refresh',
      400,
      {},
      '{"error":"unauthorized_client"}',
      'sign_in_failed',
      'does not accept the OAuth application',
    ],
  ])('stays signed in if the workspace answers with %s', async (_what, status, headers, body, code, words) => {
    const { auth, profile } = await signedIn();
    clock += 61 * MINUTE;
    stage.workspace.faults.add({
      path: '/oidc/v1/token',
      effect: { kind: 'answer', status, headers: { 'content-type': 'application/json', ...headers }, body },
    });
    const source = auth.tokens(profile);
    await expect(source.token()).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
    expect(await ownerOf(stage, await source.token())).toBe('ana@example.com');
  });

  test('waits if the workspace says temporarily_unavailable, and does not ask anyone to sign in again', async () => {
    const { auth, profile } = await signedIn();
    clock += 61 * MINUTE;
    const body = '{"error":"temporarily_unavailable"}';
    const effect = { kind: 'answer', status: 400, headers: { 'content-type': 'application/json' }, body } as const;
    const fault = stage.workspace.faults.add({ path: '/oidc/v1/token', effect });
    const source = auth.tokens(profile);
    expect(await ownerOf(stage, await source.token())).toBe('ana@example.com');
    expect(fault.hits).toBe(1);
  });

  test('is signed out if its refresh token has expired: reported once, and the workspace is not asked again', async () => {
    const { auth, profile, events } = await signedIn();
    stage.workspace.faults.revokeRefreshTokens();
    clock += 58 * MINUTE;
    const source = auth.tokens(profile);
    const asked = await Promise.allSettled(Array.from({ length: 5 }, () => source.token()));
    for (const each of asked) {
      expect(each).toMatchObject({
        status: 'rejected',
        reason: {
          code: 'signed_out',
          message: `Profile "user" is signed out of ${stage.workspace.host}.`,
          action: { do: 'sign-in', profile: 'user' },
        },
      });
    }
    await expect(open().tokens(profile).token()).rejects.toMatchObject({ code: 'signed_out' });
    expect(events).toEqual([{ type: 'signed-out', profile }]);
    expect(stage.workspace.requests.count(REFRESH)).toBe(1);
    expect(await auth.signInState(profile)).toEqual({ state: 'signed-out' });
    await auth.signIn(profile);
    expect(await ownerOf(stage, await source.token())).toBe('ana@example.com');
  });

  test('works or is signed out, without a loop, if the response to its refresh was lost', async () => {
    const { auth, profile } = await signedIn();
    const source = auth.tokens(profile);
    stage.workspace.faults.add({ path: '/oidc/v1/token', effect: { kind: 'drop', when: 'before-headers' } });
    clock += 61 * MINUTE;
    await expect(source.token()).rejects.toMatchObject({ code: 'unreachable' });
    // The workspace has rotated the token that we hold: using it again ends the family.
    await expect(source.token()).rejects.toMatchObject({ code: 'signed_out' });
    await expect(source.token()).rejects.toMatchObject({ code: 'signed_out' });
    expect(stage.workspace.requests.count(REFRESH)).toBe(2);
  });

  test('stops for a request that does not want to wait, and continues for the others', async () => {
    const { auth, profile } = await signedIn();
    stage.workspace.faults.add({ path: '/oidc/v1/token', effect: { kind: 'delay', milliseconds: 300 } });
    clock += 61 * MINUTE;
    const stop = new AbortController();
    const impatient = auth.tokens(profile).token({ signal: stop.signal });
    const patient = auth.tokens(profile).token();
    stop.abort();
    await expect(impatient).rejects.toMatchObject({ code: 'cancelled' });
    expect(await ownerOf(stage, await patient)).toBe('ana@example.com');
    expect(stage.workspace.requests.count(REFRESH)).toBe(1);
  });

  test('ends at the workspace and on this computer when the user signs out', async () => {
    const { auth, profile, events } = await signedIn();
    const token = await auth.tokens(profile).token();
    expect(await auth.signOut(profile)).toEqual({ revoked: true });
    expect(await ownerOf(stage, token)).toBe(afterRevocation());
    expect(events).toEqual([{ type: 'signed-out', profile }]);
    expect(await readdir(join(stage.home.folder, 'causeway', 'state', 'tokens'))).toEqual([]);
    await expect(auth.tokens(profile).token()).rejects.toMatchObject({ code: 'signed_out' });
    await expect(auth.signOut(profile)).rejects.toMatchObject({ code: 'signed_out' });
  });

  test('ends on this computer even if the workspace does not answer', async () => {
    const { auth, profile } = await signedIn();
    stage.workspace.faults.add({ path: '/oidc/v1/revoke', effect: { kind: 'drop', when: 'unhandled' } });
    expect(await auth.signOut(profile)).toEqual({ revoked: false });
    expect(await open().signInState(profile)).toEqual({ state: 'signed-out' });
  });

  test('follows its profile when it is renamed, and ends when it is removed', async () => {
    const { auth, profile } = await signedIn();
    const token = await auth.tokens(profile).token();
    await auth.renameProfile('user', 'me');
    const renamed = await auth.profile('me');
    expect((await auth.tokens(renamed).token()).equals(token)).toBe(true);
    await auth.removeProfile('me');
    expect(await ownerOf(stage, token)).toBe(afterRevocation());
    expect(await readdir(join(stage.home.folder, 'causeway', 'state', 'tokens'))).toEqual([]);
    expect((await auth.profiles()).map(({ name }) => name)).toEqual(['other']);
  });

  test('prints none of its tokens, however it is printed', async () => {
    const { auth, profile } = await signedIn();
    const token = await auth.tokens(profile).token();
    const printed = inspect([auth, profile, token, await auth.signInState(profile)], { depth: 20, showHidden: true });
    expect(`${printed}${JSON.stringify([token])}${token}`).not.toContain(token.reveal());
  });
});
