import { MAX_BATCH_FRAMES } from './limits.ts';
import { isCrowded, outlineOf } from './outline.ts';

/**
 * What the bridge has to know of a JSON-RPC 2.0 frame to send it on: which kind it is, its method, and whether an answer
 * is owed. Everything else in the frame stays bytes.
 */
export type Envelope =
  | { kind: 'request'; method: string }
  | { kind: 'notification'; method: string }
  | { kind: 'response' }
  /** Several frames in one array: legal in protocol revision 2025-03-26 only. `requests` are its frames that are owed an answer. */
  | { kind: 'batch'; requests: number }
  | { kind: 'invalid'; code: -32700 | -32600; message: string };

/** An envelope that can be sent on. */
export type SendableEnvelope = Exclude<Envelope, { kind: 'invalid' }>;

/** Reads a frame's envelope. Never throws: what is not JSON-RPC comes back as `invalid` with the error to answer. */
export function readEnvelope(frame: Buffer): Envelope {
  return readFrame(frame).envelope;
}

/** As `readEnvelope`, with the frame as JSON. */
export function readFrame(frame: Buffer): { envelope: Envelope; json: unknown } {
  let json: unknown;
  try {
    json = jsonOf(frame);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : 'unreadable';
    const message = `Parse error: this line is not JSON (${reason}).`;
    return { envelope: { kind: 'invalid', code: -32700, message }, json: undefined };
  }
  return { envelope: envelopeOf(json), json };
}

/** Of a large frame with very many values, what would take up many times its length is left out. */
function jsonOf(frame: Buffer): unknown {
  return isCrowded(frame) ? outlineOf(frame) : JSON.parse(frame.toString('utf8'));
}

/** A frame as JSON, or the outline of one that is too large for that; undefined where it is none. */
export function parseFrame(frame: Buffer): unknown {
  try {
    return jsonOf(frame);
  } catch {
    // A server's frame that cannot be read counts as missing: it must not reach the client's stream.
    return undefined;
  }
}

/** The envelope of a frame that has been parsed already. */
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
 * The envelope of a frame that is no batch, as those in a batch must be (JSON-RPC 2.0 §6). It does not look into arrays:
 * brackets nested a few thousand deep would exhaust the stack.
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

/** JSON-RPC 2.0 §4; null is discouraged there, and legal. */
function isId(id: unknown): boolean {
  return typeof id === 'string' || typeof id === 'number' || id === null;
}
