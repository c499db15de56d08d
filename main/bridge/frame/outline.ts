import { BUDGETS } from '../../platform/budgets.ts';
import { MAX_BATCH_FRAMES } from '../limits.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  eachElement,
  endOfString,
  endOfValue,
  OPEN_BRACE,
  OPEN_BRACKET,
  type Place,
  QUOTE,
  skipWhiteSpace,
} from './json-bytes.ts';

/** Frames up to this length, in bytes, are always parsed. */
const LARGE_BYTES = 1024 * 1024;
/** The most values in a large frame that is still parsed whole. Each needs some 60 bytes in addition to its own. */
const MAX_VALUES = 200_000;
/** How deep a large frame of many values may be nested. */
const MAX_DEPTH = BUDGETS.jsonDepth;
/** Scalars up to this length, in bytes, are always part of an outline. */
const SMALL_BYTES = 4 * 1024;
/** The most bytes of an object or array that an outline includes whole, and of all of these together. */
const MAX_WHOLE_BYTES = 64 * 1024;
const MAX_WHOLE_BYTES_IN_ALL = 1024 * 1024;
/** The most members of an object in an outline, and the maximum depth of an outline. */
const MAX_MEMBERS = 1_000;
const MAX_OUTLINE_DEPTH = 6;

/** Replaces a value that is too large for an outline. */
export const OMITTED: unique symbol = Symbol('omitted');

/** Whether a frame would take up many times its own length in memory once it is parsed. */
export function isCrowded(frame: Buffer): boolean {
  if (frame.length <= LARGE_BYTES) return false;
  let values = 0;
  for (let at = 0; at < frame.length; at += 1) {
    const byte = frame[at];
    if (byte === QUOTE) at = endOfString(frame, at) - 1;
    else if (byte === COMMA || byte === OPEN_BRACE || byte === OPEN_BRACKET) values += 1;
    if (values > MAX_VALUES) return true;
  }
  return false;
}

/**
 * Like JSON.parse, for a frame with very many values: small values near the top are included, large ones are `OMITTED`. The
 * whole frame is validated. @throws {SyntaxError} also if it is nested deeper than any real frame
 */
export function outlineOf(frame: Buffer): unknown {
  const start = skipWhiteSpace(frame, 0);
  const end = endOfValid(frame, start);
  if (skipWhiteSpace(frame, end) < frame.length) throw new SyntaxError('something stands behind the value');
  return new Outline(frame).of({ start, end }, 0);
}

class Outline {
  readonly #json: Buffer;
  #left = MAX_WHOLE_BYTES_IN_ALL;

  constructor(json: Buffer) {
    this.#json = json;
  }

  of({ start, end }: Place, depth: number): unknown {
    const length = end - start;
    const first = this.#json[start];
    const isScalar = first !== OPEN_BRACE && first !== OPEN_BRACKET;
    if (isScalar) return length <= SMALL_BYTES ? this.#parsed({ start, end }) : OMITTED;
    if (length <= Math.min(MAX_WHOLE_BYTES, this.#left)) {
      this.#left -= length;
      return this.#parsed({ start, end });
    }
    if (first === OPEN_BRACE) return depth < MAX_OUTLINE_DEPTH ? this.#object(start, depth) : OMITTED;
    return depth === 0 ? this.#batch(start) : OMITTED;
  }

  #parsed({ start, end }: Place): unknown {
    return JSON.parse(this.#json.toString('utf8', start, end));
  }

  #object(start: number, depth: number): unknown {
    const members: [string, unknown][] = [];
    for (let at = skipWhiteSpace(this.#json, start + 1); this.#json[at] === QUOTE; ) {
      const keyEnd = endOfString(this.#json, at);
      const value = skipWhiteSpace(this.#json, skipWhiteSpace(this.#json, keyEnd) + 1);
      const place = { start: value, end: endOfValue(this.#json, value) };
      if (members.length === MAX_MEMBERS) return OMITTED;
      // No name of that length has a meaning.
      if (keyEnd - at <= SMALL_BYTES)
        members.push([String(this.#parsed({ start: at, end: keyEnd })), this.of(place, depth + 1)]);
      at = skipWhiteSpace(this.#json, skipWhiteSpace(this.#json, place.end) + 1);
    }
    return Object.fromEntries(members);
  }

  /** Reads one element more than a batch may have, to show that the batch is too long. */
  #batch(start: number): unknown[] {
    const frames: unknown[] = [];
    for (const place of eachElement(this.#json, start)) {
      if (frames.push(this.of(place, 1)) > MAX_BATCH_FRAMES) break;
    }
    return frames;
  }
}

const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const SPACE = 0x20;
const LITERALS = new Map([
  [0x74, Buffer.from('true')],
  [0x66, Buffer.from('false')],
  [0x6e, Buffer.from('null')],
]);
/** What may follow a backslash: `"`, `\`, `/`, `b`, `f`, `n`, `r`, `t`; `u` is followed by four digits. */
const ESCAPES = new Set(Buffer.from('"\\/bfnrt'));
const LETTER_U = 0x75;

/** The position after the JSON value at `start`, which is validated (RFC 8259) but not parsed. @throws {SyntaxError} */
function endOfValid(json: Buffer, start: number): number {
  const open: number[] = [];
  let at = start;
  for (;;) {
    // A value.
    const first = json[at];
    if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      const inside = skipWhiteSpace(json, at + 1);
      if (json[inside] === closing(first)) at = inside + 1;
      else {
        if (open.push(first) > MAX_DEPTH) throw new SyntaxError(`nested deeper than ${MAX_DEPTH} levels`);
        at = first === OPEN_BRACE ? behindName(json, inside) : inside;
        continue;
      }
    } else at = first === QUOTE ? endOfValidString(json, at) : endOfValidScalar(json, at);
    // The end of the value, or the next member or element.
    for (;;) {
      const around = open.at(-1);
      if (around === undefined) return at;
      at = skipWhiteSpace(json, at);
      if (json[at] === COMMA) {
        at = skipWhiteSpace(json, at + 1);
        if (around === OPEN_BRACE) at = behindName(json, at);
        break;
      }
      if (json[at] !== closing(around)) throw unexpected(at);
      open.pop();
      at += 1;
    }
  }
}

function closing(open: number): number {
  return open === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
}

/** The position of the value of the member whose name begins at `at`. */
function behindName(json: Buffer, at: number): number {
  if (json[at] !== QUOTE) throw unexpected(at);
  const colon = skipWhiteSpace(json, endOfValidString(json, at));
  if (json[colon] !== COLON) throw unexpected(colon);
  return skipWhiteSpace(json, colon + 1);
}

function endOfValidString(json: Buffer, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) return at + 1;
    if (byte < SPACE) throw unexpected(at);
    if (byte !== BACKSLASH) continue;
    at += 1;
    if (json[at] === LETTER_U) {
      if (!/^[\da-f]{4}$/i.test(json.toString('latin1', at + 1, at + 5))) throw unexpected(at);
      at += 4;
    } else if (!ESCAPES.has(json[at] ?? 0)) throw unexpected(at);
  }
  throw unexpected(json.length);
}

function endOfValidScalar(json: Buffer, start: number): number {
  const literal = LITERALS.get(json[start] ?? 0);
  if (literal) {
    const end = start + literal.length;
    if (!json.subarray(start, end).equals(literal)) throw unexpected(start);
    return end;
  }
  const whole = json[start] === MINUS ? start + 1 : start;
  // JSON does not allow leading zeros.
  let at = json[whole] === ZERO ? whole + 1 : behindDigits(json, whole);
  if (json[at] === DOT) at = behindDigits(json, at + 1);
  if (json[at] === 0x65 || json[at] === 0x45) {
    const sign = json[at + 1];
    at = behindDigits(json, sign === PLUS || sign === MINUS ? at + 2 : at + 1);
  }
  return at;
}

/** The position after one or more digits. */
function behindDigits(json: Buffer, start: number): number {
  let at = start;
  while (isDigit(json[at])) at += 1;
  if (at === start) throw unexpected(at);
  return at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

function unexpected(at: number): SyntaxError {
  return new SyntaxError(`unexpected byte at position ${at}`);
}
