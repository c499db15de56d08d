import { checkWorkspace } from '../permissions/policy/policy.ts';
import { currentPolicy } from '../permissions/policy/system-policy.ts';
import { withoutControls } from '../platform/display.ts';
import { CausewayError } from '../platform/errors.ts';
import { configFilePath } from '../platform/paths.ts';
import {
  type AuthEvent,
  type AuthOptions,
  hasSignIn,
  maySignIn,
  type OAuthApplication,
  type PageSubject,
  type Profile,
  type ProfileEntry,
  type SignInOptions,
  type SignInPage,
  type SignInPages,
  type SignInState,
  type TokenSource,
} from './auth.ts';
import { gatedBrowser } from './browser-gate.ts';
import type { AuthHttp } from './host-fetch.ts';
import type { SignInIdentity } from './identity.ts';
import type { OwnSignIns } from './oauth/own-sign-in.ts';
import { deferred, once } from './opened-once.ts';
import { checkConfigEdit, editConfig, readConfig } from './profiles/config-file.ts';
import type { ProfileSettings } from './profiles/profile-settings.ts';
import {
  asProfile,
  chooseProfile,
  ENVIRONMENT_PROFILE,
  listProfiles,
  type ProfileBook,
  profileSettings,
  withPolicy,
} from './profiles/profiles.ts';
import type { ChosenKind } from './secrets/open-store.ts';
import { SignInEvents } from './sign-in-events.ts';

export type { AuthOptions };

/**
 * Opens profiles and tokens. A profile loads only what it needs: a process that AI clients spawn, with
 * a personal access token, pays for reading one file.
 */
export function openAuth(options: AuthOptions): AuthService {
  return new AuthService(options);
}

/** Profiles and their tokens: the only way from a profile's name to a bearer token. */
export class AuthService {
  readonly #options: AuthOptions;
  readonly #env: NodeJS.ProcessEnv;
  readonly #path: string;
  readonly #now: () => number;
  readonly #chance = Math.random();
  readonly #sources = new Map<string, TokenSource>();
  /** Profiles that are not in the file yet. */
  readonly #drafts = new Map<string, ProfileSettings>();
  readonly #events: SignInEvents;
  #connections: AuthHttp | undefined;
  #opened: OwnSignIns | undefined;
  /**
   * Shows a page of a configured workspace to the user.
   * @throws {CausewayError} `usage` for any other address, `sign_in_failed` if the browser cannot be opened
   */
  readonly openBrowser: (url: string) => Promise<void>;

  constructor(options: AuthOptions) {
    this.#options = options;
    this.#env = options.env;
    this.#path = configFilePath(options.env);
    this.#now = options.now ?? Date.now;
    const open = async (url: string) => (await import('./oauth/open-browser.ts')).openSystemBrowser(url, this.#env);
    this.#events = new SignInEvents(options.env, {
      onNotice: options.onNotice ?? printNotice,
      profiles: () => this.profiles(),
      isSignedIn: async (profile) => (await this.#own()).tokens(profile).isSignedIn(),
    });
    this.openBrowser = gatedBrowser(options.openBrowser ?? open, () => this.#configuredHosts());
  }

  readonly #http = once(async () => {
    this.#connections = new (await import('./host-fetch.ts')).AuthHttp(this.#env, this.#options);
    return this.#connections;
  });

  readonly #own = once(async () => {
    const { openOwnSignIns } = await import('./oauth/own-sign-in.ts');
    this.#opened = await openOwnSignIns({
      ...this.#options,
      http: await this.#http(),
      now: this.#now,
      chance: this.#chance,
      openBrowser: this.openBrowser,
      settingsOf: this.#settingsOf,
      emit: (event) => this.#events.emit(event),
    });
    return this.#opened;
  });

  /** The profiles of the configuration file, in its order. */
  async profiles(): Promise<ProfileEntry[]> {
    return withPolicy(listProfiles(await this.#book()), await currentPolicy());
  }

  /** The profiles of that workspace that can be used. @param host its origin */
  async profilesOf(host: string): Promise<Profile[]> {
    const entries = await this.profiles();
    return entries.flatMap((entry) => (entry.usable && entry.profile.host === host ? [entry.profile] : []));
  }

  /**
   * The profile of that name, or the one that the environment or the configuration file makes the default (`chooseProfile`).
   * @param mayBeOnlyOne false where nobody sees which one it is: then the file's only profile needs a name too
   * @throws {CausewayError} `profile_not_found`, `profile_unusable`, `ambiguous`
   */
  async profile(name?: string, mayBeOnlyOne = true): Promise<Profile> {
    const book = await this.#book();
    const chosen = chooseProfile(mayBeOnlyOne ? book : { ...book, takesOnlyProfile: false }, name);
    const found = asProfile(chosen, profileSettings(book, chosen));
    checkWorkspace(await currentPolicy(), found.host);
    return found;
  }

  /** The profile's token source; the same one each time, so that all who ask share one renewal. */
  tokens(profile: Profile): TokenSource {
    return this.#source('workspace', profile, async () => {
      const { openTokenSource } = await import('./sources/token-source.ts');
      const where = profile.name === ENVIRONMENT_PROFILE ? 'DATABRICKS_TOKEN' : this.#path;
      const { signInWhenNeeded = false } = this.#options;
      const [env, path, http, own] = [this.#env, this.#path, this.#http, this.#own];
      return openTokenSource({ ...this.#sourceContext(profile), env, where, path, http, own, signInWhenNeeded });
    });
  }

  /**
   * The source of the tokens that Databricks Apps take. It throws, besides what `tokens` does, `profile_unusable` for personal
   * access tokens, and `sign_in_failed` if an Entra ID token is not exchanged.
   */
  appTokens(profile: Profile): TokenSource {
    return this.#source('apps', profile, async () => {
      const { appTokenSource } = await import('./sources/app-token.ts');
      const fetch = async () => (await this.#http()).to(profile.host);
      return appTokenSource({ ...this.#sourceContext(profile), tokens: this.tokens(profile), fetch });
    });
  }

  /** Whether a user is signed in to the profile, and how. */
  async signInState(profile: Profile): Promise<SignInState> {
    if (!maySignIn(profile)) return { state: 'by-credentials' };
    const signIns = await this.#own();
    const state = await signIns.state(profile);
    if (hasSignIn(state) || profile.method !== 'databricks-cli') return state;
    const { demandedApplication, isForDatabricksCli } = await import('./oauth/oauth-applications.ts');
    if (!isForDatabricksCli(await demandedApplication())) return state;
    const { findCli } = await import('./sources/databricks-cli.ts');
    const { cliPath } = await this.#settingsOf(profile);
    return findCli({ env: this.#env, cliPath, profile }).then(
      () => ({ state: 'by-databricks-cli' }),
      () => state,
    );
  }

  /**
   * What a command of the Databricks CLI prints as JSON as this profile; undefined if the CLI is not installed.
   * @param env without the variables that it is not to see
   */
  async askDatabricksCli(profile: Profile, args: readonly string[], env: NodeJS.ProcessEnv) {
    const { askCli } = await import('./sources/databricks-cli.ts');
    const { cliPath } = await this.#settingsOf(profile);
    return askCli(args, { profile, env, configFile: this.#path, cliPath });
  }

  /** The workspace's sign-in page that is open now, or that ended within the last ten minutes without a sign-in for all processes. */
  async signInPage({ host }: Profile): Promise<SignInPage | undefined> {
    const { workspacePages } = await import('./oauth/sign-in-pages.ts');
    return workspacePages(this.#env, host, this.#now).current();
  }

  /** The pages of another sign-in at a workspace, such as that of a service, in all processes of this user. */
  async pagesOf(subject: PageSubject): Promise<SignInPages> {
    return (await import('./oauth/sign-in-pages.ts')).signInPages(this.#env, subject, this.#now);
  }

  /**
   * Signs in in the browser, or shares the outcome of a sign-in that is already under way.
   * @throws {CausewayError} `consent_denied`, `wrong_workspace`, `missing_scope`, `sign_in_timeout`, `sign_in_cancelled`,
   * `sign_in_failed`, `unreachable`, `tls`, `timeout`, `keychain_unavailable`; `profile_unusable` if the profile holds its own credentials
   */
  async signIn(profile: Profile, options?: SignInOptions): Promise<SignInState> {
    const startedAt = this.#now();
    checkWorkspace(await currentPolicy(), profile.host);
    return (await this.#ownFor(profile)).signIn(profile, options, startedAt);
  }

  /** The sign-in that this process knows to be open in the browser now, with its page's address if known. */
  signInUnderWay(profile: Profile): { url: string | undefined } | undefined {
    return this.#events.underWay(profile);
  }

  /** Whether a keychain that this process has asked has been silent for two seconds: its user may have to unlock it. */
  awaitsKeychain(): boolean {
    return this.#opened?.awaitsKeychain() ?? false;
  }

  /**
   * Removes the sign-in from this computer and revokes it at the workspace.
   * @returns whether the workspace confirmed that it is revoked
   * @throws {CausewayError} `signed_out` if there is none; `profile_unusable` if the profile holds its own credentials
   */
  async signOut(profile: Profile): Promise<{ revoked: boolean }> {
    return (await this.#ownFor(profile)).signOut(profile);
  }

  /** As whom the profile's sign-in acts now; undefined if there is none. Renews nothing and asks nobody. */
  async identity(profile: Profile): Promise<SignInIdentity | undefined> {
    if (!maySignIn(profile)) return undefined;
    const [signIns, { identityIn }] = await Promise.all([this.#own(), import('./identity.ts')]);
    const record = await signIns.tokens(profile).usableRecord();
    return record && identityIn(record);
  }

  /** Calls back soon after a user has signed in or out, in any process. @returns a function that ends it */
  onSignInChange(profile: Profile, listener: () => void): () => void {
    return this.#events.onChange(profile, listener);
  }

  /**
   * The host of the workspace at a URL as a user pastes it. Asks the workspace, and changes nothing.
   * @throws {CausewayError} `usage` if it cannot be one, `wrong_workspace` if something else answers there, `unavailable`,
   * `unreachable`, `tls`, `timeout`
   */
  async findWorkspace(url: string, signal?: AbortSignal): Promise<string> {
    const { parseWorkspaceUrl } = await import('./profiles/workspace-url.ts');
    const { discoverIssuer } = await import('./oauth/issuer.ts');
    const { host, accountId } = parseWorkspaceUrl(url);
    await discoverIssuer((await this.#http()).to(host, { asksAgain: false }), { host, accountId }, signal);
    return host;
  }

  /** Adds a profile that signs in in the browser. @throws {CausewayError} `already_exists`, `usage`, `profile_unusable` */
  async addProfile(name: string, host: string): Promise<Profile> {
    const { newProfile } = await import('./profiles/config-edit.ts');
    const { settings, edit } = newProfile(name, host, await currentPolicy());
    await editConfig(this.#env, edit);
    this.#drafts.delete(name);
    this.#events.follow();
    return asProfile(name, settings);
  }

  /**
   * A profile that is not in a file yet, for a sign-in before `addProfile` writes it. Nothing is changed.
   * @throws {CausewayError} as `addProfile` would at this moment
   */
  async draftProfile(name: string, host: string): Promise<Profile> {
    const { newProfile } = await import('./profiles/config-edit.ts');
    const { settings, edit } = newProfile(name, host, await currentPolicy());
    await checkConfigEdit(this.#env, edit);
    this.#drafts.set(name, settings);
    return asProfile(name, settings);
  }

  /** The sign-in is kept. @throws {CausewayError} `profile_not_found`, `already_exists`, `usage` */
  async renameProfile(from: string, to: string): Promise<void> {
    const { withRenamedProfile } = await import('./profiles/config-edit.ts');
    const before = await this.#withSignIn(from);
    await editConfig(this.#env, (text) => withRenamedProfile(text, from, to));
    if (before) await (await this.#own()).move(before, { ...before, name: to });
  }

  /**
   * Points a profile to another workspace. A sign-in to the previous one ends. Sends no request to either.
   * @throws {CausewayError} `profile_not_found`, `usage`
   */
  async moveProfile(name: string, host: string): Promise<void> {
    const { addressValues, withAddress } = await import('./profiles/config-edit.ts');
    const { settings, values } = addressValues(host, await currentPolicy());
    const before = await this.#withSignIn(name);
    if (before && before.host !== settings.host) await this.#endSignIn(before);
    await editConfig(this.#env, (text) => withAddress(text, name, values));
  }

  /** Removes the sign-in, too. @throws {CausewayError} `profile_not_found` */
  async removeProfile(name: string): Promise<void> {
    const { withoutProfile } = await import('./profiles/config-edit.ts');
    const before = listProfiles(await this.#book()).find((entry) => entry.name === name);
    if (before?.usable && maySignIn(before.profile)) await this.#endSignIn(before.profile);
    await editConfig(this.#env, (text) => withoutProfile(text, name));
  }

  /**
   * Whether the workspace knows a public OAuth application. No user signs in.
   * @throws {CausewayError} `unavailable` if it does not say, `wrong_workspace`, `unreachable`, `tls`, `timeout`
   */
  async knowsApplication(profile: Profile, application: { clientId: string; redirectUri: string }): Promise<boolean> {
    const { knowsApplication } = await import('./oauth/oauth-applications.ts');
    const { accountId } = await this.#settingsOf(profile);
    const fetch = (await this.#http()).to(profile.host, { asksAgain: false });
    return knowsApplication(fetch, { host: profile.host, accountId }, application);
  }

  /** The OAuth application that the user has chosen for a workspace; undefined stands for the built-in one. */
  async oauthApplication(host: string): Promise<OAuthApplication | undefined> {
    return (await this.#own()).applications.get(host);
  }

  async setOAuthApplication(host: string, application: OAuthApplication | undefined): Promise<void> {
    return (await this.#own()).applications.set(host, application);
  }

  /**
   * Moves all sign-ins and applications' secrets to another store. `switchOver` saves the choice.
   * @throws {CausewayError} `keychain_unavailable`, and what `switchOver` throws; then all stays as it was
   */
  async moveSecrets(to: ChosenKind, switchOver: () => Promise<void>): Promise<void> {
    const profiles = (await this.profiles()).flatMap((entry) => (entry.usable ? [entry.profile] : []));
    await (await this.#own()).moveSecrets(profiles.filter(maySignIn), to, switchOver);
  }

  /**
   * Checks the store of sign-ins by using it. @returns its kind
   * @throws {CausewayError} `keychain_unavailable`, `keychain_locked`, `invalid_file`, `usage`
   */
  async checkStore(): Promise<string> {
    return (await import('./secrets/open-store.ts')).checkStore(this.#env);
  }

  /** Requests tokens over new connections from now on: the computer has slept, or is on another network. @throws {CausewayError} `invalid_file` */
  async renewConnections(): Promise<void> {
    await this.#connections?.renew();
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: (event: AuthEvent) => void): () => void {
    return this.#events.subscribe(listener);
  }

  async close(): Promise<void> {
    this.#events.close();
    // A renewal whose answer was lost would end the sign-in.
    await this.#opened?.finish();
    await this.#connections?.close();
    // After closing, which frees files that storing a renewed sign-in may need.
    await this.#opened?.settle();
  }

  async #book(): Promise<ProfileBook> {
    const { takesOnlyProfile = false } = this.#options;
    return { document: await readConfig(this.#path), path: this.#path, env: this.#env, takesOnlyProfile };
  }

  /** The profile's current keys in the file. @throws {CausewayError} even if they have moved to another workspace */
  readonly #settingsOf = async ({ name, host }: Profile): Promise<ProfileSettings> => {
    const settings = this.#drafts.get(name) ?? profileSettings(await this.#book(), name);
    if (settings.host === host) return settings;
    throw new CausewayError('profile_unusable', `Profile "${name}" now names ${settings.host}, not ${host}.`, {
      remedy: 'Start again to use the new workspace everywhere.',
    });
  };

  #sourceContext(profile: Profile) {
    return { profile, settingsOf: this.#settingsOf, now: this.#now, chance: this.#chance };
  }

  /** A source that asks the policy before each token: it may have changed since the last one. @throws {CausewayError} `managed` */
  #source(of: 'workspace' | 'apps', { host, method, name }: Profile, open: () => Promise<TokenSource>): TokenSource {
    const key = [of, host, method, name].join(' ');
    const known = this.#sources.get(key);
    if (known) return known;
    const source = deferred(open);
    const made: TokenSource = {
      async token(request) {
        checkWorkspace(await currentPolicy(), host);
        return source.token(request);
      },
    };
    this.#sources.set(key, made);
    return made;
  }

  /** @throws {CausewayError} `profile_unusable` */
  async #ownFor(profile: Profile): Promise<OwnSignIns> {
    if (maySignIn(profile)) return this.#own();
    throw (await import('./oauth/holds-credentials.ts')).holdsCredentials(profile);
  }

  async #withSignIn(name: string): Promise<Profile | undefined> {
    const entry = (await this.profiles()).find((one) => one.name === name);
    return entry?.usable && maySignIn(entry.profile) ? entry.profile : undefined;
  }

  async #endSignIn(profile: Profile): Promise<void> {
    const own = await this.#own();
    if (hasSignIn(await own.state(profile))) await own.signOut(profile);
  }

  /** The origins of the workspaces that the user has configured, in the file or in the environment, or is about to. */
  async #configuredHosts(): Promise<string[]> {
    const [entries, byDefault] = await Promise.all([this.profiles(), this.profile().catch(() => undefined)]);
    const listed = entries.flatMap((entry) => (entry.usable ? [entry.profile.host] : []));
    const drafted = Array.from(this.#drafts.values(), ({ host }) => host);
    return [...listed, ...drafted, ...(byDefault ? [byDefault.host] : [])];
  }
}

function printNotice(message: string): void {
  process.stderr.write(`causeway: ${withoutControls(message)}\n`);
}
