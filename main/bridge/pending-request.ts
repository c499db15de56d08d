import type { Secret } from '../platform/secret.ts';
import { matchOfIds, parseFrame, rawId, type SendableEnvelope, singleEnvelopeOf } from './frame/frame.ts';
import { eachElement, skipWhiteSpace } from './frame/json-bytes.ts';
import type { Ending, ResponseHead } from './http-exchange.ts';

/** What is known of one frame of the client's while it is on its way. */
export class PendingRequest implements Ending {
  place = -1;
  /** What stands for it among those that wait for an answer. */
  readonly openEntry = { place: -1, pending: this };
  readonly frame: Buffer;
  readonly envelope: SendableEnvelope;
  readonly method: string;
  /** Answers that the client still waits for. */
  outstanding: number;
  /** Whether the server has begun to answer: from then on nothing may be sent again. */
  responseStarted = false;
  /** The generation of the session that the frame was last sent in. */
  generation = 0;
  /** Whether the client was answered from memory: what the server says goes no further. */
  silent = false;
  /** Whether the server has answered with another request's id. */
  misaddressed = false;
  /**
   * A response with an id that is nobody's, which may be meant as the answer if no better one comes: servers mangle ids, or
   * forget them. Of several, none can be told to be it.
   */
  stray: { frame: Buffer; head: ResponseHead } | 'several' | undefined;
  sessionLosses = 0;
  repeats = 0;
  /** How often it was found to wait for a session or a token. */
  checks = 0;
  /** The token that the workspace refused on the last attempt. */
  rejected: Secret | undefined;
  /** Called when nothing is owed any more. */
  onAnswered: (() => void) | undefined;
  readonly #cutOff: PendingRequest[];
  #id: string | undefined;
  /** The ids of a batch's requests that wait, as they were written. */
  #ids: string[] | undefined;

  /** @param cutOff where the request is noted if the bridge is closed before its answer has come */
  constructor(frame: Buffer, envelope: SendableEnvelope, cutOff: PendingRequest[]) {
    this.#cutOff = cutOff;
    this.frame = frame;
    this.envelope = envelope;
    this.method = 'method' in envelope ? envelope.method : envelope.kind;
    this.outstanding = envelope.kind === 'request' ? 1 : envelope.kind === 'batch' ? envelope.requests : 0;
  }

  end(): void {
    if (this.outstanding > 0) this.#cutOff.push(this);
  }

  /** The request's id as it was written. */
  get id(): string {
    this.#id ??= rawId(this.frame);
    return this.#id;
  }

  /** Whether the server may answer: it has not, or only the memory has. */
  get isOpen(): boolean {
    return this.outstanding > 0 || (this.silent && this.outstanding === 0);
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

  /** Which of the requests that wait a response with the raw id `responseId` answers, as the client wrote its id. */
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

  /** The request with this id, as `requestFor` gave it, has its answer. */
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
