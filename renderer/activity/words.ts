import type { ActivityCall, ActivitySession, AttachedProxy, CallFilter, Latency } from '../../preload/contract.ts';

/** The kinds of server by the beginning of their path (spec/managed-mcp-endpoints.md › Endpoints), and how each is called. */
const KINDS: [prefix: string, words: (rest: string) => string][] = [
  ['/api/2.0/mcp/sql', () => 'SQL'],
  ['/api/2.0/mcp/genie/', (space) => `Genie space ${space}`],
  ['/api/2.0/mcp/functions/', (names) => `Functions of ${dotted(names)}`],
  ['/api/2.0/mcp/vector-search/', (names) => `Vector search in ${dotted(names)}`],
];

/** A server's path as people call it; the path itself where its kind is new. */
export function serverInWords(path: string): string {
  const kind = KINDS.find(([prefix]) => path === prefix || (prefix.endsWith('/') && path.startsWith(prefix)));
  return kind ? kind[1](path.slice(kind[0].length)) : path;
}

/** As the client names itself, else after the program that it is. */
export function clientInWords(
  { clientName, clientVersion }: Pick<ActivitySession, 'clientName' | 'clientVersion'>,
  proxy: Pick<AttachedProxy, 'client'> | undefined,
): string {
  if (clientName === null) return proxy?.client ?? 'An AI client';
  return clientVersion === null ? clientName : `${clientName} ${clientVersion}`;
}

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** `1 call`, `50,000 calls`. */
export function countInWords(calls: number): string {
  return calls === 1 ? '1 call' : `${number.format(calls)} calls`;
}

export function callsInWords({ done, failed, open }: Pick<ActivitySession, 'done' | 'failed' | 'open'>): string {
  const parts = [countInWords(done)];
  if (failed > 0) parts.push(`${number.format(failed)} failed`);
  if (open > 0) parts.push(`${number.format(open)} under way`);
  return parts.join(', ');
}

const SIZES = ['bytes', 'kB', 'MB', 'GB', 'TB'];

export function bytesInWords(bytes: number): string {
  const power = Math.min(SIZES.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${number.format(bytes / 1000 ** power)} ${SIZES[power]}`;
}

export function durationInWords(millis: number): string {
  if (millis < 1) return 'under 1 ms';
  if (millis < 999.5) return `${Math.round(millis)} ms`;
  if (millis < 60_000) return `${number.format(millis / 1000)} s`;
  const seconds = Math.round(millis / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' });

/** `14:03:07`, in the person's own time. */
export function clockTime(at: number): string {
  return clock.format(at);
}

/** The same with its day, as the person writes it. */
export function momentInWords(at: number): string {
  return moment.format(at);
}

/** The tool, or what else the client asked for. */
export function whatInWords({ tool, method }: Pick<ActivityCall, 'tool' | 'method'>): string {
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

export function outcomeInWords({ outcome, errorCode }: Pick<ActivityCall, 'outcome' | 'errorCode'>): string {
  return errorCode === null ? OUTCOMES[outcome] : `${OUTCOMES[outcome]} ${errorCode}`;
}

const MEANINGS: Record<ActivityCall['outcome'], string> = {
  answered: '',
  'tool-error': 'The tool itself said that it failed',
  error: 'The request was refused',
  cancelled: 'The client took it back',
  lost: 'The connection or the session ended before the answer, so nobody knows whether it ran',
};

/** What an outcome means, where its name does not tell. */
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
export function latencyInWords({ count, p50, p95, worst }: Latency): string {
  if (p50 === null || p95 === null || worst === null) return 'No calls in the last 15 minutes.';
  return `In the last 15 minutes: ${countInWords(count)}, half within ${durationInWords(p50)}, 95 % within ${durationInWords(p95)}, the slowest ${durationInWords(worst)}.`;
}

function dotted(names: string): string {
  return names.split('/').filter(Boolean).join('.');
}
