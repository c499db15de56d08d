import type { ActivityCall, DayOfCalls, Latency } from '../../preload/contract/activity.ts';
import { isFailed } from '../hub/session-record.ts';

/** What of a call the statistics need. */
export type TimedCall = Pick<ActivityCall, 'startedAt' | 'durationMs' | 'method' | 'outcome'>;

const BUCKET_MS = 15_000;
const BUCKETS = 60;

/** A long-lived request: its duration depends on the client and says nothing about the server (MCP 2026-07-28 › Subscriptions). */
const LONG_LIVED_METHOD = 'subscriptions/listen';

/** How long the calls of the last quarter of an hour took. `newestFirst` are calls in the order in which they ended. */
export function latencyOf(newestFirst: Iterable<TimedCall>, now: number): Latency {
  const durations: number[][] = Array.from({ length: BUCKETS }, () => []);
  for (const { startedAt, durationMs, method } of newestFirst) {
    const age = Math.max(0, now - startedAt - durationMs);
    if (age >= BUCKETS * BUCKET_MS) break;
    if (method !== LONG_LIVED_METHOD) durations[BUCKETS - 1 - Math.floor(age / BUCKET_MS)]?.push(durationMs);
  }
  const sorted = durations.map((bucket) => Float64Array.from(bucket).sort());
  const all = Float64Array.from(durations.flat()).sort();
  return {
    bucketMs: BUCKET_MS,
    buckets: sorted.map((bucket) => ({
      count: bucket.length,
      p50: percentile(bucket, 0.5),
      p95: percentile(bucket, 0.95),
    })),
    count: all.length,
    p50: percentile(all, 0.5),
    p95: percentile(all, 0.95),
    worst: all.at(-1) ?? null,
  };
}

/** The nearest-rank percentile; null of no values. */
function percentile(sorted: Float64Array, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

const HOURS = 24;
const HOUR_MS = 60 * 60_000;

/**
 * The calls of the last day by hours of the clock, the present hour last. `latestFirst` are calls in the order in which
 * they ended.
 * @param isFull whether older calls were dropped
 */
export function dayOf(latestFirst: Iterable<TimedCall>, now: number, isFull: boolean): DayOfCalls {
  const present = new Date(now).setMinutes(0, 0, 0);
  const hours = Array.from({ length: HOURS }, (_, index) => ({
    from: present - (HOURS - 1 - index) * HOUR_MS,
    calls: 0,
    failed: 0,
  }));
  const first = present - (HOURS - 1) * HOUR_MS;
  let oldest: number | null = null;
  let isWhole = false;
  for (const call of latestFirst) {
    const endedAt = call.startedAt + call.durationMs;
    if (endedAt < first) {
      isWhole = true;
      break;
    }
    oldest = endedAt;
    const hour = hours[Math.min(HOURS - 1, Math.floor((endedAt - first) / HOUR_MS))];
    if (!hour) continue;
    hour.calls += 1;
    if (isFailed(call)) hour.failed += 1;
  }
  return { hours, droppedBefore: isFull && !isWhole ? oldest : null };
}
