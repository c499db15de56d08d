import type { Outcome, StreamPlace } from './upstream.ts';

/** The wait before resuming where the server asks for none, in milliseconds; doubled after each failure, whatever it asks for. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** How many times in a row resuming may bring nothing. A server that closes on purpose and is polled brings events. */
const FRUITLESS = 8;

export interface Resumption {
  listen(place: StreamPlace): Promise<Outcome>;
  wait(milliseconds: number): Promise<void>;
  /** Whether the answer that is owed has come. */
  isAnswered(): boolean;
}

/**
 * Resumes an event stream that ended before its answer, from the last event that was read, until the answer is there or
 * the server will not. Gives the last outcome.
 */
export async function resume(cut: Outcome, { listen, wait, isAnswered }: Resumption): Promise<Outcome> {
  let last = cut;
  let place = placeOf(cut);
  for (let fruitless = 0; place?.lastEventId !== undefined && !isAnswered() && fruitless < FRUITLESS; ) {
    const backoff = Math.min(FIRST_WAIT_MS * 2 ** fruitless, LONGEST_WAIT_MS);
    const isFirst = fruitless === 0 && place.retryMs !== undefined;
    await wait(isFirst ? (place.retryMs ?? 0) : Math.max(place.retryMs ?? 0, backoff));
    last = await listen(place);
    const reached = placeOf(last);
    // A server that answers a resumption with an error does not have the stream any more.
    if (!reached && last.kind !== 'streamed') return isAnswered() ? last : cut;
    const moved = reached?.lastEventId !== undefined && reached.lastEventId !== place.lastEventId;
    fruitless = moved ? 0 : fruitless + 1;
    place = { lastEventId: reached?.lastEventId ?? place.lastEventId, retryMs: reached?.retryMs ?? place.retryMs };
  }
  return last;
}

function placeOf(outcome: Outcome): StreamPlace | undefined {
  return outcome.kind === 'streamed' || outcome.kind === 'broken' ? outcome.place : undefined;
}
