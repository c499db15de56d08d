import * as oauth from 'oauth4webapi';
import { CausewayError } from '../../platform/errors.ts';
import type { Secret } from '../../platform/secret.ts';
import { type AccessToken, expiryFrom } from '../access-token.ts';
import { type Issuer, oauthOptions } from '../oauth/issuer.ts';
import { detailOf, isTemporary, unexpectedRefusal } from '../oauth/oauth-failure.ts';
import { clientAuth } from '../oauth/refresh.ts';
import { readTokenAnswer } from '../oauth/token-answer.ts';

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
  const issuedAt = now();
  const answer = await readTokenAnswer(
    await oauth.clientCredentialsGrantRequest(
      issuer.metadata,
      { client_id: clientId },
      clientAuth(clientSecret),
      { scope: scopes.join(' ') },
      oauthOptions(issuer),
    ),
    { host: issuer.host, sent: [clientSecret] },
  );
  if ('granted' in answer) {
    const { accessToken, expiresIn } = answer.granted;
    return { token: accessToken, issuedAt, expiresAt: expiryFrom(issuedAt, expiresIn) };
  }
  if ('unusable' in answer) throw answer.unusable;
  const { refusal } = answer;
  if (isTemporary(refusal) || (refusal.status !== 400 && refusal.status !== 401))
    throw unexpectedRefusal(refusal, { host: issuer.host, clientId, what: `the client ${clientId}` });
  throw new CausewayError('sign_in_failed', `${issuer.host} refused the client ${clientId} (${detailOf(refusal)}).`, {
    remedy: 'Check client_id and client_secret of the profile, and that the service principal may use this workspace.',
  });
}
