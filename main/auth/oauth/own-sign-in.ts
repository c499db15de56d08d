import { join } from 'node:path';
import { defaultValue, lockedValue, managedError, NO_POLICY, type Policy } from '../../permissions/policy/policy.ts';
import { currentPolicy } from '../../permissions/policy/system-policy.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { Secret } from '../../platform/secret.ts';
import { uninterrupted } from '../../platform/uninterrupted.ts';
import { inOneLine } from '../../words/failure.ts';
import type { AuthEvent, OAuthApplication, Profile, SignInOptions, SignInPages, SignInState } from '../auth.ts';
import type { AuthHttp } from '../host-fetch.ts';
import type { ProfileSettings } from '../profiles/profile-settings.ts';
import { type ChosenKind, chosenKind, openSecretStore, openStoreOf } from '../secrets/open-store.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { TokenRecord } from '../secrets/token-record.ts';
import { signInFolder } from '../sign-in-generation.ts';
import { signedOut } from '../signed-out.ts';
import { storeName, type UserTokens, userTokens } from '../token-broker.ts';
import { oauthApplications } from './oauth-applications.ts';
import { scopeForPath, scopesToAsk } from './scopes.ts';

export interface OwnSignInOptions {
  env: NodeJS.ProcessEnv;
  http: AuthHttp;
  now: () => number;
  chance: number;
  openBrowser: (url: string) => Promise<void>;
  settingsOf: (profile: Profile) => Promise<ProfileSettings>;
  configuredPaths: (profile: Profile) => Promise<readonly string[]>;
  emit: (event: AuthEvent) => void;
  signInTimeoutMs: number;
  confirmChange: SignInOptions['confirmChange'];
}

/** Causeway's own sign-ins: their tokens in the keychain, and the browser that gets them. */
export interface OwnSignIns {
  tokens(profile: Profile): UserTokens;
  state(profile: Profile): Promise<SignInState>;
  /** @param startedAt when the sign-in was asked for, in milliseconds since 1970 */
  signIn(profile: Profile, options?: SignInOptions, startedAt?: number): Promise<SignInState>;
  signOut(profile: Profile): Promise<{ revoked: boolean }>;
  /** Keeps a sign-in when its profile is renamed. */
  move(from: Profile, to: Profile): Promise<void>;
  application(host: string): Promise<OAuthApplication | undefined>;
  /** The id of the OAuth application that the organization requires for every sign-in. @throws {CausewayError} `managed` */
  demandedApplication(): Promise<string | undefined>;
  setApplication(host: string, application: OAuthApplication | undefined): Promise<void>;
  /** Moves the secrets of these profiles, and of all applications, to another kind of store. */
  moveSecrets(profiles: readonly Profile[], to: ChosenKind, switchOver: () => Promise<void>): Promise<void>;
  /** Whether a keychain is awaited that its user may have to unlock. */
  awaitsKeychain(): boolean;
  /** Waits for renewals that were sent, at most five seconds. Never throws. */
  finish(): Promise<void>;
  /** Tries once more to store renewed sign-ins that could not be stored, before the process ends. Never throws. */
  settle(): Promise<void>;
}

/** The public application that every workspace knows. */
export const BUILT_IN_CLIENT = 'databricks-cli';
/** The keychain's service name for sign-ins. */
export const SERVICE = 'Causeway';
/** The keychain's service name for the secrets of OAuth applications. */
export const APPLICATIONS_SERVICE = 'Causeway OAuth applications';
/** How long a page that was just opened counts as still being shown, in milliseconds. */
const JUST_OPENED_MS = 3_000;
const CALLBACK_PORTS = Array.from({ length: 21 }, (_, index) => 8020 + index);

export async function openOwnSignIns(options: OwnSignInOptions): Promise<OwnSignIns> {
  const { env, http, now, chance, emit } = options;
  const onNotice = (message: string) => emit({ type: 'notice', message });
  const store = await openSecretStore({ env, service: SERVICE, onNotice });
  let applicationSecrets: Promise<SecretStore> | undefined;
  const applications = oauthApplications(env, () => {
    applicationSecrets ??= openSecretStore({ env, service: APPLICATIONS_SERVICE, onNotice });
    return applicationSecrets;
  });
  const opened = new Map<string, UserTokens>();
  const signingIn = new Map<string, Promise<TokenRecord>>();

  const folderOf = (profile: Profile) => signInFolder(env, profile);

  const outcomeFileOf = (profile: Profile) => join(folderOf(profile), 'outcome.json');

  function tokens(profile: Profile): UserTokens {
    const key = storeName(profile);
    const known = opened.get(key);
    if (known) return known;
    const made = userTokens({
      profile,
      store,
      lockFolder: join(folderOf(profile), 'tokens-lock'),
      now,
      chance,
      onSignedOut: () => emit({ type: 'signed-out', profile }),
      onNotKept: (error) =>
        emit({
          type: 'not-kept',
          profile,
          message: `The renewed sign-in to ${profile.host} (profile ${profile.name}) works, but could not be stored: ${error instanceof CausewayError ? error.message : inOneLine(error)}`,
          remedy: 'Fix the storage problem, or you may have to sign in again after this program ends.',
        }),
      refusal: (record) => applicationRefusal(profile, record),
      async refresh(record, { mayWait }) {
        const [{ refreshTokens }, clientSecret] = await Promise.all([
          import('./refresh.ts'),
          secretOf(profile, record),
        ]);
        const fetch = http.to(profile.host, { asksAgain: mayWait });
        return refreshTokens(record, { host: profile.host, fetch, clientSecret, now });
      },
    });
    opened.set(key, made);
    return made;
  }

  async function secretOf(profile: Profile, { clientId }: TokenRecord): Promise<Secret | undefined> {
    if (clientId === BUILT_IN_CLIENT) return undefined;
    // The organization's application has no secret, and a sign-in through one of the user's own may be left from before.
    const application = await ownApplication(profile, await options.settingsOf(profile), NO_POLICY);
    return application.clientId === clientId ? application.clientSecret : undefined;
  }

  async function demandedApplication(): Promise<string | undefined> {
    return lockedValue(await currentPolicy(), 'oauthApplication')?.clientId;
  }

  async function applicationRefusal(profile: Profile, { clientId }: TokenRecord): Promise<CausewayError | undefined> {
    const demanded = await demandedApplication();
    if (demanded === undefined || demanded === clientId) return undefined;
    const { name, host } = profile;
    return new CausewayError(
      'signed_out',
      `Profile "${name}" has to sign in to ${host} again: your organization requires the OAuth application "${demanded}".`,
      { action: { do: 'sign-in', profile: name } },
    );
  }

  /** The organization's application goes before all that the user has chosen. Of its scopes, a sign-in asks for no others. */
  async function clientOf(profile: Profile, asked?: OAuthApplication | null) {
    const settings = await options.settingsOf(profile);
    const { accountId } = settings;
    const policy = await currentPolicy();
    const managed = lockedValue(policy, 'oauthApplication');
    if (!managed) {
      return {
        application: await ownApplication(profile, settings, policy, asked),
        accountId,
        canChoose: true,
        isFixed: false,
      };
    }
    if (asked !== undefined && asked?.clientId !== managed.clientId) {
      throw managedError(policy, 'oauthApplication', `the OAuth application must be "${managed.clientId}"`);
    }
    const { clientId, callbackPort, scopes } = managed;
    const application = { clientId, clientSecret: undefined, callbackPort, scopes };
    return { application, accountId, canChoose: false, isFixed: scopes !== undefined };
  }

  /** The profile's own keys go before what is configured for its workspace, and that before what the organization suggests. */
  async function ownApplication(
    profile: Profile,
    settings: ProfileSettings,
    policy: Policy,
    asked?: OAuthApplication | null,
  ): Promise<OAuthApplication> {
    const saved =
      asked === undefined ? ((await applications.get(profile.host)) ?? suggested(policy)) : (asked ?? undefined);
    const own = profile.method === 'oauth-user' && settings.clientId !== undefined;
    return {
      clientId: own ? (settings.clientId ?? BUILT_IN_CLIENT) : (saved?.clientId ?? BUILT_IN_CLIENT),
      clientSecret: own ? settings.clientSecret : saved?.clientSecret,
      callbackPort: settings.callbackPort ?? saved?.callbackPort,
      scopes: settings.scopes ?? saved?.scopes,
    };
  }

  async function ask(profile: Profile, asked: SignInOptions, pages: SignInPages): Promise<TokenRecord> {
    const [{ signInWithBrowser }, { application, accountId, canChoose, isFixed }] = await Promise.all([
      import('./browser-sign-in.ts'),
      clientOf(profile, asked.application),
    ]);
    // A list of servers that cannot be read is reported where it is used. It does not prevent a sign-in.
    const configured = await options.configuredPaths(profile).catch(() => []);
    const needed = [...configured, ...(asked.servers ?? [])].map(scopeForPath).filter((scope) => scope !== undefined);
    return signInWithBrowser({
      profile,
      accountId,
      clientId: application.clientId,
      clientSecret: application.clientSecret,
      canChoose,
      scopes: scopesToAsk(application.scopes, isFixed ? [] : needed),
      ports: application.callbackPort === undefined ? CALLBACK_PORTS : [application.callbackPort],
      fetch: http.to(profile.host),
      beforeShowing: (url) => pages.open(url, profile, asked.onlyIfNeeded === true),
      keep: (made, beforeQuestion) => uninterrupted(keep(profile, made, asked, beforeQuestion)),
      openBrowser: asked.openBrowser === 'never' ? undefined : opener(asked, pages),
      mustOpen: asked.openBrowser === 'must',
      onProgress: (progress) => {
        if (progress.step === 'waiting-for-browser') emit({ type: 'sign-in-began', profile, url: progress.url });
        asked.onProgress?.(progress);
      },
      now,
      signInTimeoutMs: options.signInTimeoutMs,
      signal: asked.signal,
    });
  }

  /** An address that was not shown does not count as a page. */
  function opener({ openBrowser }: SignInOptions, pages: SignInPages): (url: string) => Promise<void> {
    return async (url) => {
      try {
        await options.openBrowser(url);
      } catch (error) {
        if (openBrowser === 'must') await pages.clear();
        throw error;
      }
    };
  }

  /** Another sign-in is under way. A user who asks for one sees its page, even a lost one: it is opened again. */
  async function showOtherPage(profile: Profile, asked: SignInOptions): Promise<void> {
    const { workspacePages } = await import('./sign-in-pages.ts');
    const page = await workspacePages(env, profile.host, now).current();
    const seenMs = asked.pageSeenMs ?? JUST_OPENED_MS;
    const url = page?.state === 'open' && page.profile === profile.name ? page.url : undefined;
    emit({ type: 'sign-in-began', profile, url });
    asked.onProgress?.({ step: 'waiting-for-other', url });
    const isLost = url !== undefined && page !== undefined && Math.abs(now() - page.openedAt) > seenMs;
    const mayOpen = asked.onlyIfNeeded !== true && asked.openBrowser !== 'never';
    // Where the browser cannot be opened, the address is shown.
    if (isLost && mayOpen) await options.openBrowser(url).catch(() => undefined);
  }

  /** @param beforeQuestion called before the user is asked whether to replace another one */
  async function keep(
    profile: Profile,
    made: TokenRecord,
    asked: SignInOptions,
    beforeQuestion: () => Promise<void>,
  ): Promise<void> {
    const { keepSignIn } = await import('./keep-sign-in.ts');
    await keepSignIn({
      profile,
      made,
      tokens: tokens(profile),
      confirmChange: asked.confirmChange ?? options.confirmChange,
      beforeQuestion,
      keepRest: asked.keepRest,
      revoke: (record) => revoke(profile, record),
      onReplaced: (replaced) => asked.onProgress?.({ step: 'replaced', ...replaced }),
    });
  }

  async function revoke(profile: Profile, record: TokenRecord): Promise<boolean> {
    const { revokeTokens } = await import('./refresh.ts');
    // An application's settings may be gone, and with them its secret.
    const clientSecret = await secretOf(profile, record).catch(() => undefined);
    return revokeTokens(record, http.to(profile.host), clientSecret);
  }

  async function signInShared(profile: Profile, asked: SignInOptions, startedAt: number): Promise<TokenRecord> {
    const [{ signInOnce }, { workspacePages }] = await Promise.all([
      import('./shared-sign-in.ts'),
      import('./sign-in-pages.ts'),
    ]);
    const pages = workspacePages(env, profile.host, now);
    const folder = folderOf(profile);
    const record = await signInOnce({
      profile,
      tokens: tokens(profile),
      isShared: () => store.shared,
      unreadable: () => store.unreadable,
      lockFolder: join(folder, 'sign-in-lock'),
      outcomeFile: outcomeFileOf(profile),
      signal: asked.signal,
      onlyIfNeeded: asked.onlyIfNeeded === true,
      startedAt,
      now,
      onWaitForOther: () => void showOtherPage(profile, asked),
      pages,
      ask: () => ask(profile, asked, pages),
    });
    emit({ type: 'signed-in', profile });
    return record;
  }

  async function refuseToForget(profile: Profile): Promise<void> {
    await tokens(profile).record();
    if (store.shared) return;
    throw new CausewayError('keychain_unavailable', 'A sign-in cannot be stored here. None was started.', {
      remedy: 'Unlock or install a keychain, or allow an encrypted file with CAUSEWAY_TOKEN_STORE=encrypted-file.',
    });
  }

  return {
    tokens,
    awaitsKeychain: () => store.isAwaited ?? false,
    finish: async () => void (await Promise.all([...opened.values()].map((each) => each.finish()))),
    settle: async () => void (await Promise.all([...opened.values()].map((each) => each.settle()))),

    async state(profile) {
      const record = await tokens(profile).record();
      const demanded = record && (await demandedApplication());
      return demanded === undefined || demanded === record?.clientId
        ? stateOf(record)
        : { state: 'signed-out', demanded };
    },

    async signIn(profile, asked = {}, startedAt = now()) {
      if (asked.mustKeep) await refuseToForget(profile);
      const key = storeName(profile);
      const running = signingIn.get(key);
      if (running) {
        await showOtherPage(profile, asked);
        const { unlessAborted } = await import('../single-flight.ts');
        return stateOf(await unlessAborted(running, asked.signal));
      }
      const started = signInShared(profile, asked, startedAt).finally(() => {
        signingIn.delete(key);
        emit({ type: 'sign-in-ended', profile });
      });
      signingIn.set(key, started);
      return stateOf(await started);
    },

    async signOut(profile) {
      const record = await tokens(profile).remove();
      if (!record) throw signedOut(profile);
      emit({ type: 'signed-out', profile });
      const { noteSignOut } = await import('./shared-sign-in.ts');
      await noteSignOut(outcomeFileOf(profile), profile, now);
      return { revoked: await uninterrupted(revoke(profile, record)) };
    },

    async move(from, to) {
      const record = await tokens(from).remove();
      if (record) await tokens(to).replace(record);
    },

    demandedApplication,
    application: (host) => applications.get(host),
    async setApplication(host, application) {
      const policy = await currentPolicy();
      // An application that is no longer used may be removed.
      if (application && lockedValue(policy, 'oauthApplication')) {
        throw managedError(policy, 'oauthApplication', 'the OAuth application cannot be changed');
      }
      return applications.set(host, application);
    },

    async moveSecrets(profiles, to, switchOver) {
      const { moveSecrets } = await import('../secrets/move-secrets.ts');
      const policy = await currentPolicy();
      const managed = lockedValue(policy, 'tokenStore');
      if (managed && managed !== to)
        throw managedError(policy, 'tokenStore', `credentials must be stored in the ${managed}`);
      const from = await chosenKind(env);
      if (from === to) return switchOver();
      const group = async (service: string, names: string[]) => {
        const open = (kind: ChosenKind) => openStoreOf(kind, { env, service, onNotice });
        return { from: await open(from), to: await open(to), names };
      };
      const groups = await Promise.all([
        group(SERVICE, profiles.map(storeName)),
        group(APPLICATIONS_SERVICE, await applications.secretNames()),
      ]);
      const lockFolders = profiles.map((profile) => join(folderOf(profile), 'tokens-lock'));
      await moveSecrets(groups, lockFolders, switchOver);
    },
  };
}

/** The organization's application if the user has none of their own. */
function suggested(policy: Policy): OAuthApplication | undefined {
  const { clientId, callbackPort, scopes } = defaultValue(policy, 'oauthApplication') ?? {};
  return clientId === undefined ? undefined : { clientId, clientSecret: undefined, callbackPort, scopes };
}

function stateOf(record: TokenRecord | undefined): SignInState {
  if (!record) return { state: 'signed-out' };
  const { userName, scopes, access, refreshToken } = record;
  return { state: 'signed-in', userName, scopes, expiresAt: access.expiresAt, renewable: refreshToken !== undefined };
}
