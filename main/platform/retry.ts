import { setTimeout as delay } from 'node:timers/promises';

/** The clock and the randomness, so that tests can control both. */
export interface RetryClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after so many milliseconds; rejects as soon as the signal is aborted. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** From 0 up to, not including, 1. */
  random(): number;
}

/** The system's clock and randomness. */
export const systemClock: RetryClock = {
  now: Date.now,
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal ? { signal } : {});
  },
  random: Math.random,
};

/** How often, and for how long in total, one request is tried. */
export interface RetryLimits {
  /** Attempts if the server answers that it is busy. */
  refused: number;
  /** Attempts if no answer arrives. */
  unanswered: number;
  /** From the first attempt to the last, in milliseconds. */
  totalMs: number;
}

/** Long enough for a workspace under load, short enough for a user who waits. */
export const RETRY_LIMITS: RetryLimits = { refused: 5, unanswered: 3, totalMs: 60_000 };

/**
 * The limits of a delay that the server asks for, in milliseconds. A shorter one (`0`, a past date) would make a loop
 * without a pause; a longer one amounts to no answer, and a timer overflows after 24 days.
 */
export const ASKED_WAIT_MS = { floor: 250, ceiling: 60 * 60_000 } as const;

/** The backoff if the server asks for no delay: the first delay, and the longest that doubling leads to. */
export interface BackoffRange {
  firstMs: number;
  longestMs: number;
}

const BACKOFF: BackoffRange = { firstMs: 500, longestMs: 10_000 };

/** How far requested delays are spread, so that not all clients come back in the same moment. */
const SPREAD_MS = 250;

/** The three spellings of a date that RFC 9110 §5.6.7 lets a server use; `Date.parse` takes almost any text for a date. */
const HTTP_DATES = [
  /^[a-z]{3}, \d{2} [a-z]{3} \d{4} \d{2}:\d{2}:\d{2} gmt$/i,
  /^[a-z]{6,9}, \d{2}-[a-z]{3}-\d{2} \d{2}:\d{2}:\d{2} gmt$/i,
];
const ASCTIME_DATE = /^[a-z]{3} [a-z]{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/i;

/**
 * Reads a Retry-After header, seconds or date (RFC 9110 §10.2.3), as milliseconds from now. Seconds may have decimals, as
 * gateways send them. What is shorter than the floor or longer than the ceiling counts as these.
 * @returns `undefined` if the header is absent or makes no sense, such as a negative number
 */
export function retryAfterMs(header: string | undefined, now: number = Date.now()): number | undefined {
  const text = header?.trim() ?? '';
  const asked = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : httpDate(text) - now;
  return Number.isNaN(asked) ? undefined : withinAskedWait(asked);
}

/** A wait that the other side asked for, in milliseconds, within what it may ask for: the `retry` of an event stream, say. */
export function withinAskedWait(ms: number): number {
  return Math.round(Math.min(Math.max(ms, ASKED_WAIT_MS.floor), ASKED_WAIT_MS.ceiling));
}

function httpDate(text: string): number {
  if (HTTP_DATES.some((form) => form.test(text))) return Date.parse(text);
  return ASCTIME_DATE.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
}

/** How long to wait before the attempt that follows the `attempt`-th (1, 2, …): doubling, and jittered down to half. */
export function backoffMs(attempt: number, random: number, { firstMs, longestMs }: BackoffRange = BACKOFF): number {
  const ceiling = Math.min(longestMs, firstMs * 2 ** (Math.max(1, attempt) - 1));
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}

/**
 * How long to wait before the attempt that follows the `attempt`-th, in milliseconds: what the other side asked for with
 * `Retry-After`, spread a little, and the backoff if it asked for nothing. The caller decides whether it is too long.
 */
export function retryDelayMs(
  attempt: number,
  retryAfter: string | undefined,
  { now, random }: Pick<RetryClock, 'now' | 'random'> = systemClock,
  backoff: BackoffRange = BACKOFF,
): number {
  const asked = retryAfterMs(retryAfter, now());
  return asked === undefined ? backoffMs(attempt, random(), backoff) : asked + Math.round(SPREAD_MS * random());
}
