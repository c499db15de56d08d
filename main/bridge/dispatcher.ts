import { setTimeout as sleep } from 'node:timers/promises';
import { inOneLine } from '../words/failure.ts';
import { type Admission, type AdmissionPort, Admissions, type AdmittingSession } from './admission.ts';
import type { AnswerCache } from './answer-cache.ts';
import { Answers } from './answers.ts';
import type { FrameSink } from './back-pressure.ts';
import { isStored } from './early-answer.ts';
import type { AttemptObserver } from './endpoint.ts';
import type { UpstreamFailure } from './errors.ts';
import { textAt } from './frame/edit.ts';
import { errorFrame, toolTextFrame } from './frame/error-frame.ts';
import { parseFrame, withId } from './frame/frame.ts';
import type { HttpOutcome, ResponseHead } from './http-exchange.ts';
import type { ClientMessage } from './layers.ts';
import { PendingRequest, type ReceivedFrame } from './pending-request.ts';
import type { ProgressReports } from './progress.ts';
import { isRejection } from './retry.ts';
import { resume } from './server-stream.ts';
import type { ServiceRefusals } from './service-refusal.ts';
import {
  isServersOwnError,
  isSessionLostFrame,
  mayBeSessionLost,
  type SendOwn,
  type Session,
  SessionProbe,
  sessionFrom,
} from './session.ts';
import { continuesAsAnother } from './session-owner.ts';
import { SessionRenewal } from './session-renewal.ts';
import type { ProtocolAdapter } from './stateless/adapter.ts';
import { attemptFailureIn, type Ended, failureOf, lossIn, NOTHING_TRIED, type Tried, verdictOn } from './verdict.ts';
import { CANCELLED } from './waiting-requests.ts';

/** How long to wait for an answer on the server's own stream after status 202, in milliseconds. */
const SERVER_STREAM_ANSWER_MS = 5_000;

/** The session, as the dispatcher sees it. */
export interface SessionPort extends AdmittingSession {
  /** The server sends the client a request, in the answer to the request with the raw id `of`. */
  asked(frame: Buffer, of: string): void;
  /** The bridge's own response to a server's request. */
  reply(frame: Buffer): void;
  /** Whether the server's own stream is open. Some servers send answers there. */
  hasStream(): boolean;
  /** Whether the client opens addresses that a server wants to open. */
  opensAddresses(): boolean;
}

/** What a dispatcher depends on. */
export interface DispatcherPort extends Omit<AdmissionPort, 'renewal'> {
  server: ProtocolAdapter;
  sink: FrameSink;
  answerCache: AnswerCache;
  progress: ProgressReports;
  session: SessionPort;
  /** For a server with a service behind it that users have to sign in to. */
  service?: ServiceRefusals | undefined;
  attempts?: AttemptObserver | undefined;
}

/**
 * Sends frames to the managed server and returns the answers: admission, exchange, verdict, settlement. A frame is sent again
 * only if the server has not run it.
 */
export class RequestDispatcher {
  readonly #port: DispatcherPort;
  readonly #answers: Answers;
  readonly #probe: SessionProbe;
  readonly #renewal: SessionRenewal;
  readonly #admissions: Admissions;
  /** The frames that are not settled. */
  readonly #pending = new Set<PendingRequest>();
  /** The requests whose answers are expected on the server's own stream; each ends its wait. */
  readonly #expected = new Map<PendingRequest, AbortController>();

  constructor(port: DispatcherPort) {
    this.#port = port;
    const { upstream, server, sink, progress, session, answerCache, waiting, guard } = port;
    this.#answers = new Answers(sink, progress, {
      asked: (frame, of) => session.asked(frame, of),
      reply: (frame) => session.reply(frame),
      opensAddresses: () => session.opensAddresses(),
      sent: () => upstream.sent,
      place: () => upstream.place,
      answered: (pending, frame, json, head) => this.#answered(pending, frame, json, head),
    });
    const send: SendOwn = (method, frame, own, onFrame) =>
      upstream.withRetry((token) => server.post({ method, frame }, own, token, onFrame));
    this.#probe = new SessionProbe(send);
    const explained = (failure: UpstreamFailure) => upstream.explained(failure, 'initialize');
    this.#renewal = new SessionRenewal({ send, explained, answerCache });
    this.#admissions = new Admissions({ upstream, waiting, session, renewal: this.#renewal, guard });
  }

  /** Takes a frame from the server's own stream. */
  fromServer(frame: Buffer): void {
    this.#answers.takeOwn(frame);
  }

  /** The raw ids of requests that the server is still working on in the session of `generation`. */
  leftOpen(generation: number): string[] {
    // Without the answer to `initialize`, there is no session in which to cancel the request.
    return this.#inFlight((pending) => pending.generation === generation && pending.method !== 'initialize').flatMap(
      (pending) => pending.ids,
    );
  }

  /** Whether the client has sent `initialized`: it is ready for the server's own frames. */
  get announced(): boolean {
    return this.#renewal.opening.initialized !== undefined;
  }

  /** Sends one frame. Always resolves; a request is always answered, unless the bridge is closed meanwhile. */
  dispatch({ frame, envelope, wantsProgress }: ClientMessage): Promise<void> {
    const pending = new PendingRequest(frame, envelope);
    this.#renewal.opening.sent(pending.method, frame);
    if (pending.method === 'notifications/cancelled') this.#sendCancellation(frame);
    if (wantsProgress) this.#port.progress.began(pending);
    this.#pending.add(pending);
    const drive = () => this.#drive(pending);
    const { answerCache } = this.#port;
    return answerCache.mayAnswer(pending.method) ? answerCache.raceWithTimeout(pending, drive) : drive();
  }

  async #drive(pending: PendingRequest): Promise<void> {
    try {
      for (let tried: Tried | undefined = NOTHING_TRIED; tried; ) tried = await this.#attempt(pending, tried);
    } catch (error) {
      await this.#fail(pending, error);
    } finally {
      this.#pending.delete(pending);
      this.#answers.ended(pending);
      this.#port.progress.ended(pending);
      this.#admissions.ended(pending);
    }
  }

  /** Opens the session of `generation` in place of the previous one. The client does not notice. */
  async reconnect(generation: number): Promise<void> {
    const { report } = this.#port.session;
    try {
      const session = await this.#renewal.open(generation);
      report({ name: 'reconnected', generation, session });
      await this.#renewal.restore(session);
    } catch (error) {
      report({ name: 'reconnectFailed', generation, error });
    }
  }

  /** Another user has signed in: what was under way as the one before is answered here, and not sent again. */
  endOfUser(): void {
    const { owner } = this.#port.upstream;
    for (const pending of this.#inFlight(({ method }) => !continuesAsAnother(method)))
      this.#answer(pending, (id) => errorFrame(id, owner.cutOff(pending.method)));
  }

  /** Requests the tools for the bridge itself, for a client that got them from the cache. */
  checkTools(session: Session): Promise<void> {
    return this.#renewal.checkTools(session);
  }

  /** Sends the frame once. Resolves to what has been tried then if it is to be sent again, and to undefined if it is settled. */
  async #attempt(pending: PendingRequest, tried: Tried): Promise<Tried | undefined> {
    const admission = await this.#admissions.admit(pending, tried);
    if (!admission) return undefined;
    if (typeof admission === 'string') {
      this.#answer(pending, (id) => toolTextFrame(id, pending.frame, admission));
      return undefined;
    }
    const ended = await this.#exchange(pending, admission);
    return this.#isGone ? undefined : this.#settle(pending, admission, ended, tried);
  }

  /** Sends the frame, and passes on what comes, except errors that may not be the answer. */
  async #exchange(pending: PendingRequest, { session, token }: Admission): Promise<Ended> {
    const { upstream, server, waiting, service, attempts } = this.#port;
    const { method, frame } = pending;
    pending.sent();
    this.#answers.sent(pending);
    if (attempts) for (const id of pending.ids) attempts.sent(id, upstream.owner.userName);
    let loss: ReceivedFrame | undefined;
    let elicitation: ReceivedFrame | undefined;
    const outgoing = { method, frame, unsentMs: waiting.leftMs(pending) };
    const outcome = await server.post(outgoing, session, token, (answer, head) => {
      const json = parseFrame(answer);
      const mayBeLoss = session.id !== undefined && !pending.hasBegun && isError(json) && mentionsLoss(answer);
      if (mayBeLoss) loss = { frame: answer, head };
      else if (pending.mayBeElicited && service?.isElicitation(json)) elicitation = { frame: answer, head };
      else this.#answers.take(pending, answer, head, json);
    });
    const isRenewable = session.id !== undefined && this.#renewal.opening.initialize !== undefined;
    const hasService = service !== undefined;
    return { method, outcome, hasBegun: pending.hasBegun, isRenewable, loss, elicitation, hasService };
  }

  /** Does what the verdict says. Resolves as `#attempt`. */
  async #settle(pending: PendingRequest, admission: Admission, ended: Ended, tried: Tried): Promise<Tried | undefined> {
    const { upstream, waiting } = this.#port;
    const verdict = verdictOn(ended, tried);
    if (verdict.do === 'probe') {
      const isLost = await this.#probe.confirms(verdict.error, admission.session);
      return this.#settle(pending, admission, { ...ended, isLost }, tried);
    }
    if (verdict.do === 'check-service') {
      const service = await this.#port.service?.handle(pending, verdict.refusal, tried.isServiceChecked);
      if (service === CANCELLED || this.#isGone) return undefined;
      return this.#settle(pending, admission, { ...ended, service }, { ...tried, isServiceChecked: true });
    }
    this.#reportEnd(pending, ended);
    switch (verdict.do) {
      case 'withdraw':
        pending.settle('nobody');
        return undefined;
      case 'renew':
        return { ...tried, sessionLosses: tried.sessionLosses + 1 };
      case 'resend':
        return tried;
      case 'repeat': {
        const rejected = isRejection(ended.outcome) ? admission.token : tried.rejected;
        return this.#repeat(pending, ended.outcome, verdict.afterMs, {
          ...tried,
          repeats: tried.repeats + 1,
          rejected,
        });
      }
      case 'time-out':
        throw waiting.tooLong();
      case 'fail':
        throw await upstream.explained(verdict.failure, pending.method);
      case 'pass-on':
        await this.#conclude(pending, admission.session, ended);
        return undefined;
    }
  }

  /** Reports a lost session, and an attempt that brought no answer. */
  #reportEnd({ generation, ids }: PendingRequest, ended: Ended): void {
    const { session, attempts } = this.#port;
    if (lossIn(ended) === true) session.report({ name: 'expired', generation });
    const failure = attempts && attemptFailureIn(ended);
    if (failure) for (const id of ids) attempts.failed(id, failure);
  }

  async #repeat(
    pending: PendingRequest,
    outcome: HttpOutcome,
    afterMs: number,
    tried: Tried,
  ): Promise<Tried | undefined> {
    const { waiting, upstream } = this.#port;
    if (afterMs === 0) return tried;
    const waited = sleep(afterMs, undefined, { signal: upstream.signal });
    const isUnsent = outcome.kind === 'broken' && !outcome.sent;
    const wait = isUnsent ? waiting.bounded(pending, waited) : waiting.unbounded(pending, waited);
    return (await wait) === CANCELLED ? undefined : tried;
  }

  /** MCP › Cancellation. The notification goes to the server too, which may have the request already. */
  #sendCancellation(cancellation: Buffer): void {
    const requestId = textAt(cancellation, 'params', 'requestId');
    if (requestId === undefined) return;
    this.#port.progress.cancelled(requestId);
    this.#port.waiting.cancel(requestId);
  }

  /** Passes on what has come. @throws {CausewayError} why a request has no answer */
  async #conclude(pending: PendingRequest, session: Session, { outcome, loss, elicitation }: Ended): Promise<void> {
    const { upstream, session: port } = this.#port;
    for (const withheld of [loss, elicitation])
      if (withheld) this.#answers.take(pending, withheld.frame, withheld.head);
    const last = pending.isAwaited ? await this.#resumed(pending, session, outcome) : outcome;
    this.#takeWhole(pending, last);
    if (last.kind === 'accepted' && pending.isAwaited && port.hasStream()) await this.#waitOnServerStream(pending);
    this.#answers.settle(pending);
    const failure = failureOf(last, pending);
    if (failure) {
      const isOld = pending.method === 'initialize' && (await upstream.hasOldTransport(last));
      throw await upstream.explained(isOld ? { kind: 'old-transport' } : failure, pending.method);
    }
    if (pending.method === 'notifications/initialized') {
      port.report({ name: 'announced', generation: pending.generation });
    }
  }

  /** Passes on an answer that is not a stream. */
  #takeWhole(pending: PendingRequest, outcome: HttpOutcome): void {
    const error = errorIn(outcome);
    if (!error && outcome.kind === 'frame') this.#answers.take(pending, outcome.frame, outcome.head);
    // The id is replaced: servers that refuse a request often have not read it.
    if (error) for (const id of [...pending.ids]) this.#answers.take(pending, withId(error.frame, id), error.head);
  }

  /** Resumes an answer that was cut off, if the server numbers its events (MCP › Resumability and Redelivery). */
  async #resumed(pending: PendingRequest, session: Session, cut: HttpOutcome): Promise<HttpOutcome> {
    const { upstream } = this.#port;
    if ((cut.kind !== 'streamed' && cut.kind !== 'broken') || cut.place.lastEventId === undefined) return cut;
    return resume(cut, {
      listen: (place) => upstream.listen(session, place, (frame, head) => this.#answers.take(pending, frame, head)),
      wait: (delayMs) => sleep(delayMs, undefined, { signal: upstream.signal }),
      isAnswered: () => !pending.isAwaited,
    });
  }

  /** Waits for an answer that the server may send on its own stream. */
  async #waitOnServerStream(pending: PendingRequest): Promise<void> {
    const enough = new AbortController();
    this.#expected.set(pending, enough);
    const signal = AbortSignal.any([this.#port.upstream.signal, enough.signal]);
    await sleep(SERVER_STREAM_ANSWER_MS, undefined, { signal }).catch(() => {});
    this.#expected.delete(pending);
  }

  /** Called when a request has its answer, before the client reads it. */
  #answered(pending: PendingRequest, frame: Buffer, json: unknown, head: ResponseHead): void {
    if (!pending.isAwaited) this.#expected.get(pending)?.abort();
    this.#port.progress.ended(pending);
    if (pending.method === 'initialize') this.#opened(pending, json, head);
    if (typeof json === 'object' && json !== null && 'result' in json)
      this.#renewal.opening.granted(pending.method, pending.frame);
    if (isStored(pending.method)) this.#port.answerCache.store(pending, frame, json);
  }

  #opened({ generation }: PendingRequest, json: unknown, head: ResponseHead): void {
    const session = sessionFrom(json, head);
    this.#port.session.report(session ? { name: 'opened', generation, session } : { name: 'refused', generation });
  }

  async #fail(pending: PendingRequest, error: unknown): Promise<void> {
    const { answerCache, service, session } = this.#port;
    const { generation, method, frame } = pending;
    if (!this.#isGone) await answerCache.fallback(pending, error);
    if (method === 'initialize') {
      const isDeferred = pending.isAnsweredFromCache;
      session.report(isDeferred ? { name: 'deferred', generation, error } : { name: 'refused', generation });
    }
    if (method === 'notifications/initialized') session.report({ name: 'announced', generation });
    // What the client believes to be granted holds in the session to come.
    if (pending.isAnsweredFromCache) this.#renewal.opening.granted(method, frame);
    if (this.#isGone) return;
    const isForModel = method === 'tools/call' && service?.isForModel(error);
    this.#answer(pending, (id) => (isForModel ? toolTextFrame(id, frame, inOneLine(error)) : errorFrame(id, error)));
  }

  /** Gives the client the bridge's own answer to each request in the frame that has none. */
  #answer(pending: PendingRequest, answerTo: (id: string) => Buffer): void {
    for (const id of pending.settle('causeway')) this.#port.sink.write(answerTo(id));
  }

  #inFlight(isWanted: (pending: PendingRequest) => boolean): PendingRequest[] {
    return [...this.#pending].filter((pending) => pending.isInFlight && isWanted(pending));
  }

  /** Whether the client has gone. */
  get #isGone(): boolean {
    return this.#port.upstream.signal.aborted;
  }
}

/** The server's own error in an answer with an error status. */
function errorIn(outcome: HttpOutcome): ReceivedFrame | undefined {
  if (outcome.kind === 'frame' && outcome.head.status >= 300) return outcome;
  const isOwn = outcome.kind === 'refused' && isServersOwnError(outcome.head.status, outcome.text);
  return isOwn ? { frame: Buffer.from(outcome.text), head: outcome.head } : undefined;
}

function isError(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'error' in json;
}

function mentionsLoss(frame: Buffer): boolean {
  return isSessionLostFrame(frame) || mayBeSessionLost({ frame }) !== undefined;
}
