import type { CallStatement, StatementRecord } from '../../../preload/contract/activity.ts';
import type {
  Activity,
  ActivityCall,
  ActivitySession,
  CallFilter,
  DayOfCalls,
  Latency,
  Recording,
} from '../../../preload/contract.ts';
import { CallRing } from '../../activity/call-ring.ts';
import { dayOf, latencyOf } from '../../activity/call-statistics.ts';
import type { DeletedCalls } from '../../activity/delete-calls.ts';
import type { StoredEvent } from '../../activity/store.ts';
import type { ReadCall, StoredSummary } from '../../activity/store-reader.ts';
import { isOwnSession, knownLater, storedCall } from '../../activity/stored-call.ts';
import { ThreadedStore, type ThreadedStoreOptions } from '../../activity/threaded-store.ts';
import { clientOnWire, displayNameOf } from '../../clients/table.ts';
import { onWire, shownByPoll, startedStatement } from '../../hub/calls.ts';
import type { HubCall, HubSession } from '../../hub/session-record.ts';
import type { CallChoice, WireCall } from '../../hub/wire.ts';
import { inOneLine } from '../../words/failure.ts';
import { problemFor } from '../failure.ts';
import { throttled } from '../throttle.ts';
import { ContentsRecording } from './recorded-contents.ts';

/** The shortest time between two events for the window. */
const EMIT_INTERVAL_MS = 250;
/** The most sessions and the most names that one event carries. */
const MAX_SESSIONS = 100;
const MAX_NAMES = 200;
/** How many calls are read at once where all are wanted. */
const CALLS_AT_ONCE = 2_000;

interface ActivityOptions {
  emit: (name: 'activityChanged', activity: Activity) => void;
  show: (recording: Recording) => void;
  /** Where calls are kept; in memory only without it. */
  store?: Pick<ThreadedStoreOptions, 'program' | 'path' | 'days'>;
}

/**
 * Sessions and calls between AI clients and servers. While the window does not watch, a call is only added to the ring and handed to the
 * store. While it watches, it hears a few times a second that there is more, and asks for the rows that it shows. They come from the
 * store, and from the ring where there is none.
 */
export class ActivityLog {
  readonly #ring = new CallRing();
  /** Contents of requests and answers, while the user has recording turned on. */
  readonly recording: ContentsRecording;
  readonly #store: ThreadedStore | undefined;
  readonly #days: () => number;
  readonly #emitSoon: { (): void; stop(): void };
  /** Looks up a statement; undefined while the user does not want that. */
  lookUp: ((profile: string | undefined, id: string) => void) | undefined;
  #sessions: ActivitySession[] = [];
  #watched = false;

  constructor({ emit, show, store }: ActivityOptions) {
    this.#emitSoon = throttled(
      () => void this.state().then((state) => emit('activityChanged', state)),
      EMIT_INTERVAL_MS,
    );
    this.recording = new ContentsRecording((recording) => {
      show(recording);
      this.#changed();
    });
    this.#days = store?.days ?? (() => 0);
    this.#store =
      store &&
      new ThreadedStore({
        ...store,
        onChange: () => this.#changed(),
        onFault: (fault) => console.warn(`Calls are kept in memory only. ${inOneLine(fault)}`),
      });
  }

  async state(): Promise<Activity> {
    const { kept, newest, clients, paths, tools, days } = await this.#stored(
      (store) => store.ask('summary'),
      () => this.#inMemory(),
    );
    const fault = this.#store?.fault;
    return {
      sessions: this.#sessions.slice(0, MAX_SESSIONS),
      moreSessions: Math.max(0, this.#sessions.length - MAX_SESSIONS),
      kept,
      newest,
      revision: this.#ring.revision,
      recorded: this.recording.contents.size,
      clients: clients.slice(0, MAX_NAMES),
      paths: paths.slice(0, MAX_NAMES),
      tools: tools.slice(0, MAX_NAMES),
      days,
      keptDays: fault ? 0 : this.#days(),
      problem: fault ? problemFor(fault) : null,
    };
  }

  async watch(on: boolean): Promise<Activity> {
    this.#watched = on;
    if (!on) this.#ring.unwatch();
    return this.state();
  }

  showSessions(sessions: readonly HubSession[]): void {
    this.#sessions = sessions.map((session) => ({
      ...withDisplayName(session),
      mark: clientOnWire(session.clientName ?? '')?.mark ?? null,
      profile: session.profile ?? null,
    }));
    this.#changed();
  }

  /** @param server what the server is called in the list; null if it is not in the list */
  add(call: Omit<HubCall, 'id'>, server: string | null): void {
    const { lookUp } = this;
    const statement = startedStatement(call, lookUp ? 'waiting' : 'off');
    const profile = call.profile ?? null;
    const first = call.statement?.isPoll ? this.#ring.ofStatement(profile, call.statement.id) : undefined;
    const next = shownByPoll(first, { ...call, statement });
    if (next) this.#learn(next);
    else {
      // For the audit only.
      const { requestId: _, traceparent: __, workspace: ___, ...shown } = withDisplayName(call);
      const id = this.#ring.add({ ...shown, profile, server, statement });
      this.#store?.add(storedCall({ ...call, id }, server, statement));
    }
    if (statement) lookUp?.(call.profile, statement.id);
    // What is stored is shown once it is.
    if (!this.#store?.isUsed) this.#changed();
  }

  /** The query history has shown a statement, or it has not. Gives the call as it is known now, if it is kept. */
  lookedUp(profile: string | undefined, id: string, record: StatementRecord | null): ActivityCall | undefined {
    const call = this.#ring.ofStatement(profile ?? null, id);
    if (!call?.statement) return undefined;
    const { statement } = call;
    const known = record ?? statement.record;
    const lookUp = record?.isFinal === false ? 'waiting' : known ? 'done' : 'not-found';
    const next: ActivityCall = { ...call, statement: { ...statement, lookUp, record: known } };
    this.#learn(next);
    this.#changed();
    return next;
  }

  /** Keeps something else that happened. What cannot be kept is in no list. */
  note(event: StoredEvent): void {
    if (this.#store?.isUsed) void this.#store.ask('addEvents', [event]).catch(() => undefined);
  }

  /** The last calls that only this process knows of, the oldest first, for the command: it reads the store itself. */
  recent({ count, failed }: CallChoice): WireCall[] {
    const most = this.#store?.isUsed ? Math.min(count, this.#store.waiting) : count;
    return most === 0
      ? []
      : this.#ring.recent({ count: most, failed }).map((call) => onWire(call, call.statement, false));
  }

  async page(filter: CallFilter, upTo: number | null, from: number, count: number) {
    return this.#stored(
      async (store) => {
        const { total, rows } = await store.ask('page', { filter, upTo }, from, count);
        return { total, rows: rows.map((row) => this.#whole(row)) };
      },
      () => this.#ring.page(filter, upTo, from, count),
    );
  }

  async find(id: number): Promise<ActivityCall | undefined> {
    return this.#stored(
      async (store) => {
        const found = await store.ask('find', id);
        return found && this.#whole(found);
      },
      () => this.#ring.find(id),
    );
  }

  /** All calls that match, in the filter's order, as they are read. */
  async *matching(filter: CallFilter, upTo: number | null): AsyncGenerator<ActivityCall> {
    // Calls that come meanwhile do not move the pages.
    const last = upTo ?? (await this.state()).newest;
    for (let from = 0; ; from += CALLS_AT_ONCE) {
      const { rows } = await this.page(filter, last, from, CALLS_AT_ONCE);
      yield* rows;
      if (rows.length < CALLS_AT_ONCE) return;
    }
  }

  async latency(filter: CallFilter): Promise<Latency> {
    const ofRing = () => latencyOf(this.#ring.matching({ ...filter, failedFirst: false }), Date.now());
    return this.#stored(async (store) => (await store.ask('latency', filter)) ?? ofRing(), ofRing);
  }

  async day(filter: CallFilter): Promise<DayOfCalls> {
    const ofRing = () => dayOf(this.#ring.matching({ ...filter, failedFirst: false }), Date.now(), this.#ring.isFull);
    return this.#stored(async (store) => (await store.ask('day', filter)) ?? ofRing(), ofRing);
  }

  /** Deletes calls here and in the store; with all of them, the recorded contents too. */
  async delete(which: DeletedCalls): Promise<void> {
    this.#ring.remove(which);
    if (which.day === null && which.client === null) this.recording.contents.clear();
    await this.#stored(
      (store) => store.ask('delete', which),
      () => 0,
    );
    this.#emitSoon();
  }

  /** Removes what is older than the setting says now. */
  async expire(): Promise<void> {
    if (this.#store && !this.#store.fault) await this.#store.ask('expire', this.#days()).catch(() => undefined);
    this.#changed();
  }

  close(): void {
    this.#watched = false;
    this.recording.close();
    this.#emitSoon.stop();
  }

  /** Writes the last calls: after the proxies have gone. */
  async end(): Promise<void> {
    await this.#store?.close();
  }

  #learn(next: ActivityCall): void {
    this.#ring.replace(next);
    const store = this.#store;
    if (store?.isUsed)
      void store.ask('learn', knownLater(next)).then(
        () => this.#changed(),
        () => undefined,
      );
  }

  #changed(): void {
    if (this.#watched) this.#emitSoon();
  }

  /** Asks the store, and the memory where that is not used, or turns out not to be. */
  async #stored<T>(ask: (store: ThreadedStore) => Promise<T>, inMemory: () => T): Promise<T> {
    const store = this.#store;
    if (!store?.isUsed) return inMemory();
    try {
      return await ask(store);
    } catch (error) {
      if (store.isUsed) throw error;
      return inMemory();
    }
  }

  #inMemory(): StoredSummary {
    const { size, newest } = this.#ring;
    return {
      kept: size,
      newest,
      clients: this.#ring.names('clientName'),
      paths: this.#ring.names('path'),
      tools: this.#ring.names('tool'),
      days: this.#ring.days(),
    };
  }

  /** A stored call, with what only this process's memory has of it: where its contents are, and an error's message. */
  #whole({ number, sessionKey, isPoll: _, ...call }: ReadCall): ActivityCall {
    const isOwn = sessionKey !== null && isOwnSession(sessionKey);
    const inMemory = isOwn ? this.#ring.find(number) : undefined;
    return {
      ...call,
      contents: inMemory?.contents ?? null,
      problem: inMemory?.problem ?? call.problem,
      statement: inMemory?.statement ?? noLongerLookedUp(call.statement),
    };
  }
}

/** Only the process that saw a call looks its statement up. */
function noLongerLookedUp(statement: CallStatement | null): CallStatement | null {
  return statement?.lookUp === 'waiting' ? { ...statement, lookUp: 'not-found' } : statement;
}

/** A session or call with the client's display name instead of the name that the client sends. */
function withDisplayName<T extends { clientName: string | null }>(of: T): T {
  return of.clientName === null ? of : { ...of, clientName: displayNameOf(of.clientName) };
}
