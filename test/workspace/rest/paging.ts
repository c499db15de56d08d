import type { Call } from '../http.ts';
import { RestFault } from '../model.ts';

/** What a page holds at most where a workspace has small ones. */
export const SMALL_PAGE = 2;

export interface Page<T> {
  items: T[];
  /** Absent on the last page. */
  nextPageToken?: string;
}

/** Cuts a page out of a list; the token says how far the last page went. @throws {RestFault} 400 for a strange token */
export function pageOf<T>(items: T[], size: number, token: string | null): Page<T> {
  const start = token ? offsetOf(token) : 0;
  const end = start + size;
  const page = { items: items.slice(start, end) };
  return end < items.length ? { ...page, nextPageToken: tokenFor(end) } : page;
}

/** The size of a page: `absent` where the caller leaves it open, never above `max`. @throws {RestFault} 400 */
export function pageSize({ query, behaviors }: Call, name: string, absent: number, max: number): number {
  const asked = askedSize(query.get(name), absent, max);
  return behaviors.has('smallPages') ? Math.min(asked, SMALL_PAGE) : asked;
}

function askedSize(text: string | null, absent: number, max: number): number {
  if (text === null || text === '' || text === '0') return absent;
  if (!/^\d+$/.test(text)) throw new RestFault(400, 'INVALID_PARAMETER_VALUE', `Invalid page size: ${text}`);
  return Math.min(Number(text), max);
}

function tokenFor(offset: number): string {
  return Buffer.from(`after:${offset}`).toString('base64url');
}

function offsetOf(token: string): number {
  const offset = /^after:(\d+)$/.exec(Buffer.from(token, 'base64url').toString('utf8'))?.[1];
  if (offset === undefined) throw new RestFault(400, 'INVALID_PARAMETER_VALUE', `Invalid page token: ${token}`);
  return Number(offset);
}
