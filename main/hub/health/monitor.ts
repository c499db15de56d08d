import type { AuthEvent } from '../../auth/auth.ts';
import { CausewayError } from '../../platform/errors.ts';
import { serviceOf } from '../../workspace/service-name.ts';
import type { ServiceEvent } from '../../workspace/service-sign-in.ts';
import { type MonitoredServer, meansTrouble, type ServerHealth, type WatchEvent } from './health.ts';
import type { AskOptions, McpSession, ServerTool, ToolResult } from './mcp-session.ts';
import { WatchedServer } from './watched-server.ts';

/** A server and how it is. */
export interface MonitoredServerState extends MonitoredServer {
  health: ServerHealth;
}

export interface HealthMonitorOptions {
  /** Opens a session with a server, whatever the server thinks of it. @throws {CausewayError} if there is no such profile */
  connect(server: MonitoredServer, onToolsChanged: () => void): Promise<McpSession>;
  /** Subscribes to sign-in events. Returns the function that unsubscribes. */
  subscribe?: ((listener: (event: AuthEvent | ServiceEvent) => void) => () => void) | undefined;
  /** Called with all servers when one has changed. */
  onChange?: ((states: MonitoredServerState[]) => void) | undefined;
  /** Drops connections that may be stale. */
  renewConnections?: (() => Promise<void>) | undefined;
  clock?: Clock | undefined;
  /** A number from 0 to 1. */
  random?: (() => number) | undefined;
}

/** How many servers are probed at once, so that many configured servers cause no burst. */
const MAX_CONCURRENT_PROBES = 3;
/** The longest wait for the next probe, in milliseconds: timers stand still while the computer sleeps, and the clock does not. */
const LONGEST_WAIT_MS = 15_000;

/** Monitors the configured servers. */
export class HealthMonitor {
  readonly #options: HealthMonitorOptions;
  readonly #clock: Clock;
  readonly #servers = new Map<string, WatchedServer>();
  /** The ends of the sessions with servers that are no longer in the list. */
  readonly #ending = new Set<Promise<void>>();
  #cancelTimer = () => {};
  readonly #unsubscribe: (() => void) | undefined;
  #isSuspended = false;
  #isAutomatic = true;
  #isClosed = false;

  constructor(servers: readonly MonitoredServer[], options: HealthMonitorOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#unsubscribe = options.subscribe?.((event) => this.#onSignInEvent(event));
    this.update(servers);
  }

  /** All servers, in the order of the list. */
  states(): MonitoredServerState[] {
    return Array.from(this.#servers.values(), ({ server, health }) => ({ ...server, health }));
  }

  /** Replaces the list: new servers are probed, removed ones are closed, and the others stay as they are. */
  update(servers: readonly MonitoredServer[]): void {
    const before = new Map(this.#servers);
    this.#servers.clear();
    for (const { name, profile, path } of servers) {
      const known = before.get(name);
      const isSame = known?.server.profile === profile && known.server.path === path;
      this.#servers.set(name, isSame ? known : this.#watch({ name, profile, path }));
      if (isSame) before.delete(name);
    }
    for (const gone of before.values()) this.#end(gone);
    this.#changed();
  }

  /** Probes one server, or all, now. Resolves with the new states. @throws {CausewayError} `not_found` */
  async recheck(name?: string): Promise<MonitoredServerState[]> {
    const wanted = name === undefined ? [...this.#servers.values()] : [this.#find(name)];
    const at = this.#clock.now();
    const checked = wanted.map((one) => one.checked());
    for (const one of wanted) one.apply({ name: 'asked', at });
    this.#probeDue();
    await Promise.all(checked);
    return wanted.map(({ server, health }) => ({ ...server, health }));
  }

  /** Whether servers are asked again by themselves. Where not, each is probed once, and then on request. */
  probeAutomatically(on: boolean): void {
    this.#isAutomatic = on;
    this.#probeDue();
  }

  /** The computer goes to sleep: nothing is asked until it wakes. */
  suspend(): void {
    this.#isSuspended = true;
    this.#cancelTimer();
    for (const one of this.#servers.values()) one.interrupt();
  }

  /** The computer has woken. */
  resume(): void {
    this.#isSuspended = false;
    this.networkChanged();
  }

  /** The computer is in another network, or in none: every server is asked again soon. */
  networkChanged(): void {
    // Where no new ones can be opened, the old ones stay, and the next probe shows whether they work.
    this.#options.renewConnections?.().catch(() => undefined);
    const at = this.#clock.now();
    for (const one of this.#servers.values()) {
      one.interrupt();
      one.apply({ name: 'interrupted', at, random: this.#random() });
    }
    this.#probeDue();
  }

  /** A user has signed in to or out of this profile in another process, which sends no event. */
  signedIn(profile: string): void {
    this.#applyToProfile(profile, { name: 'asked', at: this.#clock.now() });
  }

  /** The tools of a server that is ready; one that is not is asked first. @throws {CausewayError} `not_found`, or why it is not ready */
  async tools(name: string): Promise<ServerTool[]> {
    const one = this.#find(name);
    if (one.health.name !== 'ready') await this.recheck(name);
    return one.tools();
  }

  /**
   * Calls a tool of a server through its own session. The result is passed on as it came. Where the call does not
   * reach the server, the server is probed again.
   * @throws {CausewayError} `not_found`; `cancelled` and whatever the call met
   */
  async callTool(
    name: string,
    tool: string,
    args: Record<string, unknown>,
    options: AskOptions = {},
  ): Promise<ToolResult> {
    const one = this.#find(name);
    try {
      return await one.call(tool, args, options);
    } catch (error) {
      if (meansTrouble(error) && one.health.name === 'ready') {
        one.apply({ name: 'asked', at: this.#clock.now() });
        this.#probeDue();
      }
      throw error;
    }
  }

  /** Ends all sessions, and the calls under way with them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
    this.#unsubscribe?.();
    for (const one of this.#servers.values()) this.#end(one);
    this.#servers.clear();
    await Promise.all(this.#ending);
  }

  #end(server: WatchedServer): void {
    const ended = server.close().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  #watch(server: MonitoredServer): WatchedServer {
    return new WatchedServer(server, {
      connect: this.#options.connect,
      now: () => this.#clock.now(),
      random: () => this.#random(),
      changed: () => this.#changed(),
      idle: () => this.#probeDue(),
    });
  }

  /** Probes the servers that are due, a few at once, and sets the timer for the next one. */
  #probeDue(): void {
    this.#cancelTimer();
    if (this.#isSuspended || this.#isClosed) return;
    const now = this.#clock.now();
    const all = [...this.#servers.values()];
    let free = MAX_CONCURRENT_PROBES - all.filter(({ isBusy }) => isBusy).length;
    const resting = all
      .filter(({ isBusy, due, isWanted }) => !isBusy && due !== null && (this.#isAutomatic || isWanted))
      .sort(byDue);
    for (const one of resting) {
      if (free <= 0 || (one.due ?? 0) > now) break;
      free -= 1;
      one.probe();
    }
    const soonest = resting.find(({ isBusy }) => !isBusy)?.due;
    // Where the limit is reached, the end of a probe leads here again.
    const wait = free <= 0 || soonest == null ? LONGEST_WAIT_MS : Math.min(Math.max(0, soonest - now), LONGEST_WAIT_MS);
    this.#cancelTimer = this.#clock.after(wait, () => this.#probeDue());
  }

  #changed(): void {
    if (this.#isClosed) return;
    this.#options.onChange?.(this.states());
    this.#probeDue();
  }

  #onSignInEvent(event: AuthEvent | ServiceEvent): void {
    if (event.type === 'notice' || event.type === 'not-kept') return;
    const { name } = event.profile;
    if (event.type === 'service-sign-in-began' || event.type === 'service-sign-in-ended') {
      const isBegun = event.type === 'service-sign-in-began';
      const happened = isBegun
        ? ({ name: 'sign-in-began' } as const)
        : { name: 'asked' as const, at: this.#clock.now() };
      this.#applyToProfile(name, happened, ({ path }) => serviceOf(path) === event.service);
      return;
    }
    if (event.type === 'sign-in-began') this.#applyToProfile(name, { name: 'sign-in-began' });
    else if (event.type === 'sign-in-ended')
      this.#applyToProfile(name, { name: 'sign-in-ended', at: this.#clock.now() });
    else this.signedIn(name);
  }

  #applyToProfile(
    profile: string,
    event: WatchEvent,
    concerns: (server: MonitoredServer) => boolean = () => true,
  ): void {
    for (const one of this.#servers.values()) {
      if (one.server.profile === profile && concerns(one.server)) one.apply(event);
    }
    this.#probeDue();
  }

  #random(): number {
    return (this.#options.random ?? Math.random)();
  }

  #find(name: string): WatchedServer {
    const found = this.#servers.get(name);
    if (found) return found;
    throw new CausewayError('not_found', `There is no server "${name}".`);
  }
}

function byDue(a: WatchedServer, b: WatchedServer): number {
  return (a.due ?? 0) - (b.due ?? 0);
}

/** The clock and its timers; tests use their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, `delayMs` later. Returns the function that cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** The system's clock. Its timers keep no process alive. */
const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
