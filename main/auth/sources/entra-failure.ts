import { CausewayError } from '../../platform/errors.ts';
import type { Profile } from '../auth.ts';
import { isTemporary, type OAuthRefusal, serviceUnavailable } from '../oauth/oauth-failure.ts';
import type { AzureSettings } from '../profiles/profile-settings.ts';

/** What Entra ID says, without the ids by which Microsoft finds the request again. */
export function withoutTraceIds(text: string): string {
  return text.replace(/\.?\s*(?:Trace|Correlation) ID:.*$/is, '').trim();
}

/** By the number in `AADSTS…` (Microsoft Entra ID › authentication and authorization error codes). */
const REMEDIES: readonly [codes: string, remedy: (azure: AzureSettings) => string][] = [
  ['7000215', () => 'Its client secret is wrong. Put the value of the secret, not its id, into azure_client_secret.'],
  [
    '7000222',
    () => 'Its client secret has ended. Make a new one for the application and put it into azure_client_secret.',
  ],
  [
    '700016',
    ({ clientId, tenantId }) =>
      `There is no application ${clientId} in the tenant ${tenantId}. Check azure_client_id and azure_tenant_id.`,
  ],
  ['90002|900023|50034', ({ tenantId }) => `There is no tenant ${tenantId}. Check azure_tenant_id.`],
  [
    '500011',
    ({ tenantId }) =>
      `The tenant ${tenantId} has no Azure Databricks. Check azure_tenant_id: it is the tenant of the workspace.`,
  ],
];

/** A refusal of Entra ID for a service principal, as an error of ours. */
export function entraFailure(
  refusal: OAuthRefusal,
  { profile, azure, entra }: { profile: Profile; azure: AzureSettings; entra: string },
): CausewayError {
  const { host } = new URL(entra);
  if (isTemporary(refusal)) return serviceUnavailable(host, refusal);
  const detail = withoutTraceIds(refusal.description) || refusal.error || `HTTP ${refusal.status}`;
  const [, known] = REMEDIES.find(([codes]) => new RegExp(`AADSTS(?:${codes})\\b`).test(refusal.description)) ?? [];
  return new CausewayError(
    'sign_in_failed',
    `Microsoft Entra ID (${host}) refused the application of profile "${profile.name}" (${detail}).`,
    {
      remedy:
        known?.(azure) ??
        'Check azure_tenant_id, azure_client_id and azure_client_secret, or ARM_TENANT_ID, ARM_CLIENT_ID and ARM_CLIENT_SECRET.',
    },
  );
}
