import type { OverridesProgress, OverridesQuery } from '../../../preload/contract.ts';
import type { WarehouseService } from '../../app/causeway.ts';
import { type OverrideOwner, type UserOverride, withAccessOf, worthALook } from '../../warehouses/all-overrides.ts';
import type { DesktopContext } from '../context.ts';
import { problemFor } from '../failure.ts';
import { throttled } from '../throttle.ts';

/** The shortest time between two progress events for the window. */
const EMIT_INTERVAL_MS = 150;

const UNREAD: OverridesProgress = {
  profile: null,
  status: 'unread',
  count: 0,
  dangling: 0,
  unknown: 0,
  access: 'unchecked',
  problem: null,
  revision: 0,
};

/** All overrides of the open profile, read on request and kept until another profile is requested. */
export class OverridesReading {
  readonly #model: DesktopContext['model'];
  readonly #announce: { (): void; stop(): void };
  #revision = 0;
  #list = new OverrideList();
  #state: OverridesProgress = UNREAD;
  #work = new AbortController();

  constructor({ model, emit }: Pick<DesktopContext, 'model' | 'emit'>) {
    this.#model = model;
    this.#announce = throttled(() => emit('overridesChanged', this.state), EMIT_INTERVAL_MS);
  }

  get state(): OverridesProgress {
    const { size, dangling, unknown } = this.#list;
    return { ...this.#state, count: size, dangling, unknown, revision: this.#revision };
  }

  /** Starts to read, unless the list of that profile is complete or being read. */
  read(profile: string, anew: boolean): OverridesProgress {
    const { status } = this.#state;
    const isHere = this.#state.profile === profile && (status === 'reading' || status === 'complete');
    if (isHere && !anew) return this.state;
    this.#work.abort();
    this.#work = new AbortController();
    this.#list = new OverrideList();
    this.#state = { ...UNREAD, profile, status: 'reading' };
    this.#changed();
    void this.#read(profile, this.#list, this.#work.signal);
    return this.state;
  }

  /** Stops reading, and keeps what was read. */
  stop(): void {
    this.#work.abort();
    if (this.#state.status === 'reading') this.#change({ status: 'stopped' });
    if (this.#state.access === 'checking') this.#change({ access: 'unchecked' });
  }

  close(): void {
    this.#work.abort();
    this.#announce.stop();
  }

  page(profile: string, query: OverridesQuery, from: number, count: number): { total: number; rows: UserOverride[] } {
    const all = this.#listOf(profile)?.find(query, this.#state.status === 'reading') ?? [];
    return { total: all.length, rows: all.slice(from, from + count) };
  }

  find(profile: string, query: OverridesQuery): readonly UserOverride[] {
    return this.#listOf(profile)?.find(query) ?? [];
  }

  /** Checks who can use their warehouse, and marks the users who cannot and those for whom it is unknown. */
  async checkAccess(profile: string): Promise<void> {
    const list = this.#listOf(profile);
    if (!list || this.#state.status !== 'complete' || this.#state.access === 'checking') return;
    const { signal } = this.#work;
    this.#change({ access: 'checking', problem: null });
    try {
      const access = await this.#model.using(profile, (warehouses) =>
        warehouses.access(worthALook(list.rows()), signal),
      );
      if (signal.aborted) return;
      for (const row of [...list.rows()]) list.put(withAccessOf(row, access));
      this.#change({ access: 'checked' });
    } catch (error) {
      if (!signal.aborted) this.#change({ access: 'unchecked', problem: problemFor(error) });
    }
  }

  /** Shows a user's override after a change. `row` is null if the user has none now. */
  show(profile: string, userId: string, row: UserOverride | null): void {
    const list = this.#listOf(profile);
    if (row) list?.put(row);
    else list?.remove(userId);
    // Access of this user to the warehouse is unchecked, so the whole list is no longer checked.
    if (list && row?.canUse === 'unchecked' && this.#state.access === 'checked') this.#change({ access: 'unchecked' });
    else this.#changed();
  }

  /** Whose override it is, as the rows have it. */
  ownerOf(profile: string, userId: string): OverrideOwner | undefined {
    const row = this.#listOf(profile)?.get(userId);
    if (!row) return undefined;
    const { userName, displayName, ownerKind: kind, dangling } = row;
    const active = dangling !== 'owner-inactive';
    return { id: userId, userName, displayName, kind, active, isGone: dangling === 'owner-gone' };
  }

  #listOf(profile: string): OverrideList | undefined {
    return this.#state.profile === profile ? this.#list : undefined;
  }

  async #read(profile: string, list: OverrideList, signal: AbortSignal): Promise<void> {
    const fill = async (warehouses: WarehouseService) => {
      for await (const row of warehouses.allOverrides({}, signal)) {
        list.put(row);
        this.#changed();
      }
    };
    try {
      await this.#model.using(profile, fill);
      if (!signal.aborted) this.#change({ status: 'complete' });
    } catch (error) {
      if (!signal.aborted) this.#change({ status: 'failed', problem: problemFor(error) });
    }
  }

  #change(change: Partial<OverridesProgress>): void {
    this.#state = { ...this.#state, ...change };
    this.#changed();
  }

  #changed(): void {
    this.#revision += 1;
    this.#announce();
  }
}

/** A row with its search text and sort keys. */
interface Entry {
  row: UserOverride;
  text: string;
  user: string;
  warehouse: string;
}

/**
 * The overrides of all users, as far as they were read. The result of a query is cached for all its pages.
 */
export class OverrideList {
  readonly #entries = new Map<string, Entry>();
  #dangling = 0;
  #unknown = 0;
  #changes = 0;
  #found: { key: string; rows: readonly UserOverride[] } | undefined;

  get size(): number {
    return this.#entries.size;
  }

  get dangling(): number {
    return this.#dangling;
  }

  /** The number of users whose access to the warehouse could not be read. */
  get unknown(): number {
    return this.#unknown;
  }

  get(userId: string): UserOverride | undefined {
    return this.#entries.get(userId)?.row;
  }

  put(row: UserOverride): void {
    const before = this.#entries.get(row.userId)?.row;
    this.#entries.set(row.userId, entryOf(row));
    this.#count(before, row);
  }

  remove(userId: string): void {
    const before = this.#entries.get(userId)?.row;
    if (!before) return;
    this.#entries.delete(userId);
    this.#count(before, undefined);
  }

  *rows(): Generator<UserOverride> {
    for (const { row } of this.#entries.values()) yield row;
  }

  /**
   * The rows that match a query, in its order. `asTheyCome` keeps the order in which they were read, so that rows do not
   * move while more arrive.
   */
  find(query: OverridesQuery, asTheyCome = false): readonly UserOverride[] {
    const key = JSON.stringify([this.#changes, asTheyCome, query]);
    if (this.#found?.key === key) return this.#found.rows;
    const words = query.search.toLowerCase().split(/\s+/).filter(Boolean);
    const entries: Entry[] = [];
    for (const entry of this.#entries.values()) {
      if (query.only === 'dangling' && entry.row.dangling === null && entry.row.canUse !== 'unknown') continue;
      if (words.every((word) => entry.text.includes(word))) entries.push(entry);
    }
    if (!asTheyCome) entries.sort(ORDERS[query.by]);
    if (!asTheyCome && query.descending) entries.reverse();
    const rows = entries.map(({ row }) => row);
    this.#found = { key, rows };
    return rows;
  }

  #count(before: UserOverride | undefined, after: UserOverride | undefined): void {
    this.#changes += 1;
    this.#unknown += Number(after?.canUse === 'unknown') - Number(before?.canUse === 'unknown');
    this.#dangling += Number((after?.dangling ?? null) !== null) - Number((before?.dangling ?? null) !== null);
  }
}

const byUser = (a: Entry, b: Entry) => compare(a.user, b.user) || compare(a.row.userId, b.row.userId);

const ORDERS: Record<OverridesQuery['by'], (a: Entry, b: Entry) => number> = {
  user: byUser,
  warehouse: (a, b) => compare(a.warehouse, b.warehouse) || byUser(a, b),
  dangling: (a, b) => Number(b.row.dangling !== null) - Number(a.row.dangling !== null) || byUser(a, b),
};

/** Compares normalized names by code units: a locale's collation takes a hundred times as long. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function entryOf(row: UserOverride): Entry {
  const { userId, userName, displayName, warehouseId, warehouseName, type } = row;
  const words = type === 'LAST_SELECTED' ? 'last selected' : '';
  const text = [userId, userName, displayName, warehouseName, warehouseId, words].join('\n').toLowerCase();
  const user = comparable(displayName || userName || userId);
  // LAST_SELECTED has no warehouse to sort by, so it comes last.
  return { row, text, user, warehouse: comparable(warehouseName ?? warehouseId ?? '\uffff') };
}

/** Without case and accents. */
function comparable(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
}
