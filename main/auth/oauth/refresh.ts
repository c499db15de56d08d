import * as oauth from 'oauth4webapi';
import { CausewayError, sentences } from '../../platform/errors.ts';
import type { Secret } from '../../platform/secret.ts';
import { expiryFrom } from '../access-token.ts';
import type { HostFetch } from '../host-fetch.ts';
import type { TokenRecord } from '../secrets/token-record.ts';
import { oauthOptions } from './issuer.ts';
import { isDeadGrant, UnusableAnswer, unexpectedRefusal } from './oauth-failure.ts';
import { readTokenAnswer } from './token-answer.ts';

export interface RefreshContext {
  host: string;
  fetch: HostFetch;
  /** Of a confidential OAuth application. */
  clientSecret: Secret | undefined;
  now: () => number;
}

/**
 * Trades a refresh token for a new pair (RFC 6749 §6). The answer's refresh token replaces the one that was sent; a server
 * that does not rotate sends none, and the old one stays.
 * @returns `undefined` when the refresh token has ended
 * @throws {CausewayError} `unavailable`, `sign_in_failed`, `login_page`, `unexpected_answer` (`UnusableAnswer` among them), and
 * what the fetch throws; never with a token in its texts
 */
export async function refreshTokens(record: TokenRecord, context: RefreshContext): Promise<TokenRecord | undefined> {
  const { host, now, clientSecret } = context;
  if (!record.refreshToken) return undefined;
  const issuedAt = now();
  const answer = await readTokenAnswer(
    await oauth.refreshTokenGrantRequest(
      { issuer: record.issuer, token_endpoint: record.tokenEndpoint },
      { client_id: record.clientId },
      clientAuth(clientSecret),
      record.refreshToken.reveal(),
      oauthOptions(context),
    ),
    { host, sent: [record.refreshToken, clientSecret] },
  );
  if ('refusal' in answer) {
    if (isDeadGrant(answer.refusal)) return undefined;
    throw unexpectedRefusal(answer.refusal, { host, clientId: record.clientId, what: 'to renew the sign-in' });
  }
  if ('unusable' in answer) {
    const unusable = stillSignedIn(answer.unusable);
    if (!answer.refreshToken) throw unusable;
    throw new UnusableAnswer(unusable, { ...record, refreshToken: answer.refreshToken });
  }
  const { accessToken, refreshToken, expiresIn, scopes } = answer.granted;
  return {
    ...record,
    access: { token: accessToken, issuedAt, expiresAt: expiryFrom(issuedAt, expiresIn) },
    refreshToken: refreshToken ?? record.refreshToken,
    scopes: scopes ?? record.scopes,
  };
}

function stillSignedIn({ code, message, remedy, action }: CausewayError): CausewayError {
  return new CausewayError(code, sentences(message, 'You are still signed in.'), { remedy, action });
}

/** How an application authenticates. Public ones only send their id. */
export function clientAuth(clientSecret: Secret | undefined): oauth.ClientAuth {
  if (!clientSecret) return oauth.None();
  return (_server, { client_id }, _body, headers) => {
    const credentials = `${basicPart(client_id)}:${basicPart(clientSecret.reveal())}`;
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}

/**
 * A client's id or secret as the Basic scheme holds it. RFC 6749 §2.3.1 encodes both like a form; many servers take them as
 * they are. The characters that a form need not change (RFC 3986 §2.3) stay, so that both kinds of server read the same. A space
 * becomes `%20`, which decoders of forms and of URLs read alike.
 */
export function basicPart(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** How long signing out waits for the workspace, in milliseconds. */
const REVOKE_TIMEOUT_MS = 10_000;

/** Tokens that can be revoked. */
export type RevocableTokens = Pick<TokenRecord, 'issuer' | 'clientId' | 'revocationEndpoint' | 'refreshToken'> & {
  access?: { token: Secret } | undefined;
};

/**
 * Ends a sign-in at the workspace (RFC 7009): the refresh token, and with it what came from it, then the access token.
 * @returns whether the workspace confirmed it; if it cannot be asked, the tokens end by themselves
 */
export async function revokeTokens(
  { issuer, clientId, revocationEndpoint, refreshToken, access }: RevocableTokens,
  fetch: HostFetch,
  clientSecret: Secret | undefined,
): Promise<boolean> {
  if (revocationEndpoint === undefined) return false;
  const server: oauth.AuthorizationServer = { issuer, revocation_endpoint: revocationEndpoint };
  const signal = AbortSignal.timeout(REVOKE_TIMEOUT_MS);
  const host = new URL(revocationEndpoint).origin;
  try {
    for (const token of [refreshToken, access?.token]) {
      if (!token) continue;
      const options = oauthOptions({ host, fetch }, signal);
      const auth = clientAuth(clientSecret);
      const { ok } = await oauth.revocationRequest(server, { client_id: clientId }, auth, token.reveal(), options);
      if (!ok) return false;
    }
    return true;
  } catch {
    return false;
  }
}
