import type { CausewayError } from '../platform/errors.ts';
import type { Secret } from '../platform/secret.ts';
import type { ProxyLookup } from '../platform/system-proxies.ts';

/** How a profile gets its bearer token (spec/managed-mcp-endpoints.md › Authentication). */
export type AuthMethod =
  | 'pat'
  | 'oauth-m2m'
  | 'databricks-cli'
  | 'oauth-user'
  | 'azure-cli'
  | 'azure-client-secret'
  | 'github-oidc'
  | 'env-oidc'
  | 'file-oidc';

/** The values of `auth_type` that Causeway supports, in the order in which Databricks tools try them. */
export const AUTH_TYPES: Readonly<Record<string, AuthMethod>> = {
  pat: 'pat',
  'oauth-m2m': 'oauth-m2m',
  'databricks-cli': 'databricks-cli',
  'external-browser': 'oauth-user',
  'github-oidc': 'github-oidc',
  'env-oidc': 'env-oidc',
  'file-oidc': 'file-oidc',
  'azure-client-secret': 'azure-client-secret',
  'azure-cli': 'azure-cli',
};

/** A profile that can be used: one workspace, one way to sign in to it. */
export interface Profile {
  name: string;
  /** The workspace's origin, such as `https://adb-1.azuredatabricks.net`; never a path or a trailing slash. */
  host: string;
  method: AuthMethod;
  /** Set for unified hosts, which serve several workspaces: goes out as `X-Databricks-Workspace-Id`. */
  workspaceId: string | undefined;
}

/** What tells one profile's sign-in from another, such as in the store of tokens. A host has no spaces. */
export function signInKey({ host, name }: Pick<Profile, 'host' | 'name'>): string {
  return `${host} ${name}`;
}

/** Whether users sign in to the profile, instead of its holding credentials. */
export function maySignIn({ method }: Pick<Profile, 'method'>): boolean {
  return method === 'oauth-user' || method === 'databricks-cli';
}

/** Why a profile of the configuration file cannot be used. */
export type UnusableReason =
  | 'no_host'
  | 'bad_host'
  | 'account_host'
  | 'several_methods'
  | 'unsupported_method'
  | 'invalid_value'
  | 'not_azure'
  | 'incomplete'
  /** The organization does not allow its workspace. */
  | 'managed';

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
  /** Whether the server that has refused it had accepted it before: then a new one can help. */
  hasWorked?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /**
   * Called if nobody is signed in and the user is asked to sign in, which the token then waits for. The user is asked when
   * it has resolved: until then the process can notify others.
   */
  onSignedOut?: ((error: CausewayError) => Promise<void>) | undefined;
}

/** Gives a bearer token that is valid now, refreshing it at most once for all callers. */
export interface TokenSource {
  /** @throws {CausewayError} `signed_out`, `sign_in_failed`, `cli_unavailable`, `unreachable`, … */
  token(request?: TokenRequest): Promise<Secret>;
}

/** The progress of a sign-in in the browser. */
export type SignInProgress =
  /** Another process or window is asking the user already, on the page at `url`; its outcome will be ours. */
  | { step: 'waiting-for-other'; url?: string | undefined }
  /** `opened` is false if the browser could not be opened. The user then has to copy the address. */
  | { step: 'waiting-for-browser'; url: string; opened: boolean }
  /** The user is to open the page on any device and type the code there, until `expiresAt` (milliseconds since 1970). */
  | { step: 'waiting-for-device'; url: string; code: string; expiresAt: number }
  /** Answers arrived that belong to another sign-in; reported for the first, the tenth, the hundredth and so on. */
  | { step: 'ignored-answer'; count: number }
  | { step: 'finishing' }
  /** The sign-in before has been replaced; `revoked` is whether the workspace has confirmed that it has ended. */
  | { step: 'replaced'; userName: string | undefined; isOtherUser: boolean; revoked: boolean };

export interface SignInOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: SignInProgress) => void) | undefined;
  /**
   * `if-possible`, the default, shows the address if the browser cannot be opened; `never` only shows it; `must` fails
   * instead, for callers whose user would not see the address.
   */
  openBrowser?: 'if-possible' | 'never' | 'must' | undefined;
  /** With a code that the user types on a page on any device, instead of a browser here (RFC 8628). */
  withCode?: boolean | undefined;
  /**
   * Called once the address is shown, for a browser on another computer, which cannot come back here. `take` is given what the user
   * pastes and says why it is not taken; undefined if it is. Ends when `signal` is aborted; what it throws ends the sign-in.
   */
  paste?:
    | ((page: { opened: boolean; take: (text: string) => string | undefined; signal: AbortSignal }) => Promise<void>)
    | undefined;
  /**
   * The user did not request it: opens no page if the user has signed in meanwhile, or if a page of the
   * workspace is open, or was refused or abandoned within the last ten minutes.
   */
  onlyIfNeeded?: boolean | undefined;
  /** Signs in with this application instead of the workspace's stored one; null for the built-in one. */
  application?: OAuthApplication | null | undefined;
  /**
   * Asks whether another user may take the place of the one who is signed in, by their names as far as they are known. Called
   * after the browser's answer, before which nobody knows them. Without it, the new user does, and `replaced` says so.
   * @param beforeQuestion to be called if the user is really asked: the browser says then that a question waits
   */
  confirmChange?:
    | ((
        change: { profile: string; from: string | undefined; to: string | undefined },
        beforeQuestion: () => Promise<void>,
      ) => Promise<boolean>)
    | undefined;
  /**
   * Stores what belongs to the sign-in, such as its profile, before the browser says that it worked. If it throws, the sign-in fails
   * with its error: the new one is revoked, and the one before stays. Not called where another process has signed in meanwhile.
   */
  keepRest?: (() => Promise<void>) | undefined;
  /** Fails before the browser opens if the sign-in would be lost with this process. */
  mustKeep?: boolean | undefined;
  /** How long an open page is not opened again, in milliseconds; 3 s by default. */
  pageSeenMs?: number | undefined;
  /** Paths of the servers that the sign-in must cover, for OAuth applications with their own scopes. */
  servers?: readonly string[] | undefined;
}

/**
 * The browser page on which a user is to sign in to a workspace, in whichever process it was opened, with the profile
 * that it signs in; times in milliseconds since 1970.
 */
export type SignInPage =
  /** A process listens for its answer. */
  | { state: 'open'; profile: string; openedAt: number; url: string }
  /** It did not lead to a sign-in: the user refused, nobody answered, its process ended, or it failed. */
  | { state: 'refused' | 'abandoned' | 'failed'; profile: string; openedAt: number }
  /** It led to a sign-in that only its own process has, because there is no keychain. */
  | { state: 'not-shared'; profile: string; openedAt: number };

/** Which sign-in pages are for. */
export interface PageSubject {
  /** Pages with the same key replace one another. A workspace's host, for a service together with the user and the service. */
  key: string;
  /** The error if another page would have to open without the user's request; `outcome` is that of the last one. */
  alreadyAsked(profile: Profile, outcome: string): CausewayError;
}

/** What this user's processes know about the browser page of one sign-in. */
export interface SignInPages {
  /** The page that is open, or that ended without a sign-in for all processes within the last ten minutes. */
  current(): Promise<SignInPage | undefined>;
  /**
   * Records that a page opens now. Unasked, it fails if there is a current one, which the user has seen.
   * @throws {CausewayError} what `PageSubject.alreadyAsked` gives
   */
  open(url: string, profile: Profile, unasked: boolean): Promise<void>;
  /** @throws {CausewayError} as `open`, if a page must not be opened automatically */
  refuseUnasked(profile: Profile): Promise<void>;
  /** Records that this process's page has ended without a sign-in, or with one for this process alone; `code` says why. */
  end(code: string): Promise<void>;
  /** Forgets the page: it led to a sign-in for all processes, or was not shown. */
  clear(): Promise<void>;
}

/** Whether a user is signed in to a profile through Causeway. */
export type SignInState =
  | {
      state: 'signed-in';
      userName: string | undefined;
      scopes: readonly string[];
      /** When the current access token expires, in milliseconds since 1970. It is renewed before. */
      expiresAt: number | undefined;
      /** Whether it can be renewed without the user. */
      renewable: boolean;
    }
  /** `demanded`: there is a sign-in, but not through this OAuth application, which the organization requires. */
  | { state: 'signed-out'; demanded?: string }
  /** No sign-in is needed: the profile has credentials, or gets them from the Azure CLI or from this machine. */
  | { state: 'by-credentials' }
  /** The Databricks CLI has the sign-in. */
  | { state: 'by-databricks-cli' };

/** Whether there is a sign-in to end, even one that must not be used. */
export function hasSignIn(state: SignInState): boolean {
  return state.state === 'signed-in' || (state.state === 'signed-out' && state.demanded !== undefined);
}

/** An OAuth application that an account administrator registered, used for one workspace instead of the built-in one. */
export interface OAuthApplication {
  clientId: string;
  clientSecret: Secret | undefined;
  /** The one port that its redirect URL names; any of 8020 to 8040 if undefined. */
  callbackPort: number | undefined;
  scopes: readonly string[] | undefined;
}

/** What the application's windows subscribe to. */
export type AuthEvent =
  | { type: 'signed-in'; profile: Profile }
  | { type: 'signed-out'; profile: Profile }
  /** A sign-in of this process, or one that it waits for, has opened in the browser, or has ended in whatever way. */
  | { type: 'sign-in-began'; profile: Profile; url?: string | undefined }
  | { type: 'sign-in-ended'; profile: Profile }
  /** A renewed sign-in works but could not be stored. It may be lost when this process ends. */
  | { type: 'not-kept'; profile: Profile; message: string; remedy: string }
  /** A message for the user. */
  | { type: 'notice'; message: string };

export interface AuthOptions {
  env: NodeJS.ProcessEnv;
  /** Shows a page of a configured workspace to the user; in the system's browser by default. */
  openBrowser?: (url: string) => Promise<void>;
  /** Paths of the servers that are configured for a profile: a sign-in asks for their scopes too. */
  configuredPaths?: (profile: Profile) => Promise<readonly string[]>;
  /** Whether a token that needs a sign-in opens the browser automatically; otherwise the request fails with `signed_out`. */
  signInWhenNeeded?: boolean;
  /** Whether a configuration file's only profile is used where none is named: for somebody who sees which one it is. */
  takesOnlyProfile?: boolean;
  /** Called with a message for the user, such as that there is no keychain; a line on stderr by default. */
  onNotice?: (message: string) => void;
  /** Called with each host that stays silent; a host that never answers is then given up. */
  onSilence?: ((host: string) => void) | undefined;
  /** Asks before another user takes the place of the one who is signed in, where a sign-in does not say how. */
  confirmChange?: SignInOptions['confirmChange'];
  /** What the desktop's settings say about proxies. */
  systemProxies?: ProxyLookup | undefined;
  /** Milliseconds since 1970; the system's clock by default. */
  now?: () => number;
  /** How long the user has in the browser, in milliseconds; five minutes by default. */
  signInTimeoutMs?: number;
}
