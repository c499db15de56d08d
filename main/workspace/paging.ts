import { WorkspaceError } from './errors.ts';

export interface Page {
  next_page_token?: string | undefined;
}

/**
 * All pages of a list, one request at a time, as they are consumed. Only a missing token ends it: a page may be empty and
 * yet have a successor. A token that comes twice would go on for ever and is refused.
 */
export async function* pages<P extends Page>(
  fetchPage: (pageToken: string | undefined) => Promise<P>,
): AsyncGenerator<P> {
  const seen = new Set<string>();
  let pageToken: string | undefined;
  do {
    const page = await fetchPage(pageToken);
    yield page;
    pageToken = page.next_page_token || undefined;
    if (pageToken !== undefined && seen.has(pageToken)) {
      throw new WorkspaceError('unexpected_answer', 'The workspace keeps sending the same page of a list.');
    }
    if (pageToken !== undefined) seen.add(pageToken);
  } while (pageToken !== undefined);
}

/** Every item of a list of pages, in order. */
export async function* items<P extends Page, T>(
  all: AsyncIterable<P>,
  of: (page: P) => readonly T[],
): AsyncGenerator<T> {
  for await (const page of all) yield* of(page);
}

/** Gathers what an iterator gives. */
export async function gather<T>(all: AsyncIterable<T>): Promise<T[]> {
  const gathered: T[] = [];
  for await (const item of all) gathered.push(item);
  return gathered;
}

/** Part of a list, and where it goes on. */
export interface Listing<T> {
  items: T[];
  /** Undefined at the end. */
  next: string | undefined;
}

/**
 * The next part of a list that has something in it, for those who leaf through it: empty pages are passed over, and
 * nothing is asked for beyond.
 */
export async function listing<P extends Page, T>(
  fetchPage: (pageToken: string | undefined) => Promise<P>,
  of: (page: P) => T[],
  from: string | undefined,
): Promise<Listing<T>> {
  for await (const page of pages((pageToken) => fetchPage(pageToken ?? from))) {
    const found = of(page);
    if (found.length > 0) return { items: found, next: page.next_page_token || undefined };
  }
  return { items: [], next: undefined };
}
