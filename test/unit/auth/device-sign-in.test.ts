import { expect, test } from 'vitest';
import type { Profile, SignInProgress } from '../../../main/auth/auth.ts';
import { signInWithDevice } from '../../../main/auth/oauth/device-sign-in.ts';
import type { TokenRecord } from '../../../main/auth/secrets/token-record.ts';
import { CausewayError } from '../../../main/platform/errors.ts';

const HOST = 'https://acme.cloud.databricks.com';
const PAGE = `${HOST}/device/verification`;
const profile: Profile = { name: 'work', host: HOST, method: 'oauth-user', workspaceId: undefined };
const METADATA = {
  issuer: `${HOST}/oidc`,
  token_endpoint: `${HOST}/oidc/v1/token`,
  device_authorization_endpoint: `${HOST}/oidc/v1/device/auth`,
};
const CODES = { device_code: 'kept-here', user_code: 'ABCD-1234', verification_uri: PAGE, expires_in: 600 };

type Step = [status: number, body: unknown, headers?: Record<string, string>] | CausewayError;
const pending: Step = [400, { error: 'authorization_pending' }];
const granted: Step = [200, { access_token: 'token', refresh_token: 'again', token_type: 'bearer', expires_in: 3600 }];

/** A sign-in at a service that answers what it is told, on a clock that only waiting moves. */
async function signIn(
  tokens: Step[],
  { metadata = METADATA, codes = [200, CODES] }: { metadata?: object; codes?: Step } = {},
) {
  const waits: number[] = [];
  const sent: string[] = [];
  const steps: SignInProgress[] = [];
  const kept: TokenRecord[] = [];
  let now = 0;
  const answers: Record<string, () => Step> = {
    '/oidc/.well-known/oauth-authorization-server': () => [200, metadata],
    '/oidc/v1/device/auth': () => codes,
    '/oidc/v1/token': () => tokens.shift() ?? pending,
    '/api/2.0/preview/scim/v2/Me': () => [200, { userName: 'ana@example.com' }],
  };
  const outcome = await signInWithDevice({
    profile,
    accountId: undefined,
    clientId: 'databricks-cli',
    clientSecret: undefined,
    scopes: ['all-apis', 'offline_access'],
    fetch: async (url, request) => {
      const step = answers[new URL(url).pathname]?.() ?? [404, ''];
      if (new URL(url).pathname === '/oidc/v1/token') sent.push(String(request?.body));
      if (step instanceof CausewayError) throw step;
      const [status, body, headers = {}] = step;
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), {
        status,
        headers: { 'content-type': 'application/json', ...headers },
      });
    },
    onProgress: (step) => steps.push(step),
    keep: async (record) => void kept.push(record),
    now: () => now,
    wait: async (ms) => {
      waits.push(ms / 1_000);
      now += ms;
    },
    signal: undefined,
  }).catch((error: unknown) => error);
  return { outcome, waits, sent, steps, kept };
}

test('a sign-in with a code shows page and code, asks every five seconds and keeps whose it is', async () => {
  const { outcome, waits, sent, steps, kept } = await signIn([pending, granted]);
  expect(outcome).toMatchObject({ userName: 'ana@example.com', clientId: 'databricks-cli' });
  expect(kept).toEqual([outcome]);
  expect(steps).toEqual([{ step: 'waiting-for-device', url: PAGE, code: 'ABCD-1234', expiresAt: 600_000 }]);
  expect(waits).toEqual([5, 5]);
  expect(Object.fromEntries(new URLSearchParams(sent[0]))).toEqual({
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: 'kept-here',
    client_id: 'databricks-cli',
  });
});

test('a sign-in with a code asks more seldom where the service wants that, is busy or cannot be reached', async () => {
  const slowDown: Step = [400, { error: 'slow_down' }];
  const away = new CausewayError('unreachable', 'Nothing answers.');
  const busy: Step = [503, 'busy', { 'retry-after': '60' }];
  const { waits, kept } = await signIn([pending, slowDown, slowDown, away, busy, granted], {
    codes: [200, { ...CODES, interval: 1 }],
  });
  expect(waits).toEqual([1, 1, 6, 11, 16, 60]);
  expect(kept).toHaveLength(1);
});

test('a sign-in with a code ends when the code does, and waits no longer than that', async () => {
  const { outcome, waits } = await signIn([], { codes: [200, { ...CODES, expires_in: 12 }] });
  expect(outcome).toMatchObject({ code: 'sign_in_timeout', message: expect.stringContaining('has expired') });
  expect(waits).toEqual([5, 5, 2]);
});

test.each<[string, Step, object]>([
  ['a denial', [400, { error: 'access_denied' }], { code: 'consent_denied' }],
  ['an expiry', [400, { error: 'expired_token' }], { code: 'sign_in_timeout' }],
  ['a code that is not known', [400, { error: 'invalid_grant' }], { code: 'sign_in_failed' }],
  ['an application that may not', [400, { error: 'unauthorized_client' }], { code: 'sign_in_failed' }],
  ['a token that cannot be sent', [200, { access_token: 'a\nb' }], { code: 'unexpected_answer' }],
])('a sign-in with a code ends with %s', async (_name, answer, expected) => {
  const { outcome, kept } = await signIn([pending, answer]);
  expect(outcome).toMatchObject(expected);
  expect(kept).toEqual([]);
});

test.each<[string, Parameters<typeof signIn>[1], object]>([
  [
    'where the workspace does not announce it',
    { metadata: { issuer: METADATA.issuer, token_endpoint: METADATA.token_endpoint } },
    { code: 'feature_unavailable' },
  ],
  [
    'where the workspace has switched it off',
    { codes: [403, { error: 'access_denied', error_description: 'Device authorization is not enabled.' }] },
    { code: 'feature_unavailable', message: expect.stringContaining('Device authorization is not enabled.') },
  ],
  [
    'where its page is on another host',
    { codes: [200, { ...CODES, verification_uri: 'https://evil.example/device' }] },
    { code: 'wrong_workspace' },
  ],
  ['without a code', { codes: [200, { verification_uri: PAGE }] }, { code: 'unexpected_answer' }],
])('a sign-in with a code is refused %s, and nothing is shown', async (_name, options, expected) => {
  const { outcome, steps, sent } = await signIn([granted], options);
  expect(outcome).toMatchObject(expected);
  expect([steps, sent]).toEqual([[], []]);
});
