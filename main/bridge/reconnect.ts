import { backoffMs, withinAskedWait } from '../platform/retry.ts';
import type { Outcome, StreamPlace } from './upstream.ts';

/** The waits where the server asks for none: the first, doubled from the second failure on, and the longest. */
const BACKOFF = { firstMs: 1_000, longestMs: 30_000 };
/** The longest wait that a server may ask for here, in milliseconds: a call may wait for what the stream goes on with. */
const LONGEST_ASKED_MS = 60_000;

/**
 * How long to wait before an event stream is opened again, in milliseconds, jittered: never less than the server asked for
 * (MCP › Resumability and Redelivery) within the limits of any such wait, and longer from one failure to the next, whatever
 * it asked for before them.
 */
export function waitBefore(retryMs: number | undefined, failures: number, random: () => number = Math.random): number {
  const backoff = backoffMs(Math.max(1, failures), random(), BACKOFF);
  if (retryMs === undefined) return backoff;
  const asked = Math.min(withinAskedWait(retryMs), LONGEST_ASKED_MS) * (1 + random() / 4);
  return failures === 0 ? asked : Math.max(asked, backoff);
}

/** How far a stream has been read by now, and what its server asked for last. */
export function placeAfter(outcome: Outcome | undefined, before: StreamPlace): StreamPlace {
  if (outcome?.kind !== 'streamed' && outcome?.kind !== 'broken') return before;
  return {
    lastEventId: outcome.place.lastEventId ?? before.lastEventId,
    retryMs: outcome.place.retryMs ?? before.retryMs,
  };
}
