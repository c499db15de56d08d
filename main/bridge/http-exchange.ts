import type { Dispatcher } from 'undici';
import type { SignInIdentity } from '../auth/identity.ts';
import { BUDGETS } from '../platform/budgets.ts';
import type { Connections } from '../platform/connections.ts';
import type { FlowControl, Reader } from './back-pressure.ts';
import { type Ending, endingWith } from './ending.ts';
import { envelopeOf, parseFrame } from './frame/frame.ts';
import { eachElement, OPEN_BRACE, OPEN_BRACKET, skipWhiteSpace } from './frame/json-bytes.ts';
import { toUtf8 } from './frame/splitter.ts';
import { MAX_BATCH_FRAMES, MAX_FRAME_BYTES, NEVER_SENT } from './limits.ts';
import { EventStreamParser } from './sse.ts';

/**
 * Of an answer that is not an MCP frame, enough is read for any error body, and its request, which has failed already, waits no
 * longer for it. Later frames may wait for the body of an answer that only says "accepted".
 */
const { refusalBytes: MAX_REFUSAL_BYTES, refusalMs: REFUSAL_BODY_MS, acceptedMs: ACCEPTED_BODY_MS } = BUDGETS;

const LESS_THAN = 0x3c;

/** An answer's status line and headers (names in lower case). */
export interface ResponseHead {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** As whom the request was sent. */
  owner?: SignInIdentity | undefined;
}

/** One request to the managed server and where its answer goes. */
export interface HttpRequest {
  origin: string;
  path: string;
  /** POST sends a frame, GET listens or resumes. */
  method: 'POST' | 'GET';
  headers: Record<string, string>;
  body?: Buffer | undefined;
  signal?: AbortSignal | undefined;
  /** How long the server may be silent before or during the answer, in milliseconds; as long as the connections allow if left out. */
  silenceMs?: number | undefined;
  /** How long it may wait for a connection to be sent on, in milliseconds. */
  unsentMs?: number | undefined;
  /** Called for each frame of an event stream as it arrives, in order. */
  onFrame(frame: Buffer, head: ResponseHead): void;
  /** As whom it is sent. */
  owner?: SignInIdentity | undefined;
  /** A JSON answer goes to `onFrame` as soon as it is complete, and the outcome is `streamed`. */
  atOnce?: boolean | undefined;
  /** The frame needs no answer: its 2xx status is enough, and its outcome does not wait long for the rest. */
  isAnswerless?: boolean | undefined;
  /** The frame is a batch: an array in the answer is handed over whole; otherwise its frames are handed over one by one. */
  isBatch?: boolean | undefined;
}

export type HttpOutcome =
  /** 2xx without a body: the server took a notification or a response. */
  | { kind: 'accepted'; head: ResponseHead }
  /** `application/json`: one frame. */
  | { kind: 'frame'; head: ResponseHead; frame: Buffer }
  /** The response is complete; its frames went to `onFrame`. */
  | { kind: 'streamed'; head: ResponseHead; place: StreamPlace }
  /** An answer that is not MCP: an error status, a redirect, a page, another type of content. `text` is its beginning. */
  | { kind: 'refused'; head: ResponseHead; text: string }
  /** The answer, or one event in it, is longer than a frame may be. The rest was not read. */
  | { kind: 'too-long'; head: ResponseHead }
  /** The client cancelled its request. */
  | { kind: 'cancelled' }
  /**
   * No whole answer. `sent` tells whether the server may have seen the request, `silenceMs` how long it was allowed to be
   * silent if that was less than the connections allow.
   */
  | {
      kind: 'broken';
      error: Error;
      sent: boolean;
      head: ResponseHead | undefined;
      place: StreamPlace;
      silenceMs?: number | undefined;
    };

/** How far an event stream was read, for resuming it (MCP › Resumability and Redelivery). */
export interface StreamPlace {
  /** Undefined if the server numbers no events: such a stream cannot be resumed. */
  lastEventId: string | undefined;
  /** The wait before resuming that the server asked for, in milliseconds. */
  retryMs: number | undefined;
}

/** A header's value; the first one if it occurs several times. */
export function header(head: ResponseHead, name: string): string | undefined {
  const value = head.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The type of an answer's content, without parameters; empty if it names none. */
export function mediaType(head: ResponseHead): string {
  return (header(head, 'content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** The content encoding of an answer, which nothing here decodes; undefined if there is none. */
export function encodingOf(head: ResponseHead): string | undefined {
  const encoding = (header(head, 'content-encoding') ?? '').trim().toLowerCase();
  return encoding === '' || encoding === 'identity' ? undefined : encoding;
}

/** The position in a response that is not a stream. */
const NOWHERE: StreamPlace = { lastEventId: undefined, retryMs: undefined };

/**
 * Sends one frame over streamable HTTP and reads the answer, whatever its form (spec/managed-mcp-endpoints.md › Response).
 * Always resolves: failures are outcomes. Reads no faster than the client does.
 */
export function exchange(connections: Connections, flow: FlowControl, request: HttpRequest): Promise<HttpOutcome> {
  return new Promise((resolve) => {
    const answer = new AnswerReader(flow, request, resolve);
    try {
      const { origin, path, method, headers, body = null } = request;
      const silence = request.silenceMs === undefined ? {} : limits(request.silenceMs);
      connections.dispatch({ origin, path, method, headers, body, ...silence }, answer);
      answer.limitUnsent();
    } catch (error) {
      answer.onResponseError(undefined, error instanceof Error ? error : new Error(String(error)));
    }
  });
}

/** A request that no connection took in time. Nothing of it was sent, and nothing will be. */
export class UnsentError extends Error {
  readonly code = 'UND_ERR_UNSENT';
}

function limits(silenceMs: number) {
  return { headersTimeout: silenceMs, bodyTimeout: silenceMs };
}

class AnswerReader implements Dispatcher.DispatchHandler, Ending, Reader {
  readonly #flow: FlowControl;
  readonly #request: HttpRequest;
  readonly #resolve: (outcome: HttpOutcome) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #head: ResponseHead | undefined;
  /** A successful answer of another type is `unknown` until its first byte shows what it can be. */
  #form: 'frame' | 'events' | 'refusal' | 'unknown' | 'perhaps-frame' | 'encoded' = 'refusal';
  #chunks: Buffer[] = [];
  #bytes = 0;
  #events: EventStreamParser | undefined;
  #settled = false;
  #bodyTimer: NodeJS.Timeout | undefined;
  #unsentTimer: NodeJS.Timeout | undefined;

  constructor(flow: FlowControl, request: HttpRequest, resolve: (outcome: HttpOutcome) => void) {
    this.#flow = flow;
    this.#request = request;
    this.#resolve = resolve;
  }

  /** Called after the dispatch. Most requests are on their way by then, and need no timer. */
  limitUnsent(): void {
    if (this.#controller || this.#settled) return;
    const { unsentMs = NEVER_SENT.limitMs } = this.#request;
    const giveUp = () => this.onResponseError(undefined, new UnsentError('no connection took the request in time'));
    this.#unsentTimer = setTimeout(giveUp, unsentMs);
    // A client that has gone does not wait for a connection either.
    const { signal } = this.#request;
    if (signal?.aborted) giveUp();
    else if (signal) endingWith(signal).add(this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    clearTimeout(this.#unsentTimer);
    // Given up before its turn came: undici has written nothing yet, and does not.
    if (this.#settled) {
      controller.abort(new UnsentError('given up'));
      return;
    }
    this.#controller = controller;
    const { signal } = this.#request;
    if (signal?.aborted) this.end();
    else if (signal) endingWith(signal).add(this);
  }

  end(): void {
    const error = abortError(this.#request.signal);
    if (this.#controller) this.#controller.abort(error);
    else this.onResponseError(undefined, error);
  }

  onResponseStart(_controller: unknown, status: number, headers: ResponseHead['headers']): void {
    if (status < 200) return;
    const head = { status, headers, owner: this.#request.owner };
    this.#head = head;
    this.#form = formIn(head);
    if (this.#form === 'events') this.#events = new EventStreamParser((frame) => this.#pass(frame, head));
    if (this.#form === 'frame' && Number(header(head, 'content-length')) > MAX_FRAME_BYTES) this.#stop(head);
    else if (this.#form === 'refusal' || this.#form === 'encoded') this.#limitRefusal();
    else if (this.#request.isAnswerless) {
      this.#bodyTimer = setTimeout(() => this.#resolve({ kind: 'accepted', head }), ACCEPTED_BODY_MS);
    }
  }

  /** A refusal counts as it is so far if its body does not end: its status says enough. */
  #limitRefusal(): void {
    clearTimeout(this.#bodyTimer);
    this.#bodyTimer = setTimeout(() => this.#endRefusal(), REFUSAL_BODY_MS);
  }

  #endRefusal(): void {
    this.#safely(() => this.#finish());
    this.#controller?.abort(new Error('the rest of the refusal is not read'));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    if (this.#events) {
      this.#safely(() => this.#events?.push(chunk));
      if (this.#settled) return;
      // Frames that went to the sink count there. Only the incomplete event counts here.
      this.#count(controller, this.#events.pendingBytes - this.#bytes);
      return;
    }
    if (this.#form === 'unknown') {
      this.#form = formOf(chunk);
      if (this.#form === 'refusal' && !this.#request.isAnswerless) this.#limitRefusal();
    }
    this.#chunks.push(chunk);
    this.#count(controller, chunk.length);
    const isRefusal = this.#form === 'refusal' || this.#form === 'encoded';
    if (isRefusal && this.#bytes >= MAX_REFUSAL_BYTES) this.#endRefusal();
  }

  /** An exception ends this answer alone; undici's parser would let it become an uncaught exception. */
  #safely(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.onResponseError(undefined, error instanceof Error ? error : new Error(String(error)));
      this.end();
    }
  }

  /** Passes on a text from the server: a frame, or frames in an array. */
  #pass(frame: Buffer, head: ResponseHead): void {
    if (this.#request.isBatch || frame[0] === OPEN_BRACE) this.#request.onFrame(frame, head);
    else for (const one of framesIn(frame)) this.#request.onFrame(one, head);
  }

  #stop(head: ResponseHead): void {
    this.#settle({ kind: 'too-long', head });
    this.#controller?.abort(new Error('the response exceeds the frame limit'));
  }

  #count(controller: Dispatcher.DispatchController, bytes: number): void {
    this.#bytes += bytes;
    if (bytes < 0) this.#flow.passedOn(this, -bytes);
    else if (this.#flow.arrived(this, bytes)) controller.pause();
    const isTooLong = this.#events ? this.#events.isTooLong : this.#bytes > MAX_FRAME_BYTES;
    if (isTooLong && this.#head) this.#stop(this.#head);
  }

  get held(): number {
    return this.#bytes;
  }

  resume(): void {
    // Deferred, because undici's parser is shared, and this may be called while it reads another response.
    queueMicrotask(() => {
      if (!this.#settled) this.#controller?.resume();
    });
  }

  onResponseEnd(): void {
    if (!this.#settled) this.#safely(() => this.#finish());
  }

  #finish(): void {
    const head = this.#head;
    if (!head) {
      this.onResponseError(undefined, new Error('the server answered without a status'));
      return;
    }
    if (this.#form === 'events') {
      this.#events?.end();
      this.#settle({ kind: 'streamed', head, place: this.#events ?? NOWHERE });
      return;
    }
    const [only] = this.#chunks;
    const body = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks, this.#bytes);
    const text = this.#framesIn(body);
    if (text) this.#settleWith(text, head);
    else if (head.status < 300 && body.length === 0) this.#settle({ kind: 'accepted', head });
    else {
      this.#settle({ kind: 'refused', head, text: this.#form === 'encoded' ? '' : refusalIn(body, head) });
    }
  }

  /** The text of a body that holds frames; undefined for any other. */
  #framesIn(body: Buffer): Buffer | undefined {
    if (body.length === 0 || this.#form === 'refusal' || this.#form === 'encoded') return undefined;
    const text = toUtf8(body);
    return (this.#form === 'frame' ? !isPage(text) : isFrame(text)) ? text : undefined;
  }

  /** A JSON response. Frames other than the answer go to `onFrame`. */
  #settleWith(text: Buffer, head: ResponseHead): void {
    let last: Buffer | undefined;
    if (this.#request.atOnce) this.#pass(text, head);
    else if (this.#request.isBatch) last = text;
    else {
      for (const one of framesIn(text)) {
        if (last) this.#request.onFrame(last, head);
        last = one;
      }
    }
    this.#settle(last ? { kind: 'frame', head, frame: last } : { kind: 'streamed', head, place: NOWHERE });
  }

  onResponseError(_controller: unknown, error: Error): void {
    const sent = this.#controller !== undefined;
    const { silenceMs } = this.#request;
    this.#settle({ kind: 'broken', error, sent, head: this.#head, place: this.#events ?? NOWHERE, silenceMs });
  }

  #settle(outcome: HttpOutcome): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#bodyTimer);
    clearTimeout(this.#unsentTimer);
    const { signal } = this.#request;
    if (signal) endingWith(signal).delete(this);
    const bytes = this.#bytes;
    this.#bytes = 0;
    this.#chunks = [];
    this.#resolve(outcome);
    this.#flow.ended(this, bytes);
  }
}

/**
 * The frames that a server has put into one text: one, or several in an array, as revision 2025-03-26 had it. Later
 * revisions have no arrays.
 */
function* framesIn(text: Buffer): Generator<Buffer> {
  const start = skipWhiteSpace(text, 0);
  if (text[start] !== OPEN_BRACKET) {
    yield text;
    return;
  }
  if (parseFrame(text) === undefined) return;
  let count = 0;
  for (const place of eachElement(text, start)) {
    count += 1;
    if (count > MAX_BATCH_FRAMES) return;
    yield text.subarray(place.start, place.end);
  }
}

/** A refusal's text: that of its last frame, where a server refuses with an event stream. */
function refusalIn(body: Buffer, head: ResponseHead): string {
  const read = body.subarray(0, MAX_REFUSAL_BYTES);
  if (mediaType(head) !== 'text/event-stream') return read.toString('utf8');
  let last = read;
  const events = new EventStreamParser((frame) => {
    last = frame;
  });
  events.push(read);
  events.end();
  return last.toString('utf8');
}

/** What an answer is by its status and headers. */
function formIn(head: ResponseHead): 'encoded' | 'frame' | 'events' | 'unknown' | 'refusal' {
  if (encodingOf(head) !== undefined) return 'encoded';
  if (head.status >= 300) return 'refusal';
  const type = mediaType(head);
  if (type === 'application/json') return 'frame';
  return type === 'text/event-stream' ? 'events' : 'unknown';
}

/** What a 2xx answer of an unknown content type may be: JSON is read as a frame, anything else is refused. */
function formOf(chunk: Buffer): 'unknown' | 'perhaps-frame' | 'refusal' {
  const first = chunk[skipWhiteSpace(chunk, 0)];
  if (first === undefined) return 'unknown';
  return first === OPEN_BRACE || first === OPEN_BRACKET ? 'perhaps-frame' : 'refusal';
}

/** Whether a text is a frame or several, whatever its content type. */
function isFrame(text: Buffer): boolean {
  const json = parseFrame(text);
  const [first] = Array.isArray(json) ? json : [json];
  return envelopeOf(first).kind !== 'invalid';
}

/** Whether a body labeled as JSON is a web page: proxies do not always label content correctly. */
function isPage(body: Buffer): boolean {
  return body[skipWhiteSpace(body, 0)] === LESS_THAN;
}

function abortError(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new Error('aborted');
}
