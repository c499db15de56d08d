import { matchOfIds, parseFrame, rawId, type SendableEnvelope, singleEnvelopeOf } from './frame/frame.ts';
import { eachElement, skipWhiteSpace } from './frame/json-bytes.ts';
import type { ResponseHead } from './http-exchange.ts';

/** Who has answered a request; `nobody` if its client has withdrawn it. */
export type AnsweredBy = 'server' | 'cache' | 'causeway' | 'nobody';

/** A frame of the server's, with the head of the HTTP response that it came in. */
export interface ReceivedFrame {
  frame: Buffer;
  head: ResponseHead;
}

type RequestState =
  | { name: 'waiting' }
  | { name: 'sent' }
  /** After an answer from the cache, the server's own is still expected, and not for the client. */
  | { name: 'answered'; by: AnsweredBy };

/** One client frame from its arrival until it is settled. Only its methods change it. */
export class PendingRequest {
  readonly frame: Buffer;
  readonly envelope: SendableEnvelope;
  readonly method: string;
  /** The request's id as it was written; `null` for a batch, or a frame that is no request. */
  readonly id: string;
  /** When the client's frame came, by `performance.now()`. */
  readonly cameAt = performance.now();
  #state: RequestState = { name: 'waiting' };
  /** The generation of the session that the frame was last sent in. */
  #generation = 0;
  /** The ids of the requests that the server may still answer. */
  readonly #open: string[];
  #hasBegun = false;
  #isMisaddressed = false;
  #stray: ReceivedFrame | 'several' | undefined;

  constructor(frame: Buffer, envelope: SendableEnvelope) {
    this.frame = frame;
    this.envelope = envelope;
    this.method = 'method' in envelope ? envelope.method : envelope.kind;
    this.id = envelope.kind === 'request' ? rawId(frame) : 'null';
    if (envelope.kind === 'batch') this.#open = idsOfBatch(frame);
    else this.#open = envelope.kind === 'request' ? [this.id] : [];
  }

  /** The ids of the requests in the frame that the server has not answered, as they were written. */
  get ids(): readonly string[] {
    return this.#open;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Whether the server has it, and the client waits for the answer. */
  get isInFlight(): boolean {
    return this.#state.name === 'sent' && this.isOpen;
  }

  /** Whether the server may still answer: no answer has come, or only one from the cache. */
  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** Whether the client still waits for an answer. */
  get isAwaited(): boolean {
    return this.#state.name !== 'answered' && this.isOpen;
  }

  get isAnsweredFromCache(): boolean {
    return this.#state.name === 'answered' && this.#state.by === 'cache';
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

  /** Whether the server has begun to answer. From then on the frame must not be sent again. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether the server has answered with another request's id. */
  get isMisaddressed(): boolean {
    return this.#isMisaddressed;
  }

  /** It may be sent in the session of this generation. */
  admitted(generation: number): void {
    this.#generation = generation;
  }

  sent(): void {
    if (this.#state.name === 'waiting') this.#state = { name: 'sent' };
  }

  /** A frame of the server's answer has come. */
  begin(): void {
    this.#hasBegun = true;
  }

  /**
   * A response has come whose id matches no request. Servers mangle ids or omit them, so it is used as the answer if no better
   * one comes. If there are several, none is used.
   * @param stray left out if it is another request's
   */
  misaddressed(stray?: ReceivedFrame): void {
    this.#isMisaddressed = true;
    if (stray) this.#stray = this.#stray ? 'several' : stray;
  }

  /** The response that is used if there was no better one. */
  takeStray(): ReceivedFrame | undefined {
    const stray = this.#stray;
    this.#stray = undefined;
    return stray === 'several' || !this.isOpen ? undefined : stray;
  }

  /**
   * The waiting request that a response with the raw id `responseId` answers, with its id as the client wrote it. Lenient servers
   * send a number as its text.
   */
  requestFor(responseId: string): { id: string; match: 'exactly' | 'roughly' } | undefined {
    const id =
      this.#open.find((each) => each === responseId) ??
      this.#open.find((each) => matchOfIds(responseId, each) || responseId === `"${each}"`);
    return id === undefined ? undefined : { id, match: id === responseId ? 'exactly' : 'roughly' };
  }

  /**
   * Counts its request with this id, or all of them, as answered.
   * @returns the ids that the client still waited for: each is given to one caller, which writes its answer
   */
  settle(by: AnsweredBy, id?: string): string[] {
    const { isAwaited } = this;
    const settled = by === 'cache' ? [...this.#open] : this.#take(id);
    if (by === 'cache' || !this.isOpen) this.#state = { name: 'answered', by };
    return isAwaited ? settled : [];
  }

  #take(id: string | undefined): string[] {
    if (id === undefined) return this.#open.splice(0);
    const at = this.#open.indexOf(id);
    return at < 0 ? [] : this.#open.splice(at, 1);
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
