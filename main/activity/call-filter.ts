import type { ActivityCall, CallFilter, StatementRecord } from '../../preload/contract/activity.ts';
import { formatRefusal } from '../../preload/contract/refusals.ts';
import { isFailed } from '../hub/session-record.ts';

/** What calls can be filtered by, by the members that hold it. */
export const FACETS = ['clientName', 'path', 'tool'] as const;

/** What a filter looks at, times aside. */
export type FilteredCall = Pick<
  ActivityCall,
  (typeof FACETS)[number] | 'server' | 'method' | 'outcome' | 'errorCode' | 'refusal'
> & {
  problem: { code: string } | null;
  /** The statement's id is left out where calls are chosen by what many have in common. */
  statement: {
    id?: string;
    record: Pick<StatementRecord, 'warehouse' | 'errorClass'> | null;
  } | null;
};

/** Whether calls match a filter, their day aside. Every word of its text has to occur somewhere. */
export function matcherOf({ client, path, tool, outcome, text }: CallFilter): (call: FilteredCall) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const names = { clientName: client, path, tool };
  const facets = FACETS.filter((facet) => names[facet] !== null);
  return (call) =>
    facets.every((facet) => call[facet] === names[facet]) &&
    (outcome === null || outcome === call.outcome || (outcome === 'failed' && isFailed(call))) &&
    (words.length === 0 || hasWords(call, words));
}

/** Whether a filter leaves out no call, whenever it was. */
export function matchesAll({ client, path, tool, outcome, text }: CallFilter): boolean {
  return client === null && path === null && tool === null && outcome === null && text.trim() === '';
}

function hasWords(call: FilteredCall, words: readonly string[]): boolean {
  const { clientName, server, path, tool, method, errorCode, problem, refusal, statement } = call;
  const { id, record } = statement ?? {};
  const refused = refusal === null ? '' : formatRefusal(refusal);
  const known = [id, record?.warehouse?.id, record?.warehouse?.name, record?.errorClass, refused];
  const all = [clientName, server, path, tool, method, errorCode, problem?.code, ...known].join(' ').toLowerCase();
  return words.every((word) => all.includes(word));
}

/** A span of time, in milliseconds since the epoch: from its first moment to the first one behind it. */
export interface Span {
  from: number;
  until: number;
}

/** All of time, as far as calls are concerned. */
export const ANY_TIME: Span = { from: 0, until: 2 ** 42 };

/** A day of this computer's clock, as `2026-11-27`. */
export function dayOfMoment(ms: number): string {
  const at = new Date(ms);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The time of a filter's day: all of time without one, and none for what is no day. */
export function spanIn(day: string | null): Span {
  return day === null ? ANY_TIME : (spanOfDay(day) ?? { from: 0, until: 0 });
}

/** When a day of this computer's clock begins and ends; undefined for what is no day. */
export function spanOfDay(day: string): Span | undefined {
  const [year = 0, month = 0, date = 0] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []).slice(1).map(Number);
  const from = new Date(year, month - 1, date).getTime();
  if (dayOfMoment(from) !== day) return undefined;
  return { from, until: new Date(year, month - 1, date + 1).getTime() };
}
