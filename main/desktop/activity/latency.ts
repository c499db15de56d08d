import type { ActivityCall, Latency } from '../../../preload/contract.ts';

const BUCKET_MILLIS = 15_000;
const BUCKETS = 60;

/** Open for as long as the client likes: how long says nothing about the server (MCP 2026-07-28 › Subscriptions). */
const STANDING = 'subscriptions/listen';

/** How long the calls of the last quarter of an hour took. `newestFirst` are calls in the order in which they ended. */
export function latencyOf(newestFirst: Iterable<ActivityCall>, now: number): Latency {
  const durations: number[][] = Array.from({ length: BUCKETS }, () => []);
  for (const { startedAt, durationMs, method } of newestFirst) {
    const age = Math.max(0, now - startedAt - durationMs);
    if (age >= BUCKETS * BUCKET_MILLIS) break;
    if (method !== STANDING) durations[BUCKETS - 1 - Math.floor(age / BUCKET_MILLIS)]?.push(durationMs);
  }
  const sorted = durations.map((bucket) => Float64Array.from(bucket).sort());
  const all = Float64Array.from(durations.flat()).sort();
  return {
    bucketMillis: BUCKET_MILLIS,
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

/** The smallest value that at least this share of all reaches not beyond; null of none. */
function percentile(sorted: Float64Array, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
