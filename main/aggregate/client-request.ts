/** A request of the client's, which gets one answer or, once it is cancelled, none. */
export class RoutedRequest {
  /** As it was written. */
  readonly id: string;
  readonly method: string;
  readonly #write: (answer: Buffer | undefined) => void;
  readonly #notify: (notification: Buffer) => void;
  #isOver = false;

  /** @param write takes the answer, or undefined if there is to be none */
  constructor(
    id: string,
    method: string,
    write: (answer: Buffer | undefined) => void,
    notify: (notification: Buffer) => void,
  ) {
    this.id = id;
    this.method = method;
    this.#write = write;
    this.#notify = notify;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Any but the first call does nothing. */
  reply(answer: Buffer): void {
    this.#end(answer);
  }

  cancel(): void {
    this.#end(undefined);
  }

  /** A notification of progress, which comes before the answer or not at all. */
  progress(notification: Buffer): void {
    if (!this.#isOver) this.#notify(notification);
  }

  #end(answer: Buffer | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#write(answer);
  }
}
