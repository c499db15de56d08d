import { randomUUID } from 'node:crypto';
import { parseFrame, rawId } from './frame/frame.ts';
import { type Members, membersOf } from './frame/members.ts';
import type { BridgeLayer, ClientMessage } from './layers.ts';

/** Marks the bridge's own requests to the client. */
const PREFIX = '"causeway-own-';

export interface OwnRequestsPort {
  /** A request or notification of the bridge's own for the client; `of` is the raw id of the client's request that it belongs to. */
  toClient(frame: Buffer, of: string): void;
  /** The client has gone. */
  signal: AbortSignal;
}

/** The bridge's own requests to the client, and the answers to them. */
export class OwnRequests implements BridgeLayer {
  readonly #port: OwnRequestsPort;
  /** By raw id, those that the client has not answered. */
  readonly #asked = new Map<string, (answer: Members) => void>();

  constructor(port: OwnRequestsPort) {
    this.#port = port;
  }

  /**
   * Sends a request. Resolves with the members of its response: `result` or `error`. Rejects once the client has gone or `signal`
   * is aborted; the client is then told that the request is over.
   */
  ask(method: string, params: object, of: string, signal: AbortSignal = this.#port.signal): Promise<Members> {
    const { toClient } = this.#port;
    const id = `${PREFIX}${randomUUID()}"`;
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#asked.delete(id);
        signal.removeEventListener('abort', giveUp);
      };
      const giveUp = () => {
        end();
        toClient(frameOf(undefined, 'notifications/cancelled', `{"requestId":${id}}`), of);
        reject(signal.reason);
      };
      this.#asked.set(id, (answer) => {
        end();
        resolve(answer);
      });
      signal.addEventListener('abort', giveUp, { once: true });
      toClient(frameOf(id, method, JSON.stringify(params)), of);
    });
  }

  notify(method: string, params: object, of: string): void {
    this.#port.toClient(frameOf(undefined, method, JSON.stringify(params)), of);
  }

  /** Keeps the client's responses to them. */
  toServer(message: ClientMessage, next: (message: ClientMessage) => Promise<void>): Promise<void> {
    const { frame, envelope } = message;
    const id = envelope.kind === 'response' ? rawId(frame) : '';
    this.#asked.get(id)?.(membersOf(parseFrame(frame)));
    return id.startsWith(PREFIX) ? Promise.resolve() : next(message);
  }
}

/** @param params in JSON */
function frameOf(id: string | undefined, method: string, params: string): Buffer {
  const named = id === undefined ? '' : `"id":${id},`;
  return Buffer.from(`{"jsonrpc":"2.0",${named}"method":"${method}","params":${params}}`);
}
