import { isUtf8 } from 'node:buffer';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import { toLine } from './frame/splitter.ts';
import { MAX_FRAME_BYTES } from './limits.ts';

/** The most lines of one event: each takes up a hundred bytes besides itself. */
const MAX_EVENT_LINES = 1_000_000;
/** The longest event id that is kept, in bytes: no server accepts a longer header. */
const MAX_ID_BYTES = 4 * 1024;
/** What no header can hold. An id with one of these is passed over, as the standard does with NUL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const UNSENDABLE = /[\x00-\x08\x0a-\x1f\x7f]/;

/**
 * Turns the bytes of one event stream into frames: each event's data is one JSON-RPC frame
 * (spec/managed-mcp-endpoints.md › Response, 2). An event that the stream's end cuts off is dropped, as the standard says.
 */
export class EventFeed {
  readonly #onFrame: (frame: Buffer) => void;
  /** Parses everything from the first event on that `plainEvent` does not read. */
  #parse: ((chunk: Buffer) => void) | undefined;
  /** Bytes that have arrived since the last whole event. */
  pendingBytes = 0;
  /** Lines that have arrived since the last whole event. */
  #pendingLines = 0;
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

  /** Reads the plain events at the beginning of the chunk, and returns the rest. */
  #readPlain(chunk: Buffer): Buffer {
    let at = 0;
    while (at < chunk.length) {
      const event = plainEvent(chunk, at);
      if (!event) break;
      this.#begun = true;
      this.#reached(event.id);
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
    const lines = new LineFeeds();
    return (chunk) => {
      const text = lines.of(decoder.decode(chunk, { stream: true }));
      for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#pendingLines += 1;
      parser.feed(text);
    };
  }

  /** Whether what has arrived of an event is more than a frame may be. */
  get isTooLong(): boolean {
    return this.pendingBytes > MAX_FRAME_BYTES || this.#pendingLines > MAX_EVENT_LINES;
  }

  #reached(id: string | undefined): void {
    // A copy: a slice of a string keeps the whole string in memory.
    if (id !== undefined && id.length <= MAX_ID_BYTES && !UNSENDABLE.test(id))
      this.lastEventId = Buffer.from(id).toString();
  }

  #createParser(): EventSourceParser {
    return createParser({
      onEvent: (event) => {
        this.pendingBytes = 0;
        this.#pendingLines = 0;
        this.#reached(event.id);
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

/**
 * Turns every line end of an event stream into a line feed. The parser waits behind a carriage return for what follows, which
 * in a stream with no other line ends comes with the next event or never.
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

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DELETE = 0x7f;
const OPEN_BRACE = 0x7b;
const EVENT = Buffer.from('event: message');
const DATA = Buffer.from('data: ');
const ID = Buffer.from('id: ');

/** An event of an event stream. */
interface PlainEvent {
  data: Buffer;
  id: string | undefined;
  /** The position behind it. */
  end: number;
}

/**
 * Reads the event at `start` where it is written as nearly all servers write theirs: whole, of one line with a JSON
 * object, and beside it at most `event: message` and an id. Undefined for any other, which the parser
 * reads; parsing each small answer would take a third of the bridge's time.
 */
function plainEvent(chunk: Buffer, start: number): PlainEvent | undefined {
  let data: Buffer | undefined;
  let id: string | undefined;
  for (let at = start; ; ) {
    const lineFeed = chunk.indexOf(LF, at);
    if (lineFeed === -1) return undefined;
    const end = lineFeed > at && chunk[lineFeed - 1] === CR ? lineFeed - 1 : lineFeed;
    if (end === at) return data && { data, id, end: lineFeed + 1 };
    if (isAt(chunk, at, DATA)) {
      if (data) return undefined;
      data = chunk.subarray(at + DATA.length, end);
      if (data[0] !== OPEN_BRACE || data.includes(CR) || !isUtf8(data)) return undefined;
    } else if (isAt(chunk, at, ID)) {
      if (!isPrintable(chunk, at + ID.length, end)) return undefined;
      id = chunk.toString('latin1', at + ID.length, end);
    } else if (end - at !== EVENT.length || !isAt(chunk, at, EVENT)) return undefined;
    at = lineFeed + 1;
  }
}

function isAt(chunk: Buffer, start: number, text: Buffer): boolean {
  for (let at = 0; at < text.length; at += 1) if (chunk[start + at] !== text[at]) return false;
  return true;
}

function isPrintable(chunk: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = chunk[at] ?? 0;
    if (byte < SPACE || byte >= DELETE) return false;
  }
  return true;
}
