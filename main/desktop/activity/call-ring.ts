import type { ActivityCall, CallFilter } from '../../../preload/contract.ts';

/** How many calls are kept. */
const KEPT_CALLS = 50_000;

type Facet = 'client' | 'path' | 'tool';

/** A ring buffer of the last calls, in memory only: client, server, tool, time, duration and outcome. No contents. */
export class CallRing {
  readonly #capacity: number;
  #calls: ActivityCall[] = [];
  #newest = 0;
  /** The id of the last call that was cleared away. */
  #cleared = 0;
  #view: CallView | undefined;
  readonly #facets: Record<Facet, Map<string, number>> = { client: new Map(), path: new Map(), tool: new Map() };

  constructor(capacity = KEPT_CALLS) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#calls.length;
  }

  /** The id of the last call, 0 before the first. */
  get newest(): number {
    return this.#newest;
  }

  /** Whether calls were dropped because the ring was full. */
  get isFull(): boolean {
    return this.#calls.length === this.#capacity;
  }

  /** A call by its id. */
  find(id: number): ActivityCall | undefined {
    return id >= this.#oldest && id <= this.#newest ? this.#at(id) : undefined;
  }

  /** The sorted names that occur in the kept calls. */
  names(facet: Facet): string[] {
    return [...this.#facets[facet].keys()].sort();
  }

  /** Adds a call, and drops the oldest if the ring is full. */
  add(call: Omit<ActivityCall, 'id'>): void {
    this.#newest += 1;
    const at = this.#placeOf(this.#newest);
    const oldest = this.#calls[at];
    if (oldest) for (const [facet, name] of namesOf(oldest)) this.#uncount(facet, name);
    const kept = { ...call, id: this.#newest };
    for (const [facet, name] of namesOf(kept)) this.#count(facet, name);
    this.#calls[at] = kept;
    this.#view?.add(kept);
  }

  clear(): void {
    this.#calls = [];
    this.#cleared = this.#newest;
    this.#view = undefined;
    for (const facet of Object.values(this.#facets)) facet.clear();
  }

  /** Drops the cached view of the last filter. */
  unwatch(): void {
    this.#view = undefined;
  }

  /** One page of the calls that match a filter, in its order, without those after `upTo`. */
  page(filter: CallFilter, upTo: number | null, from: number, count: number): { total: number; rows: ActivityCall[] } {
    const ids = this.#viewOf(filter).upTo(upTo ?? this.#newest, this.#oldest);
    const rows = ids.slice(Math.max(0, ids.length - from - count), Math.max(0, ids.length - from)).reverse();
    return { total: ids.length, rows: rows.flatMap((id) => this.#at(id) ?? []) };
  }

  /** All calls that match a filter, in its order, without those after `upTo`. */
  *matching(filter: CallFilter, upTo: number | null = null): Generator<ActivityCall> {
    const ids = this.#viewOf(filter).upTo(upTo ?? this.#newest, this.#oldest);
    for (let at = ids.length - 1; at >= 0; at -= 1) {
      const call = this.#at(ids[at] ?? 0);
      if (call) yield call;
    }
  }

  get #oldest(): number {
    return Math.max(this.#cleared, this.#newest - this.#capacity) + 1;
  }

  #placeOf(id: number): number {
    return (id - this.#cleared - 1) % this.#capacity;
  }

  #at(id: number): ActivityCall | undefined {
    const call = this.#calls[this.#placeOf(id)];
    return call?.id === id ? call : undefined;
  }

  #viewOf(filter: CallFilter): CallView {
    const key = JSON.stringify(filter);
    if (this.#view?.key === key) return this.#view;
    const view = new CallView(key, filter);
    for (let id = this.#oldest; id <= this.#newest; id += 1) {
      const call = this.#at(id);
      if (call) view.add(call);
    }
    this.#view = view;
    return view;
  }

  #count(facet: Facet, name: string): void {
    this.#facets[facet].set(name, (this.#facets[facet].get(name) ?? 0) + 1);
  }

  #uncount(facet: Facet, name: string): void {
    const count = (this.#facets[facet].get(name) ?? 0) - 1;
    if (count > 0) this.#facets[facet].set(name, count);
    else this.#facets[facet].delete(name);
  }
}

/** The ids of the calls that match one filter, updated with each call. */
class CallView {
  readonly key: string;
  readonly #passes: (call: ActivityCall) => boolean;
  readonly #failedFirst: boolean;
  #ids = new IdList();
  /** Those that failed, where these come first. */
  #failedIds = new IdList();

  constructor(key: string, filter: CallFilter) {
    this.key = key;
    this.#passes = matcherOf(filter);
    this.#failedFirst = filter.failedFirst;
  }

  add(call: ActivityCall): void {
    if (!this.#passes(call)) return;
    if (this.#failedFirst && isFailure(call)) this.#failedIds.add(call.id);
    else this.#ids.add(call.id);
  }

  /** The ids from `oldest` to `last`; what is shown first is last. */
  upTo(last: number, oldest: number): number[] {
    const ids = this.#ids.between(oldest, last);
    return this.#failedFirst ? [...ids, ...this.#failedIds.between(oldest, last)] : ids;
  }
}

/** Growing ids; the oldest are dropped from time to time. */
class IdList {
  #ids: number[] = [];

  add(id: number): void {
    this.#ids.push(id);
  }

  between(oldest: number, last: number): number[] {
    const from = firstAfter(this.#ids, oldest - 1);
    // Dropped ids are trimmed now and then, not with each call.
    if (from > KEPT_CALLS) {
      this.#ids = this.#ids.slice(from);
      return this.between(oldest, last);
    }
    return this.#ids.slice(from, firstAfter(this.#ids, last));
  }
}

/** The index of the first larger id (binary search). */
function firstAfter(ids: readonly number[], id: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? 0) > id) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether calls match a filter. Every word of its text has to occur somewhere. */
function matcherOf({ client, path, tool, outcome, text }: CallFilter): (call: ActivityCall) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (call) =>
    (client === null || call.clientName === client) &&
    (path === null || call.path === path) &&
    (tool === null || call.tool === tool) &&
    (outcome === null || outcome === call.outcome || (outcome === 'failed' && isFailure(call))) &&
    (words.length === 0 || hasWords(call, words));
}

function hasWords(call: ActivityCall, words: readonly string[]): boolean {
  const { clientName, server, path, tool, method, errorCode, problem } = call;
  const all = [clientName, server, path, tool, method, errorCode, problem?.code].join(' ').toLowerCase();
  return words.every((word) => all.includes(word));
}

export function isFailure({ outcome }: ActivityCall): boolean {
  return outcome !== 'answered' && outcome !== 'cancelled';
}

function namesOf({ clientName, path, tool }: ActivityCall): [Facet, string][] {
  const names: [Facet, string | null][] = [
    ['client', clientName],
    ['path', path],
    ['tool', tool],
  ];
  return names.flatMap(([facet, name]) => (name === null ? [] : [[facet, name] satisfies [Facet, string]]));
}
