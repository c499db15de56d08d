import { checkWorkspace, type Policy } from '../permissions/policy/policy.ts';
import { currentPolicy } from '../permissions/policy/system-policy.ts';
import { withoutControls } from '../platform/display.ts';
import { CausewayError, sentences } from '../platform/errors.ts';
import { configFilePath } from '../platform/paths.ts';
import type { ProxyLookup } from '../platform/system-proxies.ts';
import { inOneLine } from '../words/failure.ts';
import {
  type AuthEvent,
  type AuthService,
  hasSignIn,
  maySignIn,
  type Profile,
  type ProfileEntry,
  type SignInOptions,
  type TokenSource,
} from './auth.ts';
import { gatedBrowser } from './browser-gate.ts';
import type { AuthHttp } from './host-fetch.ts';
import type { OwnSignIns } from './oauth/own-sign-in.ts';
import { deferred, once } from './opened-once.ts';
import { checkConfigEdit, editConfig, readConfig } from './profiles/config-file.ts';
import { judgeSettings, type ProfileSettings } from './profiles/profile-settings.ts';
import {
  asProfile,
  chooseProfile,
  ENVIRONMENT_PROFILE,
  listProfiles,
  type ProfileBook,
  profileSettings,
} from './profiles/profiles.ts';
import type { SignInGeneration } from './sign-in-generation.ts';
import type { SignInWatch } from './sign-in-watch.ts';

export interface AuthOptions {
  env: NodeJS.ProcessEnv;
  /** Shows a page of a configured workspace to the user; in the system's browser by default. */
  openBrowser?: (url: string) => Promise<void>;
  /** Paths of the servers that are configured for a profile: a sign-in asks for their scopes too. */
  configuredPaths?: (profile: Profile) => Promise<readonly string[]>;
  /** Whether a token that needs a sign-in opens the browser automatically; otherwise the request fails with `signed_out`. */
  signInWhenNeeded?: boolean;
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

const SIGN_IN_TIMEOUT_MS = 5 * 60_000;

/**
 * Opens profiles and tokens. A profile loads only what it needs: a process that AI clients spawn, with
 * a personal access token, pays for reading one file.
 */
export function openAuth(options: AuthOptions): AuthService {
  const { env, now = Date.now, signInTimeoutMs = SIGN_IN_TIMEOUT_MS, signInWhenNeeded = false } = options;
  const path = configFilePath(env);
  const chance = Math.random();
  const sources = new Map<string, TokenSource>();
  const appSources = new Map<string, TokenSource>();
  const drafts = new Map<string, ProfileSettings>();
  const listeners = new Set<(event: AuthEvent) => void>();

  const generations = new Map<string, Promise<SignInGeneration>>();
  let watch: SignInWatch | undefined;
  const underWay = new Map<string, { url: string | undefined }>();
  const keyOf = ({ host, name }: Profile) => `${host} ${name}`;

  const emit = (event: AuthEvent) => {
    if (event.type === 'sign-in-began') underWay.set(keyOf(event.profile), { url: event.url });
    if (event.type === 'sign-in-ended') underWay.delete(keyOf(event.profile));
    if (event.type === 'notice') (options.onNotice ?? printNotice)(event.message);
    if (event.type === 'not-kept') (options.onNotice ?? printNotice)(sentences(event.message, event.remedy));
    if (event.type === 'signed-in' || event.type === 'signed-out') watch?.changedHere(event.profile);
    for (const listener of listeners) listener(event);
  };
  const book = async (): Promise<ProfileBook> => ({ document: await readConfig(path), path, env });
  const openBrowser = gatedBrowser(
    options.openBrowser ?? (async (url) => (await import('./oauth/open-browser.ts')).openSystemBrowser(url, env)),
    configuredHosts,
  );

  let connections: AuthHttp | undefined;
  const http = once(async () => {
    connections = new (await import('./host-fetch.ts')).AuthHttp(env, options);
    return connections;
  });
  let opened: OwnSignIns | undefined;
  const own = once(async () => {
    const { openOwnSignIns } = await import('./oauth/own-sign-in.ts');
    opened = await openOwnSignIns({
      env,
      http: await http(),
      now,
      chance,
      openBrowser,
      settingsOf,
      configuredPaths: options.configuredPaths ?? (async () => []),
      emit,
      signInTimeoutMs,
      confirmChange: options.confirmChange,
    });
    return opened;
  });

  /** The profile's current keys in the file. @throws {CausewayError} even if they have moved to another workspace */
  async function settingsOf(profile: Profile): Promise<ProfileSettings> {
    const settings = drafts.get(profile.name) ?? profileSettings(await book(), profile.name);
    if (settings.host === profile.host) return settings;
    throw new CausewayError(
      'profile_unusable',
      `Profile "${profile.name}" now names ${settings.host}, not ${profile.host}.`,
      { remedy: 'Start again to use the new workspace everywhere.' },
    );
  }

  async function openSource(profile: Profile): Promise<TokenSource> {
    const { openTokenSource } = await import('./sources/token-source.ts');
    const where = profile.name === ENVIRONMENT_PROFILE ? 'DATABRICKS_TOKEN' : path;
    return openTokenSource({ profile, env, where, path, http, own, settingsOf, now, chance, signInWhenNeeded });
  }

  /** @throws {CausewayError} `profile_unusable` */
  async function ownFor(profile: Profile): Promise<OwnSignIns> {
    if (maySignIn(profile)) return own();
    throw (await import('./oauth/holds-credentials.ts')).holdsCredentials(profile);
  }

  function generationOf(wanted: Profile): Promise<SignInGeneration> {
    const key = keyOf(wanted);
    const made =
      generations.get(key) ??
      import('./sign-in-generation.ts').then(
        ({ SignInGeneration, signInFolder }) => new SignInGeneration(signInFolder(env, wanted)),
      );
    generations.set(key, made);
    return made;
  }

  const profile = async (name?: string) => {
    const current = await book();
    const chosen = chooseProfile(current, name);
    const found = asProfile(chosen, profileSettings(current, chosen));
    checkWorkspace(await currentPolicy(), found.host);
    return found;
  };

  const tokens = (wanted: Profile) => {
    const key = `${wanted.host} ${wanted.method} ${wanted.name}`;
    const source =
      sources.get(key) ??
      whileAllowed(
        wanted.host,
        deferred(() => openSource(wanted)),
      );
    sources.set(key, source);
    return source;
  };

  const appTokens = (wanted: Profile) => {
    const key = `${wanted.host} ${wanted.method} ${wanted.name}`;
    const open = async () => {
      const { appTokenSource } = await import('./sources/app-token.ts');
      const fetch = async () => (await http()).to(wanted.host);
      return appTokenSource({ profile: wanted, tokens: tokens(wanted), fetch, settingsOf, now, chance });
    };
    const source = appSources.get(key) ?? whileAllowed(wanted.host, deferred(open));
    appSources.set(key, source);
    return source;
  };

  return {
    profiles: listEntries,
    profile,
    tokens,
    appTokens,

    async signInState(wanted) {
      if (!maySignIn(wanted)) return { state: 'by-credentials' };
      const signIns = await own();
      const state = await signIns.state(wanted);
      if (hasSignIn(state) || wanted.method !== 'databricks-cli') return state;
      const [{ BUILT_IN_CLIENT }, demanded] = await Promise.all([
        import('./oauth/own-sign-in.ts'),
        signIns.demandedApplication(),
      ]);
      // The Databricks CLI signs in through the application that every workspace knows.
      if (demanded !== undefined && demanded !== BUILT_IN_CLIENT) return state;
      const [{ findCli }, { cliPath }] = await Promise.all([import('./sources/databricks-cli.ts'), settingsOf(wanted)]);
      return findCli({ env, cliPath, profile: wanted }).then(
        () => ({ state: 'by-databricks-cli' }),
        () => state,
      );
    },

    async signInPage({ host }) {
      const { workspacePages } = await import('./oauth/sign-in-pages.ts');
      return workspacePages(env, host, now).current();
    },
    pagesOf: async (subject) => (await import('./oauth/sign-in-pages.ts')).signInPages(env, subject, now),
    openBrowser,

    async signIn(wanted, signInOptions) {
      const startedAt = now();
      checkWorkspace(await currentPolicy(), wanted.host);
      return (await ownFor(wanted)).signIn(wanted, signInOptions, startedAt);
    },

    signInUnderWay: (wanted) => underWay.get(keyOf(wanted)),
    awaitsKeychain: () => opened?.awaitsKeychain() ?? false,

    async signOut(wanted) {
      return (await ownFor(wanted)).signOut(wanted);
    },

    async findWorkspace(url, signal) {
      const [{ parseWorkspaceUrl }, { discoverIssuer }] = await Promise.all([
        import('./profiles/workspace-url.ts'),
        import('./oauth/issuer.ts'),
      ]);
      const { host, accountId } = parseWorkspaceUrl(url);
      await discoverIssuer((await http()).to(host, { asksAgain: false }), { host, accountId }, signal);
      return host;
    },

    async addProfile(name, host) {
      const { settings, edit } = await newProfile(name, host);
      await editConfig(env, edit);
      drafts.delete(name);
      if (listeners.size > 0) void followAll();
      return asProfile(name, settings);
    },

    async draftProfile(name, host) {
      const { settings, edit } = await newProfile(name, host);
      await checkConfigEdit(env, edit);
      drafts.set(name, settings);
      return asProfile(name, settings);
    },

    async renameProfile(from, to) {
      const { withRenamedProfile } = await import('./profiles/config-edit.ts');
      const before = (await listEntries()).find((entry) => entry.name === from);
      await editConfig(env, (text) => withRenamedProfile(text, from, to));
      if (before?.usable && maySignIn(before.profile))
        await (await own()).move(before.profile, { ...before.profile, name: to });
    },

    async moveProfile(name, host) {
      const [{ withAddress }, { settings, values }] = await Promise.all([
        import('./profiles/config-edit.ts'),
        addressValues(host),
      ]);
      const before = (await listEntries()).find((entry) => entry.name === name);
      const isMoved = before?.usable && before.profile.host !== settings.host;
      if (isMoved && maySignIn(before.profile)) await signOutIfSignedIn(await own(), before.profile);
      await editConfig(env, (text) => withAddress(text, name, values));
    },

    async removeProfile(name) {
      const { withoutProfile } = await import('./profiles/config-edit.ts');
      const before = listProfiles(await book()).find((entry) => entry.name === name);
      if (before?.usable && maySignIn(before.profile)) await signOutIfSignedIn(await own(), before.profile);
      await editConfig(env, (text) => withoutProfile(text, name));
    },

    async knowsApplication(wanted, application) {
      const [{ knowsApplication }, { accountId }] = await Promise.all([
        import('./oauth/oauth-applications.ts'),
        settingsOf(wanted),
      ]);
      const fetch = (await http()).to(wanted.host, { asksAgain: false });
      return knowsApplication(fetch, { host: wanted.host, accountId }, application);
    },
    oauthApplication: async (host) => (await own()).application(host),
    setOAuthApplication: async (host, application) => (await own()).setApplication(host, application),

    async moveSecrets(to, switchOver) {
      const profiles = (await listEntries()).flatMap((entry) => (entry.usable ? [entry.profile] : []));
      await (await own()).moveSecrets(profiles.filter(maySignIn), to, switchOver);
    },

    checkStore: async () => (await import('./secrets/open-store.ts')).checkStore(env),

    subscribe(listener) {
      listeners.add(listener);
      void followAll();
      return () => listeners.delete(listener);
    },

    async renewConnections() {
      await connections?.renew();
    },

    async identity(wanted) {
      if (!maySignIn(wanted)) return undefined;
      const [record, { identityIn }] = await Promise.all([
        own().then((signIns) => signIns.tokens(wanted).usableRecord()),
        import('./token-broker.ts'),
      ]);
      return record && identityIn(record);
    },

    onSignInChange(wanted, listener) {
      let isOver = false;
      let end = () => {
        isOver = true;
      };
      void generationOf(wanted).then((generation) => {
        if (!isOver) end = generation.subscribe(listener);
      });
      return () => end();
    },

    async close() {
      listeners.clear();
      watch?.close();
      // A renewal whose answer was lost would end the sign-in.
      await opened?.finish();
      await connections?.close();
      // After closing, which frees files that storing a renewed sign-in may need.
      await opened?.settle();
    },
  };

  /** The origins of the workspaces that the user has configured, in the file or in the environment, or is about to. */
  async function configuredHosts(): Promise<string[]> {
    const [entries, byDefault] = await Promise.all([listEntries(), profile().catch(() => undefined)]);
    const listed = entries.flatMap((entry) => (entry.usable ? [entry.profile.host] : []));
    const drafted = Array.from(drafts.values(), ({ host }) => host);
    return [...listed, ...drafted, ...(byDefault ? [byDefault.host] : [])];
  }

  /** For listeners: what other processes change. */
  async function followAll(): Promise<void> {
    const [entries, { SignInWatch }] = await Promise.all([listEntries().catch(() => []), import('./sign-in-watch.ts')]);
    if (listeners.size === 0) return;
    const isSignedIn = async (wanted: Profile) => (await own()).tokens(wanted).isSignedIn();
    watch ??= new SignInWatch({ env, isSignedIn, emit });
    for (const entry of entries) if (entry.usable && maySignIn(entry.profile)) watch.follow(entry.profile);
  }

  /** @throws {CausewayError} `usage`, `profile_unusable`, `managed` */
  async function newProfile(name: string, host: string) {
    const [{ withProfile }, { settings, values }] = await Promise.all([
      import('./profiles/config-edit.ts'),
      addressValues(host),
    ]);
    return { settings, edit: (text: string) => withProfile(text, name, values) };
  }

  /** A profile's keys for an address. @throws {CausewayError} `usage`, `profile_unusable` */
  async function addressValues(host: string) {
    const { parseHost } = await import('./profiles/host.ts');
    const address = parseHost(host);
    checkWorkspace(await currentPolicy(), address.host);
    const values = { host: address.host, account_id: address.accountId, workspace_id: address.workspaceId };
    const judged = judgeSettings(new Map([['host', host]]));
    if (!judged.usable) throw new CausewayError('profile_unusable', `${address.host}: ${judged.message}`);
    return { settings: judged.settings, values };
  }

  async function listEntries(): Promise<ProfileEntry[]> {
    const policy = await currentPolicy();
    return listProfiles(await book()).map((entry) => asManaged(entry, policy));
  }
}

/** A profile whose workspace the organization does not allow is listed, and cannot be used. */
function asManaged(entry: ProfileEntry, policy: Policy): ProfileEntry {
  if (!entry.usable) return entry;
  try {
    checkWorkspace(policy, entry.profile.host);
    return entry;
  } catch (error) {
    const { name, isDefault, profile } = entry;
    return { usable: false, name, isDefault, host: profile.host, reason: 'managed', message: inOneLine(error) };
  }
}

function printNotice(message: string): void {
  process.stderr.write(`causeway: ${withoutControls(message)}\n`);
}

async function signOutIfSignedIn(own: OwnSignIns, profile: Profile): Promise<void> {
  if (hasSignIn(await own.state(profile))) await own.signOut(profile);
}

/** Asks the policy before each token: it may have changed since the last one. @throws {CausewayError} `managed` */
function whileAllowed(host: string, source: TokenSource): TokenSource {
  return {
    async token(request) {
      checkWorkspace(await currentPolicy(), host);
      return source.token(request);
    },
  };
}
