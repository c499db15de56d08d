import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { asSentence, CausewayError, sentences } from '../../platform/errors.ts';
import { foreignText } from '../../platform/foreign-text.ts';
import { jsonIn } from '../../platform/json.ts';
import type { TokenRecord } from '../secrets/token-record.ts';
import type { BrowserSignIn } from './browser-sign-in.ts';
import { readSignIn } from './granted-sign-in.ts';
import { discoverIssuer, type Issuer, oauthOptions } from './issuer.ts';
import { detailOf, isTemporary, type OAuthRefusal, unexpectedRefusal } from './oauth-failure.ts';
import { clientAuth } from './refresh.ts';
import { readRefusal } from './token-answer.ts';

export interface DeviceSignIn
  extends Pick<
    BrowserSignIn,
    'profile' | 'accountId' | 'clientId' | 'clientSecret' | 'scopes' | 'fetch' | 'onProgress' | 'now' | 'signal'
  > {
  /** Stores what the user has signed in with, or revokes it and throws. */
  keep: (record: TokenRecord) => Promise<void>;
  /** Waits. Rejects if the signal is aborted. */
  wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** How often the service is asked where it does not say, and how much more seldom once it wants that, in seconds (RFC 8628 §3.2, §3.5). */
const INTERVAL_S = 5;
/** How long a code is good where the service does not say, in seconds. */
const EXPIRES_S = 600;

/** What the service answers to the request for a code (RFC 8628 §3.2). */
const Codes = z.looseObject({
  device_code: z.string().min(1),
  user_code: z.string().min(1),
  verification_uri: z.string(),
  expires_in: z.number().positive().catch(EXPIRES_S),
  interval: z.number().positive().catch(INTERVAL_S),
});
type Codes = z.output<typeof Codes>;

/**
 * One sign-in with a code (RFC 8628), for a computer without a browser: the user opens a page on another device, and types the code that
 * is shown here. Only where the workspace announces it.
 * @throws {CausewayError} `feature_unavailable` where it does not; `consent_denied`, `sign_in_timeout`, `sign_in_cancelled`,
 * `sign_in_failed`, `wrong_workspace`, `unreachable`, `tls`, `timeout`
 */
export async function signInWithDevice(options: DeviceSignIn): Promise<TokenRecord> {
  const { profile, signal } = options;
  const { host } = profile;
  const issuer = await discoverIssuer(options.fetch, { host, accountId: options.accountId }, signal);
  if (issuer.metadata.device_authorization_endpoint === undefined) {
    throw new CausewayError('feature_unavailable', `${host} does not offer a sign-in with a code.`, {
      remedy: OTHERWISE,
    });
  }
  try {
    const codes = await requestCodes(options, issuer);
    const expiresAt = options.now() + codes.expires_in * 1_000;
    options.onProgress({ step: 'waiting-for-device', url: pageOf(host, codes), code: shownCode(codes), expiresAt });
    const record = await poll(options, issuer, codes, expiresAt);
    await options.keep(record);
    return record;
  } catch (error) {
    if (!signal?.aborted || signal.reason instanceof CausewayError) throw error;
    throw new CausewayError('sign_in_cancelled', `The sign-in to ${host} was canceled.`);
  }
}

const OTHERWISE = 'Use --no-browser instead, and paste the address at which your browser ends.';

async function requestCodes(options: DeviceSignIn, issuer: Issuer): Promise<Codes> {
  const { profile, clientId, clientSecret, scopes, signal } = options;
  const { host } = profile;
  const response = await oauth.deviceAuthorizationRequest(
    issuer.metadata,
    { client_id: clientId },
    clientAuth(clientSecret),
    { scope: scopes.join(' ') },
    oauthOptions(issuer, signal),
  );
  const text = await response.text();
  const found = response.ok ? Codes.safeParse(jsonIn(text)) : undefined;
  if (found?.success) return found.data;
  const refusal = readRefusal(response, text, [clientSecret]);
  if (refusal.error === 'access_denied') {
    const said = refusal.description === '' ? undefined : `The workspace says: ${asSentence(refusal.description)}`;
    throw new CausewayError('feature_unavailable', sentences(`${host} does not allow a sign-in with a code.`, said), {
      remedy: `Ask a workspace admin to allow it. ${OTHERWISE}`,
    });
  }
  if (response.ok) {
    throw new CausewayError('unexpected_answer', `The sign-in service of ${host} sent no code.`, { remedy: OTHERWISE });
  }
  throw unexpectedRefusal(refusal, { host, clientId, what: 'the sign-in with a code' });
}

/** The page on which the user types the code. @throws {CausewayError} `wrong_workspace` if it is on another host */
function pageOf(host: string, { verification_uri: page }: Codes): string {
  if (URL.canParse(page) && new URL(page).origin === host) return page;
  throw new CausewayError(
    'wrong_workspace',
    `${host} names a page on another host for the code (${foreignText(page, { maxLength: 200 })}).`,
    { remedy: 'Do not open it. Use the address that your workspace shows in the browser.' },
  );
}

function shownCode({ user_code: code }: Codes): string {
  return foreignText(code, { maxLength: 40 });
}

async function poll(options: DeviceSignIn, issuer: Issuer, codes: Codes, expiresAt: number): Promise<TokenRecord> {
  const { profile, clientId, now, wait, signal } = options;
  const { host } = profile;
  let intervalMs = codes.interval * 1_000;
  for (;;) {
    const leftMs = expiresAt - now();
    if (leftMs <= 0) throw tooLate(host);
    await wait(Math.min(intervalMs, leftMs), signal);
    const answer = await ask(options, issuer, codes);
    if ('record' in answer) return answer.record;
    const { refusal } = answer;
    switch (refusal?.error) {
      case 'authorization_pending':
        break;
      case 'access_denied':
        throw new CausewayError('consent_denied', `Access to ${host} was denied.`, {
          remedy: 'Sign in again and allow access. If you did not deny it yourself, ask your administrator.',
        });
      case 'expired_token':
        throw tooLate(host);
      case 'invalid_grant':
        throw new CausewayError('sign_in_failed', `${host} did not accept the code (${detailOf(refusal)}).`, {
          remedy: OTHERWISE,
        });
      default:
        if (refusal && !isTemporary(refusal)) {
          throw unexpectedRefusal(refusal, { host, clientId, what: 'the sign-in with a code' });
        }
        intervalMs = Math.max(intervalMs + INTERVAL_S * 1_000, refusal?.retryAfterMs ?? 0);
    }
  }
}

/** Failures after which the service is asked again, more seldom (RFC 8628 §3.5). */
const MAY_PASS = new Set(['unreachable', 'timeout', 'unavailable']);

/** Asks for the token once. Without a record and a refusal, the service could not be reached. */
async function ask(
  { profile, clientId, clientSecret, scopes, fetch, now, signal }: DeviceSignIn,
  issuer: Issuer,
  { device_code: code }: Codes,
): Promise<{ record: TokenRecord } | { refusal: OAuthRefusal | undefined }> {
  const issuedAt = now();
  let response: Response;
  try {
    response = await oauth.deviceCodeGrantRequest(
      issuer.metadata,
      { client_id: clientId },
      clientAuth(clientSecret),
      code,
      oauthOptions(issuer, signal),
    );
  } catch (error) {
    if (error instanceof CausewayError && MAY_PASS.has(error.code)) return { refusal: undefined };
    throw error;
  }
  const sent = [code, clientSecret];
  return readSignIn(response, issuer, { profile, clientId, clientSecret, scopes, fetch, issuedAt, sent, signal });
}

function tooLate(host: string): CausewayError {
  return new CausewayError('sign_in_timeout', `The code for the sign-in to ${host} has expired.`, {
    remedy: 'Sign in again to get a new one.',
  });
}
