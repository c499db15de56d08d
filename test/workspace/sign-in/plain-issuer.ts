import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readText, sendJson } from '../http.ts';
import { CLI_CLIENT, type OAuthClient } from './clients.ts';
import { answerDevicePage, DEVICE_GRANT, DEVICE_INTERVAL_S, DEVICE_PATHS } from './device.ts';
import { decisionOf, sendConsentPage, sendMessagePage } from './page.ts';
import type { SignIn, SignInOptions } from './sign-in.ts';

/**
 * A second issuer, of nobody's OAuth library: it reads and writes what it likes, as issuers out there do. It takes HTTP Basic
 * verbatim, fills absent members with `null`, gives lifetimes as text, makes access tokens that it cannot take back, and
 * names no issuer in its redirect.
 */
export interface PlainIssuer extends SignIn {
  oddities: Oddities;
}

/** What tests may change while it runs. */
export interface Oddities {
  /** Whether a refresh token is good once, and its second use ends the sign-in. Otherwise it stays, and answers have none. */
  rotates: boolean;
  /** Replaces members of each answer with tokens. */
  members: Record<string, unknown>;
  /** Writes each answer with tokens in another form: its status and text. */
  form: ((body: unknown) => [status: number, text: string]) | undefined;
  /** A web page that answers in place of the token endpoint, as a captive portal does. */
  portal: string | undefined;
}

interface Grant {
  userId: string;
  clientId: string;
  scope: string;
  /** Whether a second use of a refresh token, or a revocation, has ended it. */
  ended: boolean;
}

interface Code {
  grant: Grant;
  challenge: string;
  redirectUri: string;
  expiresAt: number;
}

type Answer = [status: number, body: unknown];

const MOUNT = '/oidc';

export function createPlainIssuer(options: SignInOptions): PlainIssuer {
  const { host, state, lifetimes, servicePrincipal, log } = options;
  const key = randomBytes(32);
  const clients = new Map<string, OAuthClient>([CLI_CLIENT, ...options.clients].map((each) => [each.clientId, each]));
  const codes = new Map<string, Code>();
  /** The codes of devices (RFC 8628), by the one that the device keeps. */
  const devices = new Map<string, { userCode: string; grant: Grant; state: 'pending' | 'denied' | 'granted' }>();
  /** Refresh tokens; one that was used stays known, so that its second use is seen. */
  const refreshTokens = new Map<string, { grant: Grant; isSpent: boolean; expiresAt: number }>();
  /** Access tokens that were signed earlier are refused. */
  let epoch = 0;
  const oddities: Oddities = { rotates: true, members: {}, form: undefined, portal: undefined };
  const seconds = (count: number) => Date.now() + count * 1000;

  return {
    oddities,
    handle,
    expireAccessTokens: () => {
      epoch += 1;
    },
    revokeRefreshTokens: () => refreshTokens.clear(),
    principalOf: async (token) => {
      const claims = claimsIn(token);
      const user = state.users.find(({ id, active }) => id === claims?.sub && active);
      return user && { user, scopes: new Set(String(claims?.scope).split(' ')), token: 'oauth' };
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    switch (`${request.method} ${url.pathname.slice(MOUNT.length)}`) {
      case 'GET /.well-known/oauth-authorization-server':
        return sendJson(response, 200, {
          issuer: `${host}${MOUNT}`,
          authorization_endpoint: `${host}${MOUNT}/v1/authorize`,
          token_endpoint: `${host}${MOUNT}/v1/token`,
          revocation_endpoint: `${host}${MOUNT}/v1/revoke`,
          code_challenge_methods_supported: ['plain', 'S256'],
          scopes_supported: null,
          response_modes_supported: null,
          registration_endpoint: null,
          device_authorization_endpoint: options.deviceFlow ? `${host}${MOUNT}${DEVICE_PATHS.authorization}` : null,
        });
      case `POST ${DEVICE_PATHS.authorization}`:
        return sendDeviceCode(request, response);
      case `GET ${DEVICE_PATHS.verification}`:
      case `POST ${DEVICE_PATHS.verification}`:
        return answerDevicePage(request, response, options.approval, async (userCode, decision) => {
          const found = [...devices.values()].find((each) => each.userCode === userCode);
          const user = decision === 'deny' ? undefined : state.users.find(({ userName }) => userName === decision.as);
          if (found) Object.assign(found, { state: user ? 'granted' : 'denied' });
          if (found && user) found.grant.userId = user.id;
          return found !== undefined;
        });
      case 'GET /v1/authorize':
      case 'POST /v1/authorize':
        return authorize(request, response, url.searchParams);
      case 'POST /v1/token':
        return sendTokens(request, response);
      case 'POST /v1/revoke':
        return revoke(request, response);
      default:
        return sendMessagePage(response, 404, 'Nothing is here', url.pathname);
    }
  }

  async function authorize(request: IncomingMessage, response: ServerResponse, asked: URLSearchParams): Promise<void> {
    const client = clients.get(asked.get('client_id') ?? '');
    const redirectUri = asked.get('redirect_uri') ?? '';
    if (!client || !allows(client, redirectUri)) {
      return sendMessagePage(response, 400, 'Sign-in failed', 'This application or its redirect address is not known.');
    }
    const approval = request.method === 'POST' ? decisionOf(await readText(request)) : options.approval();
    if (approval === 'ask') {
      const people = state.users.filter(({ active, servicePrincipal: isPrincipal }) => active && !isPrincipal);
      return sendConsentPage(response, {
        clientName: client.clientId,
        scopes: asked.get('scope')?.split(' ') ?? [],
        people,
        selected: people[0]?.userName,
        redirectUri,
      });
    }
    const user = approval === 'deny' ? undefined : state.users.find(({ userName }) => userName === approval.as);
    const asks = asked.get('scope')?.split(' ') ?? [];
    const excess = client.scopes && asks.find((scope) => !client.scopes?.includes(scope));
    const answer = excess
      ? { error: 'invalid_scope', error_description: `The scope ${excess} is not for this application.` }
      : user
        ? { code: newCode(user.id, client.clientId, asked) }
        : { error: 'access_denied', error_description: 'The person did not allow the application.' };
    const target = new URL(redirectUri);
    for (const [name, value] of Object.entries(answer)) target.searchParams.set(name, value);
    target.searchParams.set('state', asked.get('state') ?? '');
    response.writeHead(302, { location: target.href }).end();
  }

  function newCode(userId: string, clientId: string, asked: URLSearchParams): string {
    const code = randomBytes(16).toString('hex');
    const grant: Grant = { userId, clientId, scope: asked.get('scope') ?? '', ended: false };
    const [challenge, redirectUri] = [asked.get('code_challenge') ?? '', asked.get('redirect_uri') ?? ''];
    codes.set(code, { grant, challenge, redirectUri, expiresAt: seconds(lifetimes.authorizationCode) });
    return code;
  }

  async function sendTokens(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await readText(request));
    const entry = log.entryOf(request);
    const grantType = form.get('grant_type');
    if (entry && grantType !== null) entry.grantType = grantType;
    if (oddities.portal !== undefined) {
      response.writeHead(200, { 'content-type': 'text/html' }).end(oddities.portal);
      return;
    }
    const [status, body] = answerTo(grantType, form, request.headers.authorization);
    const [otherStatus, text] = (status === 200 && oddities.form?.(body)) || [];
    if (text === undefined) sendJson(response, status, body, { 'cache-control': 'no-store' });
    else response.writeHead(otherStatus ?? status).end(text);
  }

  function answerTo(grantType: string | null, form: URLSearchParams, authorization: string | undefined): Answer {
    if (grantType === 'client_credentials') return principalTokens(form, authorization);
    const client = clients.get(form.get('client_id') ?? clientIn(authorization));
    if (!client || !isAuthentic(client, authorization)) return refusal(401, 'invalid_client');
    if (grantType === 'authorization_code') return codeTokens(form, client);
    if (grantType === 'refresh_token') return refreshedTokens(form, client);
    if (grantType === DEVICE_GRANT) return deviceTokens(form);
    return refusal(400, 'unsupported_grant_type');
  }

  /** As `curl -u` sends it. */
  function principalTokens(form: URLSearchParams, authorization: string | undefined): Answer {
    const { clientId, clientSecret } = servicePrincipal;
    if (authorization !== basic(clientId, clientSecret)) return refusal(401, 'invalid_client');
    const user = state.users.find(({ userName }) => userName === clientId);
    return [200, answerWith(user?.id ?? '', form.get('scope') ?? 'all-apis', null)];
  }

  function codeTokens(form: URLSearchParams, client: OAuthClient): Answer {
    const name = form.get('code') ?? '';
    const code = codes.get(name);
    codes.delete(name);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood =
      code !== undefined &&
      code.expiresAt > Date.now() &&
      code.grant.clientId === client.clientId &&
      code.challenge === challenge &&
      code.redirectUri === form.get('redirect_uri');
    if (!isGood) return refusal(400, 'invalid_grant', 'The code is not good, or not for you.');
    return [200, answerWith(code.grant.userId, code.grant.scope, newRefreshToken(code.grant))];
  }

  /** Its user code has a hyphen, which nobody has to type. */
  async function sendDeviceCode(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await readText(request));
    const client = clients.get(form.get('client_id') ?? '');
    if (!client || !options.deviceFlow) {
      const why = 'Device authorization is not enabled for this workspace.';
      return sendJson(response, 403, { error: 'access_denied', error_description: why });
    }
    const [deviceCode, userCode] = [randomBytes(16).toString('hex'), randomBytes(4).toString('hex').toUpperCase()];
    const grant: Grant = { userId: '', clientId: client.clientId, scope: form.get('scope') ?? '', ended: false };
    devices.set(deviceCode, { userCode, grant, state: 'pending' });
    sendJson(response, 200, {
      device_code: deviceCode,
      user_code: `${userCode.slice(0, 4)}-${userCode.slice(4)}`,
      verification_uri: `${host}${MOUNT}${DEVICE_PATHS.verification}`,
      verification_uri_complete: null,
      expires_in: 600,
      interval: DEVICE_INTERVAL_S,
    });
  }

  function deviceTokens(form: URLSearchParams): Answer {
    const code = form.get('device_code') ?? '';
    const found = devices.get(code);
    if (!found) return refusal(400, 'invalid_grant');
    if (found.state === 'pending') return refusal(400, 'authorization_pending');
    devices.delete(code);
    if (found.state === 'denied') return refusal(400, 'access_denied');
    return [200, answerWith(found.grant.userId, found.grant.scope, newRefreshToken(found.grant))];
  }

  function refreshedTokens(form: URLSearchParams, client: OAuthClient): Answer {
    const known = refreshTokens.get(form.get('refresh_token') ?? '');
    if (known?.isSpent) known.grant.ended = true;
    const isGood = known && !known.grant.ended && known.expiresAt > Date.now();
    if (!isGood || known.grant.clientId !== client.clientId) {
      return refusal(400, 'invalid_grant', 'Refresh token is invalid');
    }
    known.isSpent = oddities.rotates;
    const { userId, scope } = known.grant;
    return [200, answerWith(userId, scope, oddities.rotates ? newRefreshToken(known.grant) : null)];
  }

  function newRefreshToken(grant: Grant): string {
    const token = `r-${randomBytes(24).toString('base64url')}`;
    refreshTokens.set(token, { grant, isSpent: false, expiresAt: seconds(lifetimes.refreshToken) });
    return token;
  }

  function answerWith(userId: string, scope: string, refreshToken: string | null): unknown {
    return {
      access_token: signed({ sub: userId, scope, exp: seconds(lifetimes.accessToken), epoch }),
      token_type: null,
      expires_in: String(lifetimes.accessToken),
      refresh_token: refreshToken,
      scope: null,
      id_token: 'none',
      error: null,
      ...oddities.members,
    };
  }

  async function revoke(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await readText(request));
    const known = refreshTokens.get(form.get('token') ?? '');
    if (known) known.grant.ended = true;
    response.writeHead(204).end();
  }

  /** A self-contained token: nobody looks it up, so nothing ends it before its time. */
  function signed(claims: Record<string, unknown>): string {
    const text = [{ alg: 'HS256' }, claims].map(encoded).join('.');
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  }

  function claimsIn(token: string): Record<string, unknown> | undefined {
    const [head = '', body = '', signature] = token.split('.');
    if (signature !== createHmac('sha256', key).update(`${head}.${body}`).digest('base64url')) return undefined;
    const claims: Record<string, unknown> = JSON.parse(Buffer.from(body, 'base64url').toString());
    return Number(claims.exp) > Date.now() && claims.epoch === epoch ? claims : undefined;
  }
}

function allows({ redirectUris }: OAuthClient, redirectUri: string): boolean {
  if (!URL.canParse(redirectUri)) return false;
  const asked = new URL(redirectUri);
  return redirectUris
    .map((uri) => new URL(uri))
    .some(({ hostname, pathname, port }) => {
      const isAnyPort = port === '' && ['localhost', '127.0.0.1'].includes(hostname);
      return hostname === asked.hostname && pathname === asked.pathname && (isAnyPort || port === asked.port);
    });
}

function isAuthentic({ clientId, clientSecret }: OAuthClient, authorization: string | undefined): boolean {
  return clientSecret === undefined || authorization === basic(clientId, clientSecret);
}

function clientIn(authorization: string | undefined): string {
  return (
    Buffer.from(authorization?.replace(/^Basic /, '') ?? '', 'base64')
      .toString()
      .split(':')[0] ?? ''
  );
}

function basic(clientId: string, clientSecret: string): string {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
}

function refusal(status: number, error: string, description: string | null = null): Answer {
  return [status, { error, error_description: description, error_uri: null }];
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
