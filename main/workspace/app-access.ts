import type { Profile, TokenRequest, TokenSource } from '../auth/auth.ts';
import type { AuthService } from '../auth/open.ts';
import { isLoopback } from '../auth/profiles/host.ts';
import { unlessAborted } from '../auth/single-flight.ts';
import { CausewayError } from '../platform/errors.ts';
import { foreignText } from '../platform/foreign-text.ts';
import type { Secret } from '../platform/secret.ts';
import type { AppName } from './app-name.ts';
import type { DatabricksApp } from './apps.ts';
import type { RestClient } from './client.ts';
import { WorkspaceError } from './errors.ts';

/** How long the workspace's answer about an app is valid, in milliseconds: a client may make many calls in a row. */
const CHECK_HOLDS_MS = 10_000;
/** How long the workspace has to say so, in milliseconds. */
const CHECK_TIMEOUT_MS = 15_000;

export interface AppAccessOptions {
  profile: Profile;
  app: AppName;
  tokens: TokenSource;
  client: () => Promise<RestClient>;
  /** The origin that the user has confirmed for the app; undefined if they have not. */
  confirmed: () => Promise<string | undefined>;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/**
 * The way to one Databricks App, which is on another host than the workspace. A token is given out only for the origin
 * that the workspace names for the app at this moment, for this user, and that the user has confirmed.
 */
export class AppAccess implements TokenSource {
  readonly name: string;
  /** Where at its host the MCP server is. */
  readonly path: string;
  readonly profile: Profile;
  readonly #options: AppAccessOptions;
  readonly #now: () => number;
  #checked: { origin: string; at: number } | undefined;
  #checking: Promise<string> | undefined;

  constructor(options: AppAccessOptions) {
    const { profile, app, now = Date.now } = options;
    this.profile = profile;
    this.name = app.name;
    this.path = app.path;
    this.#options = options;
    this.#now = now;
  }

  /** The origin that the last check allowed. @throws {CausewayError} `unavailable` if it has allowed none */
  get origin(): string {
    if (this.#checked) return this.#checked.origin;
    throw new CausewayError('unavailable', `The address of app "${this.name}" was not checked. No token was sent.`, {
      remedy: 'Try again to see why.',
    });
  }

  /**
   * A token for the app. It comes from the source first, which may ask the user to sign in, and is given out after the check.
   * @throws {CausewayError} as `check`, and as `AuthService.appTokens`
   */
  async token(request: TokenRequest = {}): Promise<Secret> {
    const token = await this.#options.tokens.token(request);
    await unlessAborted(this.check(), request.signal);
    return token;
  }

  /**
   * The app's origin, which may have the token now.
   * @throws {CausewayError} `app_not_confirmed`; `not_found` and `permission_denied` if the workspace does not name the app
   * for this user; `unavailable` if it does not run; what the request for it throws
   */
  check(): Promise<string> {
    const { origin, at } = this.#checked ?? {};
    const now = this.#now();
    if (origin !== undefined && at !== undefined && now >= at && now - at < CHECK_HOLDS_MS) {
      return Promise.resolve(origin);
    }
    this.#checking ??= this.#verify().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** The app has answered strangely: the next check asks the workspace, whatever is known. */
  doubt(): void {
    if (this.#checked) this.#checked.at = Number.NEGATIVE_INFINITY;
  }

  async #verify(): Promise<string> {
    const at = this.#now();
    try {
      const origin = await this.#allowedOrigin();
      this.#checked = { origin, at };
      return origin;
    } catch (error) {
      this.#checked = undefined;
      throw error;
    }
  }

  async #allowedOrigin(): Promise<string> {
    const { profile, client, confirmed } = this.#options;
    const record = await findApp(await client(), this.name);
    const origin = appOrigin(record, profile);
    const agreed = await confirmed();
    if (agreed !== origin) throw notConfirmed(this.name, profile, origin, agreed);
    refuseHalted(record, profile);
    return origin;
  }
}

/** The ways to apps, shared by all who need one. */
export class AppAccesses {
  readonly #options: AppAccessesOptions;
  readonly #known = new Map<string, AppAccess>();

  constructor(options: AppAccessesOptions) {
    this.#options = options;
  }

  /** @param serverPath the path under which the app is in the list of servers */
  of(profile: Profile, app: AppName, serverPath: string): AppAccess {
    const { auth, client, confirmed } = this.#options;
    const key = [profile.host, profile.method, serverPath, profile.name].join(' ');
    const access =
      this.#known.get(key) ??
      new AppAccess({
        profile,
        app,
        tokens: auth.appTokens(profile),
        client: () => client(profile),
        confirmed: () => confirmed(profile, serverPath),
      });
    this.#known.set(key, access);
    return access;
  }
}

export interface AppAccessesOptions {
  auth: AuthService;
  client(profile: Profile): Promise<RestClient>;
  /** The origin that the user has confirmed for a server of a profile. */
  confirmed(profile: Profile, serverPath: string): Promise<string | undefined>;
}

/**
 * What the workspace says about an app.
 * @throws {CausewayError} `not_found`, `permission_denied`, and what the request throws
 */
export async function findApp({ apps, rest }: RestClient, name: string, signal?: AbortSignal): Promise<DatabricksApp> {
  const { host, name: profile } = rest.profile;
  const limit = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  try {
    const found = await apps.get(name, signal ? AbortSignal.any([signal, limit]) : limit);
    if (found.name === name) return found;
  } catch (error) {
    if (limit.aborted) throw new CausewayError('timeout', `${host} did not return the address of app "${name}".`);
    if (!(error instanceof WorkspaceError)) throw error;
    if (error.code === 'permission_denied') {
      const message = `The user of profile "${profile}" is not allowed to use app "${name}" (${error.message.replace(/\.$/, '')}).`;
      throw error.rephrased('permission_denied', message, `Ask the app's owner for CAN_USE on it.`);
    }
    if (error.code !== 'not_found') throw error;
  }
  throw new CausewayError('not_found', `${host} has no app "${name}" for the user of profile "${profile}".`, {
    remedy: 'Nothing was sent to it. Check the name, and whether it is an app of this workspace.',
  });
}

/**
 * The origin that the workspace names for an app: https, or http on this computer if the workspace is there, too.
 * @throws {CausewayError} `unavailable` if it names none, `unexpected_answer` if it is of another form
 */
export function appOrigin({ name, url: text }: DatabricksApp, { host }: Pick<Profile, 'host'>): string {
  if (!text) {
    throw new CausewayError('unavailable', `App "${name}" has no address yet.`, {
      remedy: 'It gets one when it is deployed.',
    });
  }
  const origin = originOf(text, isLoopback(new URL(host).hostname));
  if (origin !== undefined) return origin;
  throw new CausewayError(
    'unexpected_answer',
    `The address of app "${name}" is not one that Causeway sends tokens to (${foreignText(text, { maxLength: 200 })}).`,
    { remedy: "Databricks Apps have https addresses without a path. Ask the app's owner." },
  );
}

/** The origin that an address is nothing more than; undefined for any other. @param mayBeLocal whether it may be http on this computer */
function originOf(text: string, mayBeLocal: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Without a user, a password, a path, a query and a fragment.
  if (url?.href !== `${url?.origin}/`) return undefined;
  const isLocal = mayBeLocal && url.protocol === 'http:' && isLoopback(url.hostname);
  return isLocal || url.protocol === 'https:' ? url.origin : undefined;
}

function notConfirmed(app: string, profile: Profile, origin: string, before: string | undefined): CausewayError {
  const message =
    before === undefined
      ? `App "${app}" is at ${origin}. You have not confirmed this address. No token was sent.`
      : `App "${app}" has moved from ${shownOrigin(before)} to ${origin}. You have not confirmed the new address. No token was sent.`;
  return new CausewayError('app_not_confirmed', message, {
    action: { do: 'confirm-app', app, profile: profile.name },
  });
}

/** What the file holds may be anything. */
function shownOrigin(text: string): string {
  return foreignText(text, { maxLength: 200 });
}

/** In these, nothing answers at the app's address; in any other, among them newer ones, it may. */
const HALTED: Record<string, string> = {
  STOPPED: 'is stopped',
  STOPPING: 'is stopping',
  STARTING: 'is starting',
  DELETING: 'is being deleted',
  ERROR: 'could not be started',
  CRASHED: 'has crashed',
  UNAVAILABLE: 'is not running',
};
const STARTABLE: ReadonlySet<string> = new Set(['STOPPED', 'ERROR']);

/** How an app is if it cannot answer, and whether starting it may help; undefined if it can. */
export function haltOf({
  app_status,
  compute_status,
}: DatabricksApp): { words: string; canStart: boolean } | undefined {
  const [compute = '', app = ''] = [compute_status?.state, app_status?.state];
  const state = [compute, app].find((one) => Object.hasOwn(HALTED, one));
  return state === undefined ? undefined : { words: HALTED[state] ?? '', canStart: STARTABLE.has(compute) };
}

function refuseHalted(record: DatabricksApp, profile: Profile): void {
  const halt = haltOf(record);
  if (!halt) return;
  const message = `App "${record.name}" ${halt.words}. Nothing was run.`;
  if (halt.canStart) {
    throw new CausewayError('unavailable', message, {
      action: { do: 'start-app', app: record.name, profile: profile.name },
    });
  }
  const remedy =
    halt.words === HALTED.STARTING ? 'Try again in a minute or two.' : "Ask the app's owner to check its logs.";
  throw new CausewayError('unavailable', message, { remedy });
}
