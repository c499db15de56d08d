import { isUtf8 } from 'node:buffer';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** The longest frame that is taken from a client, in bytes. What is longer is answered with an error and dropped. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024;

/** A line that is no frame: too long to hold, or not UTF-8 (the stdio transport demands it). */
export type FrameFault = 'too-long' | 'not-utf8';

const FAULT_MESSAGES: Record<FrameFault, string> = {
  'too-long': 'Parse error: this line is longer than 256 MiB.',
  'not-utf8': 'Parse error: this line is not UTF-8.',
};

/** The answer to a line that is no frame (JSON-RPC 2.0 §5.1). */
export function faultFrame(fault: FrameFault): Buffer {
  const error = { code: -32700, message: FAULT_MESSAGES[fault] };
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
}

/** What a splitter makes of the bytes. */
export interface FrameEvents {
  frame(frame: Buffer): void;
  fault(fault: FrameFault): void;
}

/**
 * Cuts a byte stream into newline-delimited frames (MCP › Transports › stdio). Takes LF and CRLF, chunks of any size, a
 * byte order mark at the start and blank lines between frames.
 */
export class FrameSplitter {
  readonly #events: FrameEvents;
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #overflown = false;
  #first = true;

  constructor(events: FrameEvents, maxBytes: number = MAX_FRAME_BYTES) {
    this.#events = events;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LF, start);
      if (end === -1) break;
      this.#hold(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  /** The stream has ended: a last line without a newline still counts. */
  end(): void {
    if (this.#bytes > 0 || this.#overflown) this.#finish();
  }

  #hold(part: Buffer): void {
    if (this.#overflown || part.length === 0) return;
    if (this.#bytes + part.length > this.#maxBytes) {
      this.#overflown = true;
      this.#parts = [];
      this.#bytes = 0;
      return;
    }
    this.#parts.push(part);
    this.#bytes += part.length;
  }

  #finish(): void {
    const overflown = this.#overflown;
    const [only] = this.#parts;
    let line = this.#parts.length === 1 && only ? only : Buffer.concat(this.#parts, this.#bytes);
    this.#parts = [];
    this.#bytes = 0;
    this.#overflown = false;
    if (overflown) {
      this.#events.fault('too-long');
      return;
    }
    if (this.#first) {
      this.#first = false;
      if (line.subarray(0, 3).equals(BOM)) line = line.subarray(3);
    }
    if (line[line.length - 1] === CR) line = line.subarray(0, -1);
    if (isBlank(line)) return;
    if (isUtf8(line)) this.#events.frame(line);
    else this.#events.fault('not-utf8');
  }
}

function isBlank(line: Buffer): boolean {
  for (const byte of line) if (byte !== SPACE && byte !== 0x09 && byte !== CR) return false;
  return true;
}

/** A text as UTF-8 without a mark at its start: servers are not as strict as the clients that read the stream are. */
export function toUtf8(text: Buffer): Buffer {
  const unmarked = text[0] === BOM[0] && text.subarray(0, 3).equals(BOM) ? text.subarray(3) : text;
  return isUtf8(unmarked) ? unmarked : Buffer.from(unmarked.toString('utf8'));
}

/**
 * Makes one line of a JSON text that may be spread over several. Inside JSON strings line ends are always escaped, so
 * each raw one is white space and may become a space: nothing else of the text changes.
 */
export function toLine(json: Buffer): Buffer {
  if (!json.includes(LF) && !json.includes(CR)) return json;
  const line = Buffer.from(json);
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at];
    if (byte === LF || byte === CR) line[at] = SPACE;
  }
  return line;
}
