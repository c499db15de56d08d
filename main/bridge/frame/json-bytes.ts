/** Walks over the bytes of a JSON text that is known to be valid, without parsing it. */
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const COLON = 0x3a;
export const COMMA = 0x2c;

/** The position of a value in a frame: bytes `start` (included) to `end` (excluded). */
export interface Place {
  start: number;
  end: number;
}

/** How many bytes are compared one by one before the buffer is searched. That is faster for short strings. */
const NEAR_BYTES = 64;

/** The position after the closing quote of the string that opens at `start`. */
export function endOfString(frame: Buffer, start: number): number {
  let at = start + 1;
  while (at < frame.length) {
    for (const near = Math.min(frame.length, at + NEAR_BYTES); at < near; at += 1) {
      const byte = frame[at];
      if (byte === QUOTE) return at + 1;
      if (byte === BACKSLASH) at += 1;
    }
    const quote = frame.indexOf(QUOTE, at);
    if (quote === -1) break;
    let backslashes = 0;
    while (quote - backslashes > at && frame[quote - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
  return frame.length;
}

/** The position after the value that begins at `start`. */
export function endOfValue(frame: Buffer, start: number): number {
  const first = frame[start];
  if (first === QUOTE) return endOfString(frame, start);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return endOfScalar(frame, start);
  let depth = 0;
  for (let at = start; at < frame.length; at += 1) {
    const byte = frame[at];
    if (byte === QUOTE) at = endOfString(frame, at) - 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return frame.length;
}

/** An array's elements, one by one; none if the value at `start` is not an array. If the JSON is invalid, only those before the error. */
export function* eachElement(json: Buffer, start: number): Generator<Place> {
  if (json[start] !== OPEN_BRACKET) return;
  for (let at = skipWhiteSpace(json, start + 1); at < json.length && json[at] !== CLOSE_BRACKET; ) {
    const place = { start: at, end: endOfValue(json, at) };
    if (place.end === at) return;
    yield place;
    at = skipWhiteSpace(json, place.end);
    if (json[at] === COMMA) at = skipWhiteSpace(json, at + 1);
  }
}

function endOfScalar(frame: Buffer, start: number): number {
  let at = start;
  while (at < frame.length && !isWhiteSpace(frame[at]) && !endsScalar(frame[at])) at += 1;
  return at;
}

function endsScalar(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET;
}

/** The first position from `start` on that is not white space. */
export function skipWhiteSpace(frame: Buffer, start: number): number {
  let at = start;
  while (isWhiteSpace(frame[at])) at += 1;
  return at;
}

function isWhiteSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
