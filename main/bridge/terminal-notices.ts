import { inOneLine } from '../platform/errors.ts';
import type { SilentHostError } from '../platform/silent-host.ts';
import { ANSWER_TIMEOUTS } from './answer-cache.ts';
import type { Endpoint } from './endpoint.ts';

/** What a user at a terminal is told while there is no session. */
export class TerminalNotices {
  readonly #onWord: Endpoint['onWord'];
  readonly #waitingWords: () => string;
  #told: string | undefined;

  constructor(onWord: Endpoint['onWord'], waitingWords: () => string) {
    this.#onWord = onWord;
    this.#waitingWords = waitingWords;
  }

  /** Says so where the server takes long to open a session. */
  async during(opening: Promise<void>): Promise<void> {
    if (!this.#onWord) return opening;
    const timer = setTimeout(() => this.#onWord?.(this.#waitingWords()), ANSWER_TIMEOUTS.wordMs);
    timer.unref();
    await opening.finally(() => clearTimeout(timer));
  }

  /** Says why a silent host was given up, once. */
  gaveUp(error: SilentHostError): void {
    const words = inOneLine(error);
    if (words !== this.#told) this.#onWord?.(words);
    this.#told = words;
  }
}
