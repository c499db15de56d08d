import { ERROR_FACTS } from '../../preload/contract/error-facts.ts';
import { CausewayError } from '../platform/errors.ts';
import { WorkspaceError } from './errors.ts';
import type { Rest, RestRequest } from './rest.ts';

/** The most requests of one walk that are under way at a time. */
const MAX_AT_ONCE = 8;
/** How often a page is asked for that a busy workspace does not make (status 499, with nothing in it). */
const MAX_ATTEMPTS = 4;
/** How long a list may stay silent, in milliseconds: the walk ends only after the slowest one. */
const SILENCE_MS = 20_000;
/** The number of failures in a row that ends a walk: the workspace is down, or is throttling. */
const MAX_FAILURES_IN_A_ROW = 5;

/** A list that is read, one request at a time. */
export interface WalkTask {
  /** The lower, the sooner. */
  rank: number;
  /** What it is, for people. */
  about: string;
  /** The schema or catalog that it belongs to. */
  place?: string;
  isCatalog?: boolean;
  run(signal: AbortSignal): Promise<void>;
  /** Called once, whatever became of it. */
  ended(): void;
}

/** How a walk went. */
export interface WalkEnd {
  /** Those that went out. */
  requests: number;
  maxRequests: number;
  /** What was not read; 0 everywhere unless it was stopped. */
  unread: { catalogs: number; schemas: number; lists: number };
  /** Schemas and catalogs that the user cannot read. */
  closed: number;
  /** Lists that could not be read, or not to the end; one for each kind of failure. */
  failures: { about: string; error: CausewayError }[];
  stopped: 'limit' | 'failures' | null;
  /** Apps that are not named like MCP servers. */
  otherApps: number;
}

class LimitReached extends Error {}

/** What the failure of one list is about. */
type FailureKind =
  /** It did not go out, because the walk is stopped. */
  | 'unread'
  /** Any other request would fail in the same way. */
  | 'all'
  /** The place that it belongs to is closed to the user, or has gone. */
  | 'place'
  /** This list. */
  | 'list';

function kindOf(error: unknown, place: string | undefined): FailureKind {
  if (error instanceof LimitReached) return 'unread';
  if (!(error instanceof WorkspaceError)) return 'all';
  const { concerns, passes } = ERROR_FACTS[error.code];
  if (concerns === 'all' && !passes) return 'all';
  const isOfPlace = error.code === 'permission_denied' || error.code === 'not_found';
  return place !== undefined && isOfPlace ? 'place' : 'list';
}

/** Whether any other request would fail in the same way. */
export function isForAll(error: unknown): boolean {
  return kindOf(error, undefined) === 'all';
}

/** The lists that wait, which in a large workspace are tens of thousands; those of one rank stay in their order. */
class WaitingTasks {
  size = 0;
  readonly #byRank = new Map<number, { tasks: WalkTask[]; taken: number }>();
  /** The lowest first. */
  readonly #ranks: number[] = [];

  add(task: WalkTask): void {
    this.size += 1;
    const present = this.#byRank.get(task.rank);
    if (present) present.tasks.push(task);
    else {
      this.#byRank.set(task.rank, { tasks: [task], taken: 0 });
      const at = this.#ranks.findIndex((rank) => rank > task.rank);
      this.#ranks.splice(at === -1 ? this.#ranks.length : at, 0, task.rank);
    }
  }

  /** The first of those with the lowest rank. */
  take(): WalkTask | undefined {
    const [rank] = this.#ranks;
    const first = rank === undefined ? undefined : this.#byRank.get(rank);
    const task = first?.tasks[first.taken];
    if (rank === undefined || !first || !task) return undefined;
    this.size -= 1;
    first.taken += 1;
    if (first.taken === first.tasks.length) {
      this.#byRank.delete(rank);
      this.#ranks.shift();
    }
    return task;
  }
}

/** Runs the lists of a walk, the lowest rank first, and hands on what they emit. */
export class WalkQueue<E> {
  /** Counts requests, and refuses them beyond the limit. */
  readonly rest: Rest;
  readonly #maxRequests: number;
  readonly #signal: AbortSignal;
  readonly #leave = new AbortController();
  readonly #waiting = new WaitingTasks();
  readonly #failures = new Map<string, { about: string; error: CausewayError }>();
  readonly #unread = { catalogs: new Set<string>(), schemas: new Set<string>(), lists: 0 };
  readonly #closed = new Set<string>();
  /** Kinds of lists that this workspace does not have, or not for this sign-in. */
  readonly #without = new Set<string>();
  #events: E[] = [];
  #requests = 0;
  #running = 0;
  #hasRead = false;
  #failuresInARow = 0;
  #stopped: WalkEnd['stopped'] = null;
  #fatal: unknown;
  #isOver = false;
  #wake: () => void = () => undefined;

  constructor(rest: Rest, { maxRequests, signal }: { maxRequests: number; signal: AbortSignal | undefined }) {
    this.#maxRequests = maxRequests;
    this.#signal = AbortSignal.any([this.#leave.signal, ...(signal ? [signal] : [])]);
    const onRepeat = () => this.#count();
    const exchange = <T>(request: RestRequest<T>) =>
      this.#counted(() => rest.exchange({ silenceMs: SILENCE_MS, ...request, onRepeat }));
    this.rest = { profile: rest.profile, exchange, request: async (request) => (await exchange(request)).data };
  }

  add(task: WalkTask): void {
    this.#waiting.add(task);
  }

  emit(event: E): void {
    this.#events.push(event);
    this.#wake();
  }

  /** All events in their order, the last one made from how it went. Leaving it cancels the requests under way. */
  async *run(last: (end: Omit<WalkEnd, 'otherApps'>) => E): AsyncGenerator<E> {
    try {
      this.#next();
      while (!this.#isOver || this.#events.length > 0) {
        const events = this.#events;
        this.#events = [];
        yield* events;
        if (this.#isOver || this.#events.length > 0) continue;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      const [first] = this.#failures.values();
      if (this.#fatal !== undefined) throw this.#fatal;
      if (first && !this.#hasRead) throw first.error;
      yield last(this.#end());
    } finally {
      this.#fatal ??= new CausewayError('cancelled', 'It was canceled.');
      this.#leave.abort(this.#fatal);
    }
  }

  #next(): void {
    while (this.#running < MAX_AT_ONCE) {
      const task = this.#waiting.take();
      if (!task) break;
      // Those that are left out are many in a large workspace: one must not call for the next.
      if (this.#isLeftOut(task)) task.ended();
      else {
        this.#running += 1;
        void this.#perform(task);
      }
    }
    if (this.#running > 0 || this.#waiting.size > 0) return;
    this.#isOver = true;
    this.#wake();
  }

  #isLeftOut(task: WalkTask): boolean {
    if (this.#signal.aborted) this.#fatal ??= this.#signal.reason;
    if (this.#fatal !== undefined) return true;
    if (this.#stopped !== null) this.#failed(task, new LimitReached());
    return this.#stopped !== null || this.#without.has(task.about);
  }

  async #perform(task: WalkTask): Promise<void> {
    try {
      await task.run(this.#signal);
      this.#failuresInARow = 0;
    } catch (error) {
      this.#failed(task, error);
    }
    task.ended();
    this.#running -= 1;
    this.#next();
  }

  #failed(task: WalkTask, error: unknown): void {
    if (this.#fatal !== undefined) return;
    const kind = kindOf(error, task.place);
    if (kind === 'unread') this.#leaveUnread(task);
    else if (kind === 'all' || this.#signal.aborted || !(error instanceof WorkspaceError)) this.#fatal = error;
    else if (kind === 'list') this.#listFailed(task, error);
    // One that is not there has gone meanwhile.
    else if (error.code === 'permission_denied' && task.place !== undefined) this.#closed.add(task.place);
  }

  #leaveUnread({ place, isCatalog }: WalkTask): void {
    this.#stopped ??= 'limit';
    if (place === undefined) this.#unread.lists += 1;
    else this.#unread[isCatalog ? 'catalogs' : 'schemas'].add(place);
  }

  #listFailed({ about }: WalkTask, error: WorkspaceError): void {
    const { concerns, passes } = ERROR_FACTS[error.code];
    if (concerns === 'kind') this.#without.add(about);
    this.#failuresInARow = passes ? this.#failuresInARow + 1 : 0;
    if (this.#failuresInARow >= MAX_FAILURES_IN_A_ROW) this.#stopped ??= 'failures';
    // Older workspaces do not have every API, which is not a failure if another list could be read.
    const key = error.code === 'feature_unavailable' ? 'absent' : `${about}: ${error.message}`;
    if (!this.#failures.has(key)) this.#failures.set(key, { about, error });
  }

  async #counted<T>(send: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      this.#signal.throwIfAborted();
      this.#count();
      try {
        const answer = await send();
        this.#hasRead = true;
        return answer;
      } catch (error) {
        const isBusy = error instanceof WorkspaceError && error.status === 499;
        if (!isBusy || attempt >= MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Counts a request that goes out now. @throws {LimitReached} if it would be one too many */
  #count(): void {
    if (this.#requests >= this.#maxRequests) throw new LimitReached();
    this.#requests += 1;
  }

  #end(): Omit<WalkEnd, 'otherApps'> {
    const { catalogs, schemas, lists } = this.#unread;
    return {
      requests: this.#requests,
      maxRequests: this.#maxRequests,
      unread: { catalogs: catalogs.size, schemas: schemas.size, lists },
      closed: this.#closed.size,
      failures: [...this.#failures].filter(([key]) => key !== 'absent').map(([, failure]) => failure),
      stopped: this.#stopped,
    };
  }
}
