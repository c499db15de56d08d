import type { Writable } from 'node:stream';
import type { FrameSink } from './flow.ts';

const NEWLINE = Buffer.from('\n');
/** Below this size, in bytes, copying a frame together with its newline is cheaper than writing two buffers. */
const SMALL = 16 * 1024;

/**
 * Frames as lines on a stream. One that comes alone leaves at once; where several come in one turn of the event loop they
 * leave in one system call, and in the turn behind it the first waits for the others too.
 */
export class StreamSink implements FrameSink {
  readonly #stream: Writable;
  /** The frames of this turn. */
  #frames = 0;
  /** Whether the turn before had several. */
  #crowded = false;
  #corked = false;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  get buffered(): number {
    return this.#stream.writableLength;
  }

  get flowing(): boolean {
    return !this.#stream.writableNeedDrain;
  }

  write(frame: Buffer): void {
    if (this.#stream.destroyed) return;
    this.#frames += 1;
    if (this.#frames === 1) setImmediate(() => this.#endTurn());
    const isSmall = frame.length < SMALL;
    if (!this.#corked && (this.#crowded || this.#frames > 1 || !isSmall)) {
      this.#corked = true;
      this.#stream.cork();
    }
    if (isSmall) this.#stream.write(Buffer.concat([frame, NEWLINE], frame.length + 1));
    else {
      this.#stream.write(frame);
      this.#stream.write(NEWLINE);
    }
  }

  onDrain(listener: () => void): void {
    this.#stream.on('drain', listener);
  }

  /** Resolves when everything written has left, or nothing can leave any more. */
  async flushed(): Promise<void> {
    const stream = this.#stream;
    if (stream.destroyed || stream.writableLength === 0) return;
    // Not `drain`: that comes only after more was written at once than the stream likes to hold.
    await new Promise<void>((resolve) => {
      stream.once('close', resolve);
      stream.write('', () => resolve());
    });
  }

  #endTurn(): void {
    this.#crowded = this.#frames > 1;
    this.#frames = 0;
    if (!this.#corked) return;
    this.#corked = false;
    this.#stream.uncork();
  }
}
