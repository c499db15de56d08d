import type { Secret } from '../platform/secret.ts';

/** How a profile gets its bearer token (spec/managed-mcp-endpoints.md › Authentication). */
export type AuthMethod = 'pat' | 'oauth-m2m' | 'databricks-cli' | 'oauth-user';

/** A profile that can be used: one workspace, one way to sign in to it. */
export interface Profile {
  name: string;
  /** The workspace's origin, such as `https://adb-1.azuredatabricks.net`; never a path or a trailing slash. */
  host: string;
  method: AuthMethod;
  /** Set for unified hosts, which serve several workspaces: goes out as `X-Databricks-Workspace-Id`. */
  workspaceId: string | undefined;
}

export interface TokenRequest {
  /** The token that the workspace has just refused with 401: it will not be given out again. */
  rejected?: Secret | undefined;
  signal?: AbortSignal | undefined;
}

/** Gives a bearer token that is valid now, renewing it at most once however many ask. */
export interface TokenSource {
  /** @throws {CausewayError} `signed_out`, `sign_in_failed`, `cli_unavailable`, `unreachable`, … */
  token(request?: TokenRequest): Promise<Secret>;
}
