import type { CausewayError } from '../platform/errors.ts';
import type { Secret } from '../platform/secret.ts';
import type { SignInIdentity } from './identity.ts';

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

/** Profiles and their tokens: the only way from a profile's name to a bearer token. */
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
  /**
   * The source of the tokens that Databricks Apps take. It throws, besides what `tokens` does, `profile_unusable` for personal
   * access tokens, and `sign_in_failed` if an Entra ID token is not exchanged.
   */
  appTokens(profile: Profile): TokenSource;

  signInState(profile: Profile): Promise<SignInState>;
  /** The workspace's sign-in page that is open now, or that ended within the last ten minutes without a sign-in for all processes. */
  signInPage(profile: Profile): Promise<SignInPage | undefined>;
  /** The pages of another sign-in at a workspace, such as that of a service, in all processes of this user. */
  pagesOf(subject: PageSubject): Promise<SignInPages>;
  /**
   * Shows a page of a configured workspace to the user.
   * @throws {CausewayError} `usage` for any other address, `sign_in_failed` if the browser cannot be opened
   */
  openBrowser(url: string): Promise<void>;
  /**
   * Signs in in the browser, or shares the outcome of a sign-in that is already under way.
   * @throws {CausewayError} `consent_denied`, `wrong_workspace`, `missing_scope`, `sign_in_timeout`, `sign_in_cancelled`,
   * `sign_in_failed`, `unreachable`, `tls`, `timeout`, `keychain_unavailable`; `profile_unusable` if the profile holds its own credentials
   */
  signIn(profile: Profile, options?: SignInOptions): Promise<SignInState>;
  /** The sign-in that this process knows to be open in the browser now, with its page's address if known. */
  signInUnderWay(profile: Profile): { url: string | undefined } | undefined;
  /** Whether a keychain that this process has asked has been silent for two seconds: its user may have to unlock it. */
  awaitsKeychain(): boolean;
  /**
   * Removes the sign-in from this computer and revokes it at the workspace.
   * @returns whether the workspace confirmed that it is revoked
   * @throws {CausewayError} `signed_out` if there is none; `profile_unusable` if the profile holds its own credentials
   */
  signOut(profile: Profile): Promise<{ revoked: boolean }>;
  /** As whom the profile's sign-in acts now; undefined if there is none. Renews nothing and asks nobody. */
  identity(profile: Profile): Promise<SignInIdentity | undefined>;
  /** Calls back soon after a user has signed in or out, in any process. @returns a function that ends it */
  onSignInChange(profile: Profile, listener: () => void): () => void;

  /**
   * The host of the workspace at a URL as a user pastes it. Asks the workspace, and changes nothing.
   * @throws {CausewayError} `usage` if it cannot be one, `wrong_workspace` if something else answers there, `unavailable`,
   * `unreachable`, `tls`, `timeout`
   */
  findWorkspace(url: string, signal?: AbortSignal): Promise<string>;
  /** Adds a profile that signs in in the browser. @throws {CausewayError} `already_exists`, `usage`, `profile_unusable` */
  addProfile(name: string, host: string): Promise<Profile>;
  /**
   * A profile that is not in a file yet, for a sign-in before `addProfile` writes it. Nothing is changed.
   * @throws {CausewayError} as `addProfile` would at this moment
   */
  draftProfile(name: string, host: string): Promise<Profile>;
  /** The sign-in is kept. @throws {CausewayError} `profile_not_found`, `already_exists`, `usage` */
  renameProfile(from: string, to: string): Promise<void>;
  /**
   * Points a profile to another workspace. A sign-in to the previous one ends. Sends no request to either.
   * @throws {CausewayError} `profile_not_found`, `usage`
   */
  moveProfile(name: string, host: string): Promise<void>;
  /** Removes the sign-in, too. @throws {CausewayError} `profile_not_found` */
  removeProfile(name: string): Promise<void>;

  /**
   * Whether the workspace knows a public OAuth application. No user signs in.
   * @throws {CausewayError} `unavailable` if it does not say, `wrong_workspace`, `unreachable`, `tls`, `timeout`
   */
  knowsApplication(profile: Profile, application: { clientId: string; redirectUri: string }): Promise<boolean>;
  oauthApplication(host: string): Promise<OAuthApplication | undefined>;
  /** Undefined stands for the built-in application. */
  setOAuthApplication(host: string, application: OAuthApplication | undefined): Promise<void>;

  /**
   * Moves all sign-ins and applications' secrets to another store. `switchOver` saves the choice.
   * @throws {CausewayError} `keychain_unavailable`, and what `switchOver` throws; then all stays as it was
   */
  moveSecrets(to: 'keychain' | 'encrypted-file', switchOver: () => Promise<void>): Promise<void>;

  /**
   * Checks the store of sign-ins by using it. @returns its kind
   * @throws {CausewayError} `keychain_unavailable`, `keychain_locked`, `invalid_file`, `usage`
   */
  checkStore(): Promise<string>;

  /** Requests tokens over new connections from now on: the computer has slept, or is on another network. @throws {CausewayError} `invalid_file` */
  renewConnections(): Promise<void>;
  /** @returns a function that ends the subscription */
  subscribe(listener: (event: AuthEvent) => void): () => void;
  close(): Promise<void>;
}
