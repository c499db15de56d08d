import type { Settings, UpdateState } from '../../../preload/contract/settings.ts';
import type { Problem } from '../../../preload/contract.ts';
import { lockedValue, managedError } from '../../permissions/policy/policy.ts';
import { currentPolicy } from '../../permissions/policy/system-policy.ts';
import { CausewayError } from '../../platform/errors.ts';
import { networkFailure } from '../../platform/network-failure.ts';
import { VERSION } from '../../platform/version.ts';
import { problemFor } from '../failure.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/** Finds, downloads and installs newer versions. Opened at the first check, because it is slow to load. */
export interface UpdateSource {
  /** The newer version; null if there is none. */
  look(channel: Settings['updateChannel']): Promise<string | null>;
  download(onPercent: (percent: number) => void): Promise<void>;
  /** Ends the application and starts the new version. */
  install(): void;
}

export interface UpdatesOptions {
  blocker: UpdateBlocker;
  /** The command that updates this copy if a package manager does. */
  command?: string | undefined;
  settings: SettingsStore;
  openSource(): Promise<UpdateSource>;
  /** Reports each version that is installed while this one runs on, until the function that it returns is called. */
  watchInstalled?: ((report: (version: string) => void) => () => void) | undefined;
  show(state: UpdateState): void;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** The first check comes late so that it does not slow the start. */
const FIRST_CHECK_DELAY_MS = 60_000;
const CHECK_INTERVAL_MS = 12 * 60 * 60_000;

/** Checks for updates periodically unless that is turned off, and whenever the user asks. */
export class UpdateService {
  readonly #options: UpdatesOptions;
  #state: UpdateState;
  #source: Promise<UpdateSource> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #endWatch = (): void => {};

  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.#state = updatesAtStart(options.blocker, options.settings.current.automaticUpdates, options.command);
  }

  get state(): UpdateState {
    return this.#state;
  }

  start(): void {
    const { settings, show, watchInstalled } = this.#options;
    show(this.#state);
    if (watchInstalled) this.#endWatch = watchInstalled((version) => this.#showInstalled(version));
    this.#checkAfter(FIRST_CHECK_DELAY_MS);
    settings.onChange(({ automaticUpdates }, before) => {
      if (automaticUpdates === before.automaticUpdates) return;
      this.#apply({ kind: automaticUpdates ? 'switched-on' : 'switched-off' });
      this.#checkAfter(FIRST_CHECK_DELAY_MS);
    });
  }

  /** Checks for a newer version, and downloads it if updates are automatic. A failure is in the state. */
  async check(): Promise<void> {
    await refuseManaged();
    if (!CAN_CHECK.includes(this.#state.status)) return;
    const { settings, now = Date.now } = this.#options;
    this.#apply({ kind: 'looking' });
    try {
      const version = await (await this.#open()).look(settings.current.updateChannel);
      this.#apply(version === null ? { kind: 'none-found', at: now() } : { kind: 'found', version });
    } catch (error) {
      this.#fail('Causeway could not check for updates.', error);
    }
    if (this.#state.status === 'available' && settings.current.automaticUpdates) await this.download();
  }

  async download(): Promise<void> {
    await refuseManaged();
    if (this.#state.status !== 'available') return;
    this.#apply({ kind: 'downloading', percent: 0 });
    try {
      await (await this.#open()).download((percent) => this.#apply({ kind: 'downloading', percent }));
      this.#apply({ kind: 'downloaded' });
    } catch (error) {
      this.#fail('The update could not be downloaded.', error);
    }
  }

  /** Waits for `close`, then ends the application and starts the new version. */
  async install(close: () => Promise<void>): Promise<void> {
    if (this.#state.status !== 'ready') return;
    const source = await this.#open();
    await close();
    source.install();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#endWatch();
  }

  #open(): Promise<UpdateSource> {
    this.#source ??= this.#options.openSource().catch((error: unknown) => {
      this.#source = undefined;
      throw error;
    });
    return this.#source;
  }

  /** A package manager has put another version in this one's place, or this one back. */
  #showInstalled(version: string): void {
    const { blocker, settings, command } = this.#options;
    const isOwn = version === VERSION;
    this.#set(
      isOwn ? updatesAtStart(blocker, settings.current.automaticUpdates, command) : { status: 'ready', version },
    );
  }

  #apply(event: UpdateEvent): void {
    this.#set(afterUpdateEvent(this.#state, event));
  }

  #set(next: UpdateState): void {
    if (JSON.stringify(next) === JSON.stringify(this.#state)) return;
    this.#state = next;
    this.#options.show(next);
  }

  #fail(message: string, cause: unknown): void {
    console.warn(message, cause);
    const { kind } = networkFailure(cause);
    const remedy =
      kind === 'unsent' || kind === 'timeout'
        ? 'Check your internet connection, then try again.'
        : 'Try again later. Everything else keeps working.';
    this.#apply({ kind: 'failed', problem: problemFor(new CausewayError('unavailable', message, { cause, remedy })) });
  }

  #checkAfter(delayMs: number): void {
    clearTimeout(this.#timer);
    const { settings, blocker } = this.#options;
    if (blocker !== null || !settings.current.automaticUpdates) return;
    this.#timer = setTimeout(() => {
      this.#checkAfter(CHECK_INTERVAL_MS);
      void this.check().catch(() => undefined);
    }, delayMs);
  }
}

/** @throws {CausewayError} `managed` if the organization has switched updates off */
async function refuseManaged(): Promise<void> {
  const policy = await currentPolicy();
  if (lockedValue(policy, 'updates') !== 'off') return;
  throw managedError(policy, 'updates', 'updates are installed by your organization');
}

export type UpdateEvent =
  /** Automatic updates are turned on or off. */
  | { kind: 'switched-on' }
  | { kind: 'switched-off' }
  | { kind: 'looking' }
  /** `at` in milliseconds since the epoch. */
  | { kind: 'none-found'; at: number }
  | { kind: 'found'; version: string }
  | { kind: 'downloading'; percent: number }
  | { kind: 'downloaded' }
  | { kind: 'failed'; problem: Problem };

/** Why this copy cannot replace itself; null if it can. */
export type UpdateBlocker = 'development' | 'package-manager' | null;

export function updatesAtStart(blocker: UpdateBlocker, automatic: boolean, command?: string): UpdateState {
  if (blocker !== null) return { status: 'not-possible-here', reason: blocker, ...(command && { command }) };
  return automatic ? { status: 'idle', checkedAt: null } : { status: 'off' };
}

/** Where a check makes sense: not during a check or download, and not once an update is ready. */
const CAN_CHECK: readonly UpdateState['status'][] = ['off', 'idle', 'failed', 'available'];

/** The states that an event changes. In others it is stale, or a repetition. */
const CHANGED_BY: Record<UpdateEvent['kind'], readonly UpdateState['status'][]> = {
  'switched-on': ['off'],
  'switched-off': ['idle', 'failed'],
  looking: CAN_CHECK,
  'none-found': ['checking'],
  found: ['checking'],
  downloading: ['available', 'downloading'],
  downloaded: ['downloading'],
  failed: ['checking', 'downloading'],
};

/** The state after an event. */
export function afterUpdateEvent(state: UpdateState, event: UpdateEvent): UpdateState {
  if (!CHANGED_BY[event.kind].includes(state.status)) return state;
  const version = 'version' in state ? state.version : '';
  switch (event.kind) {
    case 'switched-on':
      return { status: 'idle', checkedAt: null };
    case 'switched-off':
      return { status: 'off' };
    case 'looking':
      return { status: 'checking' };
    case 'none-found':
      return { status: 'idle', checkedAt: event.at };
    case 'found':
      return { status: 'available', version: event.version };
    case 'downloading':
      return { status: 'downloading', version, percent: Math.max(0, Math.min(100, Math.floor(event.percent))) };
    case 'downloaded':
      return { status: 'ready', version };
    case 'failed':
      return { status: 'failed', problem: event.problem };
  }
}

/** Why a copy of the application cannot replace itself: it is being developed, or a package manager has installed it. */
export function updateBlocker(packaged: boolean, platform: NodeJS.Platform, env: NodeJS.ProcessEnv): UpdateBlocker {
  if (!packaged) return 'development';
  return platform === 'linux' && !env.APPIMAGE ? 'package-manager' : null;
}
