import { createParser, type EventSourceParser } from 'eventsource-parser';
import { BUDGETS } from '../platform/budgets.ts';
import { parseText } from './frame/frame.ts';
import { toLine } from './frame/splitter.ts';
import { MAX_FRAME_BYTES } from './limits.ts';

/** The longest event id that is kept, in bytes: no server accepts a longer header. */
const MAX_ID_BYTES = 4 * 1024;
/** Characters that no header can hold. An id with one of them is ignored, as the standard does with NUL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const UNSENDABLE = /[\x00-\x08\x0a-\x1f\x7f]/;

/**
 * Turns the bytes of one event stream into frames: each event's data is one JSON-RPC frame
 * (spec/managed-mcp-endpoints.md › Response, 2). Some servers write a frame into each line of data, or end the stream without the
 * blank line that ends an event: what is complete counts. An event that the stream's end cuts off is dropped, as the standard says.
 */
export class EventStreamParser {
  readonly #onFrame: (frame: Buffer) => void;
  readonly #decoder = new TextDecoder('utf-8');
  readonly #lines = new LineFeeds();
  readonly #parser: EventSourceParser;
  /** Bytes that have arrived since the last blank line, which ends an event: heartbeats do not count. */
  pendingBytes = 0;
  /** Lines that have arrived since then. */
  #pendingLines = 0;
  /** Bytes that have arrived since the last frame, whatever they were. */
  #bytesSinceFrame = 0;
  #endedWithLine = true;
  /** Whether the stream has ended, so that what is not complete never will be. */
  #hasEnded = false;
  /** The id of the last event that had one, for resuming with `Last-Event-ID`. */
  lastEventId: string | undefined;
  /** The delay before reconnecting that the server asked for, in milliseconds. */
  retryMs: number | undefined;

  constructor(onFrame: (frame: Buffer) => void) {
    this.#onFrame = onFrame;
    this.#parser = this.#createParser();
  }

  push(chunk: Buffer): void {
    this.pendingBytes += chunk.length;
    this.#bytesSinceFrame += chunk.length;
    const text = this.#lines.of(this.#decoder.decode(chunk, { stream: true }));
    this.#parser.feed(text);
    const ended = this.#behindBlankLine(text);
    if (ended > 0) {
      this.pendingBytes = Buffer.byteLength(text.slice(ended));
      this.#pendingLines = 0;
    }
    for (let at = text.indexOf('\n', ended); at !== -1; at = text.indexOf('\n', at + 1)) this.#pendingLines += 1;
    if (text !== '') this.#endedWithLine = text.endsWith('\n');
  }

  /** The stream has ended as it should: what it holds of an event counts if that is complete. */
  end(): void {
    this.#hasEnded = true;
    this.#parser.feed(`${this.#lines.of(this.#decoder.decode())}\n\n`);
  }

  /** The position behind the last blank line; 0 if there is none. */
  #behindBlankLine(text: string): number {
    const last = text.lastIndexOf('\n\n');
    if (last >= 0) return last + 2;
    return this.#endedWithLine && text.startsWith('\n') ? 1 : 0;
  }

  /** Whether the part of an event that has arrived is already longer than a frame may be, or the stream goes on without any. */
  get isTooLong(): boolean {
    return this.pendingBytes > MAX_FRAME_BYTES || this.#pendingLines > BUDGETS.eventLines || this.#isEmpty;
  }

  /** Whether comments and empty events have come without end. */
  get #isEmpty(): boolean {
    return this.#bytesSinceFrame - this.pendingBytes > BUDGETS.emptyEventBytes;
  }

  #reached(id: string | undefined): void {
    // A copy: a slice of a string keeps the whole string in memory.
    if (id !== undefined && id.length <= MAX_ID_BYTES && !UNSENDABLE.test(id))
      this.lastEventId = Buffer.from(id).toString();
  }

  #createParser(): EventSourceParser {
    return createParser({
      onEvent: (event) => {
        const frames = framesIn(event.data);
        if (this.#hasEnded && (frames.length === 0 || !frames.every(isComplete))) return;
        this.#reached(event.id);
        for (const frame of frames) {
          this.#bytesSinceFrame = 0;
          this.#onFrame(toLine(Buffer.from(frame)));
        }
      },
      // Heartbeats are not kept: counted, they would look like an event that never ends.
      onComment: (comment) => {
        this.pendingBytes = Math.max(0, this.pendingBytes - Buffer.byteLength(comment) - 2);
        this.#pendingLines -= 1;
      },
      onRetry: (retryMs) => {
        this.retryMs = retryMs;
      },
    });
  }
}

/** The frames of one event's data, mostly one. A frame may have line ends in it; otherwise each line is a frame. */
function framesIn(data: string): string[] {
  if (data.trim() === '') return [];
  if (!data.includes('\n')) return [data];
  const lines = data.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 && lines.every(isComplete) ? lines : [data];
}

/** Whether a text is all of a frame. */
function isComplete(text: string): boolean {
  return /^\s*[[{]/.test(text) && parseText(text) !== undefined;
}

/**
 * Turns every line end of an event stream into a line feed. After a carriage return, the parser waits for the next character,
 * which comes with the next event or never if a stream has no other line ends.
 */
class LineFeeds {
  #endedWithReturn = false;

  of(text: string): string {
    if (text === '') return text;
    const rest = this.#endedWithReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.#endedWithReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replaceAll(/\r\n?/g, '\n') : rest;
  }
}
