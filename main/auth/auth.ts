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

/** Why a profile of the configuration file cannot be used. */
export type UnusableReason =
  | 'no_host'
  | 'bad_host'
  | 'account_host'
  | 'several_methods'
  | 'unsupported_method'
  | 'incomplete';

/** A profile as the configuration file lists it, usable or not. */
export type ProfileEntry =
  | { usable: true; name: string; isDefault: boolean; profile: Profile }
  | {
      usable: false;
      name: string;
      isDefault: boolean;
      host: string | undefined;
      reason: UnusableReason;
      /** What is wrong and what to do, as sentences. */
      message: string;
    };

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

/** Profiles and their tokens: the one way from a profile's name to a bearer token. */
export interface AuthService {
  /** The profiles of the configuration file, in its order. */
  profiles(): Promise<ProfileEntry[]>;
  /**
   * The profile of that name, or the one that the environment or the configuration file makes the default.
   * @throws {CausewayError} `profile_not_found`, `profile_unusable`, `ambiguous`
   */
  profile(name?: string): Promise<Profile>;
  /** The profile's token source; the same one each time, so that all who ask share one renewal. */
  tokens(profile: Profile): TokenSource;
}
