import { elementsOf, textAt, wholeOf } from '../bridge/frame/edit.ts';
import { parseFrame, scanFrame } from '../bridge/frame/frame.ts';
import { isSafeToRepeat } from '../bridge/retry.ts';
import { isSticky, SessionSubscriptions } from '../bridge/session-subscriptions.ts';
import { summarizeFrame } from './frame-summary.ts';

/** A request that stays open as long as its client listens (MCP 2026-07-28 › Subscriptions). */
const LONG_LIVED = 'subscriptions/listen';
/** How long a question of the server's to its client counts as open, in milliseconds: some are never answered. */
const QUESTION_MS = 600_000;
/** How many of them are remembered. */
const MAX_QUESTIONS = 1_000;

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
export class ReplayLog {
  initialize: Buffer | undefined;
  initialized: Buffer | undefined;
  /** The tools that the client was last given, as they were written; undefined where it has not asked for any. */
  tools: string | undefined;
  readonly subscriptions = new SessionSubscriptions();
  readonly #open = new Map<string, OpenRequest>();
  /** When the server asked the client for something that has no answer yet, by raw id, in milliseconds. */
  readonly #questions = new Map<string, number>();

  get open(): OpenRequest[] {
    return [...this.#open.values()];
  }

  get isSettled(): boolean {
    return this.#open.size === 0;
  }

  /** Whether a move to another way now would be felt by nobody: neither side waits for an answer of the other. */
  get isIdle(): boolean {
    const isWaited = this.open.some(({ method }) => method !== LONG_LIVED);
    const isAsked = [...this.#questions.values()].some((at) => performance.now() - at < QUESTION_MS);
    return !isWaited && !isAsked;
  }

  /** A frame of the client's has passed. */
  sent(frame: Buffer, { id, method } = look(frame)): void {
    if (method === undefined) {
      if (id !== undefined) this.#questions.delete(id);
      // Of a batch nothing is sent again: its answers are to come together.
      if (id === undefined) for (const one of framesOf(frame)) this.#asked(one, scanFrame(one), undefined);
      return;
    }
    if (method === 'initialize') {
      this.initialize = frame;
      this.subscriptions.clear();
    }
    if (method === 'notifications/initialized') this.initialized = frame;
    this.#asked(frame, { id, method }, isSafeToRepeat(method) ? frame : undefined);
  }

  /** A frame for the client has passed. */
  answered(frame: Buffer): void {
    const { id, method } = look(frame);
    if (method !== undefined) this.#serverAsks(frame, id, method);
    else if (this.#open.size === 0) return;
    else if (id === undefined) for (const one of framesOf(frame)) this.#settled(scanFrame(one).id, one);
    else this.#settled(id, frame);
  }

  #serverAsks(frame: Buffer, id: string | undefined, method: string): void {
    if (id !== undefined) {
      this.#questions.set(id, performance.now());
      const [oldest] = this.#questions.keys();
      if (this.#questions.size > MAX_QUESTIONS && oldest !== undefined) this.#questions.delete(oldest);
    } else if (method === 'notifications/cancelled') this.#questions.delete(textAt(frame, 'params', 'requestId') ?? '');
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
    if (request.method === 'tools/list' && !request.frame?.includes('"cursor"')) {
      this.tools = textAt(answer, 'result', 'tools') ?? this.tools;
    }
    if (request.frame && isSticky(request.method) && textAt(answer, 'result') !== undefined) {
      this.subscriptions.granted(request.method, request.frame);
    }
  }

  /** Nobody waits any more: a server need not answer (MCP › Cancellation). */
  #cancelled(frame: Buffer): void {
    const { requestId } = Object(Object(parseFrame(frame)).params);
    this.#open.delete(JSON.stringify(requestId));
  }
}

/** From this size on, in bytes, a frame's middle is passed over where its ends tell what it is. */
const LONG_BYTES = 4096;

/** A frame's id as it was written, and its method. */
export function look(frame: Buffer): { id: string | undefined; method: string | undefined } {
  return frame.length < LONG_BYTES ? scanFrame(frame) : summarizeFrame(frame);
}

/** The frames of a batch; none for what is no batch. */
function framesOf(batch: Buffer): Buffer[] {
  return elementsOf(batch, wholeOf(batch)).map(({ start, end }) => batch.subarray(start, end));
}
