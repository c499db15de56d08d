import { join } from 'node:path';
import { lockedValue, managedError } from '../../permissions/policy/policy.ts';
import { currentPolicy } from '../../permissions/policy/system-policy.ts';
import { CausewayError } from '../../platform/errors.ts';
import { noteEvent } from '../../platform/noted-events.ts';
import { uninterrupted } from '../../platform/uninterrupted.ts';
import { inOneLine } from '../../words/failure.ts';
import {
  type AuthEvent,
  type AuthOptions,
  type Profile,
  type SignInOptions,
  type SignInPages,
  type SignInState,
  signInKey,
} from '../auth.ts';
import type { AuthHttp } from '../host-fetch.ts';
import { identityIn } from '../identity.ts';
import { once } from '../opened-once.ts';
import type { ProfileSettings } from '../profiles/profile-settings.ts';
import { type ChosenKind, chosenKind, openSecretStore, openStoreOf } from '../secrets/open-store.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { TokenRecord } from '../secrets/token-record.ts';
import { signInFolder } from '../sign-in-generation.ts';
import { signedOut } from '../signed-out.ts';
import { UserTokens } from '../token-broker.ts';
import { demandedApplication, OAuthApplications } from './oauth-applications.ts';
import { scopeForPath, scopesToAsk } from './scopes.ts';

export interface OwnSignInOptions
  extends Pick<AuthOptions, 'env' | 'configuredPaths' | 'signInTimeoutMs' | 'confirmChange'> {
  http: AuthHttp;
  now: () => number;
  chance: number;
  openBrowser: (url: string) => Promise<void>;
  settingsOf: (profile: Profile) => Promise<ProfileSettings>;
  emit: (event: AuthEvent) => void;
}

/** The keychain's service name for sign-ins. */
export const SERVICE = 'Causeway';
/** The keychain's service name for the secrets of OAuth applications. */
export const APPLICATIONS_SERVICE = 'Causeway OAuth applications';
/** How long a page that was just opened counts as still being shown, in milliseconds. */
const JUST_OPENED_MS = 3_000;
const CALLBACK_PORTS = Array.from({ length: 21 }, (_, index) => 8020 + index);
/** How long the user has in the browser, in milliseconds, unless it is given. */
const SIGN_IN_TIMEOUT_MS = 5 * 60_000;

export async function openOwnSignIns(options: OwnSignInOptions): Promise<OwnSignIns> {
  const { env, emit } = options;
  const onNotice = (message: string) => emit({ type: 'notice', message });
  return new OwnSignIns(options, await openSecretStore({ env, service: SERVICE, onNotice }));
}

/** Causeway's own sign-ins: their tokens in the keychain, and the browser that gets them. */
export class OwnSignIns {
  readonly applications: OAuthApplications;
  readonly #options: OwnSignInOptions;
  readonly #store: SecretStore;
  readonly #opened = new Map<string, UserTokens>();
  readonly #signingIn = new Map<string, Promise<TokenRecord>>();

  constructor(options: OwnSignInOptions, store: SecretStore) {
    this.#options = options;
    this.#store = store;
    this.applications = new OAuthApplications(
      options.env,
      once(() => openSecretStore({ env: options.env, service: APPLICATIONS_SERVICE, onNotice: this.#onNotice })),
    );
  }

  tokens(profile: Profile): UserTokens {
    const key = signInKey(profile);
    const known = this.#opened.get(key);
    if (known) return known;
    const { now, chance, emit } = this.#options;
    const made = new UserTokens({
      profile,
      store: this.#store,
      lockFolder: this.#tokensLock(profile),
      now,
      chance,
      onSignedOut: () => emit({ type: 'signed-out', profile }),
      onNotKept: (error) => emit(notKept(profile, error)),
      refusal: (record) => applicationRefusal(profile, record),
      refresh: (record, { mayWait }) => this.#refresh(profile, record, mayWait),
    });
    this.#opened.set(key, made);
    return made;
  }

  async state(profile: Profile): Promise<SignInState> {
    const record = await this.tokens(profile).record();
    const demanded = record && (await demandedApplication());
    return demanded === undefined || demanded === record?.clientId
      ? stateOf(record)
      : { state: 'signed-out', demanded };
  }

  /** @param startedAt when the sign-in was asked for, in milliseconds since 1970 */
  async signIn(
    profile: Profile,
    asked: SignInOptions = {},
    startedAt: number = this.#options.now(),
  ): Promise<SignInState> {
    if (asked.mustKeep) await this.#refuseToForget(profile);
    const key = signInKey(profile);
    const running = this.#signingIn.get(key);
    if (running) {
      await this.#showOtherPage(profile, asked);
      const { unlessAborted } = await import('../single-flight.ts');
      return stateOf(await unlessAborted(running, asked.signal));
    }
    const started = this.#signInShared(profile, asked, startedAt).finally(() => {
      this.#signingIn.delete(key);
      this.#options.emit({ type: 'sign-in-ended', profile });
    });
    this.#signingIn.set(key, started);
    return stateOf(await started);
  }

  async signOut(profile: Profile): Promise<{ revoked: boolean }> {
    const { now, emit } = this.#options;
    const record = await this.tokens(profile).remove();
    if (!record) throw signedOut(profile);
    emit({ type: 'signed-out', profile });
    this.#note('sign-out', profile, record);
    const { noteSignOut } = await import('./shared-sign-in.ts');
    await noteSignOut(this.#outcomeFile(profile), profile, now);
    return { revoked: await uninterrupted(this.#revoke(profile, record)) };
  }

  /** Keeps a sign-in when its profile is renamed. */
  async move(from: Profile, to: Profile): Promise<void> {
    const record = await this.tokens(from).remove();
    if (record) await this.tokens(to).replace(record);
  }

  /** Moves the secrets of these profiles, and of all applications, to another kind of store. */
  async moveSecrets(profiles: readonly Profile[], to: ChosenKind, switchOver: () => Promise<void>): Promise<void> {
    const { env } = this.#options;
    const { moveSecrets } = await import('../secrets/move-secrets.ts');
    const policy = await currentPolicy();
    const managed = lockedValue(policy, 'tokenStore');
    if (managed && managed !== to)
      throw managedError(policy, 'tokenStore', `credentials must be stored in the ${managed}`);
    const from = await chosenKind(env);
    if (from === to) return switchOver();
    const group = async (service: string, names: string[]) => {
      const open = (kind: ChosenKind) => openStoreOf(kind, { env, service, onNotice: this.#onNotice });
      return { from: await open(from), to: await open(to), names };
    };
    const groups = await Promise.all([
      group(SERVICE, profiles.map(signInKey)),
      group(APPLICATIONS_SERVICE, await this.applications.secretNames()),
    ]);
    await moveSecrets(
      groups,
      profiles.map((profile) => this.#tokensLock(profile)),
      switchOver,
    );
  }

  /** Whether a keychain is awaited that its user may have to unlock. */
  awaitsKeychain(): boolean {
    return this.#store.isAwaited ?? false;
  }

  /** Waits for renewals that were sent, at most five seconds. Never throws. */
  async finish(): Promise<void> {
    await Promise.all(Array.from(this.#opened.values(), (tokens) => tokens.finish()));
  }

  /** Tries once more to store renewed sign-ins that could not be stored, before the process ends. Never throws. */
  async settle(): Promise<void> {
    await Promise.all(Array.from(this.#opened.values(), (tokens) => tokens.settle()));
  }

  readonly #onNotice = (message: string) => this.#options.emit({ type: 'notice', message });

  #tokensLock(profile: Profile): string {
    return join(signInFolder(this.#options.env, profile), 'tokens-lock');
  }

  #outcomeFile(profile: Profile): string {
    return join(signInFolder(this.#options.env, profile), 'outcome.json');
  }

  #secretOf(profile: Profile, { clientId }: TokenRecord) {
    return this.applications.secretOf(profile, clientId, () => this.#options.settingsOf(profile));
  }

  async #refresh(profile: Profile, record: TokenRecord, mayWait: boolean): Promise<TokenRecord | undefined> {
    const { http, now } = this.#options;
    const [{ refreshTokens }, clientSecret] = await Promise.all([
      import('./refresh.ts'),
      this.#secretOf(profile, record),
    ]);
    const fetch = http.to(profile.host, { asksAgain: mayWait });
    return refreshTokens(record, { host: profile.host, fetch, clientSecret, now });
  }

  async #revoke(profile: Profile, record: TokenRecord): Promise<boolean> {
    const { revokeTokens } = await import('./refresh.ts');
    // An application's settings may be gone, and with them its secret.
    const clientSecret = await this.#secretOf(profile, record).catch(() => undefined);
    return revokeTokens(record, this.#options.http.to(profile.host), clientSecret);
  }

  async #signInShared(profile: Profile, asked: SignInOptions, startedAt: number): Promise<TokenRecord> {
    const { env, now, emit } = this.#options;
    const [{ signInOnce }, { workspacePages }] = await Promise.all([
      import('./shared-sign-in.ts'),
      import('./sign-in-pages.ts'),
    ]);
    const pages = workspacePages(env, profile.host, now);
    const record = await signInOnce({
      profile,
      tokens: this.tokens(profile),
      store: this.#store,
      lockFolder: join(signInFolder(env, profile), 'sign-in-lock'),
      outcomeFile: this.#outcomeFile(profile),
      signal: asked.signal,
      onlyIfNeeded: asked.onlyIfNeeded === true,
      startedAt,
      now,
      onWaitForOther: () => void this.#showOtherPage(profile, asked),
      pages,
      ask: () => this.#ask(profile, asked, pages),
    });
    emit({ type: 'signed-in', profile });
    return record;
  }

  /** Another sign-in is under way. A user who asks for one sees its page, even a lost one: it is opened again. */
  async #showOtherPage(profile: Profile, asked: SignInOptions): Promise<void> {
    const { env, now, emit, openBrowser } = this.#options;
    const { workspacePages } = await import('./sign-in-pages.ts');
    const page = await workspacePages(env, profile.host, now).current();
    const open = page?.state === 'open' && page.profile === profile.name ? page : undefined;
    emit({ type: 'sign-in-began', profile, url: open?.url });
    asked.onProgress?.({ step: 'waiting-for-other', url: open?.url });
    if (!open || asked.onlyIfNeeded === true || asked.openBrowser === 'never') return;
    const isLost = Math.abs(now() - open.openedAt) > (asked.pageSeenMs ?? JUST_OPENED_MS);
    // Where the browser cannot be opened, the address is shown.
    if (isLost) await openBrowser(open.url).catch(() => undefined);
  }

  async #ask(profile: Profile, asked: SignInOptions, pages: SignInPages): Promise<TokenRecord> {
    const { http, now, emit, configuredPaths, signInTimeoutMs = SIGN_IN_TIMEOUT_MS } = this.#options;
    const settings = await this.#options.settingsOf(profile);
    const { application, canChoose, isFixed } = await this.applications.ofSignIn(profile, settings, asked.application);
    // A list of servers that cannot be read is reported where it is used. It does not prevent a sign-in.
    const configured = (await configuredPaths?.(profile).catch(() => [])) ?? [];
    const needed = [...configured, ...(asked.servers ?? [])].map(scopeForPath).filter((scope) => scope !== undefined);
    const common = {
      profile,
      accountId: settings.accountId,
      clientId: application.clientId,
      clientSecret: application.clientSecret,
      scopes: scopesToAsk(application.scopes, isFixed ? [] : needed),
      fetch: http.to(profile.host),
      now,
      signal: asked.signal,
    };
    if (asked.withCode) {
      const [{ signInWithDevice }, { setTimeout: sleep }] = await Promise.all([
        import('./device-sign-in.ts'),
        import('node:timers/promises'),
      ]);
      return signInWithDevice({
        ...common,
        keep: (made) => uninterrupted(this.#keep(profile, made, asked, async () => {})),
        onProgress: (progress) => asked.onProgress?.(progress),
        wait: async (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}),
      });
    }
    const { signInWithBrowser } = await import('./browser-sign-in.ts');
    return signInWithBrowser({
      ...common,
      canChoose,
      ports: application.callbackPort === undefined ? CALLBACK_PORTS : [application.callbackPort],
      beforeShowing: (url) => pages.open(url, profile, asked.onlyIfNeeded === true),
      keep: (made, beforeQuestion) => uninterrupted(this.#keep(profile, made, asked, beforeQuestion)),
      openBrowser: asked.openBrowser === 'never' ? undefined : (url) => this.#open(url, asked, pages),
      mustOpen: asked.openBrowser === 'must',
      paste: asked.paste,
      onProgress: (progress) => {
        if (progress.step === 'waiting-for-browser') emit({ type: 'sign-in-began', profile, url: progress.url });
        asked.onProgress?.(progress);
      },
      signInTimeoutMs,
    });
  }

  /** An address that was not shown does not count as a page. */
  async #open(url: string, { openBrowser }: SignInOptions, pages: SignInPages): Promise<void> {
    try {
      await this.#options.openBrowser(url);
    } catch (error) {
      if (openBrowser === 'must') await pages.clear();
      throw error;
    }
  }

  /** @param beforeQuestion called before the user is asked whether to replace another one */
  async #keep(
    profile: Profile,
    made: TokenRecord,
    asked: SignInOptions,
    beforeQuestion: () => Promise<void>,
  ): Promise<void> {
    const { keepSignIn } = await import('./keep-sign-in.ts');
    await keepSignIn({
      profile,
      made,
      tokens: this.tokens(profile),
      confirmChange: asked.confirmChange ?? this.#options.confirmChange,
      beforeQuestion,
      keepRest: asked.keepRest,
      revoke: (record) => this.#revoke(profile, record),
      onReplaced: (replaced) => asked.onProgress?.({ step: 'replaced', ...replaced }),
    });
    this.#note('sign-in', profile, made);
  }

  /** Tells the audit. */
  #note(event: 'sign-in' | 'sign-out', { name, host, workspaceId }: Profile, record: TokenRecord): void {
    const user = identityIn(record).userName ?? null;
    noteEvent(this.#options.env, event, { profile: name, workspace: host, workspaceId: workspaceId ?? null, user });
  }

  async #refuseToForget(profile: Profile): Promise<void> {
    await this.tokens(profile).record();
    if (this.#store.shared) return;
    throw new CausewayError('keychain_unavailable', 'A sign-in cannot be stored here. None was started.', {
      remedy:
        'Unlock or install a keychain, or keep sign-ins in an encrypted file that only you can read: causeway login --store encrypted-file.',
    });
  }
}

async function applicationRefusal(
  { name, host }: Profile,
  { clientId }: TokenRecord,
): Promise<CausewayError | undefined> {
  const demanded = await demandedApplication();
  if (demanded === undefined || demanded === clientId) return undefined;
  return new CausewayError(
    'signed_out',
    `Profile "${name}" has to sign in to ${host} again: your organization requires the OAuth application "${demanded}".`,
    { action: { do: 'sign-in', profile: name } },
  );
}

function notKept(profile: Profile, error: unknown): AuthEvent {
  const reason = error instanceof CausewayError ? error.message : inOneLine(error);
  return {
    type: 'not-kept',
    profile,
    message: `The renewed sign-in to ${profile.host} (profile ${profile.name}) works, but could not be stored: ${reason}`,
    remedy: 'Fix the storage problem, or you may have to sign in again after this program ends.',
  };
}

function stateOf(record: TokenRecord | undefined): SignInState {
  if (!record) return { state: 'signed-out' };
  const { userName, scopes, access, refreshToken } = record;
  return { state: 'signed-in', userName, scopes, expiresAt: access.expiresAt, renewable: refreshToken !== undefined };
}
