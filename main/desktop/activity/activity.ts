import type { ActivityCall, StatementRecord } from '../../../preload/contract/activity.ts';
import type {
  Activity,
  ActivitySession,
  CallFilter,
  DayOfCalls,
  Latency,
  Recording,
} from '../../../preload/contract.ts';
import { clientOnWire, displayNameOf } from '../../clients/table.ts';
import { onWire, shownByPoll, startedStatement } from '../../hub/calls.ts';
import type { HubCall, HubSession } from '../../hub/session-record.ts';
import type { CallChoice, WireCall } from '../../hub/wire.ts';
import { throttled } from '../throttle.ts';
import { CallRing } from './call-ring.ts';
import { dayOf, latencyOf } from './call-statistics.ts';
import { ContentsRecording } from './recorded-contents.ts';

/** The shortest time between two events for the window. */
const EMIT_INTERVAL_MS = 250;
/** The most sessions and the most names that one event carries. */
const MAX_SESSIONS = 100;
const MAX_NAMES = 200;

/**
 * Sessions and calls between AI clients and servers. While the window does not watch, a call is only added to the ring.
 * While it watches, it hears a few times a second that there is more, and asks for the rows that it shows.
 */
export class ActivityLog {
  readonly ring = new CallRing();
  /** Contents of requests and answers, while the user has recording turned on. */
  readonly recording: ContentsRecording;
  readonly #emitSoon: { (): void; stop(): void };
  /** Looks up a statement; undefined while the user does not want that. */
  lookUp: ((profile: string | undefined, id: string) => void) | undefined;
  #sessions: ActivitySession[] = [];
  #watched = false;

  constructor(emit: (name: 'activityChanged', activity: Activity) => void, show: (recording: Recording) => void) {
    this.#emitSoon = throttled(() => emit('activityChanged', this.state), EMIT_INTERVAL_MS);
    this.recording = new ContentsRecording((recording) => {
      show(recording);
      if (this.#watched) this.#emitSoon();
    });
  }

  get state(): Activity {
    const { size, newest, revision } = this.ring;
    return {
      sessions: this.#sessions.slice(0, MAX_SESSIONS),
      moreSessions: Math.max(0, this.#sessions.length - MAX_SESSIONS),
      kept: size,
      newest,
      revision,
      recorded: this.recording.contents.size,
      clients: this.ring.names('clientName').slice(0, MAX_NAMES),
      paths: this.ring.names('path').slice(0, MAX_NAMES),
      tools: this.ring.names('tool').slice(0, MAX_NAMES),
    };
  }

  watch(on: boolean): Activity {
    this.#watched = on;
    if (!on) this.ring.unwatch();
    return this.state;
  }

  showSessions(sessions: readonly HubSession[]): void {
    this.#sessions = sessions.map((session) => ({
      ...withDisplayName(session),
      mark: clientOnWire(session.clientName ?? '')?.mark ?? null,
      profile: session.profile ?? null,
    }));
    if (this.#watched) this.#emitSoon();
  }

  /** @param server what the server is called in the list; null if it is not in the list */
  add(call: Omit<HubCall, 'id'>, server: string | null): void {
    const { lookUp } = this;
    const statement = startedStatement(call, lookUp ? 'waiting' : 'off');
    const profile = call.profile ?? null;
    const first = call.statement?.isPoll ? this.ring.ofStatement(profile, call.statement.id) : undefined;
    const next = shownByPoll(first, { ...call, statement });
    if (next) this.ring.replace(next);
    else this.ring.add({ ...withDisplayName(call), profile, server, statement });
    if (statement) lookUp?.(call.profile, statement.id);
    if (this.#watched) this.#emitSoon();
  }

  /** The query history has shown a statement, or it has not. Gives the call as it is known now, if it is kept. */
  lookedUp(profile: string | undefined, id: string, record: StatementRecord | null): ActivityCall | undefined {
    const call = this.ring.ofStatement(profile ?? null, id);
    if (!call?.statement) return undefined;
    const { statement } = call;
    const known = record ?? statement.record;
    const lookUp = record?.isFinal === false ? 'waiting' : known ? 'done' : 'not-found';
    const next: ActivityCall = { ...call, statement: { ...statement, lookUp, record: known } };
    this.ring.replace(next);
    if (this.#watched) this.#emitSoon();
    return next;
  }

  /** The last calls, the oldest first, for the command. */
  recent(choice: CallChoice): WireCall[] {
    return this.ring.recent(choice).map((call) => onWire(call, call.statement, false));
  }

  latency(filter: CallFilter): Latency {
    return latencyOf(this.ring.matching({ ...filter, failedFirst: false }), Date.now());
  }

  day(filter: CallFilter): DayOfCalls {
    return dayOf(this.ring.matching({ ...filter, failedFirst: false }), Date.now(), this.ring.isFull);
  }

  clear(): void {
    this.ring.clear();
    this.recording.contents.clear();
    this.#emitSoon();
  }

  close(): void {
    this.#watched = false;
    this.recording.close();
    this.#emitSoon.stop();
  }
}

/** A session or call with the client's display name instead of the name that the client sends. */
function withDisplayName<T extends { clientName: string | null }>(of: T): T {
  return of.clientName === null ? of : { ...of, clientName: displayNameOf(of.clientName) };
}
