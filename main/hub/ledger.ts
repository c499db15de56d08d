import { parseFrame } from '../bridge/envelope.ts';
import { scanFrame } from '../bridge/raw-id.ts';
import { isHarmless } from '../bridge/repeat.ts';

/** A request of the client's that has no answer yet. */
export interface OpenRequest {
  /** The id as it was written. */
  id: string;
  method: string;
  /** Kept only where sending it again does no harm. */
  frame: Buffer | undefined;
}

/**
 * What a relay remembers of a session in order to go on elsewhere: the client's own opening frames, and which requests
 * wait for an answer. Nothing of what tools are given or return.
 */
export class Ledger {
  initialize: Buffer | undefined;
  initialized: Buffer | undefined;
  readonly #open = new Map<string, OpenRequest>();

  get open(): OpenRequest[] {
    return [...this.#open.values()];
  }

  /** A frame of the client's has passed. */
  sent(frame: Buffer): void {
    const { id, method } = scanFrame(frame);
    if (method === 'initialize') this.initialize = frame;
    if (method === 'notifications/initialized') this.initialized = frame;
    if (method === 'notifications/cancelled') this.#cancelled(frame);
    if (id === undefined || method === undefined) return;
    this.#open.set(id, { id, method, frame: isHarmless(method) ? frame : undefined });
  }

  /** A frame for the client has passed. */
  answered(frame: Buffer): void {
    if (this.#open.size === 0) return;
    const { id, method } = scanFrame(frame);
    if (id !== undefined && method === undefined) this.#open.delete(id);
  }

  forget(id: string): void {
    this.#open.delete(id);
  }

  /** Nobody waits any more: a server need not answer (MCP › Cancellation). */
  #cancelled(frame: Buffer): void {
    const { requestId } = Object(Object(parseFrame(frame)).params);
    this.#open.delete(JSON.stringify(requestId));
  }
}
