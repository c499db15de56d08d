/** A client's request. It gets one answer, or none if it is cancelled. */
export class RoutedRequest {
  /** As it was written. */
  readonly id: string;
  readonly method: string;
  readonly #write: (answer: Buffer | undefined) => void;
  readonly #notify: (notification: Buffer) => void;
  #isOver = false;

  /** @param write receives the answer, or undefined if the request gets none */
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

  /** Only the first call has an effect. */
  reply(answer: Buffer): void {
    this.#end(answer);
  }

  cancel(): void {
    this.#end(undefined);
  }

  /** A progress notification. It is dropped after the answer. */
  progress(notification: Buffer): void {
    if (!this.#isOver) this.#notify(notification);
  }

  #end(answer: Buffer | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#write(answer);
  }
}
