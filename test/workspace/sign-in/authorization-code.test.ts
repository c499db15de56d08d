import * as oauth from 'oauth4webapi';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { callerWith } from '../caller.ts';
import { ScriptedBrowser } from '../scripted-browser.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace.ts';
import { ALL, discover, OAuthClient, refusalOf } from './oauth-client.ts';

/** Discovery, then the authorization code with PKCE, seen by a client that is not ours. */

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
afterEach(() => {
  vi.useRealTimers();
  workspace.lifetimes.authorizationCode = 60;
});
afterAll(() => workspace.close());

describe('discovery', () => {
  test('lists the capabilities (RFC 8414): PKCE with S256, `iss` in the callback, revocation', () => {
    expect(client.server).toMatchObject({
      issuer: `${workspace.host}/oidc`,
      authorization_endpoint: `${workspace.host}/oidc/v1/authorize`,
      token_endpoint: `${workspace.host}/oidc/v1/token`,
      revocation_endpoint: `${workspace.host}/oidc/v1/revoke`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      response_types_supported: ['code'],
    });
    expect(client.server.grant_types_supported).toEqual(
      expect.arrayContaining(['authorization_code', 'refresh_token', 'client_credentials']),
    );
    expect(client.server.scopes_supported).toEqual(
      expect.arrayContaining([
        'all-apis',
        'offline_access',
        'sql',
        'genie',
        'vector-search',
        'unity-catalog',
        'ai-search',
        'ai-gateway',
        'openid',
      ]),
    );
    expect(client.server).not.toHaveProperty('registration_endpoint');
  });

  test('says the same at the OpenID Connect address', async () => {
    const response = await fetch(`${workspace.host}/oidc/.well-known/openid-configuration`);
    expect(await response.json()).toEqual(client.server);
  });

  test('databricks-config names the sign-in and the workspace', async () => {
    const { body } = await callerWith(workspace, undefined)('GET', '/.well-known/databricks-config');
    expect(body).toMatchObject({ oidc_endpoint: client.server.issuer, workspace_id: workspace.state.workspaceId });
  });

  test.each([
    ['/api/2.0/mcp/sql', ['sql']],
    ['/api/2.0/mcp/genie/01ef2b7c5a9d1e3f8c4b6a0d2e5f7191', ['genie']],
    ['/api/2.0/mcp/vector-search/main/support', ['vector-search', 'ai-search']],
    ['/api/2.0/mcp/functions/main/default', ['unity-catalog']],
  ])('the challenge of %s leads to its metadata (RFC 9728), and they to this sign-in', async (path, scopes) => {
    const refused = await callerWith(workspace, undefined)('POST', path, {});
    expect(refused.status).toBe(401);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    const address = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
    const resource = new URL(workspace.host + path);
    const metadata = await oauth.processResourceDiscoveryResponse(resource, await fetch(address));
    expect(metadata).toMatchObject({
      authorization_servers: [client.server.issuer],
      scopes_supported: [...scopes, 'offline_access'],
    });
  });
});

describe('authorization code with PKCE', () => {
  test('issues tokens for the user who signed in', async () => {
    const tokens = await client.signIn();
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: ALL });
    expect(await client.me(tokens.access_token)).toBe('ben@example.com');
    expect(typeof tokens.refresh_token).toBe('string');
  });

  test.each(['http://localhost:8020', 'http://localhost:8040', 'http://localhost:54321', 'http://127.0.0.1:40000'])(
    'databricks-cli accepts a callback at %s',
    async (redirectUri) => {
      const callback = await client.callbackOf(await client.attempt({ redirectUri }));
      expect(callback.origin).toBe(redirectUri);
      expect(callback.searchParams.get('iss')).toBe(client.server.issuer);
    },
  );

  test.each([
    ['another path', { redirectUri: 'http://localhost:8020/callback' }],
    ['another host', { redirectUri: 'http://example.com:8020' }],
    ['an unknown client', { client: { client_id: 'nobody' } }],
  ])('%s gets a page that says so, no redirect and no tokens', async (_what, options) => {
    const end = await new ScriptedBrowser().open((await client.attempt(options)).address);
    expect(end).toMatchObject({ kind: 'page', status: 400, text: expect.stringContaining('Sign-in failed') });
  });

  test.each([
    ['without a challenge', { without: ['code_challenge', 'code_challenge_method'] }],
    ['with the plain method', { extra: { code_challenge_method: 'plain' } }],
    ['without a method, which means plain', { without: ['code_challenge_method'] }],
  ])('is refused %s', async (_what, options) => {
    const started = await client.attempt(options);
    const callback = await client.callbackOf(started);
    expect(() => client.validated(started, callback)).toThrow(oauth.AuthorizationResponseError);
    expect(callback.searchParams.get('error')).toBe('invalid_request');
    expect(callback.searchParams.has('code')).toBe(false);
  });

  test('a wrong verifier, a used code and an expired code are refused with invalid_grant', async () => {
    const tampered = await client.attempt();
    const callback = await client.callbackOf(tampered);
    const other = { ...tampered, verifier: oauth.generateRandomCodeVerifier() };
    expect((await refusalOf(client.exchange(other, callback)))[0]).toBe('invalid_grant');

    const used = await client.attempt();
    const usedCallback = await client.callbackOf(used);
    const tokens = await client.exchange(used, usedCallback);
    expect((await refusalOf(client.exchange(used, usedCallback)))[0]).toBe('invalid_grant');
    expect(await client.me(tokens.access_token)).toBe(401);

    workspace.lifetimes.authorizationCode = 1;
    const late = await client.attempt();
    const lateCallback = await client.callbackOf(late);
    later(2);
    expect((await refusalOf(client.exchange(late, lateCallback)))[0]).toBe('invalid_grant');
  });

  test('issues no refresh token without offline_access', async () => {
    expect(await client.signIn({ scope: 'sql' })).not.toHaveProperty('refresh_token');
  });

  test('issues an ID token with openid', async () => {
    const started = await client.attempt({ scope: 'openid email all-apis' });
    const tokens = await client.exchange(started, await client.callbackOf(started));
    expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).toBe('9007199254740993002');
  });
});

describe('scopes', () => {
  const overrides = '/api/warehouses/v1/default-warehouse-overrides/me';
  const spaces = '/api/2.0/genie/spaces';

  test('a token allows what its scopes cover, and a refusal names the missing one', async () => {
    const call = callerWith(workspace, (await client.signIn({ scope: 'sql' })).access_token);
    expect((await call('GET', overrides)).body.error_code).toBe('NOT_FOUND');
    const refused = await call('GET', spaces);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'Provided OAuth token does not have required scopes: genie',
    ]);
  });

  test('all-apis covers every one', async () => {
    const call = callerWith(workspace, (await client.signIn()).access_token);
    expect((await call('GET', overrides)).status).toBe(404);
    expect((await call('GET', spaces)).status).toBe(200);
  });

  test('an application gets no scope that it is not registered for', async () => {
    const application = { client_id: 'narrow-app' };
    const redirectUri = 'http://localhost:9999/callback';
    const tokens = await client.signIn({ client: application, redirectUri, scope: 'sql offline_access' });
    expect(tokens.scope).toBe('sql offline_access');
    const callback = await client.callbackOf(
      await client.attempt({ client: application, redirectUri, scope: 'sql all-apis' }),
    );
    expect(callback.searchParams.get('error')).toBe('invalid_scope');
  });
});

/** Moves the workspace's clock, which is this process's. */
function later(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
}
