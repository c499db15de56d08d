import { CausewayError } from '../../platform/errors.ts';
import { type AccessToken, expiryFrom } from '../access-token.ts';
import type { Profile } from '../auth.ts';
import type { HostFetch } from '../host-fetch.ts';
import type { AzureSettings } from '../profiles/profile-settings.ts';
import { azureCloudOf, azureTokenBeside, DATABRICKS_RESOURCE, expiryAtAzure } from './azure-cloud.ts';
import { entraFailure } from './entra-failure.ts';
import { requestToken } from './token-request.ts';

export interface EntraOptions {
  profile: Profile;
  azure: AzureSettings;
  /** Reaches an origin. */
  to: (origin: string) => HostFetch;
  now: () => number;
}

/**
 * A token of an Entra ID service principal, with one for the management of Azure beside it.
 * @throws {CausewayError} `sign_in_failed` when Entra ID refuses it, `unavailable`, and what the fetch throws
 */
export async function requestEntraToken({ profile, azure, to, now }: EntraOptions): Promise<AccessToken> {
  const { tenantId, clientId, clientSecret, resourceId } = azure;
  const cloud = azureCloudOf(profile.host, resourceId);
  if (!tenantId || !clientId || !clientSecret || !cloud) {
    throw new CausewayError('profile_unusable', `Profile "${profile.name}" is no Azure service principal any more.`);
  }
  const issuedAt = now();
  const ask = async (resource: string) => {
    const form = {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret.reveal(),
      resource,
    };
    const url = `${cloud.entra}/${tenantId}/oauth2/token`;
    const answer = await requestToken(to(cloud.entra), url, form, [clientSecret]);
    if ('refusal' in answer) throw entraFailure(answer.refusal, { profile, azure, entra: cloud.entra });
    return { ...answer, endsAt: expiryFrom(issuedAt, answer.expiresInSeconds) };
  };
  const [given, management] = await Promise.all([ask(DATABRICKS_RESOURCE), ask(cloud.management)]);
  const ends = [given.endsAt, management.endsAt].filter((end) => end !== undefined);
  return {
    token: azureTokenBeside(given.token, management.token, resourceId),
    issuedAt,
    expiresAt: ends.length === 0 ? undefined : expiryAtAzure(Math.min(...ends)),
  };
}
