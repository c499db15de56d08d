import { earlyAnswer, handshakeMs, isUrgent, type Remembered } from '../bridge/early-answer.ts';
import { DeclaredFeatures } from '../bridge/features.ts';
import { parseFrame } from '../bridge/frame/frame.ts';
import { ANSWER_TIMEOUTS } from '../bridge/waiting-requests.ts';

/** How much longer than a bridge this waits, in milliseconds: the bridge's own early answer comes first. */
const MARGIN_MS = 30;
/** The longest frame that is read as an opening request or a ping, in bytes. */
const MAX_BEGINNING_BYTES = 64 * 1024;

export interface EarlyAnswersPort {
  /** Left out, nothing is answered early. */
  remembered: Remembered | undefined;
  /** Gives the client its answer to the request with this raw id. */
  answer(id: string, frame: Buffer): void;
  failed(error: unknown): void;
}

/** Answers pings, and requests that begin a session, if no transport answers them soon: clients give up on those first. */
export class EarlyAnswers {
  readonly #port: EarlyAnswersPort;
  /** The requests without an answer, by raw id, each with the timer that answers it. */
  readonly #waiting = new Map<string, NodeJS.Timeout>();
  readonly #features = new DeclaredFeatures();
  /** The raw id of the opening request that was answered early, until its own answer comes. */
  #opening: string | undefined;
  #isClosed = false;

  constructor(port: EarlyAnswersPort) {
    this.#port = port;
  }

  /** Whether no request waits for its answer. */
  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  /** The client has sent a frame. */
  received(frame: Buffer, { id, method }: { id: string | undefined; method: string | undefined }): void {
    const { remembered } = this.#port;
    if (!remembered || id === undefined || !isUrgent(method) || frame.length > MAX_BEGINNING_BYTES) return;
    const answer = async () => {
      const early = await earlyAnswer(frame, method, remembered);
      if (!this.#waiting.delete(id) || !early || this.#isClosed) return;
      if (method !== 'ping') this.#declared(id, early);
      this.#port.answer(id, early);
    };
    // What is remembered is looked for only once an answer is late: most are not.
    const later = async () => {
      const moreMs = (await handshakeMs(frame, method, remembered)) - ANSWER_TIMEOUTS.handshakeMs;
      if (this.#waiting.has(id) && moreMs > 0) this.#wait(id, moreMs, answer);
      else await answer();
    };
    this.#wait(id, ANSWER_TIMEOUTS.handshakeMs + MARGIN_MS, later);
  }

  #wait(id: string, delayMs: number, then: () => Promise<void>): void {
    const late = () => void then().catch((error: unknown) => this.#port.failed(error));
    this.#waiting.set(id, setTimeout(late, delayMs));
  }

  /** The answer to a request for what the server does not offer, although the client was told so from here. */
  answerInstead(frame: Buffer, method: string | undefined): Buffer | undefined {
    return method === undefined ? undefined : this.#features.answerInstead(frame, method);
  }

  /** The server's own answer to a request that was answered early. @returns notifications for the client */
  answeredLate(id: string, frame: Buffer): Buffer[] {
    if (id !== this.#opening) return [];
    this.#opening = undefined;
    return this.#features.learned(parseFrame(frame));
  }

  #declared(id: string, answer: Buffer): void {
    this.#opening = id;
    this.#features.declared(answer);
  }

  /** The answer to the request with this raw id has come. */
  answered(id: string): void {
    clearTimeout(this.#waiting.get(id));
    this.#waiting.delete(id);
  }

  /** Answers none of the requests that wait now. */
  clear(): void {
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }

  /** Stops answering. */
  close(): void {
    this.#isClosed = true;
    this.clear();
  }
}
