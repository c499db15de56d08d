import { MAX_BATCH_FRAMES } from '../limits.ts';
import {
  BACKSLASH,
  COLON,
  COMMA,
  endOfString,
  endOfValue,
  OPEN_BRACE,
  type Place,
  QUOTE,
  skipWhiteSpace,
} from './json-bytes.ts';
import { isCrowded, outlineOf } from './outline.ts';

/**
 * What the bridge must know about a JSON-RPC 2.0 frame to pass it on: its kind, its method, and whether it needs an answer.
 * Everything else in the frame stays bytes.
 */
export type Envelope =
  | { kind: 'request'; method: string }
  | { kind: 'notification'; method: string }
  | { kind: 'response' }
  /** Several frames in one array: legal in protocol revision 2025-03-26 only. `requests` counts its frames that need an answer. */
  | { kind: 'batch'; requests: number }
  | { kind: 'invalid'; code: -32700 | -32600; message: string };

/** The envelope of a frame that can be passed on. */
export type SendableEnvelope = Exclude<Envelope, { kind: 'invalid' }>;

/** Reads a frame's envelope. Never throws: for anything that is not JSON-RPC, returns `invalid` with the error to answer with. */
export function readEnvelope(frame: Buffer): Envelope {
  return readFrame(frame).envelope;
}

/** As `readEnvelope`, with the frame as JSON. */
export function readFrame(frame: Buffer): { envelope: Envelope; json: unknown } {
  let json: unknown;
  try {
    json = jsonOf(frame);
  } catch {
    const message = 'Parse error: this line is not JSON.';
    return { envelope: { kind: 'invalid', code: -32700, message }, json: undefined };
  }
  return { envelope: envelopeOf(json), json };
}

/** Parses a frame. From a large one with very many values, parts that would use many times their length in memory are left out. */
function jsonOf(frame: Buffer): unknown {
  return isCrowded(frame) ? outlineOf(frame) : JSON.parse(frame.toString('utf8'));
}

/** A frame as JSON, or its outline if it is too large for that; undefined if it is not valid JSON. */
export function parseFrame(frame: Buffer): unknown {
  try {
    return jsonOf(frame);
  } catch {
    // A server's frame that cannot be read counts as missing: it must not reach the client's stream.
    return undefined;
  }
}

/** Text that may be JSON, such as a part of a frame or an HTTP answer; undefined if it is not valid JSON. Never an outline. */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The envelope of a frame that has already been parsed. */
export function envelopeOf(json: unknown): Envelope {
  if (!Array.isArray(json)) return singleEnvelopeOf(json);
  if (json.length > MAX_BATCH_FRAMES) {
    const message = `Invalid request: a batch of more than ${MAX_BATCH_FRAMES} frames.`;
    return { kind: 'invalid', code: -32600, message };
  }
  const requests = json.filter((entry) => singleEnvelopeOf(entry).kind === 'request').length;
  return json.length > 0
    ? { kind: 'batch', requests }
    : { kind: 'invalid', code: -32600, message: 'Invalid request: an empty batch.' };
}

/**
 * The envelope of a frame that is not a batch. Frames inside a batch must be such frames (JSON-RPC 2.0 §6). Arrays are not
 * looked into: brackets nested a few thousand deep would exhaust the stack.
 */
export function singleEnvelopeOf(json: unknown): Exclude<Envelope, { kind: 'batch' }> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return { kind: 'invalid', code: -32600, message: 'Invalid request: a frame is a JSON object.' };
  }
  if ('method' in json && typeof json.method === 'string') {
    if (!('id' in json)) return { kind: 'notification', method: json.method };
    return isId(json.id)
      ? { kind: 'request', method: json.method }
      : { kind: 'invalid', code: -32600, message: 'Invalid request: an id is a string or a number.' };
  }
  if ('result' in json || 'error' in json) return { kind: 'response' };
  return { kind: 'invalid', code: -32600, message: 'Invalid request: it has neither a method nor a result.' };
}

/** JSON-RPC 2.0 §4. Null is legal there, but discouraged. */
function isId(id: unknown): boolean {
  return typeof id === 'string' || typeof id === 'number' || id === null;
}

interface FramePlaces {
  id: Place | undefined;
  method: Place | undefined;
  /** Whether one of them occurs more than once. */
  isRepeated: boolean;
}

/**
 * Finds `id` and `method` in a valid JSON object, as the bytes that were sent: an id beyond 2^53 or written as `1.0` does not
 * survive conversion to a JavaScript number. If one occurs more than once, the last one counts, as in JSON.parse.
 */
function findPlaces(frame: Buffer): FramePlaces {
  const found: FramePlaces = { id: undefined, method: undefined, isRepeated: false };
  let at = skipWhiteSpace(frame, 0);
  if (frame[at] !== OPEN_BRACE) return found;
  for (;;) {
    const keyStart = skipWhiteSpace(frame, at + 1);
    if (frame[keyStart] !== QUOTE) return found;
    const keyEnd = endOfString(frame, keyStart);
    const colon = skipWhiteSpace(frame, keyEnd);
    if (frame[colon] !== COLON) return found;
    const start = skipWhiteSpace(frame, colon + 1);
    const end = endOfValue(frame, start);
    const key = keyOf(frame, keyStart, keyEnd);
    if (key !== undefined) {
      found.isRepeated ||= found[key] !== undefined;
      found[key] = { start, end };
    }
    at = skipWhiteSpace(frame, end);
    if (frame[at] !== COMMA) return found;
  }
}

/** The place of the frame's `id`. */
export function findId(frame: Buffer): Place | undefined {
  return findPlaces(frame).id;
}

/** The frame's id exactly as it was written, or `null` if there is none. */
export function rawId(frame: Buffer): string {
  return writtenId(frame).id;
}

/**
 * The same, and whether the frame has several ids or methods: readers that look at its ends only may take another one than
 * those that parse it.
 */
export function writtenId(frame: Buffer): { id: string; isAmbiguous: boolean } {
  const { id, isRepeated } = findPlaces(frame);
  return { id: id ? frame.toString('utf8', id.start, id.end) : 'null', isAmbiguous: isRepeated };
}

/**
 * The frame's id as it was written, and its method: all that a relay must know about a frame. Invalid JSON has neither; the
 * bridge at the other end answers it.
 */
export function scanFrame(frame: Buffer): { id: string | undefined; method: string | undefined } {
  try {
    const { id, method } = findPlaces(frame);
    const raw = id && frame.toString('utf8', id.start, id.end);
    // Throws if the id is not valid JSON. The frame is invalid then, too.
    if (raw !== undefined) JSON.parse(raw);
    const name: unknown = method && JSON.parse(frame.toString('utf8', method.start, method.end));
    return { id: raw, method: typeof name === 'string' ? name : undefined };
  } catch {
    return { id: undefined, method: undefined };
  }
}

/**
 * The raw id for the answer to a frame that is refused with `code`, or `null`. If the frame is invalid JSON (some clients write
 * `NaN`, or text in another encoding), the id is taken from its readable part: without it, the client would wait forever.
 */
export function idOfInvalid(frame: Buffer, code: number): string {
  const { id, method } = scanFrame(frame);
  const isWhole = id !== undefined && isIdText(id) && !id.includes('\ufffd');
  const isKnown = isWhole && (code === -32600 || method !== undefined);
  return isKnown ? id : 'null';
}

const SMALL_MEMBER = String.raw`,\s*"(?:jsonrpc|id|method)"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)\s*`;
/** The last small members of an object, followed by nothing but the object's own closing brace. */
const LAST_MEMBERS = new RegExp(String.raw`(?:${SMALL_MEMBER})+\}\s*$`);
const ID_MEMBER = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|[^,}\s]+)/;
const METHOD_MEMBER = /"method"\s*:\s*"/;

/**
 * The id, as it was written, of a request of which only the first and the last bytes are known; undefined if they do not
 * contain it, or are not those of a request.
 */
export function idOfCut(head: Buffer, tail: Buffer): string | undefined {
  const { id, method } = findPlaces(head);
  const members = LAST_MEMBERS.exec(tail.toString('latin1'))?.[0] ?? '';
  if (!method && !METHOD_MEMBER.test(members)) return undefined;
  const atEnd = utf8(ID_MEMBER.exec(members)?.[1]);
  const raw = atEnd ?? (id && id.end < head.length ? head.toString('utf8', id.start, id.end) : undefined);
  return raw !== undefined && isIdText(raw) ? raw : undefined;
}

function utf8(latin1: string | undefined): string | undefined {
  return latin1 === undefined ? undefined : Buffer.from(latin1, 'latin1').toString();
}

/** Whether a raw id is a string or a number (JSON-RPC 2.0 §4). */
export function isIdText(raw: string): boolean {
  // A frame may have been cut in the middle of its id.
  return ['string', 'number'].includes(typeof parseText(raw));
}

/**
 * Whether a response with the raw id `given` answers the request with the raw id `wanted`: `exactly`, or `roughly` if the id
 * is spelled differently or was converted to a JavaScript number on the way (`1` for `1.0`, 2^53 for 2^53 + 1).
 */
export function matchOfIds(given: string, wanted: string): 'exactly' | 'roughly' | undefined {
  if (given === wanted) return 'exactly';
  // Only strings and numbers can be spelled in several ways. An object is not an id, and may be long.
  return /^["\d-]/.test(given) && JSON.parse(given) === JSON.parse(wanted) ? 'roughly' : undefined;
}

/** The same frame with `id` in place of its own, or as its first member. It must have members. All other bytes stay as they are. */
export function withId(frame: Buffer, id: string): Buffer {
  const place = findId(frame);
  if (place) return Buffer.concat([frame.subarray(0, place.start), Buffer.from(id), frame.subarray(place.end)]);
  const start = frame.indexOf(OPEN_BRACE) + 1;
  return Buffer.concat([frame.subarray(0, start), Buffer.from(`"id":${id},`), frame.subarray(start)]);
}

const ID = Buffer.from('"id"');
const METHOD = Buffer.from('"method"');
/** The longest spelling of `"method"`: an escape for each letter. */
const LONGEST_KEY = '"\\u006d\\u0065\\u0074\\u0068\\u006f\\u0064"'.length;

function keyOf(frame: Buffer, start: number, end: number): 'id' | 'method' | undefined {
  if (isAt(frame, start, ID)) return 'id';
  if (isAt(frame, start, METHOD)) return 'method';
  if (end - start > LONGEST_KEY || !hasEscape(frame, start, end)) return undefined;
  const key: unknown = JSON.parse(frame.toString('utf8', start, end));
  return key === 'id' || key === 'method' ? key : undefined;
}

function isAt(frame: Buffer, start: number, text: Buffer): boolean {
  for (let at = 1; at < text.length; at += 1) if (frame[start + at] !== text[at]) return false;
  return true;
}

function hasEscape(frame: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (frame[at] === BACKSLASH) return true;
  return false;
}
