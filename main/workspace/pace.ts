import { type RetryClock, retryAfterMs, retryDelayMs, systemClock } from '../platform/retry.ts';
import { WorkspaceError } from './errors.ts';

/** How many requests are under way at a time at first, and at most. */
const FIRST_LIMIT = 4;
const MOST = 8;
/** How many refusals in a row, each after a pause for all, end it. */
const MAX_IN_A_ROW = 5;
/** The longest pause that is waited for, in milliseconds, and the longest for all that come without a success between them. */
const LONGEST_PAUSE_MS = 120_000;

/** A workspace that kept refusing all requests. Nothing more is sent. */
export class StillRefused extends WorkspaceError {}

/** A request that was let through. */
export interface Pass {
  /** How many pauses there had been when it went out: those that are refused together count once. */
  pauses: number;
}

/** A 429 or 503, with its Retry-After header. */
export interface Refusal {
  error: WorkspaceError;
  retryAfter: string | undefined;
}

/**
 * Lets the requests of many workers through, as many at a time as the workspace takes. A refusal pauses all of them for as long
 * as the workspace asks; then a single one tries, and with each success there are more. After five refusals in a row, or where
 * the workspace asks for more than two minutes, it lets nobody through again.
 */
export class Pacer {
  readonly #clock: RetryClock;
  #limit = FIRST_LIMIT;
  /** Up to which limit it grows with each success; above it, slowly. */
  #threshold = MOST;
  #successes = 0;
  #active = 0;
  #pauses = 0;
  #inARow = 0;
  #pausedUntil = 0;
  #pausedMs = 0;
  #over: StillRefused | undefined;
  #wake: (() => void)[] = [];

  constructor(clock: RetryClock = systemClock) {
    this.#clock = clock;
  }

  /** Resolves when a request may go out. @throws {StillRefused} @throws what the signal was aborted with */
  async enter(signal: AbortSignal | undefined): Promise<Pass> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#over) throw this.#over;
      const waitMs = this.#pausedUntil - this.#clock.now();
      if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
      else if (this.#active >= this.#limit) await this.#turn(signal);
      else break;
    }
    this.#active += 1;
    return { pauses: this.#pauses };
  }

  /** Takes note that a request has ended that was let through, and whether it was refused for now. */
  leave({ pauses }: Pass, refusal: Refusal | undefined): void {
    this.#active -= 1;
    if (!refusal) this.#succeed();
    else if (pauses === this.#pauses) this.#pause(refusal);
    else this.#lengthen(refusal.retryAfter);
    for (const wake of this.#wake.splice(0)) wake();
  }

  #succeed(): void {
    this.#inARow = 0;
    this.#pausedMs = 0;
    this.#successes += 1;
    if (this.#limit >= MOST || (this.#limit >= this.#threshold && this.#successes < this.#limit)) return;
    this.#successes = 0;
    this.#limit += 1;
  }

  #pause({ retryAfter, error }: Refusal): void {
    this.#pauses += 1;
    this.#inARow += 1;
    this.#successes = 0;
    this.#threshold = Math.max(1, Math.floor(this.#limit / 2));
    this.#limit = 1;
    const waitMs = retryDelayMs(this.#inARow, retryAfter, this.#clock);
    this.#pausedMs += waitMs;
    this.#pausedUntil = this.#clock.now() + waitMs;
    if (this.#inARow > MAX_IN_A_ROW || this.#pausedMs > LONGEST_PAUSE_MS) this.#over = stillRefused(error, retryAfter);
  }

  #lengthen(retryAfter: string | undefined): void {
    const asked = retryAfterMs(retryAfter, this.#clock.now());
    if (asked !== undefined) this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + asked);
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake.push(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

function stillRefused(error: WorkspaceError, retryAfter: string | undefined): StillRefused {
  const askedMs = retryAfterMs(retryAfter);
  const asked = askedMs === undefined ? '' : ` It asks to wait ${Math.ceil(askedMs / 1000)} s.`;
  return new StillRefused(error.code, `The workspace keeps refusing requests.${asked} ${error.message}`, {
    status: error.status,
    errorCode: error.errorCode,
    requestId: error.requestId,
    cause: error.cause,
    remedy: 'Try again later.',
    retryAfterMs: askedMs,
  });
}
