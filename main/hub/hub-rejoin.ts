import type { HubConnection } from './attach.ts';

/** How often the hub is looked for, in milliseconds. */
const SEARCH_INTERVAL_MS = 2_000;

export interface HubRejoinPort {
  /** Looks for the hub once; undefined if the session stays in this process. */
  rejoin: (() => Promise<HubConnection | undefined>) | undefined;
  /** Whether neither side of the session waits for an answer. */
  isIdle(): boolean;
  /** Whether the session is still in this process. */
  isAlone(): boolean;
  /** Whether the session can move now. */
  canMove(): boolean;
  move(connection: HubConnection): void;
}

/** Looks for the hub periodically while a session is in this process, and moves the session there when it is idle. */
export class HubRejoin {
  readonly #port: HubRejoinPort;
  #timer: NodeJS.Timeout | undefined;
  /** A connection to the hub that waits until the session is idle. */
  #found: HubConnection | undefined;
  #isClosed = false;

  constructor(port: HubRejoinPort) {
    this.#port = port;
  }

  start(): void {
    if (!this.#port.rejoin || this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), SEARCH_INTERVAL_MS);
    this.#timer.unref();
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  /** The session is idle now. */
  idle(): void {
    const connection = this.#found;
    this.#found = undefined;
    if (connection) this.#port.move(connection);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#found?.socket.destroy();
  }

  async #look(): Promise<void> {
    const { rejoin, isIdle, isAlone, canMove, move } = this.#port;
    const connection = isIdle() ? await rejoin?.().catch(() => undefined) : undefined;
    if (!connection) this.start();
    else if (!isAlone()) connection.socket.destroy();
    else if (canMove()) move(connection);
    else this.#waitFor(connection);
  }

  /** A request arrived during the attempt: the session moves when it is answered. */
  #waitFor(connection: HubConnection): void {
    this.#found = connection;
    connection.socket.once('close', () => {
      if (this.#found !== connection) return;
      this.#found = undefined;
      this.start();
    });
    // A paused socket does not report that it was closed.
    connection.socket.resume();
  }
}
