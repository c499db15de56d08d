import { setTimeout as sleep } from 'node:timers/promises';
import { inOneLine } from '../words/failure.ts';
import type { AnswerCache } from './answer-cache.ts';
import { isStored } from './answer-store.ts';
import { Answers } from './answers.ts';
import type { FrameSink } from './back-pressure.ts';
import type { AttemptFailure, AttemptObserver } from './endpoint.ts';
import type { UpstreamFailure } from './errors.ts';
import { textAt } from './frame/edit.ts';
import { errorFrame, toolTextFrame } from './frame/error-frame.ts';
import { parseFrame, type SendableEnvelope, withId } from './frame/frame.ts';
import type { HttpOutcome, ResponseHead } from './http-exchange.ts';
import { endingWith, UnsentError } from './http-exchange.ts';
import { PendingRequest } from './pending-request.ts';
import type { ProgressReports } from './progress.ts';
import { isRejection, REPEAT, retryAfterOutcome } from './retry.ts';
import { resume } from './server-stream.ts';
import type { ServiceRefusals } from './service-refusal.ts';
import {
  isServersOwnError,
  isSessionLost,
  isSessionLostFrame,
  mayBeSessionLost,
  type SendOwn,
  type Session,
  type SessionEvent,
  SessionProbe,
  type SessionState,
  sessionFrom,
  sessionOf,
} from './session.ts';
import { continuesAsAnother } from './session-owner.ts';
import { SessionRenewal } from './session-renewal.ts';
import type { ProtocolAdapter } from './stateless/adapter.ts';
import type { ToolGuard } from './tool-guard.ts';
import type { UpstreamClient } from './upstream-client.ts';
import { ANSWER_TIMEOUTS, CANCELLED, type WaitingRequests } from './waiting-requests.ts';

/** How long a call may have waited before it is sent, in milliseconds, without the rules being checked again. */
const UNCHECKED_WAIT_MS = 500;

/** The session, as the dispatcher sees it. */
export interface SessionPort {
  /** Waits until a frame with this method may be sent, and returns the state it is sent in. */
  admit(method: string): Promise<SessionState> | SessionState;
  report(event: SessionEvent): void;
  /** The server sends the client a request, in the answer to the request with the raw id `of`. */
  asked(frame: Buffer, of: string): void;
  /** The bridge's own response to a server's request. */
  reply(frame: Buffer): void;
  /** Whether the server's own stream is open. Some servers send answers there. */
  hasStream(): boolean;
  /** Whether the client opens addresses that a server wants to open. */
  opensAddresses(): boolean;
}

/** How long to wait for an answer on the server's own stream after status 202, in milliseconds. */
const SERVER_STREAM_ANSWER_MS = 5_000;

/** Sends frames to the managed server and returns the answers. A frame is retried only if the server has not run it. */
export class RequestDispatcher {
  readonly #upstream: UpstreamClient;
  readonly #server: ProtocolAdapter;
  readonly #sink: FrameSink;
  readonly #answerCache: AnswerCache;
  readonly #port: SessionPort;
  readonly #answers: Answers;
  readonly #progress: ProgressReports;
  readonly #probe: SessionProbe;
  /** For a server with a service behind it that users have to sign in to. */
  readonly #service: ServiceRefusals | undefined;
  /** Checks calls again that have waited. */
  readonly #guard: Pick<ToolGuard, 'refusalAfterWait'> | undefined;
  readonly #attempts: AttemptObserver | undefined;
  readonly #renewal: SessionRenewal;
  readonly #waiting: WaitingRequests;
  readonly #unanswered: PendingRequest[] = [];
  /** The frames that have been sent and are not settled. */
  readonly #inFlight = new Set<PendingRequest>();
  readonly #endings: ReturnType<typeof endingWith>;
  /** Ends the wait for a server that does not answer `notifications/initialized`. */
  #announcement: NodeJS.Timeout | undefined;

  constructor(
    upstream: UpstreamClient,
    server: ProtocolAdapter,
    sink: FrameSink,
    answerCache: AnswerCache,
    waiting: WaitingRequests,
    progress: ProgressReports,
    port: SessionPort,
    service?: ServiceRefusals,
    guard?: Pick<ToolGuard, 'refusalAfterWait'>,
    attempts?: AttemptObserver,
  ) {
    this.#upstream = upstream;
    this.#waiting = waiting;
    this.#server = server;
    this.#sink = sink;
    this.#answerCache = answerCache;
    this.#port = port;
    this.#service = service;
    this.#guard = guard;
    this.#attempts = attempts;
    this.#endings = endingWith(upstream.signal);
    this.#progress = progress;
    this.#answers = new Answers(sink, this.#progress, {
      asked: (frame, of) => port.asked(frame, of),
      reply: (frame) => port.reply(frame),
      opensAddresses: () => port.opensAddresses(),
      sent: () => upstream.sent,
      answered: (pending, frame, json, head) => this.#answered(pending, frame, json, head),
    });
    const send: SendOwn = (method, frame, session, onFrame) =>
      upstream.withRetry((token) => server.post({ method, frame }, session, token, onFrame));
    this.#probe = new SessionProbe(send);
    const explained = (failure: UpstreamFailure) => upstream.explained(failure, 'initialize');
    this.#renewal = new SessionRenewal({ send, explained, answerCache });
  }

  /** Takes a frame from the server's own stream. */
  fromServer(frame: Buffer): void {
    this.#answers.takeOwn(frame);
  }

  /** The raw ids of requests that the server is still working on in the session of `generation`, after the bridge has closed. */
  leftOpen(generation: number): string[] {
    return this.#unanswered.filter((pending) => pending.generation === generation).flatMap((pending) => pending.ids());
  }

  /** Whether the client has sent `initialized`: it is ready for the server's own frames. */
  get announced(): boolean {
    return this.#renewal.isAnnounced;
  }

  /** Sends one frame. Always resolves; a request is always answered, unless the bridge is closed meanwhile. */
  dispatch(frame: Buffer, envelope: SendableEnvelope, wantsProgress: boolean): Promise<void> {
    const pending = new PendingRequest(frame, envelope, this.#unanswered);
    this.#renewal.sending(pending.method, frame);
    if (pending.method === 'notifications/cancelled') this.#sendCancellation(frame);
    if (wantsProgress) this.#progress.began(pending);
    const drive = () => this.#drive(pending);
    return isStored(pending.method) ? this.#answerCache.raceWithTimeout(pending, drive) : drive();
  }

  async #drive(pending: PendingRequest): Promise<void> {
    try {
      while (!(await this.#attempt(pending)));
    } catch (error) {
      await this.#fail(pending, error);
    } finally {
      this.#inFlight.delete(pending);
      this.#answers.ended(pending);
      this.#progress.ended(pending);
      this.#endings.delete(pending);
      if (pending.method === 'notifications/initialized') clearTimeout(this.#announcement);
    }
  }

  /** Opens the session of `generation` in place of the previous one. The client does not notice. */
  async reconnect(generation: number): Promise<void> {
    try {
      const session = await this.#renewal.open(generation);
      this.#port.report({ name: 'reconnected', generation, session });
      await this.#renewal.restore(session);
    } catch (error) {
      this.#port.report({ name: 'reconnectFailed', generation, error });
    }
  }

  /** Another user has signed in: what was under way as the one before is answered here, and not sent again. */
  endOfUser(): void {
    for (const pending of this.#inFlight) {
      if (continuesAsAnother(pending.method) || !pending.isOpen) continue;
      const ids = pending.outstanding > 0 ? pending.ids() : [];
      pending.outstanding = 0;
      pending.silent = false;
      for (const id of ids) this.#sink.write(errorFrame(id, this.#upstream.owner.cutOff(pending.method)));
    }
  }

  /** Requests the tools for the bridge itself, for a client that got them from the cache. */
  checkTools(session: Session): Promise<void> {
    return this.#renewal.checkTools(session);
  }

  /** Sends the frame once. Resolves to true if it is settled. */
  async #attempt(pending: PendingRequest): Promise<boolean> {
    // While it waited to be sent again it may have been answered on the server's own stream.
    if (pending.generation > 0 && pending.isForAnswer && !pending.isOpen) return true;
    const admission = this.#port.admit(pending.method);
    const isHeld = admission instanceof Promise;
    const state = isHeld ? await this.#waiting.bounded(pending, admission) : admission;
    if (state === CANCELLED) return true;
    pending.generation = state.generation;
    if (pending.method === 'notifications/initialized' && this.#renewal.hasAnnounced(state.generation)) {
      this.#port.report({ name: 'announced', generation: state.generation });
      return true;
    }
    if (pending.method === 'notifications/initialized') this.#announceLate(state.generation);
    const session = sessionOf(state);
    const token = await this.#waiting.bounded(pending, this.#upstream.token(pending.rejected));
    if (token === CANCELLED) return true;
    const refusal = this.#upstream.owner.refusal(pending);
    if (refusal) throw refusal;
    if (!this.#upstream.mayUse(session, token)) {
      this.#port.report({ name: 'expired', generation: pending.generation });
      return false;
    }
    if (await this.#isForbiddenNow(pending)) return true;
    // Without the answer to `initialize`, there is no session in which to cancel the request.
    if (session.id !== undefined && pending.method !== 'initialize') this.#endings.add(pending);
    this.#answers.sent(pending);
    if (this.#attempts) for (const id of pending.ids()) this.#attempts.sent(id, this.#upstream.owner.userName);
    this.#inFlight.add(pending);
    let loss: { frame: Buffer; head: ResponseHead } | undefined;
    let elicitation: { frame: Buffer; head: ResponseHead } | undefined;
    const { method, frame } = pending;
    const outgoing = { method, frame, unsentMs: this.#waiting.leftMs(pending) };
    const outcome = await this.#server.post(outgoing, session, token, (frame, head) => {
      const json = parseFrame(frame);
      if (session.id !== undefined && !pending.responseStarted && isError(json) && mayBeLoss(frame))
        loss = { frame, head };
      else if (this.#service && pending.mayBeElicited && this.#service.isElicitation(json))
        elicitation = { frame, head };
      else this.#answers.take(pending, frame, head, json);
    });
    if (this.#upstream.signal.aborted) return true;
    if (outcome.kind === 'cancelled') {
      pending.outstanding = 0;
      return true;
    }

    const mayBeGone = session.id !== undefined && this.#renewal.isPossible && (loss || outcome.kind !== 'streamed');
    if (mayBeGone && (await this.#isGone(session, loss?.frame, outcome))) {
      this.#port.report({ name: 'expired', generation: pending.generation });
      this.#failed(pending, { ...failureIn(outcome), reason: 'session-lost' });
      pending.sessionLosses += 1;
      if (pending.sessionLosses <= REPEAT.sessionLosses) return false;
      if (outcome.kind === 'refused' && !isServersOwnError(outcome.head.status, outcome.text)) {
        throw await this.#upstream.explained({ kind: 'forgotten' }, pending.method);
      }
    }
    if (loss) this.#answers.take(pending, loss.frame, loss.head);
    const refused =
      elicitation?.frame ?? (outcome.kind === 'refused' && !pending.responseStarted ? outcome : undefined);
    const verdict = refused && (await this.#service?.handle(pending, refused));
    if (verdict === CANCELLED || this.#upstream.signal.aborted) return true;
    if (refused !== elicitation?.frame) this.#failed(pending, failureIn(outcome));
    if (verdict === 'again') return false;
    if (elicitation) this.#answers.take(pending, elicitation.frame, elicitation.head);
    if (outcome.kind === 'broken' || outcome.kind === 'too-long') this.#failed(pending, failureIn(outcome));
    if (outcome.kind === 'broken' && outcome.error instanceof UnsentError) throw this.#waiting.tooLong();
    const waitMs = retryAfterOutcome(outcome, pending);
    if (waitMs !== undefined) {
      pending.repeats += 1;
      if (isRejection(outcome)) pending.rejected = token;
      if (waitMs === 0) return false;
      const waited = sleep(waitMs, undefined, { signal: this.#upstream.signal });
      const isUnsent = outcome.kind === 'broken' && !outcome.sent;
      const wait = isUnsent ? this.#waiting.bounded(pending, waited) : this.#waiting.unbounded(pending, waited);
      return (await wait) === CANCELLED;
    }
    await this.#conclude(pending, pending.outstanding > 0 ? await this.#resumed(pending, session, outcome) : outcome);
    return true;
  }

  /** Later frames do not wait any longer for a server that does not answer `initialized`. */
  #announceLate(generation: number): void {
    const late = () => {
      if (!this.#upstream.signal.aborted) this.#port.report({ name: 'announced', generation });
    };
    clearTimeout(this.#announcement);
    this.#announcement = setTimeout(late, ANSWER_TIMEOUTS.initializedMs).unref();
  }

  /** Reports that the attempt brought no answer to the outstanding requests. */
  #failed(pending: PendingRequest, failure: AttemptFailure): void {
    if (this.#attempts) for (const id of pending.ids()) this.#attempts.failed(id, failure);
  }

  /** Whether the rules have changed while a call waited, so that it may not be sent anymore. It is answered here then. */
  async #isForbiddenNow(pending: PendingRequest): Promise<boolean> {
    if (pending.method !== 'tools/call' && pending.envelope.kind !== 'batch') return false;
    const hasWaited = pending.serviceChecked || performance.now() - pending.cameAt > UNCHECKED_WAIT_MS;
    const refusal = hasWaited ? await this.#guard?.refusalAfterWait(pending.frame) : undefined;
    if (refusal === undefined) return false;
    const ids = pending.ids();
    pending.outstanding = 0;
    for (const id of ids) this.#sink.write(toolTextFrame(id, pending.frame, refusal));
    return true;
  }

  /** Whether an answer says that the session is gone. If the error can be a tool's own, the server is probed. */
  async #isGone(session: Session, loss: Buffer | undefined, outcome: HttpOutcome): Promise<boolean> {
    const frame = outcome.kind === 'frame' ? outcome.frame : loss;
    if (frame && isSessionLostFrame(frame)) return true;
    if (outcome.kind === 'refused' && isSessionLost({ status: outcome.head.status, text: outcome.text })) return true;
    const doubtful = frame ? mayBeSessionLost({ frame }) : outcome.kind === 'refused' && mayBeSessionLost(outcome);
    return doubtful ? this.#probe.confirms(doubtful, session) : false;
  }

  /** MCP › Cancellation. The notification goes to the server too, which may have the request already. */
  #sendCancellation(cancellation: Buffer): void {
    const requestId = textAt(cancellation, 'params', 'requestId');
    if (requestId === undefined) return;
    this.#progress.cancelled(requestId);
    this.#waiting.cancel(requestId);
  }

  /** Resumes an answer that was cut off, if the server numbers its events (MCP › Resumability and Redelivery). */
  async #resumed(pending: PendingRequest, session: Session, cut: HttpOutcome): Promise<HttpOutcome> {
    if ((cut.kind !== 'streamed' && cut.kind !== 'broken') || cut.place.lastEventId === undefined) return cut;
    return resume(cut, {
      listen: (place) =>
        this.#upstream.listen(session, place, (frame, head) => this.#answers.take(pending, frame, head)),
      wait: (delayMs) => sleep(delayMs, undefined, { signal: this.#upstream.signal }),
      isAnswered: () => pending.outstanding <= 0,
    });
  }

  async #conclude(pending: PendingRequest, outcome: HttpOutcome): Promise<void> {
    if (outcome.kind === 'frame') this.#answers.take(pending, outcome.frame, outcome.head);
    if (outcome.kind === 'refused' && isServersOwnError(outcome.head.status, outcome.text)) {
      // The id is replaced: servers that refuse a request often have not read it.
      const error = Buffer.from(outcome.text);
      for (const id of pending.ids()) this.#answers.take(pending, withId(error, id), outcome.head);
    }
    if (outcome.kind === 'accepted' && pending.outstanding > 0 && this.#port.hasStream())
      await this.#waitOnServerStream(pending);
    this.#answers.settle(pending);
    // The client was answered from the cache, but the session still needs to know how the request ended.
    const isOpen = pending.silent && pending.outstanding === 0;
    if (pending.outstanding > 0 || isOpen || pending.method === 'notifications/initialized') {
      if (outcome.kind === 'refused' || outcome.kind === 'broken')
        throw await this.#upstream.explained(await this.#failureOf(pending, outcome), pending.method);
      if (outcome.kind === 'too-long') throw await this.#upstream.explained({ kind: 'too-long' }, pending.method);
      const kind = pending.misaddressed ? 'misaddressed' : 'unanswered';
      if (pending.outstanding > 0 || isOpen) throw await this.#upstream.explained({ kind }, pending.method);
    }
    if (pending.method === 'notifications/initialized')
      this.#port.report({ name: 'announced', generation: pending.generation });
  }

  /** Waits for an answer that the server may send on its own stream. */
  async #waitOnServerStream(pending: PendingRequest): Promise<void> {
    const enough = new AbortController();
    pending.onAnswered = () => enough.abort();
    const signal = AbortSignal.any([this.#upstream.signal, enough.signal]);
    await sleep(SERVER_STREAM_ANSWER_MS, undefined, { signal }).catch(() => {});
  }

  async #failureOf(
    pending: PendingRequest,
    outcome: Extract<HttpOutcome, { kind: 'refused' | 'broken' }>,
  ): Promise<UpstreamFailure> {
    const isOld = pending.method === 'initialize' && (await this.#upstream.hasOldTransport(outcome));
    return isOld ? { kind: 'old-transport' } : outcome;
  }

  /** Called when a request has its answer, before the client reads it. */
  #answered(pending: PendingRequest, frame: Buffer, json: unknown, head: ResponseHead): void {
    this.#progress.ended(pending);
    if (pending.method === 'initialize') this.#opened(pending, json, head);
    if (typeof json === 'object' && json !== null && 'result' in json)
      this.#renewal.granted(pending.method, pending.frame);
    if (isStored(pending.method)) this.#answerCache.store(pending, frame, json);
  }

  #opened(pending: PendingRequest, json: unknown, head: ResponseHead): void {
    const { generation } = pending;
    const session = sessionFrom(json, head);
    this.#port.report(session ? { name: 'opened', generation, session } : { name: 'refused', generation });
  }

  async #fail(pending: PendingRequest, error: unknown): Promise<void> {
    const { generation } = pending;
    const answered = !this.#upstream.signal.aborted && (await this.#answerCache.fallback(pending, error));
    if (pending.method === 'initialize') {
      this.#port.report(pending.silent ? { name: 'deferred', generation, error } : { name: 'refused', generation });
    }
    if (pending.method === 'notifications/initialized') this.#port.report({ name: 'announced', generation });
    if (answered || this.#upstream.signal.aborted || pending.outstanding <= 0) return;
    const ids = pending.ids();
    pending.outstanding = 0;
    const isForModel = pending.method === 'tools/call' && this.#service?.isForModel(error);
    for (const id of ids)
      this.#sink.write(isForModel ? toolTextFrame(id, pending.frame, inOneLine(error)) : errorFrame(id, error));
  }
}

/** Why an attempt with this outcome failed. */
function failureIn(outcome: HttpOutcome): AttemptFailure {
  const status = 'head' in outcome ? (outcome.head?.status ?? null) : null;
  if (outcome.kind === 'broken') return { status, reason: outcome.sent ? 'broken' : 'not-sent' };
  return { status, reason: outcome.kind === 'too-long' ? 'too-long' : 'refused' };
}

function isError(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'error' in json;
}

function mayBeLoss(frame: Buffer): boolean {
  return isSessionLostFrame(frame) || mayBeSessionLost({ frame }) !== undefined;
}
