import type { ClientMetadata } from 'oidc-provider';

/** Who may ask for tokens here. */

/** An OAuth application as an account admin would register it. */
export interface OAuthClient {
  clientId: string;
  /** Absent for a public client. */
  clientSecret?: string | undefined;
  redirectUris: string[];
  /** The scopes it may ask for; all of them if left out. */
  scopes?: string[] | undefined;
}

/** Every scope that this workspace knows (spec/managed-mcp-endpoints.md › Managed server). */
export const SCOPES = [
  'openid',
  'email',
  'profile',
  'offline_access',
  'all-apis',
  'sql',
  'genie',
  'vector-search',
  'ai-search',
  'unity-catalog',
  'ai-gateway',
  'apps',
  'scim',
  'access-management',
  'settings',
];

/** The Databricks CLI: public, and known in every workspace. A loopback redirect holds for any port (RFC 8252 §7.3). */
export const CLI_CLIENT: OAuthClient = {
  clientId: 'databricks-cli',
  redirectUris: ['http://localhost', 'http://127.0.0.1'],
};

/** What AI clients register for themselves in many workspaces, for `oauthClients`; no workspace has to have them. */
export const PUBLISHED_CLIENTS: OAuthClient[] = [
  { clientId: 'claude-code', redirectUris: ['http://localhost/callback', 'http://127.0.0.1/callback'] },
  { clientId: 'cursor-desktop', redirectUris: ['http://localhost:8787/callback'] },
];

export function applicationMetadata(client: OAuthClient): ClientMetadata {
  return {
    client_id: client.clientId,
    client_name: client.clientId,
    redirect_uris: client.redirectUris,
    application_type: client.redirectUris.every(isLoopback) ? 'native' : 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...(client.clientSecret === undefined
      ? { token_endpoint_auth_method: 'none' }
      : { client_secret: client.clientSecret, token_endpoint_auth_method: 'client_secret_basic' }),
    ...(client.scopes && { scope: client.scopes.join(' ') }),
  };
}

/** A service principal's own client: it has credentials and no browser. */
export function servicePrincipalMetadata(clientId: string, clientSecret: string): ClientMetadata {
  return {
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uris: [],
    response_types: [],
    grant_types: ['client_credentials'],
    token_endpoint_auth_method: 'client_secret_basic',
  };
}

function isLoopback(uri: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(uri).hostname);
}
