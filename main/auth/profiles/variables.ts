/** The environment variable in which Databricks tools look for each key. */
export const VARIABLES = {
  host: 'DATABRICKS_HOST',
  token: 'DATABRICKS_TOKEN',
  client_id: 'DATABRICKS_CLIENT_ID',
  client_secret: 'DATABRICKS_CLIENT_SECRET',
  auth_type: 'DATABRICKS_AUTH_TYPE',
  account_id: 'DATABRICKS_ACCOUNT_ID',
  workspace_id: 'DATABRICKS_WORKSPACE_ID',
  azure_tenant_id: 'ARM_TENANT_ID',
  azure_client_id: 'ARM_CLIENT_ID',
  azure_client_secret: 'ARM_CLIENT_SECRET',
  azure_use_msi: 'ARM_USE_MSI',
  azure_workspace_resource_id: 'DATABRICKS_AZURE_RESOURCE_ID',
  oidc_token_env: 'DATABRICKS_OIDC_TOKEN_ENV',
  oidc_token_filepath: 'DATABRICKS_OIDC_TOKEN_FILEPATH',
  token_audience: 'DATABRICKS_TOKEN_AUDIENCE',
} as const;

/** The keys that are credentials, or name where they come from: with one of them, the environment signs in by itself. */
const CREDENTIAL_KEYS = new Set<string>([
  'token',
  'client_id',
  'client_secret',
  'azure_tenant_id',
  'azure_client_id',
  'azure_client_secret',
  'azure_use_msi',
  'azure_workspace_resource_id',
  'oidc_token_env',
  'oidc_token_filepath',
]);

/** Whether a key is one of those. */
export function isCredential(key: string): boolean {
  return CREDENTIAL_KEYS.has(key);
}

/** What the environment says in these variables, by key. */
export function valuesIn(env: NodeJS.ProcessEnv): Map<string, string> {
  const all = Object.entries(VARIABLES).map(([key, name]): [string, string] => [key, env[name] ?? '']);
  return new Map(all.filter(([, value]) => value !== ''));
}

/** The variables with credentials that are set. */
export function credentialVariables(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(VARIABLES).flatMap(([key, name]) => (isCredential(key) && env[name] ? [name] : []));
}

/** Whether the environment by itself says which workspace is meant, or as whom, where no profile is asked for. */
export function decidesWorkspace(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env[VARIABLES.host]) || credentialVariables(env).length > 0;
}
