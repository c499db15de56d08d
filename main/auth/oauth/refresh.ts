import * as oauth from 'oauth4webapi';
import { Secret } from '../../platform/secret.ts';
import { expiryFrom } from '../access-token.ts';
import type { HostFetch } from '../host-fetch.ts';
import type { TokenRecord } from '../secrets/token-record.ts';
import { oauthOptions } from './issuer.ts';
import { isDeadGrant, oauthRefusal, unexpectedRefusal } from './oauth-failure.ts';

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
 * @throws {CausewayError} `unavailable`, `sign_in_failed`, and what the fetch throws; never with a token inside
 */
export async function refreshTokens(record: TokenRecord, context: RefreshContext): Promise<TokenRecord | undefined> {
  const { host, now } = context;
  if (!record.refreshToken) return undefined;
  const server: oauth.AuthorizationServer = { issuer: record.issuer, token_endpoint: record.tokenEndpoint };
  const client: oauth.Client = { client_id: record.clientId };
  const issuedAt = now();
  try {
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client,
      clientAuth(context.clientSecret),
      record.refreshToken.reveal(),
      oauthOptions(context),
    );
    const answer = await oauth.processRefreshTokenResponse(server, client, response);
    return {
      ...record,
      access: { token: new Secret(answer.access_token), issuedAt, expiresAt: expiryFrom(issuedAt, answer.expires_in) },
      refreshToken: answer.refresh_token === undefined ? record.refreshToken : new Secret(answer.refresh_token),
      scopes: answer.scope?.split(' ').filter(Boolean) ?? record.scopes,
    };
  } catch (error) {
    const sent = [record.refreshToken, context.clientSecret];
    const refusal = oauthRefusal(error, sent);
    if (refusal && isDeadGrant(refusal)) return undefined;
    throw unexpectedRefusal(error, { host, clientId: record.clientId, what: 'to renew the sign-in', sent });
  }
}

/** How an application authenticates. Public ones only send their id. */
export function clientAuth(clientSecret: Secret | undefined): oauth.ClientAuth {
  return clientSecret ? oauth.ClientSecretBasic(clientSecret.reveal()) : oauth.None();
}

/** How long signing out waits for the workspace, in milliseconds. */
const REVOKE_TIMEOUT_MS = 10_000;

/**
 * Ends a sign-in at the workspace (RFC 7009): the refresh token, and with it what came from it, then the access token.
 * @returns whether the workspace confirmed it; if it cannot be asked, the tokens end by themselves
 */
export async function revokeTokens(
  record: TokenRecord,
  fetch: HostFetch,
  clientSecret: Secret | undefined,
): Promise<boolean> {
  if (record.revocationEndpoint === undefined) return false;
  const server: oauth.AuthorizationServer = { issuer: record.issuer, revocation_endpoint: record.revocationEndpoint };
  const client: oauth.Client = { client_id: record.clientId };
  const signal = AbortSignal.timeout(REVOKE_TIMEOUT_MS);
  const host = new URL(record.revocationEndpoint).origin;
  try {
    for (const token of [record.refreshToken, record.access.token]) {
      if (!token) continue;
      const options = oauthOptions({ host, fetch }, signal);
      const auth = clientAuth(clientSecret);
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(server, client, auth, token.reveal(), options),
      );
    }
    return true;
  } catch {
    return false;
  }
}
