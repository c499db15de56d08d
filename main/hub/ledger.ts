import { parseFrame } from '../bridge/envelope.ts';
import { elementsOf, textAt, wholeOf } from '../bridge/eras/members.ts';
import { scanFrame } from '../bridge/raw-id.ts';
import { isHarmless } from '../bridge/repeat.ts';
import { isLasting, Wishes } from '../bridge/wishes.ts';

/** A request of the client's that has no answer yet. */
export interface OpenRequest {
  /** The id as it was written. */
  id: string;
  method: string;
  /** Kept only where sending it again does no harm. */
  frame: Buffer | undefined;
}

/**
 * What a relay remembers of a session in order to go on elsewhere: the client's own opening frames, what it was granted
 * for the session's length, and which requests wait for an answer. Nothing of what tools are given or return.
 */
export class Ledger {
  initialize: Buffer | undefined;
  initialized: Buffer | undefined;
  readonly wishes = new Wishes();
  readonly #open = new Map<string, OpenRequest>();

  get open(): OpenRequest[] {
    return [...this.#open.values()];
  }

  get isSettled(): boolean {
    return this.#open.size === 0;
  }

  /** A frame of the client's has passed. */
  sent(frame: Buffer): void {
    const { id, method } = scanFrame(frame);
    if (method === undefined) {
      // Of a batch nothing is sent again: its answers are to come together.
      if (id === undefined) for (const one of framesOf(frame)) this.#asked(one, scanFrame(one), undefined);
      return;
    }
    if (method === 'initialize') {
      this.initialize = frame;
      this.wishes.clear();
    }
    if (method === 'notifications/initialized') this.initialized = frame;
    this.#asked(frame, { id, method }, isHarmless(method) ? frame : undefined);
  }

  /** A frame for the client has passed. */
  answered(frame: Buffer): void {
    if (this.#open.size === 0) return;
    const { id, method } = scanFrame(frame);
    if (method !== undefined) return;
    if (id === undefined) for (const one of framesOf(frame)) this.#settled(scanFrame(one).id, one);
    else this.#settled(id, frame);
  }

  forget(id: string): void {
    this.#open.delete(id);
  }

  #asked(frame: Buffer, { id, method }: ReturnType<typeof scanFrame>, kept: Buffer | undefined): void {
    if (method === 'notifications/cancelled') this.#cancelled(frame);
    if (id !== undefined && method !== undefined) this.#open.set(id, { id, method, frame: kept });
  }

  #settled(id: string | undefined, answer: Buffer): void {
    const request = id === undefined ? undefined : this.#open.get(id);
    if (!request) return;
    this.#open.delete(request.id);
    if (request.frame && isLasting(request.method) && textAt(answer, 'result') !== undefined) {
      this.wishes.granted(request.method, request.frame);
    }
  }

  /** Nobody waits any more: a server need not answer (MCP › Cancellation). */
  #cancelled(frame: Buffer): void {
    const { requestId } = Object(Object(parseFrame(frame)).params);
    this.#open.delete(JSON.stringify(requestId));
  }
}

/** The frames of a batch; none for what is no batch. */
function framesOf(batch: Buffer): Buffer[] {
  return elementsOf(batch, wholeOf(batch)).map(({ start, end }) => batch.subarray(start, end));
}
