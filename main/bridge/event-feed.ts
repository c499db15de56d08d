import { createParser, type EventSourceParser } from 'eventsource-parser';
import { toLine } from './frames.ts';
import { plainEvent } from './plain-event.ts';

/**
 * Turns the bytes of one event stream into frames: each event's data is one JSON-RPC frame
 * (spec/managed-mcp-endpoints.md › Response, 2). An event that the stream's end cuts off is dropped, as the standard says.
 */
export class EventFeed {
  readonly #onFrame: (frame: Buffer) => void;
  /** Reads everything from the first event on that is not plain. */
  #parse: ((chunk: Buffer) => void) | undefined;
  /** Bytes that have arrived since the last whole event. */
  pendingBytes = 0;
  /** The id of the last event that had one, for resuming with `Last-Event-ID`. */
  lastEventId: string | undefined;
  /** The delay before reconnecting that the server asked for, in milliseconds. */
  retryMs: number | undefined;
  #begun = false;

  constructor(onFrame: (frame: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  push(chunk: Buffer): void {
    const rest = this.#parse ? chunk : this.#readPlain(chunk);
    if (rest.length === 0) return;
    this.pendingBytes += rest.length;
    this.#parse ??= this.#openParser();
    this.#parse(rest);
  }

  /** Reads as many plain events as the chunk begins with, and gives what is left. */
  #readPlain(chunk: Buffer): Buffer {
    let at = 0;
    while (at < chunk.length) {
      const event = plainEvent(chunk, at);
      if (!event) break;
      this.#begun = true;
      if (event.id !== undefined) this.lastEventId = event.id;
      this.#onFrame(event.data);
      at = event.end;
    }
    return at === 0 ? chunk : chunk.subarray(at);
  }

  #openParser(): (chunk: Buffer) => void {
    // A byte order mark counts at the beginning of the stream alone.
    const decoder = new TextDecoder('utf-8', { ignoreBOM: this.#begun });
    const parser = this.#createParser();
    if (this.#begun) parser.feed('\n');
    return (chunk) => parser.feed(decoder.decode(chunk, { stream: true }));
  }

  #createParser(): EventSourceParser {
    return createParser({
      onEvent: (event) => {
        this.pendingBytes = 0;
        if (event.id !== undefined) this.lastEventId = event.id;
        if (event.data.trim() !== '') this.#onFrame(toLine(Buffer.from(event.data)));
      },
      // Heartbeats are not kept: counted, they would look like an event that never ends.
      onComment: (comment) => {
        this.pendingBytes = Math.max(0, this.pendingBytes - comment.length - 2);
      },
      onRetry: (retryMs) => {
        this.retryMs = retryMs;
      },
    });
  }
}
