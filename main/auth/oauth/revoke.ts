import * as oauth from 'oauth4webapi';
import type { Secret } from '../../platform/secret.ts';
import type { HostFetch } from '../host-fetch.ts';
import type { TokenRecord } from '../secrets/token-record.ts';
import { oauthOptions } from './issuer.ts';
import { clientAuth } from './refresh.ts';

/** How long signing out waits for the workspace, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Ends a sign-in at the workspace (RFC 7009): the refresh token, and with it what came from it, then the access token.
 * @returns whether the workspace confirmed it; where it cannot be asked, the tokens end by themselves
 */
export async function revokeTokens(
  record: TokenRecord,
  fetch: HostFetch,
  clientSecret: Secret | undefined,
): Promise<boolean> {
  if (record.revocationEndpoint === undefined) return false;
  const server: oauth.AuthorizationServer = { issuer: record.issuer, revocation_endpoint: record.revocationEndpoint };
  const client: oauth.Client = { client_id: record.clientId };
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
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
