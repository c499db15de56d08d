import type { StatementRecord } from '../../preload/contract/activity.ts';
import { type RanOn, recordOn } from '../warehouses/most-dbus.ts';
import { WorkspaceError } from '../workspace/errors.ts';
import type { RecordedStatement } from '../workspace/query-history.ts';

/** The least time between two requests to the query history as one account, in milliseconds: four a minute. */
const PAUSE_MS = 15_000;
/** How many statements one request asks about: their ids are in its address. */
const MAX_IDS = 50;
/** How many wait at most; of more, the oldest are given up. */
const MAX_WAITING = 2_000;
/** When a statement is looked up, in milliseconds after its last answer: the history shows it late, and its end later still. */
const LOOKS_MS = [1_000, 16_000, 45_000, 120_000, 300_000, 600_000];
/** How often a statement that still runs is looked up afterwards, and for how long. */
const RUNNING = { everyMs: 5 * 60_000, forMs: 24 * 60 * 60_000 };
/** How long an account is left alone whose user may not read the history, or is signed out. */
const REFUSED_MS = 15 * 60_000;

/** The query history of one account, and the names of its warehouses. */
export interface StatementHistory {
  statements(ids: readonly string[], signal: AbortSignal): Promise<RecordedStatement[]>;
  /** @throws {CausewayError} if it cannot be read */
  warehouse(id: string, signal: AbortSignal): Promise<RanOn>;
}

/** What became of a look-up; without a record, the history shows no more of the statement. */
type LookedUp = (profile: string | undefined, id: string, record: StatementRecord | null) => void;

export interface StatementLookUpsOptions {
  /** @throws {CausewayError} if the account cannot be used */
  historyOf(profile: string | undefined): Promise<StatementHistory>;
  onLookedUp: LookedUp;
  now?: () => number;
}

interface Waiting {
  id: string;
  /** When its last answer came. */
  since: number;
  looks: number;
  /** Whether the history has shown it, not yet ended. */
  isShown: boolean;
}

interface Account {
  profile: string | undefined;
  /** By id. */
  waiting: Map<string, Waiting>;
  /** Not before this. */
  notBefore: number;
  warehouses: Map<string, RanOn | null>;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Looks up in the background what the query history says about the statements of AI clients: a few requests a minute for each
 * account, whatever the number of calls, and none for calls that ran no statement. A call never waits for it, and a failure is
 * only a look-up that did not help.
 */
export class StatementLookUps {
  readonly #options: StatementLookUpsOptions;
  readonly #now: () => number;
  readonly #accounts = new Map<string | undefined, Account>();
  readonly #ended = new AbortController();

  constructor(options: StatementLookUpsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** A call has run a statement, or has shown more of it. */
  add(profile: string | undefined, id: string): void {
    if (this.#ended.signal.aborted) return;
    const account = this.#account(profile);
    account.waiting.delete(id);
    account.waiting.set(id, { id, since: this.#now(), looks: 0, isShown: false });
    if (account.waiting.size > MAX_WAITING) {
      const [oldest] = account.waiting.keys();
      if (oldest !== undefined) this.#giveUp(account, oldest);
    }
    this.#schedule(account);
  }

  /** Ends all look-ups. */
  close(): void {
    this.#ended.abort();
    for (const { timer } of this.#accounts.values()) clearTimeout(timer);
    this.#accounts.clear();
  }

  #account(profile: string | undefined): Account {
    const known = this.#accounts.get(profile);
    if (known) return known;
    const account = { profile, waiting: new Map(), notBefore: 0, warehouses: new Map(), timer: undefined };
    this.#accounts.set(profile, account);
    return account;
  }

  #schedule(account: Account): void {
    clearTimeout(account.timer);
    const due = Math.min(...Array.from(account.waiting.values(), dueAt));
    if (!Number.isFinite(due)) return;
    const wait = Math.max(0, due - this.#now(), account.notBefore - this.#now());
    account.timer = setTimeout(() => void this.#lookUp(account), wait);
    account.timer.unref();
  }

  async #lookUp(account: Account): Promise<void> {
    const { signal } = this.#ended;
    const now = this.#now();
    // Those that are due soon are asked about in the same request.
    const due = Array.from(account.waiting.values()).filter((each) => dueAt(each) <= now + PAUSE_MS / 3);
    const asked = due.slice(0, MAX_IDS);
    account.notBefore = now + PAUSE_MS;
    try {
      const history = await this.#options.historyOf(account.profile);
      const found = await history.statements(
        asked.map(({ id }) => id),
        signal,
      );
      for (const statement of found) {
        const { id, warehouseId, isFinal } = statement;
        const warehouse = warehouseId === undefined ? null : await this.#warehouse(account, history, warehouseId);
        if (signal.aborted) return;
        if (isFinal) account.waiting.delete(id);
        this.#options.onLookedUp(account.profile, id, recordOn(statement, warehouse));
      }
      const shown = new Set(found.map(({ id }) => id));
      for (const each of asked) this.#looked(account, each, shown.has(each.id));
    } catch (error) {
      if (signal.aborted) return;
      // A workspace that is busy or away is asked again later; one that refuses, much later.
      const isBusy = error instanceof WorkspaceError && (error.status === undefined || error.status >= 429);
      account.notBefore = this.#now() + (isBusy ? 4 * PAUSE_MS : REFUSED_MS);
      for (const each of asked) this.#looked(account, each, false);
    }
    this.#schedule(account);
  }

  #looked(account: Account, each: Waiting, wasShown: boolean): void {
    // Another answer about it has begun its looks anew.
    if (account.waiting.get(each.id) !== each) return;
    each.looks += 1;
    each.isShown ||= wasShown;
    if (!Number.isFinite(dueAt(each))) this.#giveUp(account, each.id);
  }

  #giveUp(account: Account, id: string): void {
    account.waiting.delete(id);
    this.#options.onLookedUp(account.profile, id, null);
  }

  async #warehouse(account: Account, history: StatementHistory, id: string): Promise<RanOn | null> {
    const known = account.warehouses.get(id);
    if (known !== undefined) return known;
    const warehouse = await history.warehouse(id, this.#ended.signal).catch(() => null);
    account.warehouses.set(id, warehouse);
    return warehouse;
  }
}

/** Infinite once it is not looked up again. */
function dueAt({ since, looks, isShown }: Waiting): number {
  const wait = LOOKS_MS[looks];
  if (wait !== undefined) return since + wait;
  const afterwards = (looks - LOOKS_MS.length + 1) * RUNNING.everyMs;
  const isOver = !isShown || afterwards > RUNNING.forMs;
  return isOver ? Number.POSITIVE_INFINITY : since + (LOOKS_MS.at(-1) ?? 0) + afterwards;
}
