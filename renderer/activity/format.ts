import { MAX_RECORDED } from '../../preload/contract/activity-contents.ts';
import type {
  ActivityCall,
  ActivitySession,
  AttachedProxy,
  CallFilter,
  ContentsPart,
  Latency,
  Recording,
} from '../../preload/contract.ts';

/** The kinds of server by the beginning of their path (spec/managed-mcp-endpoints.md › Endpoints), and how each is called. */
const KINDS: [prefix: string, words: (rest: string) => string][] = [
  ['/api/2.0/mcp/sql', () => 'SQL'],
  ['/api/2.0/mcp/genie/', (space) => `Genie space ${space}`],
  ['/api/2.0/mcp/functions/', (names) => `Functions of ${dotted(names)}`],
  ['/api/2.0/mcp/vector-search/', (names) => `Vector search in ${dotted(names)}`],
];

/** The name of a server by its path; the path itself where its kind is unknown. */
export function formatServer(path: string): string {
  const kind = KINDS.find(([prefix]) => path === prefix || (prefix.endsWith('/') && path.startsWith(prefix)));
  return kind ? kind[1](path.slice(kind[0].length)) : path;
}

/** The name and version that the client reports, or else the program that started the proxy. */
export function formatClient(
  { clientName, clientVersion }: Pick<ActivitySession, 'clientName' | 'clientVersion'>,
  proxy: Pick<AttachedProxy, 'client'> | undefined,
): string {
  if (clientName === null) return proxy?.client ?? 'An AI client';
  return clientVersion === null ? clientName : `${clientName} ${clientVersion}`;
}

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** `1 call`, `50,000 calls`. */
export function formatCount(calls: number): string {
  return calls === 1 ? '1 call' : `${number.format(calls)} calls`;
}

export function formatCalls({ done, failed, open }: Pick<ActivitySession, 'done' | 'failed' | 'open'>): string {
  const parts = [formatCount(done)];
  if (failed > 0) parts.push(`${number.format(failed)} failed`);
  if (open > 0) parts.push(`${number.format(open)} under way`);
  return parts.join(', ');
}

const SIZES = ['bytes', 'kB', 'MB', 'GB', 'TB'];

export function formatBytes(bytes: number): string {
  const power = Math.min(SIZES.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${number.format(bytes / 1000 ** power)} ${SIZES[power]}`;
}

export function formatDuration(durationMs: number): string {
  if (durationMs < 1) return 'under 1 ms';
  if (durationMs < 999.5) return `${Math.round(durationMs)} ms`;
  if (durationMs < 60_000) return `${number.format(durationMs / 1000)} s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' });

/** `14:03:07`, in local time. */
export function clockTime(at: number): string {
  return clock.format(at);
}

/** Date and time in the format of the locale. */
export function formatMoment(at: number): string {
  return moment.format(at);
}

/** The tool, or else the method of the request. */
export function formatWhat({ tool, method }: Pick<ActivityCall, 'tool' | 'method'>): string {
  return tool ?? METHODS[method] ?? method;
}

const METHODS: Record<string, string> = {
  initialize: 'Opening',
  ping: 'Sign of life',
  'tools/list': 'List of tools',
  'resources/list': 'List of resources',
  'prompts/list': 'List of prompts',
  'server/discover': 'What the server can do',
  'subscriptions/listen': 'Listening',
};

const OUTCOMES: Record<ActivityCall['outcome'], string> = {
  answered: 'Answered',
  'tool-error': 'Tool failed',
  error: 'Error',
  cancelled: 'Cancelled',
  lost: 'Lost',
};

export function formatCallOutcome({ outcome, errorCode }: Pick<ActivityCall, 'outcome' | 'errorCode'>): string {
  return errorCode === null ? OUTCOMES[outcome] : `${OUTCOMES[outcome]} ${errorCode}`;
}

const MEANINGS: Record<ActivityCall['outcome'], string> = {
  answered: '',
  'tool-error': 'The tool itself said that it failed',
  error: 'The request was refused',
  cancelled: 'The client took it back',
  lost: 'The connection or the session ended before the answer, so nobody knows whether it ran',
};

/** The meaning of an outcome, where its name is not enough. */
export function outcomeMeans({ outcome }: Pick<ActivityCall, 'outcome'>): string {
  return MEANINGS[outcome];
}

export function isFailure({ outcome }: Pick<ActivityCall, 'outcome'>): boolean {
  return outcome !== 'answered' && outcome !== 'cancelled';
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

/** What the plot shows, as a sentence. */
export function formatLatency({ count, p50, p95, worst }: Latency): string {
  if (p50 === null || p95 === null || worst === null) return 'No calls in the last 15 minutes.';
  return `In the last 15 minutes: ${formatCount(count)}, half within ${formatDuration(p50)}, 95 % within ${formatDuration(p95)}, the slowest ${formatDuration(worst)}.`;
}

function dotted(names: string): string {
  return names.split('/').filter(Boolean).join('.');
}

const KIB = 1024;
const { calls, bytesOfEach, bytesInAll } = MAX_RECORDED;

/** The limits of a recording, as the end of a sentence. */
export const AT_MOST = `the last ${calls} calls, of each request and answer no more than the first ${bytesOfEach / KIB} KiB, and ${bytesInAll / KIB / KIB} MiB in all`;

/** The durations of a recording; null means until the application quits. */
export const TIMES = [
  { value: '15', label: 'For 15 minutes', durationMs: 15 * 60_000 },
  { value: '60', label: 'For 1 hour', durationMs: 60 * 60_000 },
  { value: 'until-quit', label: 'Until Causeway quits', durationMs: null },
] as const;

/** The time that is left of a recording. `until` and `now` are in milliseconds since the epoch. */
export function timeLeft(until: number | null, now: number): string {
  if (until === null) return 'It goes on until Causeway quits.';
  const minutes = Math.floor((until - now) / 60_000);
  if (minutes < 1) return 'Less than a minute is left.';
  return minutes === 1 ? '1 minute is left.' : `${minutes} minutes are left.`;
}

/** The number of calls that are recorded. */
export function formatRecorded(count: number): string {
  if (count === 0) return 'Nothing has been recorded yet.';
  return `${formatCount(count)} ${count === 1 ? 'is' : 'are'} recorded.`;
}

/** What is lost when the list of calls is cleared, whatever the filter shows of it. */
export function whatClearingDeletes(kept: number, recorded: number): string {
  const list = `The whole list is deleted: ${formatCount(kept)}, whatever the filter shows.`;
  if (recorded === 0) return `${list} Nothing of them is recorded.`;
  return `${list} What was recorded is deleted too: what was asked and answered in ${formatCount(recorded)}, which is kept nowhere else.`;
}

/** Why the contents of a call were not recorded. */
export function whyNotRecorded({ status }: Recording): string {
  return status === 'on'
    ? 'It came before the recording began. Calls that come from now on are recorded.'
    : 'Causeway records that only while you have it turned on, and then of calls that come from there on.';
}

/** Says that a part is truncated; null where it is whole. */
export function formatCut({ isCut, bytes }: ContentsPart): string | null {
  if (!isCut) return null;
  return `Only the first ${bytesOfEach / KIB} KiB were recorded. It has ${formatBytes(bytes)} in all.`;
}

/** The number of matches of a search, and which one is current. */
export function formatFound(count: number, at: number, most: number): string {
  if (count === 0) return 'Found nowhere';
  return `${at + 1} of ${count === most ? `${most} or more` : count}`;
}
