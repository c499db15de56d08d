import type { ActivityCall, CallFilter } from '../../preload/contract/activity.ts';
import { isFailed } from '../hub/session-record.ts';
import type { CallChoice } from '../hub/wire.ts';
import { dayOfMoment, FACETS, matcherOf, spanIn } from './call-filter.ts';

/** How many calls are kept. */
const KEPT_CALLS = 50_000;
/** How many more may be in the array: calls are dropped together, not with each new one. */
const MAX_EXTRA = 5_000;

/** The last calls, in memory only: client, server, tool, time, duration and outcome. No contents. */
export class CallRing {
  readonly #capacity: number;
  /** The oldest first, with growing ids; sometimes with more than are kept, which `#kept` drops. */
  #calls: ActivityCall[] = [];
  #newest = 0;
  /** How many kept calls have each name. */
  readonly #names = {
    clientName: new Map<string, number>(),
    path: new Map<string, number>(),
    tool: new Map<string, number>(),
  };
  /** The call that ran each statement, by profile and id. */
  readonly #byStatement = new Map<string, ActivityCall>();
  #revision = 0;
  /** The calls that match the filter that was asked for last, kept up to date with each call. */
  #view: { key: string; matches(call: ActivityCall): boolean; calls: ActivityCall[] } | undefined;

  constructor(capacity = KEPT_CALLS) {
    this.#capacity = capacity;
  }

  get size(): number {
    return Math.min(this.#calls.length, this.#capacity);
  }

  /** The id of the last call, 0 before the first. */
  get newest(): number {
    return this.#newest;
  }

  /** How often more has become known of a kept call. */
  get revision(): number {
    return this.#revision;
  }

  /** Whether calls were dropped because the ring was full. */
  get isFull(): boolean {
    return this.#calls.length >= this.#capacity;
  }

  /** A call by its id. */
  find(id: number): ActivityCall | undefined {
    const found = this.#kept()[this.#placeOf(id)];
    return found?.id === id ? found : undefined;
  }

  /** The sorted names that occur in the kept calls. */
  names(facet: (typeof FACETS)[number]): string[] {
    this.#kept();
    return [...this.#names[facet].keys()].sort();
  }

  /** The days on which the kept calls ended, the last one first. */
  days(): string[] {
    return [...new Set(this.#kept().map((call) => dayOfMoment(endOf(call))))].reverse();
  }

  /** Adds a call, and drops the oldest if the ring is full. Returns its id. */
  add(call: Omit<ActivityCall, 'id'>): number {
    this.#newest += 1;
    const kept = { ...call, id: this.#newest };
    this.#calls.push(kept);
    if (kept.statement) this.#byStatement.set(statementKey(kept.profile, kept.statement.id), kept);
    this.#count(kept, 1);
    if (this.#calls.length > this.#capacity + MAX_EXTRA) this.#kept();
    if (this.#view?.matches(kept)) this.#view.calls.push(kept);
    return kept.id;
  }

  /** The call that ran a statement, if it is kept. */
  ofStatement(profile: string | null, id: string): ActivityCall | undefined {
    return this.#byStatement.get(statementKey(profile, id));
  }

  /** Puts what has become known of a kept call in the place of what was. */
  replace(call: ActivityCall): void {
    const at = this.#placeOf(call.id);
    if (this.#calls[at]?.id !== call.id) return;
    this.#calls[at] = call;
    if (call.statement) this.#byStatement.set(statementKey(call.profile, call.statement.id), call);
    this.#view = undefined;
    this.#revision += 1;
  }

  /** Removes the calls of a day, of a client by its display name, or of both; else all. */
  remove({ day, client }: { day: string | null; client: string | null }): void {
    const { from, until } = spanIn(day);
    const isKept = (call: ActivityCall) =>
      (client !== null && call.clientName !== client) || endOf(call) < from || endOf(call) >= until;
    for (const call of this.#kept().filter((each) => !isKept(each))) {
      this.#count(call, -1);
      if (call.statement) this.#byStatement.delete(statementKey(call.profile, call.statement.id));
    }
    this.#calls = this.#calls.filter(isKept);
    this.#view = undefined;
  }

  /** Drops the cached view of the last filter. */
  unwatch(): void {
    this.#view = undefined;
  }

  /** One page of the calls that match a filter, in its order, without those after `upTo`. */
  page(filter: CallFilter, upTo: number | null, from: number, count: number): { total: number; rows: ActivityCall[] } {
    const calls = this.matching(filter, upTo);
    return { total: calls.length, rows: calls.slice(from, from + count) };
  }

  /** All calls that match a filter, in its order, without those after `upTo`. */
  matching(filter: CallFilter, upTo: number | null = null): ActivityCall[] {
    const last = upTo ?? this.#newest;
    const calls = this.#viewOf(filter)
      .filter(({ id }) => id <= last)
      .reverse();
    if (!filter.failedFirst) return calls;
    return [...calls.filter(isFailed), ...calls.filter((call) => !isFailed(call))];
  }

  /** The last calls, the oldest first. */
  recent({ count, failed }: CallChoice): ActivityCall[] {
    const calls = this.#kept();
    return (failed ? calls.filter(isFailed) : calls).slice(-count);
  }

  /** Where a call is among those that are kept, if it is. */
  #placeOf(id: number): number {
    const calls = this.#kept();
    let [low, high] = [0, calls.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((calls[middle]?.id ?? id) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  get #oldest(): number {
    return this.#calls.at(-this.size)?.id ?? this.#newest + 1;
  }

  #kept(): ActivityCall[] {
    const dropped = this.#calls.splice(0, this.#calls.length - this.size);
    for (const call of dropped) this.#drop(call);
    return this.#calls;
  }

  #drop(call: ActivityCall): void {
    this.#count(call, -1);
    const key = call.statement && statementKey(call.profile, call.statement.id);
    if (key !== null && this.#byStatement.get(key)?.id === call.id) this.#byStatement.delete(key);
  }

  #count(call: ActivityCall, by: 1 | -1): void {
    for (const facet of FACETS) {
      const name = call[facet];
      if (name === null) continue;
      const count = (this.#names[facet].get(name) ?? 0) + by;
      if (count > 0) this.#names[facet].set(name, count);
      else this.#names[facet].delete(name);
    }
  }

  #viewOf(filter: CallFilter): ActivityCall[] {
    const key = JSON.stringify({ ...filter, failedFirst: false });
    if (this.#view?.key !== key) {
      const matches = matcherIn(filter);
      this.#view = { key, matches, calls: this.#kept().filter(matches) };
    }
    const dropped = this.#view.calls.findIndex(({ id }) => id >= this.#oldest);
    this.#view.calls.splice(0, dropped < 0 ? this.#view.calls.length : dropped);
    return this.#view.calls;
  }
}

function statementKey(profile: string | null, id: string): string {
  return JSON.stringify([profile, id]);
}

/** Whether calls match a filter, and ended on its day. */
function matcherIn(filter: CallFilter): (call: ActivityCall) => boolean {
  const matches = matcherOf(filter);
  if (filter.day === null) return matches;
  const { from, until } = spanIn(filter.day);
  return (call) => matches(call) && endOf(call) >= from && endOf(call) < until;
}

function endOf({ startedAt, durationMs }: ActivityCall): number {
  return startedAt + durationMs;
}
