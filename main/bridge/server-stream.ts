import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, withinAskedWait } from '../platform/retry.ts';
import type { HttpOutcome, StreamPlace } from './http-exchange.ts';
import type { Session } from './session.ts';
import type { ProtocolAdapter } from './stateless/adapter.ts';

/** Statuses for a server without its own stream: 405 by the specification, 404 from Databricks. */
const NO_STREAM = new Set([400, 404, 405, 406, 501]);

/** The minimum delay before the stream is reopened, in milliseconds, whatever the server asks for: no request waits for it. */
const LEAST_WAIT_MS = 1_000;

export interface ServerStreamEvents {
  frame(frame: Buffer): void;
  /** A stream that was open before is now refused: its session is gone. */
  sessionLost(): void;
}

/**
 * The server's own stream of a session (MCP › Listening for Messages from the Server): opened once the session is,
 * resumed from its last event when it is cut, and reopened after an outage of any length. A server without such a stream is
 * not asked again.
 */
export class ServerStream {
  readonly #server: ProtocolAdapter;
  readonly #events: ServerStreamEvents;
  #current: AbortController | undefined;
  /** Whether the server has its own stream, or may have one. */
  isOpen = false;

  constructor(server: ProtocolAdapter, events: ServerStreamEvents) {
    this.#server = server;
    this.#events = events;
  }

  /** Listens to this session, and stops listening to any other. */
  start(session: Session): void {
    this.stop();
    const current = new AbortController();
    this.#current = current;
    this.isOpen = true;
    void this.#listen(session, AbortSignal.any([current.signal, this.#server.signal])).finally(() => {
      if (this.#current === current) this.isOpen = false;
    });
  }

  /** Whether it was started for the present session, even if the server has no such stream. */
  get isStarted(): boolean {
    return this.#current !== undefined;
  }

  stop(): void {
    this.#current?.abort(new Error('the session has ended'));
    this.#current = undefined;
    this.isOpen = false;
  }

  async #listen(session: Session, signal: AbortSignal): Promise<void> {
    let place: StreamPlace = { lastEventId: undefined, retryMs: undefined };
    let hadStream = false;
    for (let failures = 0; !signal.aborted; ) {
      let streams = false;
      const outcome = await this.#once(session, place, signal, () => {
        streams = true;
      });
      if (signal.aborted) return;
      if (outcome && isWithoutStream(outcome)) {
        if (hadStream && outcome.kind === 'refused') this.#events.sessionLost();
        return;
      }
      if (outcome?.kind === 'streamed') streams = true;
      hadStream ||= streams;
      const isTooLong = outcome?.kind === 'too-long';
      failures = streams && !isTooLong ? 0 : failures + 1;
      // Resuming at the same place would read the oversized event again.
      place = isTooLong ? { lastEventId: undefined, retryMs: place.retryMs } : placeAfter(outcome, place);
      await sleep(Math.max(LEAST_WAIT_MS, waitBefore(place.retryMs, failures)), undefined, { signal }).catch(() => {});
    }
  }

  /** Listens on one connection. Undefined if no token is available, which is retried like an outage. */
  async #once(
    session: Session,
    place: StreamPlace,
    signal: AbortSignal,
    onAlive: () => void,
  ): Promise<HttpOutcome | undefined> {
    try {
      return await this.#server.listen(
        session,
        place,
        (frame) => {
          onAlive();
          this.#events.frame(frame);
        },
        signal,
      );
    } catch {
      return undefined;
    }
  }
}

/** Whether an answer is that of a server without such a stream, or whose session is gone. */
function isWithoutStream(outcome: HttpOutcome): boolean {
  if (outcome.kind === 'refused') return NO_STREAM.has(outcome.head.status);
  return outcome.kind === 'frame' || outcome.kind === 'accepted';
}

/** The delays if the server asks for none: the first, doubled from the second failure on, and the longest. */
const BACKOFF = { firstMs: 1_000, longestMs: 30_000 };
/** The longest delay that a server may ask for here, in milliseconds: a call may be waiting for the rest of the stream. */
const LONGEST_ASKED_MS = 60_000;

/**
 * The delay before an event stream is reopened, in milliseconds, with jitter. It is never less than the server asked for
 * (MCP › Resumability and Redelivery), within the limits of such delays, and grows from one failure to the next.
 */
export function waitBefore(retryMs: number | undefined, failures: number, random: () => number = Math.random): number {
  const backoff = backoffMs(Math.max(1, failures), random(), BACKOFF);
  if (retryMs === undefined) return backoff;
  const asked = Math.min(withinAskedWait(retryMs), LONGEST_ASKED_MS) * (1 + random() / 4);
  return failures === 0 ? asked : Math.max(asked, backoff);
}

/** How far a stream has been read, and the delay that its server asked for last. */
function placeAfter(outcome: HttpOutcome | undefined, before: StreamPlace): StreamPlace {
  if (outcome?.kind !== 'streamed' && outcome?.kind !== 'broken') return before;
  return {
    lastEventId: outcome.place.lastEventId ?? before.lastEventId,
    retryMs: outcome.place.retryMs ?? before.retryMs,
  };
}

/** How many times in a row resuming may yield no event. A server that wants to be polled sends events. */
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
    // A server that answers a resumption with an error does not have the stream anymore.
    if (outcome.kind !== 'streamed' && outcome.kind !== 'broken') return isAnswered() ? outcome : cut;
    const reached = placeAfter(outcome, place);
    fruitless = reached.lastEventId === place.lastEventId ? fruitless + 1 : 0;
    place = reached;
    last = outcome;
  }
  return last;
}
