import { earlyAnswer, isUrgent, type Remembered } from '../bridge/early-answer.ts';

/** How long a client waits for the answer to a ping or an opening request before it is answered here, in milliseconds. */
const EARLY_MS = 180;
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
      if (this.#waiting.delete(id) && early && !this.#isClosed) this.#port.answer(id, early);
    };
    const late = () => void answer().catch((error: unknown) => this.#port.failed(error));
    this.#waiting.set(id, setTimeout(late, EARLY_MS));
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
