import * as oauth from 'oauth4webapi';
import { CausewayError } from '../../platform/errors.ts';
import { Secret } from '../../platform/secret.ts';
import { type AccessToken, expiryFrom } from '../access-token.ts';
import { type Issuer, oauthOptions } from '../oauth/issuer.ts';
import { isTemporary, oauthRefusal, unexpectedRefusal } from '../oauth/oauth-failure.ts';

export interface ClientCredentials {
  clientId: string;
  clientSecret: Secret;
  scopes: string[] | undefined;
}

/**
 * A service principal's access token (RFC 6749 §4.4), with its secret in the Authorization header only.
 * @throws {CausewayError} `sign_in_failed` when the workspace refuses the client, and what the fetch throws
 */
export async function requestClientToken(
  issuer: Issuer,
  { clientId, clientSecret, scopes = ['all-apis'] }: ClientCredentials,
  now: () => number,
): Promise<AccessToken> {
  const client: oauth.Client = { client_id: clientId };
  const issuedAt = now();
  try {
    const response = await oauth.clientCredentialsGrantRequest(
      issuer.metadata,
      client,
      oauth.ClientSecretBasic(clientSecret.reveal()),
      { scope: scopes.join(' ') },
      oauthOptions(issuer),
    );
    const answer = await oauth.processClientCredentialsResponse(issuer.metadata, client, response);
    return { token: new Secret(answer.access_token), issuedAt, expiresAt: expiryFrom(issuedAt, answer.expires_in) };
  } catch (error) {
    const refusal = oauthRefusal(error, [clientSecret]);
    if (!refusal || isTemporary(refusal) || (refusal.status !== 400 && refusal.status !== 401))
      throw unexpectedRefusal(error, {
        host: issuer.host,
        clientId,
        what: `the client ${clientId}`,
        sent: [clientSecret],
      });
    const detail = refusal.error || `HTTP ${refusal.status}`;
    throw new CausewayError('sign_in_failed', `${issuer.host} refused the client ${clientId} (${detail}).`, {
      remedy:
        'Check client_id and client_secret of the profile, and that the service principal may use this workspace.',
    });
  }
}
