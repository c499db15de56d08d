import type { EveryoneQuery } from '../../../preload/contract.ts';
import type { OverrideRow } from '../../warehouses/all-overrides.ts';

/** A row with what it is searched and ordered by, worked out once. */
interface Entry {
  row: OverrideRow;
  text: string;
  user: string;
  warehouse: string;
}

/**
 * Every user's override as far as it was read. The window asks for what it shows: what a query finds is worked out once
 * for all its pages.
 */
export class OverrideList {
  readonly #entries = new Map<string, Entry>();
  #dangling = 0;
  #unknown = 0;
  #changes = 0;
  #found: { key: string; entries: Entry[] } | undefined;

  get size(): number {
    return this.#entries.size;
  }

  get dangling(): number {
    return this.#dangling;
  }

  /** Of how many it could not be read whether the user may use the warehouse. */
  get unknown(): number {
    return this.#unknown;
  }

  get(userId: string): OverrideRow | undefined {
    return this.#entries.get(userId)?.row;
  }

  put(row: OverrideRow): void {
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

  *rows(): Generator<OverrideRow> {
    for (const { row } of this.#entries.values()) yield row;
  }

  /**
   * What a query finds, in its order. `asTheyCome` keeps the order in which they were read, so that nothing moves under
   * the reader's eyes while more arrive.
   */
  find(query: EveryoneQuery, asTheyCome = false): OverrideRow[] {
    return this.#find(query, asTheyCome).map(({ row }) => row);
  }

  page(query: EveryoneQuery, from: number, count: number, asTheyCome = false): { total: number; rows: OverrideRow[] } {
    const entries = this.#find(query, asTheyCome);
    return { total: entries.length, rows: entries.slice(from, from + count).map(({ row }) => row) };
  }

  #find(query: EveryoneQuery, asTheyCome: boolean): Entry[] {
    const key = JSON.stringify([this.#changes, asTheyCome, query]);
    if (this.#found?.key === key) return this.#found.entries;
    const words = query.search.toLowerCase().split(/\s+/).filter(Boolean);
    const entries: Entry[] = [];
    for (const entry of this.#entries.values()) {
      if (query.only === 'dangling' && entry.row.dangling === null && entry.row.canUse !== 'unknown') continue;
      if (words.every((word) => entry.text.includes(word))) entries.push(entry);
    }
    if (!asTheyCome) entries.sort(ORDERS[query.by]);
    if (!asTheyCome && query.descending) entries.reverse();
    this.#found = { key, entries };
    return entries;
  }

  #count(before: OverrideRow | undefined, after: OverrideRow | undefined): void {
    this.#changes += 1;
    this.#unknown += Number(after?.canUse === 'unknown') - Number(before?.canUse === 'unknown');
    this.#dangling += Number((after?.dangling ?? null) !== null) - Number((before?.dangling ?? null) !== null);
  }
}

const byUser = (a: Entry, b: Entry) => compare(a.user, b.user) || compare(a.row.userId, b.row.userId);

const ORDERS: Record<EveryoneQuery['by'], (a: Entry, b: Entry) => number> = {
  user: byUser,
  warehouse: (a, b) => compare(a.warehouse, b.warehouse) || byUser(a, b),
  dangling: (a, b) => Number(b.row.dangling !== null) - Number(a.row.dangling !== null) || byUser(a, b),
};

/** Code points do for names that were made comparable: the rules of a language cost a hundred times as much. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function entryOf(row: OverrideRow): Entry {
  const { userId, userName, displayName, warehouseId, warehouseName, type } = row;
  const words = type === 'LAST_SELECTED' ? 'last selected' : '';
  const text = [userId, userName, displayName, warehouseName, warehouseId, words].join('\n').toLowerCase();
  const user = comparable(displayName || userName || userId);
  // What is last selected has no warehouse to be ordered by: it comes last.
  return { row, text, user, warehouse: comparable(warehouseName ?? warehouseId ?? '\uffff') };
}

/** Without case and accents. */
function comparable(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
}
