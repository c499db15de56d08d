import type { Dispatcher } from 'undici';
import { KEEP_ALIVE_MS } from './http.ts';

/** Sends requests: a whole dispatcher, or a share of one. */
export type Connections = Pick<Dispatcher, 'dispatch'>;

/**
 * Connections that can be reopened. After a sleep, or in another network, the present ones are dead, and a request sent
 * over one waits for minutes. A sleep that is not reported shows in the time since the last request, because the timers
 * that close idle connections do not run meanwhile.
 */
export class RenewableConnections implements Connections {
  readonly #open: () => Promise<Dispatcher>;
  readonly #now: () => number;
  #current: Dispatcher;
  /** When the last request was sent, in milliseconds since 1970. */
  #usedAt: number | undefined;
  /** Set while new ones are being opened: requests wait for them meanwhile. */
  #renewal: Promise<void> | undefined;
  /** The former dispatchers, while requests are in flight on them. */
  readonly #former = new Set<Dispatcher>();

  private constructor(first: Dispatcher, open: () => Promise<Dispatcher>, now: () => number) {
    this.#current = first;
    this.#open = open;
    this.#now = now;
  }

  /** @throws what `open` throws */
  static async open(open: () => Promise<Dispatcher>, now: () => number = Date.now): Promise<RenewableConnections> {
    return new RenewableConnections(await open(), open, now);
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const now = this.#now();
    const isIdle = this.#usedAt !== undefined && now - this.#usedAt > KEEP_ALIVE_MS;
    this.#usedAt = now;
    // If none can be opened, the present ones stay in use.
    if (isIdle && !this.#renewal) void this.renew().catch(() => {});
    if (!this.#renewal) return this.#current.dispatch(options, handler);
    void this.#renewal.then(() => this.#current.dispatch(options, handler));
    return true;
  }

  /** The same as a whole dispatcher, for callers that need more than `dispatch`. */
  whole(): Dispatcher {
    return this.#current.compose(() => (options, handler) => this.dispatch(options, handler));
  }

  /**
   * From this call on, requests go over new connections. Idle ones are closed, busy ones when they are done. Where no new
   * ones can be opened, those before serve on.
   * @throws what `open` throws
   */
  async renew(): Promise<void> {
    const opening = this.#open();
    const renewal = opening.then(
      (opened) => this.#replace(opened),
      () => {},
    );
    this.#renewal = renewal;
    await renewal;
    if (this.#renewal === renewal) this.#renewal = undefined;
    await opening;
  }

  #replace(opened: Dispatcher): void {
    const before = this.#current;
    this.#current = opened;
    this.#former.add(before);
    const forget = () => this.#former.delete(before);
    // It fails only if it is closed already.
    void before.close().then(forget, forget);
  }

  /** Drops every connection at once. */
  async destroy(): Promise<void> {
    await Promise.allSettled([this.#current, ...this.#former].map((each) => each.destroy()));
  }
}

/**
 * Connections that are opened for the first request, by which time a process that has just been started has answered what
 * needs none. Requests fail with what `open` throws, and the next one tries again.
 */
export function openedWhenUsed(open: () => Promise<Connections>): Connections {
  let opened: Connections | undefined;
  let opening: Promise<Connections> | undefined;
  return {
    dispatch(options, handler) {
      if (opened) return opened.dispatch(options, handler);
      opening ??= open();
      opening.then(
        (connections) => {
          opened = connections;
          connections.dispatch(options, handler);
        },
        (error: unknown) => {
          opening = undefined;
          handler.onResponseError?.(NEVER_SENT, error instanceof Error ? error : new Error(String(error)));
        },
      );
      return true;
    },
  };
}

/** For a request that no connection accepted. */
const NEVER_SENT: Dispatcher.DispatchController = {
  aborted: true,
  paused: false,
  reason: null,
  abort() {},
  pause() {},
  resume() {},
};

interface QueuedRequest {
  options: Dispatcher.DispatchOptions;
  handler: Dispatcher.DispatchHandler;
}

/**
 * A client's share of the connections: at most `atOnce` of its requests are in flight, and the others are queued in order.
 * A client that sends thousands of requests at once takes no more than its share.
 */
export function shareOf(connections: Connections, atOnce: number): Connections {
  const queue: QueuedRequest[] = [];
  let inFlight = 0;

  const go = ({ options, handler }: QueuedRequest): boolean => {
    inFlight += 1;
    return connections.dispatch(options, counted(handler, done));
  };
  const done = () => {
    inFlight -= 1;
    const first = inFlight < atOnce ? queue.shift() : undefined;
    if (first) go(first);
  };
  return {
    dispatch(options, handler) {
      if (inFlight < atOnce) return go({ options, handler });
      queue.push({ options, handler });
      return false;
    },
  };
}

/** The same handler, which calls `over` once its request has ended. */
function counted(handler: Dispatcher.DispatchHandler, over: () => void): Dispatcher.DispatchHandler {
  let isOver = false;
  const once = () => {
    if (isOver) return;
    isOver = true;
    over();
  };
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart: (controller, status, headers, message) =>
      handler.onResponseStart?.(controller, status, headers, message),
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => {
      handler.onResponseEnd?.(controller, trailers);
      once();
    },
    onResponseError: (controller, error) => {
      handler.onResponseError?.(controller, error);
      once();
    },
  };
}

/** The connections to each origin, however many ask for them. */
export interface SharedPools {
  /** @throws what opening them throws */
  to(origin: string): Promise<RenewableConnections>;
  /** Closes the present connections as soon as each is idle, because the network has changed. @throws as `to` */
  renew(): Promise<void>;
  /** Drops every connection at once. */
  close(): Promise<void>;
}

/** Connections that `open` makes for an origin when they are first asked for. */
export function sharedPools(open: (origin: string) => Promise<Dispatcher>): SharedPools {
  const pools = new Map<string, Promise<RenewableConnections>>();
  return {
    to(origin) {
      const known = pools.get(origin);
      if (known) return known;
      const opening = RenewableConnections.open(() => open(origin));
      pools.set(origin, opening);
      // Opening may succeed later, for example once a certificate file has been corrected.
      opening.catch(() => pools.delete(origin));
      return opening;
    },
    async renew() {
      await Promise.all(Array.from(pools.values(), async (pool) => (await pool).renew()));
    },
    async close() {
      const open = [...pools.values()];
      pools.clear();
      await Promise.allSettled(open.map(async (pool) => (await pool).destroy()));
    },
  };
}
