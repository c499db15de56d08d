import { ANSWER_TIMEOUTS } from './answer-cache.ts';
import type { PendingRequest } from './pending-request.ts';
import { Unordered } from './unordered.ts';

/** How often the requests that wait are looked at, in milliseconds: a timer for each would be felt by every call. */
const LOOK_MS = 500;
/** How many looks a request may wait for a session and for tokens, all in all. */
const LOOKS = Math.ceil(ANSWER_TIMEOUTS.sessionMs / LOOK_MS);

export const CANCELLED = Symbol('cancelled');

interface Wait {
  place: number;
  trip: PendingRequest;
  isBounded: boolean;
  cancel(): void;
  giveUp(): void;
}

/** Requests that wait before they are sent, or sent again. */
export class WaitingRequests {
  readonly #tooLong: () => Error;
  readonly #waits = new Unordered<Wait>();
  #timer: NodeJS.Timeout | undefined;

  /** @param tooLong what a request fails with that has waited as long as it may */
  constructor(tooLong: () => Error) {
    this.#tooLong = tooLong;
  }

  /**
   * Waits for a session or a token, which may never come, no longer than a client waits for an answer; the time of all waits
   * of one request counts. @throws {CausewayError} `timeout`, `signed_out`
   */
  bounded<T>(trip: PendingRequest, waiting: Promise<T>): Promise<T | typeof CANCELLED> {
    return this.#hold(trip, waiting, true);
  }

  /** Waits, unless the client cancels the request meanwhile: then it is not sent, and no answer is owed. */
  unbounded<T>(trip: PendingRequest, waiting: Promise<T>): Promise<T | typeof CANCELLED> {
    return this.#hold(trip, waiting, false);
  }

  /** The client has cancelled the request with this raw id. */
  cancel(id: string): void {
    for (const wait of this.#waits.all()) if (wait.trip.id === id) wait.cancel();
  }

  #hold<T>(trip: PendingRequest, waiting: Promise<T>, isBounded: boolean): Promise<T | typeof CANCELLED> {
    // Without the answer to `initialize` nothing else could go: it may not be cancelled (MCP › Cancellation).
    if (trip.envelope.kind !== 'request' || trip.method === 'initialize') return waiting;
    return new Promise((resolve, reject) => {
      const wait: Wait = {
        place: -1,
        trip,
        isBounded,
        cancel: () => {
          this.#waits.remove(wait);
          trip.outstanding = 0;
          resolve(CANCELLED);
        },
        giveUp: () => {
          this.#waits.remove(wait);
          reject(this.#tooLong());
        },
      };
      this.#waits.add(wait);
      this.#timer ??= setTimeout(() => this.#look(), LOOK_MS).unref();
      waiting.then(
        (value) => {
          this.#waits.remove(wait);
          resolve(value);
        },
        (error: unknown) => {
          this.#waits.remove(wait);
          reject(error);
        },
      );
    });
  }

  #look(): void {
    this.#timer = undefined;
    for (const wait of this.#waits.all()) {
      if (!wait.isBounded) continue;
      wait.trip.looks += 1;
      if (wait.trip.looks >= LOOKS) wait.giveUp();
    }
    if (this.#waits.size > 0) this.#timer = setTimeout(() => this.#look(), LOOK_MS).unref();
  }
}
