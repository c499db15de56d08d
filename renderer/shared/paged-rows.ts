import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';

/** How many rows are asked for at a time, and how many such pages are kept: what was scrolled past is asked for again. */
const PAGE = 100;
const KEPT = 24;

interface Page<Row> {
  total: number;
  rows: Row[];
}

interface RowSource<Row> {
  /** What the rows are: another text means others, of which none that are here are shown. */
  scope: string;
  /** Another text means that the same rows may have changed: those that are here are shown until they are read again. */
  version: string;
  load(from: number, count: number): Promise<Page<Row>>;
}

/** The rows of a list that main keeps, as far as they are here. */
export interface PagedRows<Row> {
  /** Undefined until the first answer. */
  total: number | undefined;
  /** Why some of those that are looked at are not here. */
  error: Error | null;
  retry(): void;
  at(index: number): Row | undefined;
  /** Says which rows are looked at. */
  show(from: number, to: number): void;
  subscribe(listener: () => void): () => void;
  /** Another number means that other rows are here. */
  changes(): number;
}

/** A long list of which the window holds only what is looked at and a little around it. */
export function usePagedRows<Row>(source: RowSource<Row>): PagedRows<Row> {
  const cache = useMemo(() => new PageCache<Row>(), []);
  const latest = useRef(source);
  latest.current = source;
  const { scope, version } = source;
  // biome-ignore lint/correctness/useExhaustiveDependencies: these two say when to read again
  useEffect(() => cache.read(latest.current), [cache, scope, version]);
  // Whoever shows rows hears of each page; everybody else only of how many there are.
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
    return this.#pages.get(Math.floor(index / PAGE))?.rows[index % PAGE];
  }

  show(from: number, to: number): void {
    // The pages next to those in sight are there before anybody has scrolled to them.
    const end = this.total === undefined ? 0 : Math.floor(Math.max(0, this.total - 1) / PAGE);
    const range = { first: Math.max(0, Math.floor(from / PAGE) - 1), last: Math.min(end, Math.floor(to / PAGE) + 1) };
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
      answer = await source.load(page * PAGE, PAGE);
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
      if (this.#pages.size <= KEPT) break;
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
