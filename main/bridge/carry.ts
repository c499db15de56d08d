import { setTimeout as sleep } from 'node:timers/promises';
import { endingWith } from './ending.ts';
import { envelopeOf, parseFrame, type SendableEnvelope } from './envelope.ts';
import type { EitherEra } from './eras/either-era.ts';
import { textAt } from './eras/members.ts';
import { errorFrame } from './error-frame.ts';
import type { FrameSink } from './flow.ts';
import { toLine } from './frames.ts';
import type { InstantAnswers } from './instant.ts';
import { isRejection, type Line } from './line.ts';
import { isRemembered } from './memory.ts';
import { rawId, withId } from './raw-id.ts';
import { openedBy, reopen } from './reopen.ts';
import { REPEAT, repeatAfter } from './repeat.ts';
import { isServersOwnError, isSessionDeath, isSessionDeathFrame } from './session-death.ts';
import { type Session, type SessionEvent, type SessionState, sessionOf } from './session-state.ts';
import { Trip } from './trip.ts';
import type { Head, Outcome } from './upstream.ts';
import { Wishes } from './wishes.ts';

/** What the carrier asks of the session and tells it. */
export interface SessionDesk {
  /** Waits until a frame with this method may go, and gives the state it goes in. */
  admit(method: string): Promise<SessionState> | SessionState;
  report(event: SessionEvent): void;
  /** The server asks something of the client, in the answer to the request with the raw id `of`. */
  asked(frame: Buffer, of: string): void;
}

const TAKEN_BACK = Symbol('taken back');

/** Takes frames to the managed server and answers back, repeating a frame only where the server has not run it. */
export class Carrier {
  readonly #line: Line;
  readonly #server: EitherEra;
  readonly #sink: FrameSink;
  readonly #instant: InstantAnswers;
  readonly #desk: SessionDesk;
  /** The client's own words, for replaying (spec/managed-mcp-endpoints.md › Stdio proxy pattern, 6). */
  #initialize: Buffer | undefined;
  #initialized: Buffer | undefined;
  readonly #wishes = new Wishes();
  /** Frames that wait before they are sent, or sent again, by their raw id. */
  readonly #resting = new Map<string, () => void>();
  /** The generation in which a replay has sent `initialized` already. */
  #announcedIn: number | undefined;
  readonly #cutOff: Trip[] = [];
  readonly #endings: ReturnType<typeof endingWith>;

  constructor(line: Line, server: EitherEra, sink: FrameSink, instant: InstantAnswers, desk: SessionDesk) {
    this.#line = line;
    this.#server = server;
    this.#sink = sink;
    this.#instant = instant;
    this.#desk = desk;
    this.#endings = endingWith(line.signal);
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
  async carry(frame: Buffer, envelope: SendableEnvelope): Promise<void> {
    const trip = new Trip(frame, envelope, this.#cutOff);
    if (trip.method === 'initialize') {
      this.#initialize = frame;
      this.#wishes.clear();
    }
    if (trip.method === 'notifications/initialized') this.#initialized = frame;
    if (trip.method === 'notifications/cancelled') this.#takeBack(frame);
    const work = this.#drive(trip);
    await (isRemembered(trip.method) ? this.#instant.hasten(trip, work) : work);
    this.#endings.remove(trip);
  }

  async #drive(trip: Trip): Promise<void> {
    try {
      while (!(await this.#attempt(trip)));
    } catch (error) {
      await this.#fail(trip, error);
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
    const admission = this.#desk.admit(trip.method);
    const isHeld = admission instanceof Promise;
    const state = isHeld ? await this.#untilTakenBack(trip, this.#instant.bounded(trip, admission)) : admission;
    if (state === TAKEN_BACK) return true;
    trip.generation = state.generation;
    if (trip.method === 'notifications/initialized' && this.#announcedIn === state.generation) {
      this.#desk.report({ name: 'announced', generation: state.generation });
      return true;
    }
    const session = sessionOf(state);
    const token = await this.#line.token(trip.rejected);
    // Without the answer to `initialize` there is no session to take it back in.
    if (session.id !== undefined && trip.method !== 'initialize') this.#endings.add(trip);
    let death: { frame: Buffer; head: Head } | undefined;
    const outcome = await this.#server.post(trip.method, trip.frame, session, token, (frame, head) => {
      if (session.id !== undefined && !trip.begun && isSessionDeathFrame(frame)) death = { frame, head };
      else this.#pass(trip, frame, head);
    });
    if (this.#line.signal.aborted) return true;
    if (outcome.kind === 'cancelled') {
      trip.owed = 0;
      return true;
    }

    if (session.id !== undefined && (death || saysSessionDeath(outcome)) && this.#initialize) {
      this.#desk.report({ name: 'died', generation: trip.generation });
      trip.deaths += 1;
      if (trip.deaths <= REPEAT.sessionDeaths) return false;
      if (death) this.#pass(trip, death.frame, death.head);
      else if (outcome.kind === 'refused' && !isServersOwnError(outcome.head.status, outcome.text)) {
        throw await this.#line.explained({ kind: 'forgotten' }, trip.method);
      }
    }
    const wait = repeatAfter(outcome, trip);
    if (wait !== undefined) {
      trip.repeats += 1;
      if (isRejection(outcome)) trip.rejected = token;
      if (wait === 0) return false;
      const rested = sleep(wait, undefined, { signal: this.#line.signal });
      return (await this.#untilTakenBack(trip, rested)) === TAKEN_BACK;
    }
    await this.#conclude(trip, trip.owed > 0 ? await this.#resumed(trip, session, outcome) : outcome);
    return true;
  }

  /** Lets a frame wait, unless the client takes it back meanwhile: then it is not sent, and no answer is owed. */
  async #untilTakenBack<T>(trip: Trip, waiting: Promise<T>): Promise<T | typeof TAKEN_BACK> {
    // Without the answer to `initialize` nothing else could go: it may not be taken back (MCP › Cancellation).
    if (trip.envelope.kind !== 'request' || trip.method === 'initialize') return waiting;
    const { id } = trip;
    const takenBack = new Promise<typeof TAKEN_BACK>((resolve) => {
      this.#resting.set(id, () => {
        trip.owed = 0;
        resolve(TAKEN_BACK);
      });
    });
    waiting.catch(() => {});
    return Promise.race([waiting, takenBack]).finally(() => this.#resting.delete(id));
  }

  /** MCP › Cancellation. The server hears of it too: it may have the request all the same. */
  #takeBack(cancellation: Buffer): void {
    if (this.#resting.size === 0) return;
    const requestId = textAt(cancellation, 'params', 'requestId');
    if (requestId !== undefined) this.#resting.get(requestId)?.();
  }

  /** Goes on reading an answer that was cut, where the server numbers its events (MCP › Resumability and Redelivery). */
  async #resumed(trip: Trip, session: Session, cut: Outcome): Promise<Outcome> {
    if ((cut.kind !== 'streamed' && cut.kind !== 'broken') || cut.place.lastEventId === undefined) return cut;
    const { resume } = await import('./resume.ts');
    return resume(cut, {
      listen: (place) => this.#line.listen(session, place, (frame, head) => this.#pass(trip, frame, head)),
      wait: (milliseconds) => sleep(milliseconds, undefined, { signal: this.#line.signal }),
      isAnswered: () => trip.owed <= 0,
    });
  }

  async #conclude(trip: Trip, outcome: Outcome): Promise<void> {
    if (outcome.kind === 'frame') this.#pass(trip, outcome.frame, outcome.head);
    if (outcome.kind === 'refused' && isServersOwnError(outcome.head.status, outcome.text)) {
      this.#pass(trip, Buffer.from(outcome.text), outcome.head);
    }
    // Answered from memory, it has told the client nothing of how it ended, but the session waits for that.
    const isOpen = trip.silent && trip.owed === 0;
    if (trip.owed > 0 || isOpen || trip.method === 'notifications/initialized') {
      if (outcome.kind === 'refused' || outcome.kind === 'broken')
        throw await this.#line.explained(outcome, trip.method);
      if (trip.owed > 0 || isOpen) throw await this.#line.explained({ kind: 'unanswered' }, trip.method);
    }
    if (trip.method === 'notifications/initialized')
      this.#desk.report({ name: 'announced', generation: trip.generation });
  }

  /** Hands one frame of the server's to the client. */
  #pass(trip: Trip, frame: Buffer, head: Head): void {
    const json = parseFrame(frame);
    const kind = json === undefined ? 'invalid' : envelopeOf(json).kind;
    if (kind === 'invalid') return;
    trip.begun = true;
    let passed = toLine(frame);
    if (kind === 'batch') trip.owed = 0;
    if (kind === 'response') {
      // A server that mangles ids still answers the request that this exchange carried.
      const isAnswer = trip.envelope.kind === 'request' && trip.owed > 0;
      if (isAnswer && rawId(passed) !== trip.id) passed = withId(passed, trip.id);
      trip.owed -= 1;
      if (trip.method === 'initialize') this.#opened(trip, json, head);
      if (typeof json === 'object' && json !== null && 'result' in json) this.#wishes.granted(trip.method, trip.frame);
      if (isRemembered(trip.method)) this.#instant.learn(trip, passed, json);
      if (trip.silent) return;
    }
    if (kind === 'request' && trip.envelope.kind === 'request') this.#desk.asked(passed, trip.id);
    else this.#sink.write(passed);
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
    for (const id of trip.ids()) this.#sink.write(errorFrame(id, error));
  }
}

function saysSessionDeath(outcome: Outcome): boolean {
  if (outcome.kind === 'frame') return isSessionDeathFrame(outcome.frame);
  return outcome.kind === 'refused' && isSessionDeath({ status: outcome.head.status, text: outcome.text });
}
