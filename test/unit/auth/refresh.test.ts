import { describe, expect, it } from 'vitest';
import { isDeadGrant, isTemporary, UnusableAnswer } from '../../../main/auth/oauth/oauth-failure.ts';
import { basicPart, refreshTokens } from '../../../main/auth/oauth/refresh.ts';
import type { TokenRecord } from '../../../main/auth/secrets/token-record.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { Secret } from '../../../main/platform/secret.ts';

const HOST = 'https://acme.cloud.databricks.com';
const REFRESH_TOKEN = 'correct-horse-battery-staple';
const CLIENT_SECRET = 'purple-monkey-dishwasher';
const NOW = Date.UTC(2026, 0, 2);
const SIGN_IN_AGAIN = 'Sign in again. If it keeps failing, send this message to your administrator.';
const ASK_THE_ADMINISTRATOR =
  'Signing in again will not help. Check the client id and the client secret, and ask the account administrator whether the application is still enabled for this workspace.';

const RECORD: TokenRecord = {
  issuer: `${HOST}/oidc`,
  clientId: 'an-application',
  tokenEndpoint: `${HOST}/oidc/v1/token`,
  revocationEndpoint: undefined,
  access: { token: new Secret('old-access-token'), issuedAt: NOW - 3_600_000, expiresAt: NOW },
  refreshToken: new Secret(REFRESH_TOKEN),
  scopes: ['all-apis', 'offline_access'],
  userName: 'ana@example.com',
};

/** What comes of renewing the tokens where the token endpoint answers like this. */
async function renewed(
  answer: Response | Error,
  { record = RECORD, clientSecret = undefined as Secret | undefined } = {},
) {
  const requests: { url: string; body: string; headers: Headers }[] = [];
  const fetch = async (url: string, request: { headers?: unknown; body?: unknown } = {}) => {
    requests.push({ url, body: String(request.body), headers: new Headers(Object(request.headers)) });
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const outcome = await refreshTokens(record, { host: HOST, fetch, clientSecret, now: () => NOW }).catch(
    (error: unknown) => error,
  );
  return { outcome, requests };
}

const answered = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
const refused = (status: number, error: string, description?: string, headers?: Record<string, string>) =>
  answered(status, { error, error_description: description }, headers);

describe('refreshing the tokens of a sign-in', () => {
  it('exchanges the refresh token for a new pair, whose lifetime counts from the request', async () => {
    const body = { access_token: 'new-access', token_type: 'bearer', expires_in: 600, refresh_token: 'new-refresh' };
    const { outcome, requests } = await renewed(answered(200, { ...body, scope: 'sql  all-apis' }));
    expect(outcome).toEqual({
      ...RECORD,
      access: { token: new Secret('new-access'), issuedAt: NOW, expiresAt: NOW + 600_000 },
      refreshToken: new Secret('new-refresh'),
      scopes: ['sql', 'all-apis'],
    });
    expect((outcome as TokenRecord).access.token.reveal()).toBe('new-access');
    expect((outcome as TokenRecord).refreshToken?.reveal()).toBe('new-refresh');
    expect(requests.map(({ url }) => url)).toEqual([RECORD.tokenEndpoint]);
    expect(Object.fromEntries(new URLSearchParams(requests[0]?.body))).toEqual({
      grant_type: 'refresh_token',
      refresh_token: REFRESH_TOKEN,
      client_id: 'an-application',
    });
  });

  it('keeps the refresh token and the scopes if the answer omits them', async () => {
    const { outcome } = await renewed(answered(200, { access_token: 'new-access', token_type: 'bearer' }));
    expect(outcome).toEqual({
      ...RECORD,
      access: { token: new Secret('new-access'), issuedAt: NOW, expiresAt: undefined },
    });
    expect((outcome as TokenRecord).refreshToken?.reveal()).toBe(REFRESH_TOKEN);
  });

  it('sends the secret of a confidential application, and no other secret', async () => {
    const answer = () => answered(200, { access_token: 'new-access', token_type: 'bearer' });
    const confidential = await renewed(answer(), { clientSecret: new Secret(CLIENT_SECRET) });
    expect(confidential.requests[0]?.headers.get('authorization')).toMatch(/^Basic /);
    const open = await renewed(answer());
    expect(open.requests[0]?.headers.get('authorization')).toBeNull();
  });

  it.each([
    'Basic realm="oidc"',
    'bearer',
    'Bearer error="invalid_token",error_description="a, \\"quoted\\" one", Basic realm="x"',
    'BEARER realm="a",Negotiate YWJj==',
    'Bearer realm="never closed',
    'Bearer resource_metadata="https://ana@evil.example/x"',
  ])('reads why it was refused in the body, whatever the challenge beside it is: %s', async (challenge) => {
    const headers = { 'www-authenticate': challenge };
    expect((await renewed(refused(401, 'invalid_grant', undefined, headers))).outcome).toBeUndefined();
    const away = await renewed(answered(503, 'busy', { ...headers, 'retry-after': '7' }));
    expect(away.outcome).toMatchObject({ code: 'unavailable', retryAfterMs: 7_000 });
  });

  it('sends no request if there is no refresh token', async () => {
    const { outcome, requests } = await renewed(answered(500, ''), {
      record: { ...RECORD, refreshToken: undefined },
    });
    expect(outcome).toBeUndefined();
    expect(requests).toEqual([]);
  });
});

const PAIR = { access_token: 'new-access', token_type: 'Bearer', expires_in: 3600, refresh_token: 'new-refresh' };

describe('an answer with an access token', () => {
  it.each<[string, Record<string, unknown>, number?]>([
    ['a lifetime of null', { expires_in: null }],
    ['a negative lifetime', { expires_in: -1 }],
    ['a lifetime of zero', { expires_in: 0 }],
    ['a lifetime in words', { expires_in: 'an hour' }],
    ['an empty lifetime', { expires_in: '' }],
    ['a list as lifetime', { expires_in: [3600] }],
    ['a lifetime as text', { expires_in: '3600' }, 3600],
    ['a lifetime with decimals', { expires_in: 59.5 }, 59.5],
    ['no type', { token_type: undefined }, 3600],
    ['a type of null', { token_type: null }, 3600],
    ['an unknown type', { token_type: 'urn:example:ours' }, 3600],
    ['a number as type', { token_type: 1 }, 3600],
    ['a scope of null', { scope: null }, 3600],
    ['a number as scope', { scope: 7 }, 3600],
    ['an empty scope', { scope: '' }, 3600],
    ['a junk ID token', { id_token: 'junk' }, 3600],
    ['an ID token of null', { id_token: null }, 3600],
    ['an object as ID token', { id_token: {} }, 3600],
    ['an error of null', { error: null, error_description: null }, 3600],
    ['members of its own', { account: { id: 1 }, not_before_policy: 0 }, 3600],
  ])('and %s is a good pair', async (_what, member, seconds) => {
    const { outcome } = await renewed(answered(200, { ...PAIR, ...member }));
    expect(outcome).toMatchObject({
      access: { issuedAt: NOW, expiresAt: seconds === undefined ? undefined : NOW + seconds * 1000 },
      scopes: RECORD.scopes,
    });
    const { access, refreshToken } = outcome as TokenRecord;
    expect([access.token.reveal(), refreshToken?.reveal()]).toEqual(['new-access', 'new-refresh']);
  });

  it.each(['', null, 7, {}])('and %j as refresh token leaves the one that was sent', async (token) => {
    const { outcome } = await renewed(answered(200, { ...PAIR, refresh_token: token }));
    const { access, refreshToken } = outcome as TokenRecord;
    expect([access.token.reveal(), refreshToken?.reveal()]).toEqual(['new-access', REFRESH_TOKEN]);
  });

  it('is read whatever its media type is, and with scopes in a list', async () => {
    const answer = answered(200, { ...PAIR, scope: ['sql', 'genie'] }, { 'content-type': 'text/plain' });
    expect((await renewed(answer)).outcome).toMatchObject({ scopes: ['sql', 'genie'] });
  });
});

describe('an answer without an access token that can be used', () => {
  const cases: [string, unknown, string][] = [
    ['none', {}, 'sent an answer without an access token.'],
    ['null', { access_token: null }, 'sent an answer without an access token.'],
    ['an empty one', { access_token: '' }, 'sent an answer without an access token.'],
    ['a number', { access_token: 7 }, 'sent an answer without an access token.'],
    ['a list', [], 'sent an answer that is not a JSON object.'],
    ['text', 'granted', 'sent an answer that is not a JSON object.'],
    ...[
      ['a line break', 'new\naccess'],
      ['a line break', 'new-access\r\n'],
      ['a space', 'new access'],
      ['a control character', 'new\u0000access'],
      ['a control character', 'new\u007faccess'],
      ['a character outside ASCII', 'new-accéss'],
      ['a character outside ASCII', 'new\u2028access'],
    ].map<[string, unknown, string]>(([part, text]) => [
      `${part} in it`,
      { access_token: text },
      `returned an access token with ${part} in it. That cannot be sent and was not stored.`,
    ]),
  ];

  it.each(cases)('is said in words: %s', async (_what, body, said) => {
    const { outcome } = await renewed(answered(200, body));
    expect(outcome).toMatchObject({
      code: 'unexpected_answer',
      message: `The sign-in service of ${HOST} ${said} You are still signed in.`,
      remedy: 'Try again in a minute. If it keeps failing, send this message to your administrator.',
    });
  });

  it.each(['new\naccess', null])('keeps its new refresh token (%j)', async (token) => {
    const { outcome } = await renewed(answered(200, { ...PAIR, access_token: token }));
    expect(outcome).toBeInstanceOf(UnusableAnswer);
    const { access, refreshToken } = (outcome as UnusableAnswer).kept;
    expect([access.token.reveal(), refreshToken?.reveal()]).toEqual(['old-access-token', 'new-refresh']);
  });

  it.each([
    ['with status 200', answered(200, ' <!doctype html><title>Guest Wi-Fi</title>', { 'content-type': 'text/html' })],
    ['with status 403', answered(403, '<html>Blocked</html>', { 'content-type': 'text/html' })],
    ['that says so by its status', answered(511, 'Sign in to the network.', { 'content-type': 'text/plain' })],
    ['of a proxy that wants a sign-in', answered(407, '', { 'proxy-authenticate': 'Negotiate' })],
  ])('is the page of a captive portal, which nobody has to sign in again for: %s', async (_what, answer) => {
    expect((await renewed(answer)).outcome).toMatchObject({
      code: 'login_page',
      message: `A web page answered instead of the sign-in service of ${HOST}. You are still signed in.`,
      remedy:
        'A captive portal or a company proxy is in between. Open the workspace in a browser, sign in to the network, and try again.',
    });
  });
});

describe('the id and the secret of a client', () => {
  it('go out as they are if they have letters, digits and -._~ only, as service principals’ do', async () => {
    const id = '3f0c2b1e-5a6d-4c7b-8d9e-0f1a2b3c4d5e';
    const secret = 'dose0a1b2c3d4e5f6.A_z~9-';
    const record = { ...RECORD, clientId: id };
    const answer = answered(200, { access_token: 'new-access' });
    const { requests } = await renewed(answer, { record, clientSecret: new Secret(secret) });
    const [scheme, encoded = ''] = requests[0]?.headers.get('authorization')?.split(' ') ?? [];
    expect([scheme, Buffer.from(encoded, 'base64').toString()]).toEqual(['Basic', `${id}:${secret}`]);
  });

  it.each([
    ['a:b', 'a%3Ab'],
    ['a b+c', 'a%20b%2Bc'],
    ['%41', '%2541'],
    ["!'()*", '%21%27%28%29%2A'],
    ['é', '%C3%A9'],
  ])('are encoded like a form otherwise: %s', (text, encoded) => {
    expect(basicPart(text)).toBe(encoded);
    expect(new URLSearchParams(`x=${encoded}`).get('x')).toBe(text);
  });
});

describe('a sign-in', () => {
  it.each([
    ['the grant is invalid', refused(400, 'invalid_grant', 'revoked')],
    ['the grant is invalid, with another status', refused(401, 'invalid_grant')],
    ['the grant is invalid, with the status of success', refused(200, 'invalid_grant')],
    ['the message says so', refused(400, 'invalid_request', 'The Refresh Token is invalid.')],
  ])('ends: %s', async (_when, answer) => {
    expect((await renewed(answer)).outcome).toBeUndefined();
  });

  it.each([
    ['a service that is busy', refused(400, 'temporarily_unavailable'), 'temporarily_unavailable'],
    ['an error of the service', refused(400, 'server_error'), 'server_error'],
    ['a service that asks the client to wait', refused(400, 'slow_down'), 'slow_down'],
    ['a service that is busy, with the matching status', refused(503, 'temporarily_unavailable'), 'HTTP 503'],
    ['too many requests', refused(429, 'too_many'), 'HTTP 429'],
    ['too many requests, whatever the answer says', refused(429, 'invalid_grant'), 'HTTP 429'],
    [
      'a service that is down, whatever the answer says',
      refused(500, 'invalid_grant', 'Refresh token is invalid'),
      'HTTP 500',
    ],
    ['a page of a gateway', answered(502, '<html>', { 'content-type': 'text/html' }), 'HTTP 502'],
    ['an internal error', answered(500, ''), 'HTTP 500'],
  ])('does not end with %s', async (_when, answer, detail) => {
    const { outcome } = await renewed(answer);
    expect(outcome).toBeInstanceOf(CausewayError);
    expect(outcome).toMatchObject({
      code: 'unavailable',
      message: `The sign-in service of ${HOST} is not available (${detail}).`,
      remedy: 'Try again in a minute.',
      retryAfterMs: undefined,
    });
  });

  it.each([
    ['in an OAuth error', refused(503, 'temporarily_unavailable', undefined, { 'retry-after': '7' })],
    ['in anything else', answered(503, 'busy', { 'content-type': 'text/plain', 'retry-after': '7' })],
  ])('does not end if the service says how long it will be busy, %s', async (_when, answer) => {
    expect((await renewed(answer)).outcome).toMatchObject({ code: 'unavailable', retryAfterMs: 7_000 });
  });

  it.each([
    ['invalid_client', 401],
    ['invalid_client', 400],
    ['unauthorized_client', 400],
    ['unsupported_grant_type', 400],
    ['something_else', 401],
  ])('does not end if the application is refused (%s, %i)', async (error, status) => {
    expect((await renewed(refused(status, error, 'not this one'))).outcome).toMatchObject({
      code: 'sign_in_failed',
      message: `${HOST} does not accept the OAuth application an-application (${error}: not this one).`,
      remedy: ASK_THE_ADMINISTRATOR,
    });
  });

  it('does not end if a challenge refuses the application', async () => {
    const challenge = { 'www-authenticate': 'Basic realm="x", error="invalid_client", error_description="who?"' };
    expect((await renewed(answered(401, '', challenge))).outcome).toMatchObject({
      code: 'sign_in_failed',
      message: `${HOST} does not accept the OAuth application an-application (invalid_client: who?).`,
    });
  });

  it('does not end if a challenge gives no reason', async () => {
    expect((await renewed(answered(401, '', { 'www-authenticate': 'Basic realm="x"' }))).outcome).toMatchObject({
      code: 'sign_in_failed',
      message: `${HOST} does not accept the OAuth application an-application (HTTP 401).`,
    });
  });

  it.each([
    ['for another reason', refused(400, 'invalid_scope', 'no such scope'), ' (invalid_scope: no such scope).'],
    ['without a description', refused(400, 'invalid_scope'), ' (invalid_scope).'],
    ['without a reason', answered(403, '{}'), ' (HTTP 403).'],
  ])('does not end if the service refuses %s', async (_why, answer, said) => {
    expect((await renewed(answer)).outcome).toMatchObject({
      code: 'sign_in_failed',
      message: `${HOST} refused to renew the sign-in${said}`,
      remedy: SIGN_IN_AGAIN,
    });
  });

  it('does not end if the service cannot be reached', async () => {
    const error = new CausewayError('unreachable', 'no way there');
    expect((await renewed(error)).outcome).toBe(error);
  });
});

describe('an error from a token endpoint', () => {
  it.each([
    ['error', { error: `bad ${REFRESH_TOKEN}`, error_description: 'x' }],
    ['description', { error: 'invalid_scope', error_description: `You sent ${REFRESH_TOKEN} and ${CLIENT_SECRET}.` }],
  ])('repeats nothing that was sent, wherever it is echoed: %s', async (_where, body) => {
    const { outcome } = await renewed(answered(400, body), { clientSecret: new Secret(CLIENT_SECRET) });
    expect(outcome).toMatchObject({ code: 'sign_in_failed', message: expect.stringContaining('[redacted]') });
    expect(String(outcome)).not.toContain('horse');
    expect(String(outcome)).not.toContain('monkey');
    expect((outcome as Error).cause).toBeUndefined();
  });

  it('is shortened to a readable length', async () => {
    const { outcome } = await renewed(refused(400, 'e'.repeat(5_000), 'd '.repeat(5_000)));
    expect(String(outcome).length).toBeLessThan(1_000);
    expect(String(outcome)).toContain(`${'e'.repeat(99)}…`);
  });
});

describe('an OAuth refusal', () => {
  it.each([
    [429, '', true],
    [499, '', false],
    [500, '', true],
    [400, 'slow_down', true],
    [400, 'invalid_grant', false],
  ])('of status %i with the error %j is transient: %s', (status, error, passes) => {
    expect(isTemporary({ status, error })).toBe(passes);
  });

  it.each([
    ['invalid_grant', '', true],
    ['invalid_request', 'Refresh token is invalid', true],
    ['invalid_request', 'The access token is invalid', false],
  ])('with the error %j and the description %j ends the sign-in: %s', (error, description, ended) => {
    expect(isDeadGrant({ status: 400, error, description })).toBe(ended);
  });
});
