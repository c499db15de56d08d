import type { Secret } from '../platform/secret.ts';
import { matchOfIds, parseFrame, rawId, type SendableEnvelope, singleEnvelopeOf } from './frame/frame.ts';
import { eachElement, skipWhiteSpace } from './frame/json-bytes.ts';
import type { Ending, ResponseHead } from './http-exchange.ts';

/** What is known about one client frame while it is in flight. */
export class PendingRequest implements Ending {
  readonly frame: Buffer;
  readonly envelope: SendableEnvelope;
  readonly method: string;
  /** Answers that the client still waits for. */
  outstanding: number;
  /** Whether the server has begun to answer. From then on the frame must not be sent again. */
  responseStarted = false;
  /** The generation of the session that the frame was last sent in. */
  generation = 0;
  /** Whether the client was answered from the cache. The server's answer is then not sent to it. */
  silent = false;
  /** Whether the server has answered with another request's id. */
  misaddressed = false;
  /**
   * A response whose id matches no request. Servers mangle ids or omit them, so it is used as the answer if no better one
   * comes. If there are several, none is used.
   */
  stray: { frame: Buffer; head: ResponseHead } | 'several' | undefined;
  sessionLosses = 0;
  repeats = 0;
  /** How many checks of `WaitingRequests` it has waited for a session or a token. */
  checks = 0;
  /** When the client's frame came, by `performance.now()`. */
  readonly cameAt = performance.now();
  /** The token that the workspace refused on the last attempt. */
  rejected: Secret | undefined;
  /** Whether a refusal of that token has been checked against the service's own record. */
  serviceChecked = false;
  /** Called when no answer is outstanding. */
  onAnswered: (() => void) | undefined;
  readonly #unanswered: PendingRequest[];
  #id: string | undefined;
  /** The ids, as written, of a batch's requests that wait for an answer. */
  #ids: string[] | undefined;

  /** @param unanswered collects the requests that have no answer when the bridge is closed */
  constructor(frame: Buffer, envelope: SendableEnvelope, unanswered: PendingRequest[]) {
    this.#unanswered = unanswered;
    this.frame = frame;
    this.envelope = envelope;
    this.method = 'method' in envelope ? envelope.method : envelope.kind;
    this.outstanding = envelope.kind === 'request' ? 1 : envelope.kind === 'batch' ? envelope.requests : 0;
  }

  end(): void {
    if (this.outstanding > 0) this.#unanswered.push(this);
  }

  /** The request's id as it was written. */
  get id(): string {
    this.#id ??= rawId(this.frame);
    return this.#id;
  }

  /** Whether the server may still answer: no answer has come, or only one from the cache. */
  get isOpen(): boolean {
    return this.outstanding > 0 || (this.silent && this.outstanding === 0);
  }

  /** Whether it waits for an answer at all. */
  get isForAnswer(): boolean {
    return this.envelope.kind === 'request' || (this.envelope.kind === 'batch' && this.envelope.requests > 0);
  }

  /**
   * Whether an error may ask for the request once more. Notifications that came before it change nothing about that; of a
   * batch, other requests may have run.
   */
  get mayBeElicited(): boolean {
    return this.envelope.kind === 'request' && this.isOpen;
  }

  /** The ids of the requests in the frame that the server has not answered, as they were written. */
  ids(): string[] {
    if (this.envelope.kind !== 'batch') return this.isOpen ? [this.id] : [];
    return [...this.#waiting()];
  }

  #waiting(): string[] {
    this.#ids ??= idsOfBatch(this.frame);
    return this.#ids;
  }

  /** The waiting request that a response with the raw id `responseId` answers, with its id as the client wrote it. */
  requestFor(responseId: string): { id: string; match: 'exactly' | 'roughly' } | undefined {
    if (!this.isOpen) return undefined;
    if (this.envelope.kind === 'request') {
      const match = matchOfIds(responseId, this.id);
      return match && { id: this.id, match };
    }
    const waiting = this.#waiting();
    const id = waiting.find((each) => each === responseId) ?? waiting.find((each) => matchOfIds(responseId, each));
    return id === undefined ? undefined : { id, match: id === responseId ? 'exactly' : 'roughly' };
  }

  /** Marks the request with this id, as returned by `requestFor`, as answered. */
  answered(id: string): void {
    const at = this.#ids?.indexOf(id) ?? -1;
    if (at >= 0) this.#ids?.splice(at, 1);
    this.outstanding -= 1;
    if (this.outstanding <= 0) this.onAnswered?.();
  }
}

function idsOfBatch(batch: Buffer): string[] {
  const ids: string[] = [];
  for (const { start, end } of eachElement(batch, skipWhiteSpace(batch, 0))) {
    const frame = batch.subarray(start, end);
    if (singleEnvelopeOf(parseFrame(frame)).kind === 'request') ids.push(rawId(frame));
  }
  return ids;
}
