import { setTimeout as delay } from 'node:timers/promises';

/** Time and chance, so that tests can decide both. */
export interface RetryClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after so many milliseconds; rejects as soon as the signal is aborted. */
  sleep(millis: number, signal: AbortSignal | undefined): Promise<void>;
  /** From 0 up to, not including, 1. */
  random(): number;
}

/** The real time and chance. */
export const systemClock: RetryClock = {
  now: Date.now,
  sleep: async (millis, signal) => {
    await delay(millis, undefined, signal ? { signal } : {});
  },
  random: Math.random,
};

/** How often, and for how long in all, one request is tried. */
export interface RetryLimits {
  /** Attempts where the workspace answers that it is busy. */
  refused: number;
  /** Attempts where no answer comes. */
  unanswered: number;
  /** From the first attempt to the last, in milliseconds. */
  totalMillis: number;
}

/** Patient enough for a workspace under load, short enough for a person who waits. */
export const RETRY_LIMITS: RetryLimits = { refused: 5, unanswered: 3, totalMillis: 60_000 };

/**
 * Reads a Retry-After header, seconds or date (RFC 9110 §10.2.3), as milliseconds from now; `undefined` if it is absent
 * or makes no sense.
 */
export function retryAfterMillis(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** How long to wait before the attempt that follows the `attempt`-th: doubling from half a second to ten, jittered. */
export function backoffMillis(attempt: number, random: number): number {
  const ceiling = Math.min(10_000, 500 * 2 ** (attempt - 1));
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}
