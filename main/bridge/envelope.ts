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
  let json: unknown;
  try {
    json = JSON.parse(frame.toString('utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : 'unreadable';
    return { kind: 'invalid', code: -32700, message: `Parse error: this line is not JSON (${reason}).` };
  }
  return envelopeOf(json);
}

/** A frame as JSON; undefined where it is none. */
export function parseFrame(frame: Buffer): unknown {
  try {
    return JSON.parse(frame.toString('utf8'));
  } catch {
    // A server's frame that cannot be read counts as missing: it must not reach the client's stream.
    return undefined;
  }
}

/** The envelope of a frame that has been parsed already. */
export function envelopeOf(json: unknown): Envelope {
  if (Array.isArray(json)) {
    const requests = json.filter((entry) => envelopeOf(entry).kind === 'request').length;
    return json.length > 0
      ? { kind: 'batch', requests }
      : { kind: 'invalid', code: -32600, message: 'Invalid request: an empty batch.' };
  }
  if (typeof json !== 'object' || json === null) {
    return { kind: 'invalid', code: -32600, message: 'Invalid request: a frame is a JSON object.' };
  }
  if ('method' in json && typeof json.method === 'string') {
    return { kind: 'id' in json ? 'request' : 'notification', method: json.method };
  }
  if ('result' in json || 'error' in json) return { kind: 'response' };
  return { kind: 'invalid', code: -32600, message: 'Invalid request: it has neither a method nor a result.' };
}
