import { setTimeout as sleep } from 'node:timers/promises';
import { endsRun } from '../../preload/contract/error-facts.ts';
import type { Profile, SignInPages } from '../auth/auth.ts';
import { maySignIn } from '../auth/auth.ts';
import type { AuthService } from '../auth/open.ts';
import { CausewayError } from '../platform/errors.ts';
import { isServicePrincipalName } from './check-token.ts';
import type { RestClient } from './client.ts';
import type { ServiceConnection } from './mcp-services.ts';
import { serviceTitle } from './service-name.ts';

/** How a profile's user can sign in to a service such as GitHub. */
export type SignInWay =
  /** On the workspace's page, in the browser in which they sign in to the workspace too. */
  | 'page'
  /**
   * On the same page, but nothing says whether the browser's user is the profile's: it uses a personal access token, or
   * gets its token from the Azure CLI. That the credential then counts for that token too is not documented.
   */
  | 'own-browser'
  /** Not at all: it is a service principal. */
  | 'none';

interface SignedOut {
  state: 'signed-out';
  way: SignInWay;
  userName: string;
}

/** Whether a user is signed in to a service such as GitHub. */
export type ServiceState =
  /** The service has no connection, or one that needs no sign-in. */
  | { state: 'not-needed' }
  | { state: 'signed-in' }
  | SignedOut
  /** The workspace does not say, for example because the token lacks the scope for it. */
  | { state: 'unknown'; error: CausewayError };

/** What happens to a sign-in to a service. */
export interface ServiceEvent {
  /** A page is with the user; that has ended, however; or the user is signed out again. */
  type: 'service-sign-in-began' | 'service-sign-in-ended';
  profile: Profile;
  service: string;
}

/** How long the workspace has to say so, in milliseconds. */
const CHECK_TIMEOUT_MS = 10_000;
/** How often it is asked while the user is at the page, in milliseconds. */
const POLL_MS = 2_000;
/** How long the user has at the page, in milliseconds: as long as for a sign-in to the workspace. */
const PAGE_TIMEOUT_MS = 5 * 60_000;
/** How long the profile's user is cached, in milliseconds: another one may sign in. */
const USER_HOLDS_MS = 60_000;
/** A page that was opened so short a time ago is still being shown, in milliseconds: a model may ask for it again at once. */
const PAGE_SEEN_MS = 30_000;

export interface ServiceSignInOptions {
  auth: Pick<AuthService, 'openBrowser' | 'pagesOf'>;
  profile: Profile;
  /** `catalog.schema.service`. */
  service: string;
  client: () => Promise<RestClient>;
  /** Milliseconds since 1970. */
  now?: () => number;
  pollMs?: number;
}

/** How a page may be shown. */
export interface ShowOptions {
  /** The user has asked for it: it is shown although one was shown, refused or left before. */
  asked?: boolean;
  /** The page that the service itself named; by default the workspace's. */
  url?: string | undefined;
  /** Shows the page; resolves to false if the user declines. In the browser if left out. */
  show?: ((url: string) => Promise<boolean>) | undefined;
}

/** Whether the user has a page before them: this call has shown it, or another one of any process, or they have none. */
export type Shown = 'now' | 'before' | 'declined';

/**
 * The sign-in of one profile's user to what is behind one service. The credential is the workspace's, so it counts for all
 * clients, processes and computers of the user; the workspace is asked until it is there.
 */
export class ServiceSignIn {
  readonly service: string;
  readonly title: string;
  readonly profile: Profile;
  /** The page on the workspace where the user signs in. */
  readonly url: string;
  readonly #options: ServiceSignInOptions;
  readonly #now: () => number;
  readonly #closed = new AbortController();
  readonly #listeners = new Set<() => void>();
  #checking: Promise<ServiceState> | undefined;
  #user: { name: Promise<string>; at: number } | undefined;
  #waiting: Promise<void> | undefined;
  #page: string | undefined;
  #cancelled = new AbortController();
  /** Until when the workspace is asked, on the clock of `now`. */
  #waitsUntil = 0;

  constructor(options: ServiceSignInOptions) {
    const { profile, service, now = Date.now } = options;
    this.#options = options;
    this.#now = now;
    this.profile = profile;
    this.service = service;
    this.title = serviceTitle(service);
    this.url = `${profile.host}/mcp-service-login?name=${encodeURIComponent(service)}`;
  }

  /** Whether a page is with the user, as far as this process knows. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** The address of the page that is with the user; undefined if none is, as far as this process knows. */
  get page(): string | undefined {
    return this.isWaiting ? (this.#page ?? this.url) : undefined;
  }

  /** Calls back when the user is signed in, or signed out again. Returns the function that ends that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Asks the workspace. All who ask at the same time share the answer. Never throws. */
  check(): Promise<ServiceState> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** As `check`, for a user who is about to sign in. @throws {CausewayError} where the workspace does not say, or they cannot */
  async checkBeforeSignIn(): Promise<Exclude<ServiceState, { state: 'unknown' }>> {
    const checked = await this.check();
    if (checked.state === 'unknown') throw checked.error;
    if (checked.state === 'signed-out' && checked.way === 'none') throw this.signedOut(checked);
    return checked;
  }

  /**
   * Puts the page before the user, once for all clients and processes that want it.
   * @throws {CausewayError} `service_signed_out` if one was shown before and did not lead to a sign-in; `sign_in_failed`
   */
  async begin({ asked = false, url = this.url, show }: ShowOptions = {}): Promise<Shown> {
    const pages = await this.#pages();
    const joins = async () => {
      const page = await pages.current();
      // The page does not depend on the process that has opened it.
      const isOpen = page?.state === 'open' || page?.state === 'abandoned';
      const isRecent = page && Math.abs(this.#now() - page.openedAt) < (asked ? PAGE_SEEN_MS : PAGE_TIMEOUT_MS);
      if (isOpen && isRecent) this.#wait();
      return isOpen && isRecent;
    };
    if (await joins()) return 'before';
    try {
      await pages.open(url, this.profile, !asked);
    } catch (error) {
      // Another process, or another client's call, may have been faster: its page is open, or has led to the sign-in.
      if (await joins()) return 'before';
      if ((await this.#check()).state !== 'signed-in') throw error;
      this.#wait();
      return 'before';
    }
    try {
      // The page that another process has opened is forgotten once the user is signed in: the caller may have looked before that.
      if ((await this.#check()).state === 'signed-in') {
        await pages.clear();
        this.#wait();
        return 'before';
      }
      if (!show) await this.open(url);
      else if (!(await show(url))) {
        await pages.end('consent_denied');
        return 'declined';
      }
    } catch (error) {
      await pages.clear();
      throw error;
    }
    this.#page = url;
    this.#wait();
    return 'now';
  }

  /** Stops waiting for the page that is with the user. They may still sign in there. */
  cancel(): void {
    this.#cancelled.abort(new CausewayError('sign_in_cancelled', `The sign-in to ${this.title} was canceled.`));
  }

  /**
   * Resolves as soon as the workspace says that the user is signed in, while `begin` waits for that.
   * @throws {CausewayError} `sign_in_timeout`, `sign_in_cancelled`, `cancelled`
   */
  async signedIn(): Promise<void> {
    await this.#waiting;
  }

  /** Shows a page in the browser. @throws {CausewayError} `sign_in_failed` */
  async open(url: string): Promise<void> {
    await this.#options.auth.openBrowser(url);
  }

  /**
   * Forgets the user's credential, for all clients and computers. Tells whether there was one.
   * @throws {CausewayError} as the REST client; `feature_unavailable` if the workspace cannot do it
   */
  async signOut(): Promise<boolean> {
    const { mcpServices } = await this.#options.client();
    const wasSignedIn = await mcpServices.forgetCredential(this.service);
    await (await this.#pages()).clear();
    this.#tell();
    return wasSignedIn;
  }

  close(): void {
    this.#closed.abort(new CausewayError('cancelled', 'Causeway was closed.'));
    this.#listeners.clear();
  }

  async #check(): Promise<ServiceState> {
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
    try {
      const { mcpServices } = await this.#options.client();
      const connection = await mcpServices.signInConnection(this.service, signal);
      if (!connection) return { state: 'not-needed' };
      const userName = await this.#userName(signal);
      if (await mcpServices.hasCredential(connection, userName, signal)) return { state: 'signed-in' };
      return { state: 'signed-out', way: this.#wayOf(userName), userName };
    } catch (error) {
      if (error instanceof CausewayError) return { state: 'unknown', error };
      throw error;
    }
  }

  #wayOf(userName: string): SignInWay {
    if (isServicePrincipalName(userName)) return 'none';
    return maySignIn(this.profile) ? 'page' : 'own-browser';
  }

  /** The user of the profile, as the workspace names them. @throws {CausewayError} as the REST client */
  userName(): Promise<string> {
    return this.#userName();
  }

  async #userName(signal?: AbortSignal): Promise<string> {
    const ask = async () => (await (await this.#options.client()).users.me(signal)).user.userName;
    if (this.#user && Math.abs(this.#now() - this.#user.at) < USER_HOLDS_MS) return this.#user.name;
    const name = ask().catch((error: unknown) => {
      this.#user = undefined;
      throw error;
    });
    this.#user = { name, at: this.#now() };
    return name;
  }

  /** One page for each user of each workspace; two profiles may be the same user. */
  async #pages(): Promise<SignInPages> {
    const { profile, service, title } = this;
    const user = await this.#userName().catch(() => profile.name);
    return this.#options.auth.pagesOf({
      key: `${profile.host} ${user} ${service}`,
      alreadyAsked: (_profile, outcome) =>
        new CausewayError('service_signed_out', `You are not signed in to ${title}. ${outcome}`, {
          action: this.action,
        }),
    });
  }

  /** The error of a request for which the user is not asked now. The service has not run it. */
  signedOut({ way, userName }: SignedOut): CausewayError {
    const { profile, title, url } = this;
    switch (way) {
      case 'none':
        return new CausewayError(
          'service_signed_out',
          `Each user must sign in to ${title}, and profile "${profile.name}" is a service principal. Nothing was run.`,
          {
            remedy: 'Use a profile of a user, or ask a workspace admin for a service that needs no sign-in.',
          },
        );
      case 'own-browser':
        return new CausewayError('service_signed_out', `${userName} is not signed in to ${title}. Nothing was run.`, {
          action: { do: 'open-service-page', profile: profile.name, title, userName, url },
        });
      case 'page':
        return new CausewayError('service_signed_out', `You are not signed in to ${title}.`, { action: this.action });
    }
  }

  /** What leads to the sign-in. */
  get action() {
    const { profile, service, title } = this;
    return { do: 'sign-in-to-service', profile: profile.name, service, title } as const;
  }

  #wait(): void {
    this.#waitsUntil = this.#now() + PAGE_TIMEOUT_MS;
    if (this.#waiting) return;
    this.#cancelled = new AbortController();
    this.#waiting = this.#poll(this.#cancelled.signal).finally(() => {
      this.#waiting = undefined;
      this.#page = undefined;
      this.#tell();
    });
    // Nobody may be waiting for it anymore.
    this.#waiting.catch(() => undefined);
    this.#tell();
  }

  async #poll(cancelled: AbortSignal): Promise<void> {
    const pages = await this.#pages();
    try {
      await this.#pollUntilSignedIn(pages, AbortSignal.any([this.#closed.signal, cancelled]));
    } catch (error) {
      if (cancelled.aborted) {
        // As a refusal: only the user opens another page, and then at once.
        await pages.end('consent_denied');
        throw cancelled.reason;
      }
      throw error;
    }
  }

  async #pollUntilSignedIn(pages: SignInPages, signal: AbortSignal): Promise<void> {
    const { pollMs = POLL_MS } = this.#options;
    let connection: ServiceConnection | undefined;
    while (this.#now() < this.#waitsUntil) {
      signal.throwIfAborted();
      try {
        const { mcpServices } = await this.#options.client();
        connection ??= await mcpServices.signInConnection(this.service, signal);
        if (!connection || (await mcpServices.hasCredential(connection, await this.#userName(signal), signal))) {
          await pages.clear();
          return;
        }
      } catch (error) {
        if (!(error instanceof CausewayError) || endsRun(error.code)) throw error;
      }
      await sleep(pollMs, undefined, { signal });
    }
    await pages.end('sign_in_timeout');
    throw new CausewayError('sign_in_timeout', `The sign-in to ${this.title} timed out after five minutes.`, {
      action: this.action,
    });
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export interface ServiceSignInsOptions extends Pick<ServiceSignInOptions, 'auth' | 'now' | 'pollMs'> {
  /** The REST client of a profile. */
  client(profile: Profile): Promise<RestClient>;
}

/** The sign-ins to services in this process: one for each profile and service, shared by all callers. */
export class ServiceSignIns {
  readonly #options: ServiceSignInsOptions;
  readonly #known = new Map<string, ServiceSignIn>();
  readonly #listeners = new Set<(event: ServiceEvent) => void>();

  constructor(options: ServiceSignInsOptions) {
    this.#options = options;
  }

  of(profile: Profile, service: string): ServiceSignIn {
    const key = `${profile.host} ${profile.method} ${profile.name} ${service}`;
    const known = this.#known.get(key);
    if (known) return known;
    const { client, ...options } = this.#options;
    const made = new ServiceSignIn({ ...options, profile, service, client: () => client(profile) });
    made.subscribe(() => {
      const type = made.isWaiting ? 'service-sign-in-began' : 'service-sign-in-ended';
      for (const listener of this.#listeners) listener({ type, profile, service });
    });
    this.#known.set(key, made);
    return made;
  }

  /** Returns the function that ends the subscription. */
  subscribe(listener: (event: ServiceEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    for (const signIn of this.#known.values()) signIn.close();
  }
}
