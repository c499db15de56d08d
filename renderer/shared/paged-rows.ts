import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';

/** How many rows a page holds, and how many pages are cached: a page that was dropped is loaded again. */
const PAGE_ROWS = 100;
const MAX_PAGES = 24;

interface Page<Row> {
  total: number;
  rows: Row[];
}

interface RowSource<Row> {
  /** The identity of the list: when it changes, all rows are dropped. */
  scope: string;
  /** The version of the rows: when it changes, the rows are stale and shown until they are loaded again. */
  version: string;
  load(from: number, count: number): Promise<Page<Row>>;
}

/** The rows of a list that main keeps, as far as they are loaded. */
export interface PagedRows<Row> {
  /** Undefined until the first answer. */
  total: number | undefined;
  /** Why some of the visible rows are not loaded. */
  error: Error | null;
  retry(): void;
  at(index: number): Row | undefined;
  /** Sets which rows are visible. */
  show(from: number, to: number): void;
  subscribe(listener: () => void): () => void;
  /** A counter that grows when other rows are loaded. */
  changes(): number;
}

/** A long list of which the window holds only the visible rows and a few around them. */
export function usePagedRows<Row>(source: RowSource<Row>): PagedRows<Row> {
  const cache = useMemo(() => new PageCache<Row>(), []);
  const latest = useRef(source);
  latest.current = source;
  const { scope, version } = source;
  // biome-ignore lint/correctness/useExhaustiveDependencies: these two say when to read again
  useEffect(() => cache.read(latest.current), [cache, scope, version]);
  // Components that show rows subscribe to each page; this hook renders only for the total and the error.
  useSyncExternalStore(cache.subscribe, () => cache.total);
  useSyncExternalStore(cache.subscribe, () => cache.error);
  return cache;
}

class PageCache<Row> implements PagedRows<Row> {
  readonly #pages = new Map<number, { rows: Row[]; stamp: string }>();
  readonly #loading = new Set<number>();
  readonly #listeners = new Set<() => void>();
  #source: RowSource<Row> | undefined;
  #shownScope: string | undefined;
  #changes = 0;
  #range = { first: 0, last: 0 };
  total: number | undefined;
  error: Error | null = null;

  readonly retry = () => this.#fill();

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly changes = () => this.#changes;

  at(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.rows[index % PAGE_ROWS];
  }

  show(from: number, to: number): void {
    // The pages next to those in sight are there before anybody has scrolled to them.
    const end = this.total === undefined ? 0 : Math.floor(Math.max(0, this.total - 1) / PAGE_ROWS);
    const range = {
      first: Math.max(0, Math.floor(from / PAGE_ROWS) - 1),
      last: Math.min(end, Math.floor(to / PAGE_ROWS) + 1),
    };
    if (range.first === this.#range.first && range.last === this.#range.last) return;
    this.#range = range;
    this.#fill();
  }

  read(source: RowSource<Row>): void {
    this.#source = source;
    this.#fill();
  }

  #fill(): void {
    for (let page = this.#range.first; page <= this.#range.last; page += 1) void this.#load(page);
  }

  async #load(page: number): Promise<void> {
    const source = this.#source;
    if (!source || this.#loading.has(page)) return;
    const stamp = `${source.scope}\n${source.version}`;
    if (this.#pages.get(page)?.stamp === stamp) return;
    this.#loading.add(page);
    let answer: Page<Row> | undefined;
    try {
      answer = await source.load(page * PAGE_ROWS, PAGE_ROWS);
    } catch (error) {
      if (this.#source?.scope === source.scope) this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
    this.#loading.delete(page);
    if (answer && this.#source?.scope === source.scope) this.#keep(page, answer, source, stamp);
    const isStale = this.#source?.scope !== source.scope || this.#source.version !== source.version;
    if (isStale && page >= this.#range.first && page <= this.#range.last) await this.#load(page);
  }

  #keep(page: number, { total, rows }: Page<Row>, { scope }: RowSource<Row>, stamp: string): void {
    if (this.#shownScope !== scope) this.#pages.clear();
    this.#shownScope = scope;
    this.total = total;
    this.error = null;
    this.#pages.delete(page);
    this.#pages.set(page, { rows, stamp });
    for (const kept of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES) break;
      this.#pages.delete(kept);
    }
    this.#changes += 1;
    this.#tell();
  }

  /** A page that failed to load is requested again when it is scrolled to again, or when the user retries. */
  #fail(error: Error): void {
    this.error = error;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
