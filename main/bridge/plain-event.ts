import { isUtf8 } from 'node:buffer';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DELETE = 0x7f;
const OPEN_BRACE = 0x7b;
const EVENT = Buffer.from('event: message');
const DATA = Buffer.from('data: ');
const ID = Buffer.from('id: ');

/** An event of an event stream. */
export interface PlainEvent {
  data: Buffer;
  id: string | undefined;
  /** The position behind it. */
  end: number;
}

/**
 * Reads the event at `start` where it is written as nearly all servers write theirs: whole, of one line with a JSON
 * object, and beside it at most `event: message` and an id. Undefined for every other: those are the parser's, of which
 * each small answer would otherwise cost a third of the bridge's time.
 */
export function plainEvent(chunk: Buffer, start: number): PlainEvent | undefined {
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
