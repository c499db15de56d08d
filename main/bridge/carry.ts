import { setTimeout as sleep } from 'node:timers/promises';
import type { Secret } from '../platform/secret.ts';
import type { Endpoint } from './bridge.ts';
import { envelopeOf, parseFrame, type SendableEnvelope } from './envelope.ts';
import { errorFrame } from './error-frame.ts';
import type { Failure } from './explain.ts';
import type { FlowControl, FrameSink } from './flow.ts';
import { toLine } from './frames.ts';
import { rawId, withId } from './raw-id.ts';
import { openedBy, reopen } from './reopen.ts';
import { REPEAT, repeatAfter } from './repeat.ts';
import { isServersOwnError, isSessionDeath, isSessionDeathFrame } from './session-death.ts';
import { type Session, type SessionEvent, type SessionState, sessionOf } from './session-state.ts';
import { Trip } from './trip.ts';
import { type Head, type Outcome, post } from './upstream.ts';

/** How long the server is given to take note that a session has ended, in milliseconds. */
const GOODBYE_MS = 1_000;

/** What the carrier asks of the session and tells it. */
export interface SessionDesk {
  /** Waits until a frame with this method may go, and gives the state it goes in. */
  admit(method: string): Promise<SessionState> | SessionState;
  report(event: SessionEvent): void;
}

/** Takes frames to the managed server and answers back, repeating a frame only where the server has not run it. */
export class Carrier {
  readonly #endpoint: Endpoint;
  readonly #sink: FrameSink;
  readonly #flow: FlowControl;
  readonly #signal: AbortSignal;
  readonly #desk: SessionDesk;
  /** The client's own words, for replaying (spec/managed-mcp-endpoints.md › Stdio proxy pattern, 6). */
  #initialize: Buffer | undefined;
  #initialized: Buffer | undefined;

  constructor(endpoint: Endpoint, sink: FrameSink, flow: FlowControl, signal: AbortSignal, desk: SessionDesk) {
    this.#endpoint = endpoint;
    this.#sink = sink;
    this.#flow = flow;
    this.#signal = signal;
    this.#desk = desk;
  }

  /** One frame's whole way. Always resolves; a request is always answered, unless the bridge is closed meanwhile. */
  async carry(frame: Buffer, envelope: SendableEnvelope): Promise<void> {
    const trip = new Trip(frame, envelope);
    if (trip.method === 'initialize') this.#initialize = frame;
    if (trip.method === 'notifications/initialized') this.#initialized = frame;
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
        (frame, session, onFrame) => this.#patiently((token) => this.#post(frame, session, token, onFrame)),
        (failure) => this.#explained(failure, 'initialize'),
      );
      this.#desk.report({ name: 'healed', generation, session });
    } catch (error) {
      this.#desk.report({ name: 'unhealed', generation, error });
    }
  }

  /** Tells the server that the session is over (MCP › Session Management); many do not support it, which is fine. */
  async endSession(session: Session): Promise<void> {
    if (session.id === undefined) return;
    const tooLong = new AbortController();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        tooLong.abort();
        resolve();
      }, GOODBYE_MS);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      // If it fails, the session ends by itself at the server; the client that it served has gone.
      this.#goodbye(session, tooLong.signal).then(done, done);
    });
  }

  async #goodbye(session: Session, signal: AbortSignal): Promise<void> {
    const token = await this.#endpoint.tokens.token({ signal });
    await new Promise<void>((resolve) => {
      this.#endpoint.dispatcher.dispatch(
        {
          origin: this.#endpoint.profile.host,
          path: this.#endpoint.path,
          method: 'DELETE',
          headers: this.#headers(session, token),
        },
        { onRequestStart() {}, onResponseEnd: () => resolve(), onResponseError: () => resolve() },
      );
    });
  }

  /** Sends the frame once. Resolves to true when nothing more is to be done for it. */
  async #attempt(trip: Trip): Promise<boolean> {
    const admission = this.#desk.admit(trip.method);
    const state = admission instanceof Promise ? await admission : admission;
    trip.generation = state.generation;
    const session = sessionOf(state);
    const token = await this.#endpoint.tokens.token({ rejected: trip.rejected, signal: this.#signal });
    let death: { frame: Buffer; head: Head } | undefined;
    const outcome = await this.#post(trip.frame, session, token, (frame, head) => {
      if (session.id !== undefined && !trip.begun && isSessionDeathFrame(frame)) death = { frame, head };
      else this.#pass(trip, frame, head);
    });
    if (this.#signal.aborted) return true;

    if (session.id !== undefined && (death || saysSessionDeath(outcome)) && this.#initialize) {
      this.#desk.report({ name: 'died', generation: trip.generation });
      trip.deaths += 1;
      if (trip.deaths <= REPEAT.sessionDeaths) return false;
      if (death) this.#pass(trip, death.frame, death.head);
    }
    const wait = repeatAfter(outcome, trip);
    if (wait !== undefined) {
      trip.repeats += 1;
      if (isRejection(outcome)) trip.rejected = token;
      if (wait > 0) await sleep(wait, undefined, { signal: this.#signal });
      return false;
    }
    await this.#conclude(trip, outcome);
    return true;
  }

  async #conclude(trip: Trip, outcome: Outcome): Promise<void> {
    if (outcome.kind === 'frame') this.#pass(trip, outcome.frame, outcome.head);
    if (outcome.kind === 'refused' && isServersOwnError(outcome.head.status, outcome.text)) {
      this.#pass(trip, Buffer.from(outcome.text), outcome.head);
    }
    if (trip.owed > 0 || trip.method === 'notifications/initialized') {
      if (outcome.kind === 'refused' || outcome.kind === 'broken') throw await this.#explained(outcome, trip.method);
      if (trip.owed > 0) throw await this.#explained({ kind: 'unanswered' }, trip.method);
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
    }
    this.#sink.write(passed);
  }

  #opened(trip: Trip, json: unknown, head: Head): void {
    const { generation } = trip;
    const session = openedBy(json, head);
    this.#desk.report(session ? { name: 'opened', generation, session } : { name: 'refused', generation });
  }

  async #fail(trip: Trip, error: unknown): Promise<void> {
    const { generation } = trip;
    if (trip.method === 'initialize') this.#desk.report({ name: 'refused', generation });
    if (trip.method === 'notifications/initialized') this.#desk.report({ name: 'announced', generation });
    if (this.#signal.aborted || trip.owed <= 0) return;
    for (const id of trip.ids()) this.#sink.write(errorFrame(id, error));
  }

  /** Sends a frame that changes nothing, again with another token or after a wait where that may help. */
  async #patiently(send: (token: Secret) => Promise<Outcome>): Promise<Outcome> {
    let rejected: Secret | undefined;
    for (let repeats = 0; ; repeats += 1) {
      const token = await this.#endpoint.tokens.token({ rejected, signal: this.#signal });
      const outcome = await send(token);
      const wait = repeatAfter(outcome, { method: 'initialize', repeats, begun: false, rejected });
      if (wait === undefined) return outcome;
      if (isRejection(outcome)) rejected = token;
      if (wait > 0) await sleep(wait, undefined, { signal: this.#signal });
    }
  }

  #post(
    frame: Buffer,
    session: Session,
    token: Secret,
    onFrame: (frame: Buffer, head: Head) => void,
  ): Promise<Outcome> {
    return post(this.#endpoint.dispatcher, this.#flow, {
      origin: this.#endpoint.profile.host,
      path: this.#endpoint.path,
      headers: this.#headers(session, token),
      body: frame,
      signal: this.#signal,
      onFrame,
    });
  }

  /** spec/managed-mcp-endpoints.md › Request; MCP › Protocol Version Header. */
  #headers(session: Session, token: Secret): Record<string, string> {
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token.reveal()}`,
      'user-agent': this.#endpoint.userAgent,
    };
    if (session.id !== undefined) headers['mcp-session-id'] = session.id;
    if (session.protocolVersion !== undefined) headers['mcp-protocol-version'] = session.protocolVersion;
    const { workspaceId } = this.#endpoint.profile;
    if (workspaceId !== undefined) headers['x-databricks-workspace-id'] = workspaceId;
    return headers;
  }

  async #explained(failure: Failure, method: string): Promise<Error> {
    const { explain } = await import('./explain.ts');
    const { profile, path } = this.#endpoint;
    return explain(failure, { host: new URL(profile.host).host, path, profile: profile.name }, method);
  }
}

function isRejection(outcome: Outcome): boolean {
  return outcome.kind === 'refused' && outcome.head.status === 401;
}

function saysSessionDeath(outcome: Outcome): boolean {
  if (outcome.kind === 'frame') return isSessionDeathFrame(outcome.frame);
  return outcome.kind === 'refused' && isSessionDeath({ status: outcome.head.status, text: outcome.text });
}
