import * as oauth from 'oauth4webapi';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { callerWith } from './caller.ts';
import { type Page, ScriptedBrowser } from './scripted-browser.ts';
import { type EmbeddedWorkspace, startWorkspace } from './workspace.ts';

/** The sign-in, seen by a client that is not ours: oauth4webapi. */

const CLI: oauth.Client = { client_id: 'databricks-cli' };
const REDIRECT = 'http://localhost:8020';
const ALL = 'all-apis offline_access';
const insecure = { [oauth.allowInsecureRequests]: true } as const;
const APP_SECRET = 'a secret of the test application';

let workspace: EmbeddedWorkspace;
let server: oauth.AuthorizationServer;

beforeAll(async () => {
  workspace = await startWorkspace({
    oauthClients: [
      { clientId: 'narrow-app', redirectUris: ['http://localhost/callback'], scopes: ['sql', 'offline_access'] },
      { clientId: 'secret-app', clientSecret: APP_SECRET, redirectUris: ['http://localhost/callback'] },
    ],
  });
  const issuer = new URL(`${workspace.host}/oidc`);
  const response = await fetch(`${issuer}/.well-known/oauth-authorization-server`);
  server = await oauth.processDiscoveryResponse(issuer, response);
});
beforeEach(() => {
  workspace.approve({ as: 'ben@example.com' });
  workspace.state.replace({});
  workspace.requests.clear();
  Object.assign(workspace.lifetimes, { accessToken: 3600, refreshToken: 604_800, authorizationCode: 60 });
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => workspace.close());

interface Attempt {
  client?: oauth.Client;
  redirectUri?: string;
  scope?: string;
  without?: string[];
  extra?: Record<string, string>;
}

async function attempt({ client = CLI, redirectUri = REDIRECT, scope = ALL, without = [], extra = {} }: Attempt = {}) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const address = new URL(server.authorization_endpoint ?? '');
  const parameters = {
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...extra,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (!without.includes(name)) address.searchParams.set(name, value);
  }
  return { client, redirectUri, verifier, state, address };
}

type Started = Awaited<ReturnType<typeof attempt>>;

async function callbackOf(started: Started): Promise<URL> {
  const end = await new ScriptedBrowser().open(started.address);
  if (end.kind === 'page') throw new Error(`No callback but a page, ${end.status}: ${end.text}`);
  return end.url;
}

function validated(started: Started, callback: URL): URLSearchParams {
  return oauth.validateAuthResponse(server, started.client, callback, started.state);
}

async function exchange(started: Started, callback: URL, auth = oauth.None()): Promise<oauth.TokenEndpointResponse> {
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    started.client,
    auth,
    validated(started, callback),
    started.redirectUri,
    started.verifier,
    insecure,
  );
  return oauth.processAuthorizationCodeResponse(server, started.client, response);
}

async function signIn(options: Attempt = {}): Promise<oauth.TokenEndpointResponse> {
  const started = await attempt(options);
  return exchange(started, await callbackOf(started));
}

async function refresh(token: string | undefined, client = CLI): Promise<oauth.TokenEndpointResponse> {
  const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token ?? '', insecure);
  return oauth.processRefreshTokenResponse(server, client, response);
}

/** What the token endpoint refused with. */
async function refusalOf(work: Promise<unknown>): Promise<[string | undefined, string | undefined]> {
  try {
    await work;
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError) return [error.error, error.error_description];
    throw error;
  }
  throw new Error('It was not refused.');
}

async function me(token: string): Promise<unknown> {
  const { status, body } = await callerWith(workspace, token)('GET', '/api/2.0/preview/scim/v2/Me');
  return status === 200 ? body.userName : status;
}

const DEAD = ['invalid_grant', 'Refresh token is invalid'];

describe('discovery', () => {
  test('says what there is (RFC 8414): PKCE with S256, `iss` in the callback, revocation', () => {
    expect(server).toMatchObject({
      issuer: `${workspace.host}/oidc`,
      authorization_endpoint: `${workspace.host}/oidc/v1/authorize`,
      token_endpoint: `${workspace.host}/oidc/v1/token`,
      revocation_endpoint: `${workspace.host}/oidc/v1/revoke`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      response_types_supported: ['code'],
    });
    expect(server.grant_types_supported).toEqual(
      expect.arrayContaining(['authorization_code', 'refresh_token', 'client_credentials']),
    );
    expect(server.scopes_supported).toEqual(
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
    expect(server).not.toHaveProperty('registration_endpoint');
  });

  test('the same at the OpenID Connect address', async () => {
    const response = await fetch(`${workspace.host}/oidc/.well-known/openid-configuration`);
    expect(await response.json()).toEqual(server);
  });

  test('databricks-config names the sign-in and the workspace', async () => {
    const { body } = await callerWith(workspace, undefined)('GET', '/.well-known/databricks-config');
    expect(body).toMatchObject({ oidc_endpoint: server.issuer, workspace_id: workspace.state.workspaceId });
  });

  test.each([
    ['/api/2.0/mcp/sql', 'sql'],
    ['/api/2.0/mcp/genie/01ef2b7c5a9d1e3f8c4b6a0d2e5f7191', 'genie'],
    ['/api/2.0/mcp/vector-search/main/support', 'vector-search'],
    ['/api/2.0/mcp/functions/main/default', 'unity-catalog'],
  ])('the challenge of %s leads to its metadata (RFC 9728), and they to this sign-in', async (path, scope) => {
    const refused = await callerWith(workspace, undefined)('POST', path, {});
    expect(refused.status).toBe(401);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    const address = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
    const resource = new URL(workspace.host + path);
    const metadata = await oauth.processResourceDiscoveryResponse(resource, await fetch(address));
    expect(metadata).toMatchObject({
      authorization_servers: [server.issuer],
      scopes_supported: [scope, 'offline_access'],
    });
  });
});

describe('authorization code with PKCE', () => {
  test('gives tokens that stand for who signed in', async () => {
    const tokens = await signIn();
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: ALL });
    expect(await me(tokens.access_token)).toBe('ben@example.com');
    expect(typeof tokens.refresh_token).toBe('string');
  });

  test.each(['http://localhost:8020', 'http://localhost:8040', 'http://localhost:54321', 'http://127.0.0.1:40000'])(
    'databricks-cli may be called back at %s',
    async (redirectUri) => {
      const callback = await callbackOf(await attempt({ redirectUri }));
      expect(callback.origin).toBe(redirectUri);
      expect(callback.searchParams.get('iss')).toBe(server.issuer);
    },
  );

  test.each([
    ['another path', { redirectUri: 'http://localhost:8020/callback' }],
    ['another host', { redirectUri: 'http://example.com:8020' }],
    ['an unknown client', { client: { client_id: 'nobody' } }],
  ])('%s: a page that says so, no redirect, no tokens', async (_what, options) => {
    const end = await new ScriptedBrowser().open((await attempt(options)).address);
    expect(end).toMatchObject({ kind: 'page', status: 400, text: expect.stringContaining('Sign-in failed') });
  });

  test.each([
    ['without a challenge', { without: ['code_challenge', 'code_challenge_method'] }],
    ['with the plain method', { extra: { code_challenge_method: 'plain' } }],
    ['without a method, which means plain', { without: ['code_challenge_method'] }],
  ])('%s it is refused', async (_what, options) => {
    const started = await attempt(options);
    const callback = await callbackOf(started);
    expect(() => validated(started, callback)).toThrow(oauth.AuthorizationResponseError);
    expect(callback.searchParams.get('error')).toBe('invalid_request');
    expect(callback.searchParams.has('code')).toBe(false);
  });

  test('a wrong verifier, a used code, an expired code: invalid_grant', async () => {
    const tampered = await attempt();
    const callback = await callbackOf(tampered);
    const other = { ...tampered, verifier: oauth.generateRandomCodeVerifier() };
    expect((await refusalOf(exchange(other, callback)))[0]).toBe('invalid_grant');

    const used = await attempt();
    const usedCallback = await callbackOf(used);
    const tokens = await exchange(used, usedCallback);
    expect((await refusalOf(exchange(used, usedCallback)))[0]).toBe('invalid_grant');
    expect(await me(tokens.access_token)).toBe(401);

    workspace.lifetimes.authorizationCode = 1;
    const late = await attempt();
    const lateCallback = await callbackOf(late);
    later(2);
    expect((await refusalOf(exchange(late, lateCallback)))[0]).toBe('invalid_grant');
  });

  test('no offline_access, no refresh token', async () => {
    expect(await signIn({ scope: 'sql' })).not.toHaveProperty('refresh_token');
  });

  test('openid brings an ID token', async () => {
    const started = await attempt({ scope: 'openid email all-apis' });
    const tokens = await exchange(started, await callbackOf(started));
    expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).toBe('9007199254740993002');
  });
});

describe('scopes', () => {
  const overrides = '/api/warehouses/v1/default-warehouse-overrides/me';
  const spaces = '/api/2.0/genie/spaces';

  test('a token does what its scopes cover, and the refusal names the missing one', async () => {
    const call = callerWith(workspace, (await signIn({ scope: 'sql' })).access_token);
    expect((await call('GET', overrides)).body.error_code).toBe('NOT_FOUND');
    const refused = await call('GET', spaces);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'Provided OAuth token does not have required scopes: genie',
    ]);
  });

  test('all-apis covers every one', async () => {
    const call = callerWith(workspace, (await signIn()).access_token);
    expect((await call('GET', overrides)).status).toBe(404);
    expect((await call('GET', spaces)).status).toBe(200);
  });

  test('an application gets no scope that it was not registered for', async () => {
    const client = { client_id: 'narrow-app' };
    const redirectUri = 'http://localhost:9999/callback';
    const tokens = await signIn({ client, redirectUri, scope: 'sql offline_access' });
    expect(tokens.scope).toBe('sql offline_access');
    const callback = await callbackOf(await attempt({ client, redirectUri, scope: 'sql all-apis' }));
    expect(callback.searchParams.get('error')).toBe('invalid_scope');
  });
});

describe('refreshing', () => {
  test('gives a new pair; each refresh token works once', async () => {
    const first = await signIn();
    const second = await refresh(first.refresh_token);
    const third = await refresh(second.refresh_token);
    expect(new Set([first, second, third].map((tokens) => tokens.refresh_token)).size).toBe(3);
    expect(await me(third.access_token)).toBe('ben@example.com');
    expect(workspace.requests.count({ path: '/oidc/v1/token', grantType: 'refresh_token' })).toBe(2);
  });

  test('an old refresh token, used again, ends the whole family: newer ones and access tokens too', async () => {
    const first = await signIn();
    const second = await refresh(first.refresh_token);
    expect(await refusalOf(refresh(first.refresh_token))).toEqual(DEAD);
    expect(await refusalOf(refresh(second.refresh_token))).toEqual(DEAD);
    expect(await me(second.access_token)).toBe(401);
  });

  test('of many at once with the same token one gets through, and the family is revoked', async () => {
    const { refresh_token } = await signIn();
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => refresh(refresh_token)));
    const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    expect(await refusalOf(refresh(winners[0]?.value.refresh_token))).toEqual(DEAD);
  });

  test('two sign-ins of one person are two families', async () => {
    const [one, other] = [await signIn(), await signIn()];
    await refresh(one.refresh_token);
    expect(await refusalOf(refresh(one.refresh_token))).toEqual(DEAD);
    expect(await me((await refresh(other.refresh_token)).access_token)).toBe('ben@example.com');
  });

  test('a token of another client, or none at all, is refused', async () => {
    const { refresh_token } = await signIn();
    expect(await refusalOf(refresh(refresh_token, { client_id: 'narrow-app' }))).toEqual(DEAD);
    expect(await refusalOf(refresh('no such token'))).toEqual(DEAD);
  });

  test('lifetimes are as set: an expired access token is refused, an expired refresh token too', async () => {
    Object.assign(workspace.lifetimes, { accessToken: 1, refreshToken: 600 });
    const tokens = await signIn();
    expect(tokens.expires_in).toBe(1);
    later(2);
    expect(await me(tokens.access_token)).toBe(401);
    const renewed = await refresh(tokens.refresh_token);
    later(700);
    expect(await refusalOf(refresh(renewed.refresh_token))).toEqual(DEAD);
  });

  test('revocation of the refresh token ends its family (RFC 7009)', async () => {
    const tokens = await signIn();
    const response = await oauth.revocationRequest(server, CLI, oauth.None(), tokens.refresh_token ?? '', insecure);
    await oauth.processRevocationResponse(response);
    expect(await refusalOf(refresh(tokens.refresh_token))).toEqual(DEAD);
    expect(await me(tokens.access_token)).toBe(401);
  });

  test('faults: access tokens expire, and refresh; refresh tokens are withdrawn; one token is refused', async () => {
    const tokens = await signIn();
    workspace.faults.expireAccessTokens();
    expect(await me(tokens.access_token)).toBe(401);
    const renewed = await refresh(tokens.refresh_token);
    workspace.faults.refuseToken(renewed.access_token);
    expect(await me(renewed.access_token)).toBe(401);
    workspace.faults.revokeRefreshTokens();
    expect(await refusalOf(refresh(renewed.refresh_token))).toEqual(DEAD);
  });
});

describe('client credentials', () => {
  async function agentToken(secret: string, scope = 'all-apis'): Promise<oauth.TokenEndpointResponse> {
    const client = { client_id: workspace.servicePrincipal.clientId };
    const auth = oauth.ClientSecretBasic(secret);
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      auth,
      new URLSearchParams({ scope }),
      insecure,
    );
    return oauth.processClientCredentialsResponse(server, client, response);
  }

  test('stand for the service principal; there is no refresh token', async () => {
    const tokens = await agentToken(workspace.servicePrincipal.clientSecret);
    expect(tokens).toMatchObject({ expires_in: 3600, scope: 'all-apis' });
    expect(tokens).not.toHaveProperty('refresh_token');
    expect(await me(tokens.access_token)).toBe(workspace.servicePrincipal.clientId);
  });

  test('scopes hold here too', async () => {
    const tokens = await agentToken(workspace.servicePrincipal.clientSecret, 'genie');
    expect((await callerWith(workspace, tokens.access_token)('GET', '/api/2.0/sql/warehouses')).status).toBe(403);
  });

  test('a wrong secret: 401 invalid_client, with a challenge', async () => {
    const response = await fetch(server.token_endpoint ?? '', {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${workspace.servicePrincipal.clientId}:wrong`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'all-apis' }),
    });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('Basic');
    expect(await response.json()).toMatchObject({ error: 'invalid_client' });
  });

  test('an application with a secret has to show it', async () => {
    const client = { client_id: 'secret-app' };
    const redirectUri = 'http://localhost:7777/callback';
    const started = await attempt({ client, redirectUri });
    const callback = await callbackOf(started);
    expect((await refusalOf(exchange(started, callback)))[0]).toBe('invalid_client');
    const tokens = await exchange(started, callback, oauth.ClientSecretBasic(APP_SECRET));
    expect(await me(tokens.access_token)).toBe('ben@example.com');
  });
});

describe('the consent page', () => {
  beforeEach(() => workspace.approve('ask'));

  async function consentPage(browser: ScriptedBrowser, options: Attempt = {}): Promise<[Page, Started]> {
    const started = await attempt(options);
    const page = await browser.open(started.address);
    if (page.kind !== 'page') throw new Error('It was decided without a page.');
    return [page, started];
  }

  test('names the application, what it asks for, and who can sign in; it is strict', async () => {
    const [page] = await consentPage(new ScriptedBrowser(), { scope: 'sql offline_access' });
    expect(page.status).toBe(200);
    for (const text of ['databricks-cli', 'Run queries', 'Stay signed in', 'Ana Ferreira', 'chloe@example.com']) {
      expect(page.text).toContain(text);
    }
    expect(page.text).not.toContain('Nightly agent');
    expect(page.text).not.toContain('<script');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('cache-control')).toBe('no-store');
  });

  test('allow signs in as the person who was chosen', async () => {
    const browser = new ScriptedBrowser();
    const [page, started] = await consentPage(browser);
    const end = await browser.open(page.url, { user: 'chloe@example.com', decision: 'allow' });
    const tokens = await exchange(started, end.url);
    expect(await me(tokens.access_token)).toBe('chloe@example.com');
  });

  test('it comes again the next time, and another person can be chosen', async () => {
    const browser = new ScriptedBrowser();
    for (const user of ['chloe@example.com', 'ana@example.com', 'ana@example.com']) {
      const [page, started] = await consentPage(browser);
      const end = await browser.open(page.url, { user, decision: 'allow' });
      expect(await me((await exchange(started, end.url)).access_token)).toBe(user);
    }
  });

  test.each([
    [{ decision: 'deny', user: 'ben@example.com' }],
    [{ decision: 'allow' }],
    [{ decision: 'allow', user: 'nobody@example.com' }],
  ])('%o is a refusal, and the application hears of it', async (form) => {
    const browser = new ScriptedBrowser();
    const [page, started] = await consentPage(browser);
    const end = await browser.open(page.url, form);
    expect(() => validated(started, end.url)).toThrow(oauth.AuthorizationResponseError);
    expect(end.url.searchParams.get('error')).toBe('access_denied');
  });

  test('a page that is over, or belongs to another browser, says what to do', async () => {
    const [page] = await consentPage(new ScriptedBrowser());
    const stranger = await new ScriptedBrowser().open(page.url, { user: 'ben@example.com', decision: 'allow' });
    expect(stranger).toMatchObject({ kind: 'page', status: 400, text: expect.stringContaining('sign in once more') });
  });

  test('`deny` denies without a page', async () => {
    workspace.approve('deny');
    const callback = await callbackOf(await attempt());
    expect(callback.searchParams.get('error')).toBe('access_denied');
  });
});

/** Moves the workspace's clock, which is this process's. */
function later(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
}
