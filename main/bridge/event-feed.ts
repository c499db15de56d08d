import { createParser, type EventSourceParser } from 'eventsource-parser';
import { toLine } from './frames.ts';

/**
 * Turns the bytes of one event stream into frames: each event's data is one JSON-RPC frame
 * (spec/managed-mcp-endpoints.md › Response, 2). An event that the stream's end cuts off is dropped, as the standard says.
 */
export class EventFeed {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #parser: EventSourceParser;
  /** Bytes that have arrived since the last whole event. */
  pendingBytes = 0;
  /** The id of the last event that had one, for resuming with `Last-Event-ID`. */
  lastEventId: string | undefined;
  /** The delay before reconnecting that the server asked for, in milliseconds. */
  retryMs: number | undefined;

  constructor(onFrame: (frame: Buffer) => void) {
    this.#parser = createParser({
      onEvent: (event) => {
        this.pendingBytes = 0;
        if (event.id !== undefined) this.lastEventId = event.id;
        if (event.data.trim() !== '') onFrame(toLine(Buffer.from(event.data)));
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

  push(chunk: Buffer): void {
    this.pendingBytes += chunk.length;
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
  }
}
