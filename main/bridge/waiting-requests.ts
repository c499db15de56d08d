import { SILENCE } from '../platform/silent-host.ts';
import { NEVER_SENT } from './limits.ts';
import type { PendingRequest } from './pending-request.ts';

/** How long a client waits before it is answered without the server, in milliseconds. */
export const ANSWER_TIMEOUTS = {
  /** For the server's own `initialize` or `server/discover`, if it is known what it would answer. */
  handshakeMs: 150,
  /** The same if that is not known: some clients give up after 3 s, and count the start in. */
  firstHandshakeMs: 1_500,
  /** For the list of tools, before the client gets the last known one. */
  toolsMs: 1_000,
  /** For the list of tools if none is known and a user is signed in, before the connection tool is listed instead. */
  firstToolsMs: 2_000,
  /** The same if it is not known whether a user is signed in: some clients give up on a new server after 1 s. */
  firstToolsWithoutTokenMs: 500,
  /** For the server to accept `notifications/initialized`, which must not be overtaken, before later frames go all the same. */
  initializedMs: 3_000,
  /** For the server's first bytes in answer to a request that only opens or lists. A tool call has no limit. */
  firstBytesMs: SILENCE.limitMs,
  /** Before the notice on stderr that the server has not answered yet. */
  noticeMs: SILENCE.noticeMs,
} as const;

/** How often the waiting requests are checked, in milliseconds: a timer for each would slow down every call. */
const CHECK_INTERVAL_MS = 500;
/** How many checks a request may wait in total while it is not sent: clients give up after 60 s. */
const MAX_CHECKS = Math.ceil(NEVER_SENT.limitMs / CHECK_INTERVAL_MS);

export const CANCELLED = Symbol('cancelled');

interface Wait {
  pending: PendingRequest;
  /** How many checks the request can wait for in total; undefined if there is no limit. */
  maxChecks: number | undefined;
  cancel(): void;
  giveUp(): void;
}

/** Requests that wait before they are sent, or sent again. */
export class WaitingRequests {
  readonly #tooLong: () => Error;
  readonly #waits = new Set<Wait>();
  /** How many checks each request has waited for. */
  readonly #checks = new WeakMap<PendingRequest, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param tooLong returns the error of a request that has waited too long */
  constructor(tooLong: () => Error) {
    this.#tooLong = tooLong;
  }

  /**
   * Waits for a session, a token or another attempt, while nothing of the request is sent. All waits of one request count together.
   * @throws {CausewayError} `timeout`, `signed_out`
   */
  bounded<T>(pending: PendingRequest, waiting: Promise<T>): Promise<T | typeof CANCELLED> {
    return this.#wait(pending, waiting, MAX_CHECKS, this.#tooLong);
  }

  /** How long a request may still wait before it is sent, in milliseconds. */
  leftMs(pending: PendingRequest): number {
    return Math.max(CHECK_INTERVAL_MS, (MAX_CHECKS - this.#checksOf(pending)) * CHECK_INTERVAL_MS);
  }

  #checksOf(pending: PendingRequest): number {
    return this.#checks.get(pending) ?? 0;
  }

  /** The error of a request that has waited too long. */
  tooLong(): Error {
    return this.#tooLong();
  }

  /** As `bounded`, for `totalMs` in all, with its own error. */
  upTo<T>(
    totalMs: number,
    pending: PendingRequest,
    waiting: Promise<T>,
    tooLong: () => Error,
  ): Promise<T | typeof CANCELLED> {
    return this.#wait(pending, waiting, Math.ceil(totalMs / CHECK_INTERVAL_MS), tooLong);
  }

  /** Waits, unless the client cancels the request meanwhile: then it is not sent, and needs no answer. */
  unbounded<T>(pending: PendingRequest, waiting: Promise<T>): Promise<T | typeof CANCELLED> {
    return this.#wait(pending, waiting, undefined, this.#tooLong);
  }

  /** The client has cancelled the request with this raw id. */
  cancel(id: string): void {
    for (const wait of this.#waits) if (wait.pending.id === id) wait.cancel();
  }

  #wait<T>(
    pending: PendingRequest,
    waiting: Promise<T>,
    maxChecks: number | undefined,
    tooLong: () => Error,
  ): Promise<T | typeof CANCELLED> {
    // Without the answer to `initialize` nothing else could go: it may not be cancelled (MCP › Cancellation).
    if (!pending.isForAnswer || pending.method === 'initialize') return waiting;
    return new Promise((resolve, reject) => {
      const wait: Wait = {
        pending,
        maxChecks,
        cancel: () => {
          this.#waits.delete(wait);
          pending.settle('nobody');
          resolve(CANCELLED);
        },
        giveUp: () => {
          this.#waits.delete(wait);
          reject(tooLong());
        },
      };
      this.#waits.add(wait);
      this.#timer ??= setTimeout(() => this.#check(), CHECK_INTERVAL_MS).unref();
      waiting.then(
        (value) => {
          this.#waits.delete(wait);
          resolve(value);
        },
        (error: unknown) => {
          this.#waits.delete(wait);
          reject(error);
        },
      );
    });
  }

  #check(): void {
    this.#timer = undefined;
    for (const wait of this.#waits) {
      if (wait.maxChecks === undefined) continue;
      const checks = this.#checksOf(wait.pending) + 1;
      this.#checks.set(wait.pending, checks);
      if (checks >= wait.maxChecks) wait.giveUp();
    }
    if (this.#waits.size > 0) this.#timer = setTimeout(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }
}
