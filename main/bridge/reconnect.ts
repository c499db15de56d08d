import type { Outcome, StreamPlace } from './upstream.ts';

/** The waits where the server asks for none, in milliseconds: the first, doubled from the second failure on, and the longest. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * How long to wait before an event stream is opened again, in milliseconds, jittered: never less than the server asked for
 * (MCP › Resumability and Redelivery), and longer from one failure to the next, whatever it asked for before them.
 */
export function waitBefore(retryMs: number | undefined, failures: number, random: () => number = Math.random): number {
  const backoff = Math.min(FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1), LONGEST_WAIT_MS) * (0.75 + random() / 2);
  const asked = (retryMs ?? 0) * (1 + random() / 4);
  return retryMs !== undefined && failures === 0 ? asked : Math.max(asked, backoff);
}

/** How far a stream has been read by now, and what its server asked for last. */
export function placeAfter(outcome: Outcome | undefined, before: StreamPlace): StreamPlace {
  if (outcome?.kind !== 'streamed' && outcome?.kind !== 'broken') return before;
  return {
    lastEventId: outcome.place.lastEventId ?? before.lastEventId,
    retryMs: outcome.place.retryMs ?? before.retryMs,
  };
}
