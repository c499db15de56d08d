import { WorkspaceError } from './errors.ts';
import type { Rest, RestRequest } from './rest.ts';

export interface Page {
  next_page_token?: string | undefined;
}

/** The most pages that are read of one list, and the longest token between two of them: no workspace's list comes near. */
const MAX_PAGES = 5_000;
const MAX_TOKEN_LENGTH = 8 * 1024;
/** The most items of one list that are held at once. */
const MAX_ITEMS = 1_000_000;

/**
 * All pages of a list, one request at a time, as they are consumed. Only a missing token ends it: a page may be empty and
 * yet have a successor. A token that comes twice would continue for ever and is refused, and so is a list of more than 5,000
 * pages.
 * @throws {WorkspaceError} `unexpected_answer`
 */
export async function* pages<P extends Page>(
  fetchPage: (pageToken: string | undefined) => Promise<P>,
): AsyncGenerator<P> {
  const seen = new Set<string>();
  let pageToken: string | undefined;
  do {
    if (seen.size >= MAX_PAGES) throw endless(`${MAX_PAGES} pages`);
    const page = await fetchPage(pageToken);
    yield page;
    pageToken = page.next_page_token || undefined;
    if (pageToken !== undefined && seen.has(pageToken)) {
      throw new WorkspaceError('unexpected_answer', 'The workspace keeps returning the same page of a list.');
    }
    if (pageToken !== undefined && pageToken.length > MAX_TOKEN_LENGTH) {
      throw new WorkspaceError('unexpected_answer', 'The workspace returned a page token that is too long.');
    }
    if (pageToken !== undefined) seen.add(pageToken);
  } while (pageToken !== undefined);
}

/** All parts of a list that is read from where an earlier answer ended, as they are consumed; as `pages`. */
export async function* parts<T>(read: (from: string | undefined) => Promise<Listing<T>>): AsyncGenerator<T[]> {
  const all = pages(async (from) => {
    const { items: found, next } = await read(from);
    return { found, next_page_token: next };
  });
  for await (const { found } of all) yield found;
}

/** Every item of a list, in order; `of` says where a page has them. A `page_token` of the query is where it begins. */
export async function* items<P extends Page, T>(
  rest: Pick<Rest, 'request'>,
  asked: RestRequest<P>,
  of: (page: P) => readonly T[],
): AsyncGenerator<T> {
  for await (const page of pages((page_token) => pageOf(rest, asked, page_token))) yield* of(page);
}

function pageOf<P>(rest: Pick<Rest, 'request'>, asked: RestRequest<P>, page_token: string | undefined): Promise<P> {
  return rest.request({ ...asked, query: { ...asked.query, ...(page_token === undefined ? {} : { page_token }) } });
}

/** Gathers what an iterator gives. @throws {WorkspaceError} `unexpected_answer` for more than a million items */
export async function gather<T>(all: AsyncIterable<T>): Promise<T[]> {
  const gathered: T[] = [];
  for await (const item of all) {
    if (gathered.length >= MAX_ITEMS) throw endless(`${MAX_ITEMS} items`);
    gathered.push(item);
  }
  return gathered;
}

function endless(after: string): WorkspaceError {
  return new WorkspaceError('unexpected_answer', `The workspace's list does not end after ${after}.`, {
    remedy: 'Tell your workspace admin. No list is that long.',
  });
}

/** Part of a list, and where it continues. */
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
  rest: Pick<Rest, 'request'>,
  asked: RestRequest<P>,
  of: (page: P) => T[],
  from: string | undefined,
): Promise<Listing<T>> {
  for await (const page of pages((pageToken) => pageOf(rest, asked, pageToken ?? from))) {
    const found = of(page);
    if (found.length > 0) return { items: found, next: page.next_page_token || undefined };
  }
  return { items: [], next: undefined };
}
