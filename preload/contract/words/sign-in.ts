import type { Account } from '../accounts.ts';

/** How a profile signs in, for the window and for the command. */
export const SIGN_IN_METHODS: Record<NonNullable<Account['method']>, { window: string; command: string }> = {
  'oauth-user': { window: 'Browser sign-in', command: 'browser' },
  'databricks-cli': { window: 'Databricks CLI sign-in', command: 'Databricks CLI' },
  'oauth-m2m': { window: 'Service principal', command: 'service principal' },
  pat: { window: 'Token in config file', command: 'personal access token' },
  'azure-cli': { window: 'Azure CLI sign-in', command: 'Azure CLI' },
  'azure-client-secret': { window: 'Azure service principal', command: 'Azure service principal' },
  'github-oidc': { window: 'GitHub Actions token', command: 'GitHub Actions' },
  'env-oidc': { window: 'ID token from environment', command: 'ID token in the environment' },
  'file-oidc': { window: 'ID token from file', command: 'ID token in a file' },
};
