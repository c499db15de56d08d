import * as oauth from 'oauth4webapi';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace.ts';
import { CLI, DEAD, discover, insecure, OAuthClient, refusalOf } from './oauth-client.ts';

/** Refresh tokens: rotation, reuse, lifetimes, revocation. */

let workspace: EmbeddedWorkspace;
let client: OAuthClient;

beforeAll(async () => {
  workspace = await startWorkspace({
    autoApprove: 'ben@example.com',
    oauthClients: [
      { clientId: 'narrow-app', redirectUris: ['http://localhost/callback'], scopes: ['sql', 'offline_access'] },
    ],
  });
  client = new OAuthClient(workspace, await discover(workspace));
});
beforeEach(() => {
  workspace.requests.clear();
  Object.assign(workspace.lifetimes, { accessToken: 3600, refreshToken: 604_800 });
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => workspace.close());

describe('refreshing', () => {
  test('issues a new pair; each refresh token works once', async () => {
    const first = await client.signIn();
    const second = await client.refresh(first.refresh_token);
    const third = await client.refresh(second.refresh_token);
    expect(new Set([first, second, third].map((tokens) => tokens.refresh_token)).size).toBe(3);
    expect(await client.me(third.access_token)).toBe('ben@example.com');
    expect(workspace.requests.count({ path: '/oidc/v1/token', grantType: 'refresh_token' })).toBe(2);
  });

  test('an old refresh token that is used again ends the whole family, including newer ones and access tokens', async () => {
    const first = await client.signIn();
    const second = await client.refresh(first.refresh_token);
    expect(await refusalOf(client.refresh(first.refresh_token))).toEqual(DEAD);
    expect(await refusalOf(client.refresh(second.refresh_token))).toEqual(DEAD);
    expect(await client.me(second.access_token)).toBe(401);
  });

  test('lets one of many at once with the same token through, and revokes the family', async () => {
    const { refresh_token } = await client.signIn();
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => client.refresh(refresh_token)));
    const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    expect(await refusalOf(client.refresh(winners[0]?.value.refresh_token))).toEqual(DEAD);
  });

  test('two sign-ins of one user are two families', async () => {
    const [one, other] = [await client.signIn(), await client.signIn()];
    await client.refresh(one.refresh_token);
    expect(await refusalOf(client.refresh(one.refresh_token))).toEqual(DEAD);
    expect(await client.me((await client.refresh(other.refresh_token)).access_token)).toBe('ben@example.com');
  });

  test('a token of another client, or none at all, is refused', async () => {
    const { refresh_token } = await client.signIn();
    expect(await refusalOf(client.refresh(refresh_token, { client_id: 'narrow-app' }))).toEqual(DEAD);
    expect(await refusalOf(client.refresh('no such token'))).toEqual(DEAD);
  });

  test('lifetimes are as set: an expired access token is refused, an expired refresh token too', async () => {
    Object.assign(workspace.lifetimes, { accessToken: 1, refreshToken: 600 });
    const tokens = await client.signIn();
    expect(tokens.expires_in).toBe(1);
    later(2);
    expect(await client.me(tokens.access_token)).toBe(401);
    const renewed = await client.refresh(tokens.refresh_token);
    later(700);
    expect(await refusalOf(client.refresh(renewed.refresh_token))).toEqual(DEAD);
  });

  test('revocation of the refresh token ends its family (RFC 7009)', async () => {
    const tokens = await client.signIn();
    const response = await oauth.revocationRequest(
      client.server,
      CLI,
      oauth.None(),
      tokens.refresh_token ?? '',
      insecure,
    );
    await oauth.processRevocationResponse(response);
    expect(await refusalOf(client.refresh(tokens.refresh_token))).toEqual(DEAD);
    expect(await client.me(tokens.access_token)).toBe(401);
  });

  test('faults: access tokens expire, and refresh; refresh tokens are withdrawn; one token is refused', async () => {
    const tokens = await client.signIn();
    workspace.faults.expireAccessTokens();
    expect(await client.me(tokens.access_token)).toBe(401);
    const renewed = await client.refresh(tokens.refresh_token);
    workspace.faults.refuseToken(renewed.access_token);
    expect(await client.me(renewed.access_token)).toBe(401);
    workspace.faults.revokeRefreshTokens();
    expect(await refusalOf(client.refresh(renewed.refresh_token))).toEqual(DEAD);
  });
});

/** Moves the workspace's clock, which is this process's. */
function later(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
}
