/** How many bytes of answers may wait in memory for a client that has stopped reading. */
const DEFAULT_LIMIT_BYTES = 4 * 1024 * 1024;

/** Where frames for the client go: a process's stdout, or a socket of the hub. */
export interface FrameSink {
  /** Sends one frame; the newline behind it is the sink's. */
  write(frame: Buffer): void;
  /** Bytes that were written but have not left this process. */
  readonly buffered: number;
  /** False while the client does not read as fast as frames come. */
  readonly flowing: boolean;
  /** Calls back each time the client has caught up. */
  onDrain(listener: () => void): void;
  /** Resolves when everything written has left, or the client has gone. */
  flushed(): Promise<void>;
}

/** An answer that is being read from the network and can be told to go on. */
export interface Reader {
  resume(): void;
}

/**
 * Keeps memory bounded when a client stops reading: answers are read from the network only while the bytes held stay
 * under a limit. While the client does read, one favoured answer may exceed it, so that a single large one still arrives.
 */
export class FlowControl {
  readonly #sink: FrameSink;
  readonly #limit: number;
  readonly #paused = new Set<Reader>();
  #partial = 0;
  #favoured: Reader | undefined;

  constructor(sink: FrameSink, limitBytes: number = DEFAULT_LIMIT_BYTES) {
    this.#sink = sink;
    this.#limit = limitBytes;
    sink.onDrain(() => this.#wake());
  }

  /** A chunk of an answer has arrived. Tells whether `reader` must stop reading until it is resumed. */
  arrived(reader: Reader, bytes: number): boolean {
    this.#partial += bytes;
    if (!this.#full()) return false;
    if (this.#sink.flowing) {
      this.#favoured ??= reader;
      if (this.#favoured === reader) return false;
    }
    this.#paused.add(reader);
    return true;
  }

  /** `bytes` of an answer have gone on to the sink, or were dropped. */
  passedOn(bytes: number): void {
    this.#partial -= bytes;
  }

  /** The answer has ended, whole or broken. */
  ended(reader: Reader): void {
    if (this.#favoured === reader) this.#favoured = undefined;
    this.#paused.delete(reader);
    if (this.#paused.size > 0) this.#wake();
  }

  #full(): boolean {
    return this.#partial + this.#sink.buffered >= this.#limit;
  }

  #wake(): void {
    for (const reader of this.#paused) {
      if (this.#full()) {
        if (!this.#sink.flowing) return;
        this.#favoured ??= reader;
        if (this.#favoured !== reader) continue;
      }
      this.#paused.delete(reader);
      reader.resume();
    }
  }
}
