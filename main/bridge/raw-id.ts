const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;
const ENDS_OF_SCALARS = new Set<number | undefined>([COMMA, CLOSE_BRACE, CLOSE_BRACKET]);

/** Where a value stands in a frame: bytes `start` (included) to `end` (excluded). */
export interface Place {
  start: number;
  end: number;
}

/**
 * Finds the top-level values of a JSON object that is known to be valid, as the bytes that were sent: an id beyond 2^53
 * or written `1.0` does not survive a round through a JavaScript number. Of several, the last counts, as in JSON.parse.
 */
function findPlaces(frame: Buffer): { id: Place | undefined; method: Place | undefined } {
  const found: { id: Place | undefined; method: Place | undefined } = { id: undefined, method: undefined };
  let at = frame.indexOf(OPEN_BRACE) + 1;
  if (at === 0) return found;
  for (;;) {
    const keyStart = frame.indexOf(QUOTE, at);
    if (keyStart === -1) return found;
    const keyEnd = endOfString(frame, keyStart);
    const colon = frame.indexOf(COLON, keyEnd);
    if (colon === -1) return found;
    const start = skipWhiteSpace(frame, colon + 1);
    const end = endOfValue(frame, start);
    const key = keyOf(frame, keyStart, keyEnd);
    if (key !== undefined) found[key] = { start, end };
    const next = skipWhiteSpace(frame, end);
    if (frame[next] !== COMMA) return found;
    at = next + 1;
  }
}

/** Where the frame's `id` stands. */
export function findId(frame: Buffer): Place | undefined {
  return findPlaces(frame).id;
}

/** The frame's id exactly as it was written, or `null` where there is none. */
export function rawId(frame: Buffer): string {
  const place = findId(frame);
  return place ? frame.toString('utf8', place.start, place.end) : 'null';
}

/**
 * The frame's id as it was written, and its method: all that a relay has to know of a frame that passes. What is no valid
 * JSON has neither: the bridge at the other end answers it.
 */
export function scanFrame(frame: Buffer): { id: string | undefined; method: string | undefined } {
  try {
    const { id, method } = findPlaces(frame);
    const raw = id && frame.toString('utf8', id.start, id.end);
    // Throws where the id is no JSON: then the frame is none either.
    if (raw !== undefined) JSON.parse(raw);
    const name: unknown = method && JSON.parse(frame.toString('utf8', method.start, method.end));
    return { id: raw, method: typeof name === 'string' ? name : undefined };
  } catch {
    return { id: undefined, method: undefined };
  }
}

/** The same frame, which has members, with `id` in place of its own or as its first member; every other byte untouched. */
export function withId(frame: Buffer, id: string): Buffer {
  const place = findId(frame);
  if (place) return Buffer.concat([frame.subarray(0, place.start), Buffer.from(id), frame.subarray(place.end)]);
  const start = frame.indexOf(OPEN_BRACE) + 1;
  return Buffer.concat([frame.subarray(0, start), Buffer.from(`"id":${id},`), frame.subarray(start)]);
}

function keyOf(frame: Buffer, start: number, end: number): 'id' | 'method' | undefined {
  // A key may be written with escapes ("\u0069d"): only then it is longer than it reads.
  const escaped = frame[start + 1] === BACKSLASH || (end - start > 8 && frame.subarray(start, end).includes(BACKSLASH));
  if (!escaped && end - start !== 4 && end - start !== 8) return undefined;
  const key = escaped
    ? String(JSON.parse(frame.toString('utf8', start, end)))
    : frame.toString('latin1', start + 1, end - 1);
  return key === 'id' || key === 'method' ? key : undefined;
}

/** The position behind the closing quote of the string that opens at `start`. */
export function endOfString(frame: Buffer, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = frame.indexOf(QUOTE, at);
    if (quote === -1) return frame.length;
    let backslashes = 0;
    while (frame[quote - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** The position behind the value that begins at `start`. */
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

function endOfScalar(frame: Buffer, start: number): number {
  let at = start;
  while (at < frame.length && !isWhiteSpace(frame[at]) && !ENDS_OF_SCALARS.has(frame[at])) at += 1;
  return at;
}

/** The first position from `start` on that is no white space. */
export function skipWhiteSpace(frame: Buffer, start: number): number {
  let at = start;
  while (isWhiteSpace(frame[at])) at += 1;
  return at;
}

function isWhiteSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
