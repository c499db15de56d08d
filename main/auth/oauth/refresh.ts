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

/** How an application shows who it is: public ones only name themselves. */
export function clientAuth(clientSecret: Secret | undefined): oauth.ClientAuth {
  return clientSecret ? oauth.ClientSecretBasic(clientSecret.reveal()) : oauth.None();
}
