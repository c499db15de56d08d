import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { errorOfFrame } from '../../bridge/frame/error-frame.ts';
import { parseText } from '../../bridge/frame/frame.ts';
import { membersOf } from '../../bridge/frame/members.ts';
import type { Bridge } from '../../bridge/layers.ts';
import { CausewayError } from '../../platform/errors.ts';

/** An error of this process, as the data of the JSON-RPC error that represents it. */
export class LocalFailure {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** The official client's transport to a bridge in this process. The bridge outlives it. */
export class BridgeTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #bridge: Bridge;
  #delivered: Promise<void> = Promise.resolve();

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#bridge.receive(Buffer.from(JSON.stringify(message)));
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  /**
   * Takes a frame from the server. The next one waits until the client has handled it: the client handles a notification a
   * little later than it comes, and takes none for a request that an answer right behind it has ended.
   */
  receive(frame: Buffer): void {
    const message = messageIn(frame);
    if (!message) return;
    this.#delivered = this.#delivered
      .then(() => this.onmessage?.(message))
      .catch((error: unknown) => this.onerror?.(error instanceof Error ? error : new Error(String(error))));
  }
}

/**
 * A frame as the client takes it, which is stricter than servers are and drops what it does not take, also where a request
 * waits for it. Members that JSON-RPC does not know are left out, and so are the parameters of a request, which is declined
 * whatever they are. An answer that is still not taken becomes an error.
 */
function messageIn(frame: Buffer): JSONRPCMessage | undefined {
  // Whole, and no outline: a result goes to the user as it came.
  const { id, method, params, result, error } = membersOf(parseText(frame.toString('utf8')));
  let failure = errorOfFrame(frame);
  if (failure === undefined) {
    const outcome = error === undefined ? { result } : { error };
    const message = method === undefined ? outcome : id === undefined ? { method, params } : { method };
    try {
      return parseJSONRPCMessage({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), ...message });
    } catch (cause) {
      failure = notTaken(cause);
    }
  }
  if (method !== undefined || typeof id !== 'number') return undefined;
  return { jsonrpc: '2.0', id, error: { code: -32603, message: '', data: new LocalFailure(failure) } };
}

/** The error for an answer that the official client does not take. */
export function notTaken(cause: unknown): CausewayError {
  const said = 'The server sent an invalid MCP message.';
  return new CausewayError('unexpected_answer', said, { cause });
}
