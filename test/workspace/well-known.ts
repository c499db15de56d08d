import { isMcpPath, SCOPES, targetOf } from './mcp/target.ts';
import type { ReplaceableState } from './state.ts';

/** What the workspace says about itself to anybody (RFC 9728; the sign-in's own metadata are oidc-provider's). */

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';

/** The document at a well-known path; undefined if there is none. */
export function wellKnown(path: string, host: string, state: ReplaceableState): unknown {
  if (path === '/.well-known/databricks-config') {
    return {
      oidc_endpoint: `${host}/oidc`,
      account_id: '5e8f1c2a-9b3d-4f60-8a7e-2d1c0b9f8e7d',
      workspace_id: state.workspaceId,
      cloud: 'aws',
      host_type: 'workspace',
    };
  }
  const resource = path.slice(RESOURCE_METADATA.length);
  if (!path.startsWith(RESOURCE_METADATA) || !isMcpPath(resource)) return undefined;
  const target = targetOf(resource);
  return {
    resource: `${host}${resource}`,
    authorization_servers: [`${host}/oidc`],
    scopes_supported: [...(target ? SCOPES[target.server] : ['all-apis']), 'offline_access'],
    bearer_methods_supported: ['header'],
  };
}

/** The challenge that goes with a 401 of an MCP server (RFC 9728 §5.1, RFC 6750 §3); no other path has one. */
export function challengeFor(path: string, host: string, tokenWasSent: boolean): string | undefined {
  if (!isMcpPath(path)) return undefined;
  const error = tokenWasSent ? ', error="invalid_token", error_description="Invalid access token."' : '';
  return `Bearer realm="DatabricksRealm", resource_metadata="${host}${RESOURCE_METADATA}${path}"${error}`;
}
