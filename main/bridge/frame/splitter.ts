import { isUtf8 } from 'node:buffer';
import { FRAME_LIMIT, MAX_FRAME_BYTES } from '../limits.ts';
import { idOfCut, idOfInvalid } from './frame.ts';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** How many bytes of the beginning and the end of an overlong line are kept. One of the two contains its id. */
const EDGE_BYTES = 1024;

/** A line that is not a frame: too long, or not UTF-8, which the stdio transport requires. */
export interface FrameFault {
  kind: 'too-long' | 'not-utf8';
  /** The raw id of the request that the line holds, or `null`. */
  id: string;
}

const FAULTS: Record<FrameFault['kind'], { code: number; message: string }> = {
  'too-long': {
    code: -32600,
    message: `Invalid request: this line is longer than ${FRAME_LIMIT}. It was not sent, and nothing was run.`,
  },
  'not-utf8': { code: -32700, message: 'Parse error: this line is not UTF-8.' },
};

/** The answer to a line that is not a frame (JSON-RPC 2.0 §5.1). */
export function faultFrame({ kind, id }: FrameFault): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(FAULTS[kind])}}`);
}

/** What a splitter finds in the bytes. */
export interface FrameEvents {
  frame(frame: Buffer): void;
  fault(fault: FrameFault): void;
}

/**
 * Splits a byte stream into newline-delimited frames (MCP › Transports › stdio). Accepts LF and CRLF, chunks of any size, a
 * byte order mark at the start, and blank lines between frames.
 */
export class FrameSplitter {
  readonly #events: FrameEvents;
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** The beginning and the end of an overlong line. */
  #overflow: { head: Buffer; tail: Buffer } | undefined;
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
    if (this.#bytes > 0 || this.#overflow) this.#finish();
  }

  #hold(part: Buffer): void {
    if (part.length === 0) return;
    if (this.#overflow) {
      this.#overflow.tail = lastOf([this.#overflow.tail, part]);
    } else if (this.#bytes + part.length > this.#maxBytes) {
      const parts = [...this.#parts, part];
      this.#overflow = { head: firstOf(parts), tail: lastOf(parts) };
      this.#parts = [];
      this.#bytes = 0;
    } else {
      this.#parts.push(part);
      this.#bytes += part.length;
    }
  }

  #finish(): void {
    const overflow = this.#overflow;
    const [only] = this.#parts;
    let line = this.#parts.length === 1 && only ? only : Buffer.concat(this.#parts, this.#bytes);
    this.#parts = [];
    this.#bytes = 0;
    this.#overflow = undefined;
    if (overflow) {
      this.#events.fault({ kind: 'too-long', id: idOfCut(overflow.head, overflow.tail) ?? 'null' });
      return;
    }
    if (this.#first) {
      this.#first = false;
      if (line.subarray(0, 3).equals(BOM)) line = line.subarray(3);
    }
    if (line[line.length - 1] === CR) line = line.subarray(0, -1);
    if (isBlank(line)) return;
    if (isUtf8(line)) this.#events.frame(line);
    else this.#events.fault({ kind: 'not-utf8', id: idOfInvalid(line, -32700) });
  }
}

/** Copies, because a slice would keep the whole line in memory. */
function firstOf(parts: Buffer[]): Buffer {
  const edge: Buffer[] = [];
  for (let bytes = 0, at = 0; bytes < EDGE_BYTES && at < parts.length; at += 1) {
    const part = parts[at]?.subarray(0, EDGE_BYTES - bytes) ?? Buffer.alloc(0);
    edge.push(part);
    bytes += part.length;
  }
  return Buffer.concat(edge);
}

function lastOf(parts: Buffer[]): Buffer {
  const edge: Buffer[] = [];
  for (let bytes = 0, at = parts.length - 1; bytes < EDGE_BYTES && at >= 0; at -= 1) {
    const part = parts[at]?.subarray(-(EDGE_BYTES - bytes)) ?? Buffer.alloc(0);
    edge.unshift(part);
    bytes += part.length;
  }
  return Buffer.concat(edge);
}

function isBlank(line: Buffer): boolean {
  for (const byte of line) if (byte !== SPACE && byte !== 0x09 && byte !== CR) return false;
  return true;
}

/** The text as valid UTF-8, without a byte order mark: the clients that read the stream are stricter than some servers. */
export function toUtf8(text: Buffer): Buffer {
  const unmarked = text[0] === BOM[0] && text.subarray(0, 3).equals(BOM) ? text.subarray(3) : text;
  return isUtf8(unmarked) ? unmarked : Buffer.from(unmarked.toString('utf8'));
}

/**
 * JSON text on a single line. Line ends inside JSON strings are always escaped, so each raw one is white space and can become
 * a space. Nothing else in the text changes.
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
