import type { SentSecrets } from '../../platform/foreign-text.ts';
import type { Secret } from '../../platform/secret.ts';
import { uninterrupted } from '../../platform/uninterrupted.ts';
import { expiryFrom } from '../access-token.ts';
import type { Profile } from '../auth.ts';
import type { HostFetch } from '../host-fetch.ts';
import type { TokenRecord } from '../secrets/token-record.ts';
import type { Issuer } from './issuer.ts';
import type { OAuthRefusal } from './oauth-failure.ts';
import { type RevocableTokens, revokeTokens } from './refresh.ts';
import { readTokenAnswer } from './token-answer.ts';
import { userNameIn } from './user-name.ts';

export interface GrantedSignIn {
  profile: Profile;
  clientId: string;
  clientSecret: Secret | undefined;
  /** The scopes that were asked for. */
  scopes: string[];
  fetch: HostFetch;
  /** When the token was asked for, in milliseconds since 1970. */
  issuedAt: number;
  /** The secrets that were sent with the request. */
  sent: SentSecrets;
  signal: AbortSignal | undefined;
}

/**
 * The sign-in that a token endpoint has granted a user, whichever way they have signed in. What cannot be used is revoked.
 * @throws {CausewayError} why it cannot be used, or whose it is cannot be found out
 */
export async function readSignIn(
  response: Response,
  { metadata }: Issuer,
  { profile, clientId, clientSecret, scopes: asked, fetch, issuedAt, sent, signal }: GrantedSignIn,
): Promise<{ record: TokenRecord } | { refusal: OAuthRefusal }> {
  const answer = await readTokenAnswer(response, { host: profile.host, sent });
  if ('refusal' in answer) return answer;
  const { issuer, token_endpoint: tokenEndpoint = '', revocation_endpoint: revocationEndpoint } = metadata;
  const known = { issuer, clientId, tokenEndpoint, revocationEndpoint };
  // What is refused from here on has been given out.
  const refuse = async (tokens: Pick<RevocableTokens, 'refreshToken' | 'access'>, error: unknown) => {
    await uninterrupted(revokeTokens({ ...known, ...tokens }, fetch, clientSecret));
    throw error;
  };
  if ('unusable' in answer) return refuse({ refreshToken: answer.refreshToken }, answer.unusable);
  const { accessToken: token, refreshToken, expiresIn, scopes = asked } = answer.granted;
  const access = { token, issuedAt, expiresAt: expiryFrom(issuedAt, expiresIn) };
  try {
    const userName = await userNameIn(fetch, profile, token, signal);
    return { record: { ...known, access, refreshToken, scopes, userName } };
  } catch (error) {
    return refuse({ refreshToken, access }, error);
  }
}
