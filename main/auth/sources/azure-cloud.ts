import { Secret } from '../../platform/secret.ts';
import { BearerToken } from '../access-token.ts';
import { isLoopback } from '../profiles/host.ts';

/** The addresses of one of Microsoft's clouds. */
export interface AzureCloud {
  /** The origin of Microsoft Entra ID. */
  entra: string;
  /** The resource for which management tokens are issued. */
  management: string;
}

/** Azure Databricks as Microsoft Entra ID knows it, the same in all clouds. */
export const DATABRICKS_RESOURCE = '2ff814a6-3304-4ab8-85cb-cd0e6f879c1d';

const PUBLIC_CLOUD: AzureCloud = {
  entra: 'https://login.microsoftonline.com',
  management: 'https://management.core.windows.net/',
};

/** Clouds by the end of the workspace's host name. */
const CLOUDS: readonly [suffix: string, cloud: AzureCloud][] = [
  ['.azuredatabricks.net', PUBLIC_CLOUD],
  [
    '.databricks.azure.us',
    { entra: 'https://login.microsoftonline.us', management: 'https://management.core.usgovcloudapi.net/' },
  ],
  [
    '.databricks.azure.cn',
    { entra: 'https://login.chinacloudapi.cn', management: 'https://management.core.chinacloudapi.cn/' },
  ],
];

/**
 * The cloud that a workspace's host is in; undefined outside Azure. An Entra token for Azure Databricks is good at every
 * workspace of the tenant, so it is sent nowhere else, whatever else the profile or the environment names. On this computer,
 * which no token leaves, the public cloud is meant.
 */
export function azureCloudOf(host: string): AzureCloud | undefined {
  const { hostname } = new URL(host);
  const [, known] = CLOUDS.find(([suffix]) => hostname.endsWith(suffix)) ?? [];
  return known ?? (isLoopback(hostname) ? PUBLIC_CLOUD : undefined);
}

/** Azure Databricks refuses tokens that end within 30 s; ours count as ended this much before their end, in milliseconds. */
const REFUSED_EARLY_MS = 40_000;

/** When Azure Databricks stops accepting a token. @param endsAt its expiry at Entra ID, in milliseconds since 1970 */
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
