import { Secret } from '../platform/secret.ts';
import { BearerToken } from './bearer.ts';

/** Azure Databricks refuses tokens that end within 30 s; ours count as ended this much before their end, in milliseconds. */
const REFUSED_EARLY_MS = 40_000;

/** When a token is of no more use at Azure Databricks. @param endsAt as Entra ID says, in milliseconds since 1970 */
export function expiryAtAzure(endsAt: number): number {
  return endsAt - REFUSED_EARLY_MS;
}

/**
 * An Entra token for Azure Databricks with what goes out beside it: the token for the management of Azure and the
 * workspace's resource, by which a service principal that is not in the workspace yet is known.
 */
export function azureTokenBeside(
  token: Secret,
  management: Secret | undefined,
  resourceId: string | undefined,
): BearerToken {
  return new BearerToken(token.reveal(), {
    ...(management === undefined ? {} : { 'x-databricks-azure-sp-management-token': management }),
    ...(resourceId === undefined ? {} : { 'x-databricks-azure-workspace-resource-id': new Secret(resourceId) }),
  });
}
