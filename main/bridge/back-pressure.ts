/** How many bytes of answers may wait in memory for a client that has stopped reading. */
const DEFAULT_LIMIT_BYTES = 4 * 1024 * 1024;
/** An answer of up to this size, in bytes, never waits for a larger one. */
const SMALL_BYTES = 32 * 1024;

/** Where frames for the client go: a process's stdout, or a socket of the hub. */
export interface FrameSink {
  /** Sends one frame; the sink adds the newline. */
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

/** The same sink, but its frames go to `write` instead. */
export function intercept(sink: FrameSink, write: (frame: Buffer) => void): FrameSink {
  return {
    write,
    get buffered() {
      return sink.buffered;
    },
    get flowing() {
      return sink.flowing;
    },
    onDrain: (listener) => sink.onDrain(listener),
    flushed: () => sink.flushed(),
  };
}

/** An answer that is being read from the network. */
export interface Reader {
  resume(): void;
  /** Its bytes in memory that have not reached the sink. */
  readonly held: number;
}

/**
 * Keeps memory bounded when a client stops reading: answers are read from the network only while the bytes held stay
 * under a limit. While the client reads, one preferred answer does not count: a single large answer still arrives and
 * delays no other. Small answers always get through.
 */
export class FlowControl {
  readonly #sink: FrameSink;
  readonly #limit: number;
  readonly #paused = new Set<Reader>();
  #held = 0;
  #favoured: Reader | undefined;

  constructor(sink: FrameSink, limitBytes: number = DEFAULT_LIMIT_BYTES) {
    this.#sink = sink;
    this.#limit = limitBytes;
    sink.onDrain(() => this.#wake());
  }

  /** A chunk of an answer has arrived. Returns whether `reader` must stop reading until it is resumed. */
  arrived(reader: Reader, bytes: number): boolean {
    this.#held += bytes;
    if (this.#mayRead(reader)) return false;
    this.#paused.add(reader);
    return true;
  }

  /** `bytes` of an unfinished answer have reached the sink. */
  passedOn(reader: Reader, bytes: number): void {
    this.#held -= bytes;
    if (this.#favoured === reader && reader.held < SMALL_BYTES) this.#favoured = undefined;
    this.#wake();
  }

  /** The answer has ended, whole or broken; its last `bytes` have reached the sink or were dropped. */
  ended(reader: Reader, bytes: number): void {
    this.#held -= bytes;
    if (this.#favoured === reader) this.#favoured = undefined;
    this.#paused.delete(reader);
    this.#wake();
  }

  #mayRead(reader: Reader): boolean {
    const waiting = this.#held + this.#sink.buffered;
    if (waiting < this.#limit) return true;
    if (!this.#sink.flowing) return false;
    if (reader.held < SMALL_BYTES || waiting - (this.#favoured?.held ?? 0) < this.#limit) return true;
    this.#favoured ??= reader;
    return this.#favoured === reader;
  }

  #wake(): void {
    for (const reader of this.#paused) {
      if (!this.#mayRead(reader)) continue;
      this.#paused.delete(reader);
      reader.resume();
    }
  }
}
