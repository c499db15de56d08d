import { formatRefusal } from '../../preload/contract/refusals.ts';
import { serverAt } from '../../preload/contract/server-kinds.ts';
import { counted } from '../../preload/contract/words/count.ts';
import { formatNumber } from '../../preload/contract/words/figures.ts';
import { goesOn } from '../../preload/contract/words/statements.ts';
import type { ActivityCall, ActivitySession, CallFilter } from '../../preload/contract.ts';
import type { StateTone } from '../shared/state-badge.tsx';
import { strings } from './strings.ts';

/** What a call's server was called when the call came. */
export function serverOf({ server, path }: Pick<ActivityCall, 'server' | 'path'>): string {
  return server ?? serverAt(path).title;
}

/** The name and version that the client reports. */
export function formatClient({
  clientName,
  clientVersion,
}: Pick<ActivitySession, 'clientName' | 'clientVersion'>): string {
  if (clientName === null) return strings.unknownClient;
  return clientVersion === null ? clientName : `${clientName} ${clientVersion}`;
}

/** `1 call`, `50,000 calls`. */
export function formatCount(calls: number): string {
  return counted(calls, 'call');
}

export function formatCalls({ done, failed, open }: Pick<ActivitySession, 'done' | 'failed' | 'open'>): string {
  const parts = [formatCount(done)];
  if (failed > 0) parts.push(strings.sessions.failed(formatNumber(failed)));
  if (open > 0) parts.push(strings.sessions.open(formatNumber(open)));
  return parts.join(', ');
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const hours = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const shortDate = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** `14:03:07`, in local time. */
export function clockTime(at: number): string {
  return clock.format(at);
}

/** `14:03:07`, in local time, with the day in front if it is not today. */
export function rowTime(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return isToday ? clockTime(at) : `${shortDate.format(at)} ${clockTime(at)}`;
}

/** A day such as `2026-11-27`, in the format of the locale. */
export function formatDate(day: string): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return dates.format(new Date(year, month - 1, date));
}

/** `14:00`, in local time. */
export function hourTime(at: number): string {
  return hours.format(at);
}

/** Date and time in the format of the locale. */
export function formatMoment(at: number): string {
  return moment.format(at);
}

/** The tool, or else the method of the request. */
export function formatWhat({ tool, method }: Pick<ActivityCall, 'tool' | 'method'>): string {
  const methods: Record<string, string> = strings.methods;
  return tool ?? methods[method] ?? method;
}

/** From the call to its answer, or to the last answer about the statement that it ran; in milliseconds. */
export function tookMs({ startedAt, durationMs, statement }: ActivityCall): number {
  return statement && statement.polls > 0 ? Math.max(durationMs, statement.seenAt - startedAt) : durationMs;
}

type Ended = Pick<ActivityCall, 'outcome' | 'errorCode' | 'refusal' | 'statement'>;

export function formatCallOutcome(call: Ended): string {
  const { outcome, errorCode, refusal } = call;
  if (goesOn(call)) return strings.outcomes.running;
  if (refusal !== null) return formatRefusal(refusal);
  const text = strings.outcomes[outcome];
  // A probe that found no such method was answered.
  return errorCode === null || outcome === 'answered' ? text : strings.outcomes.withCode(text, errorCode);
}

const TONES: Record<ActivityCall['outcome'], StateTone> = {
  answered: 'good',
  'tool-error': 'failed',
  error: 'failed',
  cancelled: 'resting',
  lost: 'attention',
};

export function toneOf(call: Pick<ActivityCall, 'outcome' | 'statement'>): StateTone {
  return goesOn(call) ? 'changing' : TONES[call.outcome];
}

export function readOutcome(value: string): CallFilter['outcome'] {
  switch (value) {
    case 'failed':
    case 'answered':
    case 'tool-error':
    case 'error':
    case 'cancelled':
    case 'lost':
      return value;
    default:
      return null;
  }
}
