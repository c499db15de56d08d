import { asSentence } from '../platform/errors.ts';
import type { SentSecrets } from '../platform/foreign-text.ts';
import { withoutTokens } from '../platform/sent-tokens.ts';
import type { RefusedPlace } from '../words/refusal-steps.ts';
import type { FrameSink } from './back-pressure.ts';
import { withoutEcho } from './echo.ts';
import { textAt } from './frame/edit.ts';
import { errorFrame } from './frame/error-frame.ts';
import { envelopeOf, parseFrame, rawId, singleEnvelopeOf, withId, writtenId } from './frame/frame.ts';
import { eachElement, skipWhiteSpace } from './frame/json-bytes.ts';
import { itemsOf, memberAt, membersOf } from './frame/members.ts';
import { toLine } from './frame/splitter.ts';
import type { ResponseHead } from './http-exchange.ts';
import type { PendingRequest } from './pending-request.ts';
import type { ProgressReports } from './progress.ts';
import { withNextStep } from './refusals.ts';
import { refusedAddress, URL_REQUIRED, unsafeAddress } from './stateless/elicitations.ts';

/** Handlers of the frames that do not simply go to the client. */
export interface AnswerEvents {
  /** The server sends the client a request, in the answer to the request with the raw id `of`. */
  asked(frame: Buffer, of: string): void;
  /** A request has its answer. `json` is the answer as the server sent it, `frame` as the client reads it. */
  answered(pending: PendingRequest, frame: Buffer, json: unknown, head: ResponseHead): void;
  /** A frame of the bridge's own for the server. */
  reply(frame: Buffer): void;
  /** Whether the client opens addresses that the server wants to open. */
  opensAddresses(): boolean;
  /** The tokens that were sent to the server. */
  sent(): SentSecrets;
  /** For what its user can do about a refusal. */
  place(): RefusedPlace;
}

/** How many of the server's requests are refused at once: they may be endless. */
const MAX_REFUSALS = 16;

/** How many ids are remembered, to distinguish a response to another request from one with a mangled id. */
const RECENT_IDS = 256;

const NO_HEAD: ResponseHead = { status: 200, headers: {} };

/**
 * Passes a server's frames on to the client, with exactly one answer for each request. A response belongs to the request
 * whose POST it answers, or on the server's own stream to the request with its id. Responses that match no open request,
 * and text that is not a frame, are dropped.
 */
export class Answers {
  readonly #sink: FrameSink;
  readonly #progress: ProgressReports;
  readonly #events: AnswerEvents;
  /** The requests that the server has and that wait for an answer. */
  readonly #open = new Set<PendingRequest>();
  /** The ids of the latest requests, the oldest overwritten first. */
  readonly #recent: string[] = [];
  #sent = 0;
  #refusals = 0;

  constructor(sink: FrameSink, progress: ProgressReports, events: AnswerEvents) {
    this.#sink = sink;
    this.#progress = progress;
    this.#events = events;
  }

  /** The server has received this request's frame. */
  sent(pending: PendingRequest): void {
    if (!pending.isOpen) return;
    this.#open.add(pending);
    for (const id of pending.ids) {
      this.#recent[this.#sent % RECENT_IDS] = id;
      this.#sent += 1;
    }
  }

  /** No more frames arrive for this request. An answer whose id matches no request is used if there was no better one. */
  settle(pending: PendingRequest): void {
    const stray = pending.takeStray();
    if (stray) this.take(pending, withId(stray.frame, pending.id), stray.head);
  }

  /** The request is over. */
  ended(pending: PendingRequest): void {
    this.#open.delete(pending);
  }

  /** Takes a frame from the response to a request. Batches answer batches only. */
  take(pending: PendingRequest, frame: Buffer, head: ResponseHead, json = parseFrame(frame)): void {
    const { kind } = envelopeOf(json);
    if (kind === 'invalid') return;
    pending.begin();
    if (kind === 'batch') {
      if (pending.envelope.kind === 'batch') this.#takeBatch(pending, frame, head);
    } else if (kind === 'response') {
      const answer = this.#accept(pending, frame, json, head);
      if (answer) this.#sink.write(answer);
    } else {
      const passed = this.#checked(frame, json);
      if (!passed) return;
      if (kind === 'request' && pending.envelope.kind === 'request') this.#events.asked(passed, pending.id);
      else this.#sink.write(passed);
    }
  }

  /**
   * Takes a frame from the server's own stream. Responses do not belong there (MCP › Listening for Messages from the
   * Server); some servers send them there anyway, and answer the POST with 202.
   */
  takeOwn(frame: Buffer): void {
    const json = parseFrame(frame);
    const { kind } = singleEnvelopeOf(json);
    if (kind === 'invalid') return;
    if (kind === 'response') {
      const pending = this.#waitingFor(rawId(frame));
      const answer = pending && this.#accept(pending, frame, json, NO_HEAD);
      if (answer) this.#sink.write(answer);
      return;
    }
    const passed = this.#checked(frame, json);
    if (passed) this.#sink.write(passed);
  }

  /** The frames of an array that go to the client, as an array. */
  #takeBatch(pending: PendingRequest, batch: Buffer, head: ResponseHead): void {
    const kept: Buffer[] = [];
    let isWhole = true;
    for (const { start, end } of eachElement(batch, skipWhiteSpace(batch, 0))) {
      const frame = batch.subarray(start, end);
      const json = parseFrame(frame);
      const { kind } = singleEnvelopeOf(json);
      const passed =
        kind === 'invalid'
          ? undefined
          : kind === 'response'
            ? this.#accept(pending, frame, json, head)
            : this.#checked(frame, json);
      isWhole &&= passed?.equals(frame) === true;
      if (passed) kept.push(passed);
    }
    if (isWhole) this.#sink.write(toLine(batch));
    else if (kept.length > 0) this.#sink.write(Buffer.from(`[${kept.join(',')}]`));
  }

  /** A response for the client if it answers one of this frame's requests, which then counts as answered. */
  #accept(pending: PendingRequest, frame: Buffer, json: unknown, head: ResponseHead): Buffer | undefined {
    const { id: responseId, isAmbiguous } = writtenId(frame);
    const request = pending.requestFor(responseId);
    if (!request || (request.match === 'roughly' && this.#mayAnswerAnother(pending, responseId))) {
      const isAnothers = !request && this.#recent.includes(responseId);
      const mayBeAnswer = !isAnothers && isId(responseId) && pending.envelope.kind === 'request';
      pending.misaddressed(mayBeAnswer ? { frame, head } : undefined);
      return undefined;
    }
    const unsafe = unsafeAddress(json);
    const line = isAmbiguous ? withMembersOnce(frame) : toLine(frame);
    const addressed = request.match === 'exactly' ? line : withId(line, request.id);
    const answer =
      unsafe === undefined
        ? this.#explained(withoutEcho(wellFormed(addressed, json), json, this.#events.sent()), json, head)
        : errorFrame(request.id, refusedAddress(unsafe));
    const isAwaited = pending.settle('server', request.id).length > 0;
    if (!pending.isOpen) this.#open.delete(pending);
    this.#events.answered(pending, answer, unsafe === undefined ? json : undefined, head);
    return isAwaited ? answer : undefined;
  }

  /** An answer with what its user can do about an error. */
  #explained(answer: Buffer, json: unknown, { status }: ResponseHead): Buffer {
    return withNextStep(withAddress(answer, json, this.#events), json, status, this.#events.place());
  }

  /** Whether a response with an id that is spelled differently can belong to another request than those of its own exchange. */
  #mayAnswerAnother(own: PendingRequest, id: string): boolean {
    // Of a batch it may answer once more what it has answered.
    if (own.envelope.kind === 'batch') return this.#recent.includes(id);
    return [...this.#open].some((pending) => pending !== own && pending.ids.includes(id));
  }

  /** The request that waits for a response with exactly this id. */
  #waitingFor(id: string): PendingRequest | undefined {
    for (const pending of this.#open) {
      if (pending.method !== 'initialize' && pending.requestFor(id)?.match === 'exactly') return pending;
    }
    return undefined;
  }

  /** A server's request or notification, changed for the client; undefined if it must not be passed on. */
  #checked(frame: Buffer, json: unknown): Buffer | undefined {
    // Some clients would mistake it for the answer to their own request with this id.
    if (isOutcome(json)) return undefined;
    const whole = writtenId(frame).isAmbiguous ? withMembersOnce(frame) : toLine(frame);
    const line = withoutTokens(this.#progress.adjusted(whole, json), this.#events.sent());
    const unsafe = unsafeAddress(json);
    if (unsafe === undefined) return line;
    const { message } = refusedAddress(unsafe);
    const error = JSON.stringify({ code: -32602, message: `Invalid params: ${message}` });
    if (this.#refusals < MAX_REFUSALS) this.#reply(`{"jsonrpc":"2.0","id":${rawId(frame)},"error":${error}}`);
    return undefined;
  }

  #reply(frame: string): void {
    this.#refusals += 1;
    // Deferred, because this frame arrived in the middle of an answer that is being read.
    setImmediate(() => {
      this.#refusals -= 1;
      this.#events.reply(Buffer.from(frame));
    });
  }
}

function isId(raw: string): boolean {
  return raw === 'null' || /^["\d-]/.test(raw);
}

/** The members of a frame, in the order in which they are written here. */
const MEMBERS = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];

/** The frame with each of its members once, as JSON.parse reads it. */
function withMembersOnce(frame: Buffer): Buffer {
  const members = MEMBERS.flatMap((name) => {
    const text = textAt(frame, name);
    return text === undefined ? [] : [`"${name}":${text}`];
  });
  return toLine(Buffer.from(`{${members.join(',')}}`));
}

/** Whether a frame has a result or an error. */
function isOutcome(json: unknown): boolean {
  const members = membersOf(json);
  return 'result' in members || 'error' in members;
}

/**
 * A response unchanged, or rewritten as a valid JSON-RPC 2.0 response (§5). Clients drop a response of another version, with
 * both a result and an error (`null` counts), or with an error that is not an error object, and then wait forever.
 */
function wellFormed(answer: Buffer, json: unknown): Buffer {
  const members = membersOf(json);
  const { jsonrpc, error } = members;
  if (jsonrpc === '2.0' && (!('error' in members) || (!('result' in members) && isError(error)))) return answer;
  const outcome =
    isError(error) || !('result' in members)
      ? `"error":${isError(error) ? textAt(answer, 'error') : JSON.stringify(errorObjectFor(error))}`
      : `"result":${textAt(answer, 'result')}`;
  return Buffer.from(`{"jsonrpc":"2.0","id":${rawId(answer)},${outcome}}`);
}

/** Whether this is an error object (JSON-RPC 2.0 §5.1). */
function isError(error: unknown): boolean {
  const { code, message } = membersOf(error);
  return Number.isInteger(code) && typeof message === 'string';
}

/** What a server sent instead of an error object, as an error object. */
function errorObjectFor(error: unknown): { code: number; message: string } {
  const { code, message = error } = membersOf(error);
  const text = typeof message === 'string' && message !== '' ? message : 'The server gave no reason.';
  return { code: typeof code === 'number' && Number.isInteger(code) ? code : -32603, message: text };
}

/** Adds the addresses to the message, for a client that opens none and shows its user only the message. */
function withAddress(answer: Buffer, json: unknown, events: AnswerEvents): Buffer {
  if (memberAt(json, 'error', 'code') !== URL_REQUIRED || events.opensAddresses()) return answer;
  const error = membersOf(memberAt(parseFrame(answer), 'error'));
  const urls = itemsOf(memberAt(json, 'error', 'data', 'elicitations')).map((each) => memberAt(each, 'url'));
  const missing = urls.filter((url) => typeof url === 'string' && !`${error.message}`.includes(url));
  if (missing.length === 0) return answer;
  const text = `${asSentence(`${error.message}`)} Open ${missing.join(' and ')} in a browser, then try again.`;
  return Buffer.from(`{"jsonrpc":"2.0","id":${rawId(answer)},"error":${JSON.stringify({ ...error, message: text })}}`);
}
