import type { HttpOutcome, StreamPlace } from './http-exchange.ts';
import { placeAfter, waitBefore } from './server-stream.ts';

/** How many times in a row resuming may bring no event. A server that wants to be polled brings events. */
const MAX_FRUITLESS = 7;

/** An answer whose stream was read to some place. */
export type Streamed = Extract<HttpOutcome, { place: StreamPlace }>;

export interface Resumption {
  listen(place: StreamPlace): Promise<HttpOutcome>;
  wait(delayMs: number): Promise<void>;
  /** Whether the outstanding answer has come. */
  isAnswered(): boolean;
}

/**
 * Resumes an event stream that ended before its answer, from the last event that was read, until the answer has
 * come or the server refuses. Returns the last outcome.
 */
export async function resume(
  cut: Streamed,
  { listen, wait, isAnswered }: Resumption,
  random: () => number = Math.random,
): Promise<HttpOutcome> {
  let last = cut;
  let { place } = cut;
  for (let fruitless = 0; place.lastEventId !== undefined && !isAnswered() && fruitless < MAX_FRUITLESS; ) {
    await wait(waitBefore(place.retryMs, fruitless, random));
    const outcome = await listen(place);
    if (outcome.kind === 'too-long') return outcome;
    // A server that answers a resumption with an error does not have the stream any more.
    if (outcome.kind !== 'streamed' && outcome.kind !== 'broken') return isAnswered() ? outcome : cut;
    const reached = placeAfter(outcome, place);
    fruitless = reached.lastEventId === place.lastEventId ? fruitless + 1 : 0;
    place = reached;
    last = outcome;
  }
  return last;
}
