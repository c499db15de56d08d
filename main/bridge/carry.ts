import { setTimeout as sleep } from 'node:timers/promises';
import { Answers } from './answers.ts';
import { DeathProbe } from './death-probe.ts';
import { endingWith } from './ending.ts';
import { parseFrame, type SendableEnvelope } from './envelope.ts';
import type { EitherEra } from './eras/either-era.ts';
import { textAt } from './eras/members.ts';
import { errorFrame } from './error-frame.ts';
import type { Failure } from './explain.ts';
import type { FrameSink } from './flow.ts';
import type { InstantAnswers } from './instant.ts';
import { isRejection, type Line } from './line.ts';
import { isRemembered } from './memory.ts';
import { ProgressReports } from './progress.ts';
import { withId } from './raw-id.ts';
import { openedBy, reopen } from './reopen.ts';
import { REPEAT, repeatAfter } from './repeat.ts';
import { doubtfulDeath, isServersOwnError, isSessionDeath, isSessionDeathFrame } from './session-death.ts';
import { type Session, type SessionEvent, type SessionState, sessionOf } from './session-state.ts';
import { Trip } from './trip.ts';
import type { Head, Outcome } from './upstream.ts';
import { CANCELLED, type WaitingRequests } from './waiting-requests.ts';
import { Wishes } from './wishes.ts';

/** What the carrier asks of the session and tells it. */
export interface SessionDesk {
  /** Waits until a frame with this method may go, and gives the state it goes in. */
  admit(method: string): Promise<SessionState> | SessionState;
  report(event: SessionEvent): void;
  /** The server asks something of the client, in the answer to the request with the raw id `of`. */
  asked(frame: Buffer, of: string): void;
  /** A response of the bridge's own to a request of the server's. */
  reply(frame: Buffer): void;
  /** Whether answers may come on the server's own stream, where they do not belong. */
  hasStream(): boolean;
}

/** How long an answer may take that a server which took the request with 202 sends on its own stream, in milliseconds. */
const ELSEWHERE_MS = 5_000;

/** Takes frames to the managed server and answers back, repeating a frame only where the server has not run it. */
export class Carrier {
  readonly #line: Line;
  readonly #server: EitherEra;
  readonly #sink: FrameSink;
  readonly #instant: InstantAnswers;
  readonly #desk: SessionDesk;
  readonly #answers: Answers;
  readonly #progress: ProgressReports;
  readonly #probe: DeathProbe;
  /** The client's own words, for replaying (spec/managed-mcp-endpoints.md › Stdio proxy pattern, 6). */
  #initialize: Buffer | undefined;
  #initialized: Buffer | undefined;
  readonly #wishes = new Wishes();
  readonly #waiting: WaitingRequests;
  /** The generation in which a replay has sent `initialized` already. */
  #announcedIn: number | undefined;
  readonly #cutOff: Trip[] = [];
  readonly #endings: ReturnType<typeof endingWith>;

  constructor(
    line: Line,
    server: EitherEra,
    sink: FrameSink,
    instant: InstantAnswers,
    waiting: WaitingRequests,
    desk: SessionDesk,
  ) {
    this.#line = line;
    this.#waiting = waiting;
    this.#server = server;
    this.#sink = sink;
    this.#instant = instant;
    this.#desk = desk;
    this.#endings = endingWith(line.signal);
    this.#progress = new ProgressReports(sink);
    this.#answers = new Answers(sink, this.#progress, {
      asked: (frame, of) => desk.asked(frame, of),
      reply: (frame) => desk.reply(frame),
      sent: () => line.sent,
      answered: (trip, frame, json, head) => this.#answered(trip, frame, json, head),
    });
    this.#probe = new DeathProbe((method, frame, session, onFrame) =>
      line.patiently((token) => server.post(method, frame, session, token, onFrame)),
    );
  }

  /** Takes a frame from the server's own stream. */
  fromServer(frame: Buffer): void {
    this.#answers.takeOwn(frame);
  }

  /** The raw ids of what the server still works on in the session of `generation`, once the bridge has been closed. */
  leftOpen(generation: number): string[] {
    return this.#cutOff.filter((trip) => trip.generation === generation).flatMap((trip) => trip.ids());
  }

  /** Whether the client has said that it is ready for the server's own frames. */
  get announced(): boolean {
    return this.#initialized !== undefined;
  }

  /** One frame's whole way. Always resolves; a request is always answered, unless the bridge is closed meanwhile. */
  carry(frame: Buffer, envelope: SendableEnvelope, wantsProgress: boolean): Promise<void> {
    const trip = new Trip(frame, envelope, this.#cutOff);
    if (trip.method === 'initialize') {
      this.#initialize = frame;
      this.#wishes.clear();
    }
    if (trip.method === 'notifications/initialized') this.#initialized = frame;
    if (trip.method === 'notifications/cancelled') this.#takeBack(frame);
    if (wantsProgress) this.#progress.began(trip);
    const work = this.#drive(trip);
    return isRemembered(trip.method) ? this.#instant.hasten(trip, work) : work;
  }

  async #drive(trip: Trip): Promise<void> {
    try {
      while (!(await this.#attempt(trip)));
    } catch (error) {
      await this.#fail(trip, error);
    } finally {
      this.#answers.ended(trip);
      this.#progress.ended(trip);
      this.#endings.remove(trip);
    }
  }

  /** Replays `initialize` and `initialized`, so that the session of `generation` begins. The client notices nothing. */
  async heal(generation: number): Promise<void> {
    try {
      const session = await reopen(
        { initialize: this.#initialize, initialized: this.#initialized },
        (method, frame, session, onFrame) =>
          this.#line.patiently((token) => this.#server.post(method, frame, session, token, onFrame)),
        (failure) => this.#line.explained(failure, 'initialize'),
      );
      if (this.#initialized) this.#announcedIn = generation;
      this.#instant.provisional = false;
      this.#desk.report({ name: 'healed', generation, session });
      for (const { method, frame } of this.#wishes.all()) await this.#again(method, frame, session);
      if (this.#instant.hasUncheckedTools) await this.#checkTools(session);
    } catch (error) {
      this.#desk.report({ name: 'unhealed', generation, error });
    }
  }

  /** Asks a new session for what the one before had granted; the client has had its answer. */
  async #again(method: string, frame: Buffer, session: Session): Promise<void> {
    const request = withId(frame, '"causeway-again"');
    await this.#line.patiently((token) => this.#server.post(method, request, session, token, () => {}));
  }

  /** Asks for the tools on the bridge's own account, for a client that was given them from memory. */
  async #checkTools(session: Session): Promise<void> {
    const frame = Buffer.from('{"jsonrpc":"2.0","id":"causeway-tools","method":"tools/list"}');
    const take = (answer: Buffer) => this.#instant.learn({ method: 'tools/list', frame }, answer, parseFrame(answer));
    const outcome = await this.#line.patiently((token) => this.#server.post('tools/list', frame, session, token, take));
    if (outcome.kind === 'frame') take(outcome.frame);
  }

  /** Sends the frame once. Resolves to true when nothing more is to be done for it. */
  async #attempt(trip: Trip): Promise<boolean> {
    // While it waited to be sent again it may have been answered on the server's own stream.
    if (trip.generation > 0 && isForAnswer(trip) && !trip.isOpen) return true;
    const admission = this.#desk.admit(trip.method);
    const isHeld = admission instanceof Promise;
    const state = isHeld ? await this.#waiting.bounded(trip, admission) : admission;
    if (state === CANCELLED) return true;
    trip.generation = state.generation;
    if (trip.method === 'notifications/initialized' && this.#announcedIn === state.generation) {
      this.#desk.report({ name: 'announced', generation: state.generation });
      return true;
    }
    const session = sessionOf(state);
    const token = await this.#waiting.bounded(trip, this.#line.token(trip.rejected));
    if (token === CANCELLED) return true;
    // Without the answer to `initialize` there is no session to take it back in.
    if (session.id !== undefined && trip.method !== 'initialize') this.#endings.add(trip);
    this.#answers.sent(trip);
    let death: { frame: Buffer; head: Head } | undefined;
    const outcome = await this.#server.post(trip.method, trip.frame, session, token, (frame, head) => {
      const json = parseFrame(frame);
      if (session.id !== undefined && !trip.begun && isError(json) && mayBeDeath(frame)) death = { frame, head };
      else this.#answers.take(trip, frame, head, json);
    });
    if (this.#line.signal.aborted) return true;
    if (outcome.kind === 'cancelled') {
      trip.owed = 0;
      return true;
    }

    const mayBeGone = session.id !== undefined && this.#initialize && (death || outcome.kind !== 'streamed');
    if (mayBeGone && (await this.#isGone(session, death?.frame, outcome))) {
      this.#desk.report({ name: 'died', generation: trip.generation });
      trip.deaths += 1;
      if (trip.deaths <= REPEAT.sessionDeaths) return false;
      if (outcome.kind === 'refused' && !isServersOwnError(outcome.head.status, outcome.text)) {
        throw await this.#line.explained({ kind: 'forgotten' }, trip.method);
      }
    }
    if (death) this.#answers.take(trip, death.frame, death.head);
    const wait = repeatAfter(outcome, trip);
    if (wait !== undefined) {
      trip.repeats += 1;
      if (isRejection(outcome)) trip.rejected = token;
      if (wait === 0) return false;
      const rested = sleep(wait, undefined, { signal: this.#line.signal });
      return (await this.#waiting.unbounded(trip, rested)) === CANCELLED;
    }
    await this.#conclude(trip, trip.owed > 0 ? await this.#resumed(trip, session, outcome) : outcome);
    return true;
  }

  /** Whether an answer says that the session is gone. Where a tool may have said so of something else, the server is asked. */
  async #isGone(session: Session, death: Buffer | undefined, outcome: Outcome): Promise<boolean> {
    const frame = outcome.kind === 'frame' ? outcome.frame : death;
    if (frame && isSessionDeathFrame(frame)) return true;
    if (outcome.kind === 'refused' && isSessionDeath({ status: outcome.head.status, text: outcome.text })) return true;
    const doubtful = frame ? doubtfulDeath({ frame }) : outcome.kind === 'refused' && doubtfulDeath(outcome);
    return doubtful ? this.#probe.confirms(doubtful, session) : false;
  }

  /** MCP › Cancellation. The server hears of it too: it may have the request all the same. */
  #takeBack(cancellation: Buffer): void {
    const requestId = textAt(cancellation, 'params', 'requestId');
    if (requestId === undefined) return;
    this.#progress.cancelled(requestId);
    this.#waiting.cancel(requestId);
  }

  /** Goes on reading an answer that was cut, where the server numbers its events (MCP › Resumability and Redelivery). */
  async #resumed(trip: Trip, session: Session, cut: Outcome): Promise<Outcome> {
    if ((cut.kind !== 'streamed' && cut.kind !== 'broken') || cut.place.lastEventId === undefined) return cut;
    const { resume } = await import('./resume.ts');
    return resume(cut, {
      listen: (place) => this.#line.listen(session, place, (frame, head) => this.#answers.take(trip, frame, head)),
      wait: (milliseconds) => sleep(milliseconds, undefined, { signal: this.#line.signal }),
      isAnswered: () => trip.owed <= 0,
    });
  }

  async #conclude(trip: Trip, outcome: Outcome): Promise<void> {
    if (outcome.kind === 'frame') this.#answers.take(trip, outcome.frame, outcome.head);
    if (outcome.kind === 'refused' && isServersOwnError(outcome.head.status, outcome.text)) {
      // Whatever its id is: servers that refuse a request often have not read it.
      const error = Buffer.from(outcome.text);
      for (const id of trip.ids()) this.#answers.take(trip, withId(error, id), outcome.head);
    }
    if (outcome.kind === 'accepted' && trip.owed > 0 && this.#desk.hasStream()) await this.#elsewhere(trip);
    this.#answers.settle(trip);
    // Answered from memory, it has told the client nothing of how it ended, but the session waits for that.
    const isOpen = trip.silent && trip.owed === 0;
    if (trip.owed > 0 || isOpen || trip.method === 'notifications/initialized') {
      if (outcome.kind === 'refused' || outcome.kind === 'broken')
        throw await this.#line.explained(await this.#failureOf(trip, outcome), trip.method);
      if (outcome.kind === 'too-long') throw await this.#line.explained({ kind: 'too-long' }, trip.method);
      const kind = trip.misaddressed ? 'misaddressed' : 'unanswered';
      if (trip.owed > 0 || isOpen) throw await this.#line.explained({ kind }, trip.method);
    }
    if (trip.method === 'notifications/initialized')
      this.#desk.report({ name: 'announced', generation: trip.generation });
  }

  /** Waits a while for what the server may send on its own stream. */
  async #elsewhere(trip: Trip): Promise<void> {
    const enough = new AbortController();
    trip.onAnswered = () => enough.abort();
    const signal = AbortSignal.any([this.#line.signal, enough.signal]);
    await sleep(ELSEWHERE_MS, undefined, { signal }).catch(() => {});
  }

  async #failureOf(trip: Trip, outcome: Extract<Outcome, { kind: 'refused' | 'broken' }>): Promise<Failure> {
    if (trip.method !== 'initialize') return outcome;
    const { isOldTransport } = await import('./old-transport.ts');
    const listen: Parameters<typeof isOldTransport>[1] = (onFrame, signal) =>
      this.#line.listen({ id: undefined, protocolVersion: undefined }, undefined, onFrame, signal);
    return (await isOldTransport(outcome, listen, this.#line.signal)) ? { kind: 'old-transport' } : outcome;
  }

  /** A request has its answer, which goes to the client next. */
  #answered(trip: Trip, frame: Buffer, json: unknown, head: Head): void {
    this.#progress.ended(trip);
    if (trip.method === 'initialize') this.#opened(trip, json, head);
    if (typeof json === 'object' && json !== null && 'result' in json) this.#wishes.granted(trip.method, trip.frame);
    if (isRemembered(trip.method)) this.#instant.learn(trip, frame, json);
  }

  #opened(trip: Trip, json: unknown, head: Head): void {
    const { generation } = trip;
    const session = openedBy(json, head);
    this.#desk.report(session ? { name: 'opened', generation, session } : { name: 'refused', generation });
  }

  async #fail(trip: Trip, error: unknown): Promise<void> {
    const { generation } = trip;
    const answered = !this.#line.signal.aborted && (await this.#instant.stepIn(trip, error));
    if (trip.method === 'initialize') {
      this.#desk.report({ name: trip.silent ? 'deferred' : 'refused', generation });
    }
    if (trip.method === 'notifications/initialized') this.#desk.report({ name: 'announced', generation });
    if (answered || this.#line.signal.aborted || trip.owed <= 0) return;
    const ids = trip.ids();
    trip.owed = 0;
    for (const id of ids) this.#sink.write(errorFrame(id, error));
  }
}

function isForAnswer({ envelope }: Trip): boolean {
  return envelope.kind === 'request' || (envelope.kind === 'batch' && envelope.requests > 0);
}

function isError(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'error' in json;
}

function mayBeDeath(frame: Buffer): boolean {
  return isSessionDeathFrame(frame) || doubtfulDeath({ frame }) !== undefined;
}
