import type { Dispatcher } from 'undici';
import type { Connections } from '../platform/connections.ts';
import { type Ending, endingWith } from './ending.ts';
import { EventFeed } from './event-feed.ts';
import type { FlowControl, Reader } from './flow.ts';
import { toUtf8 } from './frames.ts';
import { skipWhiteSpace } from './json-bytes.ts';

/** How much of an answer that is no MCP frame is read, in bytes: enough for any error body. */
const MAX_REFUSAL_BYTES = 64 * 1024;

const LESS_THAN = 0x3c;

/** An answer's status line and headers (names in lower case). */
export interface Head {
  status: number;
  headers: Record<string, string | string[] | undefined>;
}

/** One request to the managed server and where its answer goes. */
export interface Request {
  origin: string;
  path: string;
  /** POST sends a frame, GET listens or resumes. */
  method: 'POST' | 'GET';
  headers: Record<string, string>;
  body?: Buffer | undefined;
  signal?: AbortSignal | undefined;
  /** Called for each frame of an event stream as it arrives, in order. */
  onFrame(frame: Buffer, head: Head): void;
  /** A JSON answer goes to `onFrame` in the moment in which it is whole, and the outcome is `streamed`. */
  atOnce?: boolean | undefined;
}

export type Outcome =
  /** 2xx without a body: the server took a notification or a response. */
  | { kind: 'accepted'; head: Head }
  /** `application/json`: one frame. */
  | { kind: 'frame'; head: Head; frame: Buffer }
  /** The answer came to its end; its frames went to `onFrame`. */
  | { kind: 'streamed'; head: Head; place: StreamPlace }
  /** An answer that is not MCP: an error status, a redirect, a page. `text` is its beginning. */
  | { kind: 'refused'; head: Head; text: string }
  /** The client took its request back: nobody waits for an answer. */
  | { kind: 'cancelled' }
  /** No whole answer. `sent` tells whether the server may have seen the request. */
  | { kind: 'broken'; error: Error; sent: boolean; head: Head | undefined; place: StreamPlace };

/** How far an event stream was read, for going on from there (MCP › Resumability and Redelivery). */
export interface StreamPlace {
  /** Undefined where the server numbers no events: such a stream cannot be resumed. */
  lastEventId: string | undefined;
  /** The wait before resuming that the server asked for, in milliseconds. */
  retryMs: number | undefined;
}

/** A header's value; the first one where it came several times. */
export function header(head: Head, name: string): string | undefined {
  const value = head.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function mediaType(head: Head): string {
  return (header(head, 'content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** What has been read of a stream so far; nothing where there was none. */
const NOWHERE: StreamPlace = { lastEventId: undefined, retryMs: undefined };

/**
 * Sends one frame over streamable HTTP and reads the answer, whatever its form (spec/managed-mcp-endpoints.md › Response).
 * Always resolves: what goes wrong is an outcome. Reads no faster than the client takes.
 */
export function exchange(connections: Connections, flow: FlowControl, request: Request): Promise<Outcome> {
  return new Promise((resolve) => {
    const answer = new AnswerReader(flow, request, resolve);
    try {
      const { origin, path, method, headers, body = null } = request;
      connections.dispatch({ origin, path, method, headers, body }, answer);
    } catch (error) {
      answer.onResponseError(undefined, error instanceof Error ? error : new Error(String(error)));
    }
  });
}

class AnswerReader implements Dispatcher.DispatchHandler, Ending, Reader {
  place = -1;
  readonly #flow: FlowControl;
  readonly #request: Request;
  readonly #resolve: (outcome: Outcome) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #head: Head | undefined;
  #form: 'frame' | 'events' | 'refusal' = 'refusal';
  #chunks: Buffer[] = [];
  #bytes = 0;
  #events: EventFeed | undefined;
  #settled = false;

  constructor(flow: FlowControl, request: Request, resolve: (outcome: Outcome) => void) {
    this.#flow = flow;
    this.#request = request;
    this.#resolve = resolve;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const { signal } = this.#request;
    if (signal?.aborted) this.end();
    else if (signal) endingWith(signal).add(this);
  }

  end(): void {
    this.#controller?.abort(abortError(this.#request.signal));
  }

  onResponseStart(_controller: unknown, status: number, headers: Head['headers']): void {
    if (status < 200) return;
    const head = { status, headers };
    this.#head = head;
    const type = status < 300 ? mediaType(head) : '';
    if (type === 'application/json') this.#form = 'frame';
    else if (type === 'text/event-stream') {
      this.#form = 'events';
      this.#events = new EventFeed((frame) => this.#request.onFrame(frame, head));
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#events) {
      this.#events.push(chunk);
      // Frames that went to the sink count there; what is counted here is the event that is not whole yet.
      this.#count(controller, this.#events.pendingBytes - this.#bytes);
      return;
    }
    if (this.#form === 'refusal' && this.#bytes >= MAX_REFUSAL_BYTES) return;
    this.#chunks.push(chunk);
    this.#count(controller, chunk.length);
  }

  #count(controller: Dispatcher.DispatchController, bytes: number): void {
    this.#bytes += bytes;
    if (bytes < 0) this.#flow.passedOn(this, -bytes);
    else if (this.#flow.arrived(this, bytes)) controller.pause();
  }

  get held(): number {
    return this.#bytes;
  }

  resume(): void {
    // Not at once: undici's parser is shared, and this may be called while it reads another answer.
    queueMicrotask(() => {
      if (!this.#settled) this.#controller?.resume();
    });
  }

  onResponseEnd(): void {
    const head = this.#head;
    if (!head) {
      this.onResponseError(undefined, new Error('the server answered without a status'));
      return;
    }
    if (this.#form === 'events') {
      this.#settle({ kind: 'streamed', head, place: this.#events ?? NOWHERE });
      return;
    }
    const [only] = this.#chunks;
    const body = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks, this.#bytes);
    const frame = this.#form === 'frame' && body.length > 0 ? toUtf8(body) : undefined;
    if (frame && !isPage(frame)) {
      if (this.#request.atOnce) this.#request.onFrame(frame, head);
      this.#settle(this.#request.atOnce ? { kind: 'streamed', head, place: NOWHERE } : { kind: 'frame', head, frame });
    } else if (head.status < 300 && body.length === 0) this.#settle({ kind: 'accepted', head });
    else this.#settle({ kind: 'refused', head, text: body.toString('utf8', 0, MAX_REFUSAL_BYTES) });
  }

  onResponseError(_controller: unknown, error: Error): void {
    const sent = this.#controller !== undefined;
    this.#settle({ kind: 'broken', error, sent, head: this.#head, place: this.#events ?? NOWHERE });
  }

  #settle(outcome: Outcome): void {
    this.#settled = true;
    const { signal } = this.#request;
    if (signal) endingWith(signal).remove(this);
    const bytes = this.#bytes;
    this.#bytes = 0;
    this.#chunks = [];
    this.#resolve(outcome);
    this.#flow.ended(this, bytes);
  }
}

/** Whether a body that calls itself JSON is a page: those who stand in between do not always say what they send. */
function isPage(body: Buffer): boolean {
  return body[skipWhiteSpace(body, 0)] === LESS_THAN;
}

function abortError(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new Error('aborted');
}
