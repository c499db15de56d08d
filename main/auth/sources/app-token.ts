import { CausewayError } from '../../platform/errors.ts';
import type { Secret } from '../../platform/secret.ts';
import { type AccessToken, expiryFrom } from '../access-token.ts';
import type { Profile, TokenSource } from '../auth.ts';
import type { HostFetch } from '../host-fetch.ts';
import { memoryTokenSource } from '../memory-tokens.ts';
import { discoverIssuer } from '../oauth/issuer.ts';
import { detailOf, isTemporary, serviceUnavailable } from '../oauth/oauth-failure.ts';
import type { ProfileSettings } from '../profiles/profile-settings.ts';
import { JWT, TOKEN_EXCHANGE } from './federation.ts';
import { requestToken } from './token-request.ts';

/** Databricks Apps take the workspace's own OAuth tokens only: neither personal access tokens nor those of Entra ID. */

export interface AppTokenContext {
  profile: Profile;
  /** The profile's usual tokens. */
  tokens: TokenSource;
  fetch: () => Promise<HostFetch>;
  settingsOf: (profile: Profile) => Promise<ProfileSettings>;
  now: () => number;
  chance: number;
}

/** The source of a profile's tokens for apps. It gives none for a profile whose tokens no app takes. */
export function appTokenSource(context: AppTokenContext): TokenSource {
  const { profile, tokens, now, chance } = context;
  switch (profile.method) {
    case 'pat':
      return {
        token: async () => {
          throw new CausewayError(
            'profile_unusable',
            `Databricks Apps do not accept personal access tokens, and profile "${profile.name}" has no other credential.`,
            { action: { do: 'add-browser-profile', host: profile.host } },
          );
        },
      };
    case 'azure-cli':
    case 'azure-client-secret':
      return memoryTokenSource({
        profile,
        now,
        chance,
        acquire: async () => exchangeEntraToken(context, await tokens.token()),
      });
    default:
      return tokens;
  }
}

/** Exchanges an Entra ID token for one of the workspace for the same user (RFC 8693). */
async function exchangeEntraToken(
  { profile, fetch, settingsOf, now }: AppTokenContext,
  entra: Secret,
): Promise<AccessToken> {
  const [ask, { host, accountId }] = await Promise.all([fetch(), settingsOf(profile)]);
  const issuer = await discoverIssuer(ask, { host, accountId });
  const issuedAt = now();
  const form = {
    grant_type: TOKEN_EXCHANGE,
    subject_token: entra.reveal(),
    subject_token_type: JWT,
    scope: 'all-apis',
  };
  const answer = await requestToken(ask, issuer.metadata.token_endpoint ?? `${host}/oidc/v1/token`, form, [entra]);
  if (!('refusal' in answer)) {
    const { accessToken, expiresIn } = answer.granted;
    return { token: accessToken, issuedAt, expiresAt: expiryFrom(issuedAt, expiresIn) };
  }
  const { refusal } = answer;
  if (isTemporary(refusal)) throw serviceUnavailable(host, refusal);
  throw new CausewayError(
    'sign_in_failed',
    `Databricks Apps do not accept Entra ID tokens, and ${host} does not exchange the token of profile "${profile.name}" for one of its own (${detailOf(refusal)}).`,
    {
      remedy: 'An account admin can allow the exchange with a federation policy for Entra ID.',
      action: { do: 'add-browser-profile', host },
    },
  );
}
