import type { CallStatement, StatementRecord } from '../activity.ts';
import { formatBytes, formatDuration, formatNumber } from './figures.ts';

/** What is said of the SQL statements of AI clients, in the window and on the command line. */
export const statementWords = {
  status: 'Status',
  warehouse: 'Warehouse',
  began: 'Started',
  total: 'Total time',
  queued: 'Queued',
  compiled: 'Compiled',
  executed: 'Executed',
  fetched: 'Fetched',
  tasks: 'Task time, all cores',
  cost: 'Cost',
  free: 'None: from cache',
  atMost: (dbus: string) => `At most ${dbus} DBU, if nothing else ran`,
  rows: 'Rows',
  read: 'Read',
  result: 'Result',
  fromCache: 'From cache',
  computed: 'Computed',
  error: 'Error class',
  polls: 'Result requested again',
  id: 'Statement ID',
  page: 'Page',
  waiting: 'Not in the query history yet. It can take a minute.',
  notFound: 'The query history does not show it. Where it ran is not known.',
  cancelAsked: 'Cancellation requested',
} as const;

const RUNNING = new Set(['PENDING', 'RUNNING', 'QUEUED', 'STARTED', 'COMPILING', 'COMPILED']);

/** The words of the SQL server, of the query history and of the statements API. */
const STATES: Readonly<Record<string, string>> = {
  PENDING: 'Waiting to run',
  QUEUED: 'Waiting to run',
  STARTED: 'Running',
  COMPILING: 'Running',
  COMPILED: 'Running',
  RUNNING: 'Running',
  SUCCEEDED: 'Succeeded',
  FINISHED: 'Succeeded',
  FAILED: 'Failed',
  CANCELED: 'Canceled',
  CLOSED: 'Closed',
};

/** The status that was seen last: the history's once it is final, else the one in the server's last answer. */
function lastStatus({ state, record }: Pick<CallStatement, 'state' | 'record'>): string | null {
  return record && (record.isFinal || state === null) ? record.status : state;
}

/** Whether a status is that of a statement which has not ended. */
export function isRunningState(state: string): boolean {
  return RUNNING.has(state);
}

/** Whether a statement had not ended when it was seen last. */
export function isStillRunning(statement: Pick<CallStatement, 'state' | 'record'>): boolean {
  return isRunningState(lastStatus(statement) ?? '');
}

/** Whether a call was answered and its statement goes on, as far as anybody looks. */
export function goesOn(call: { outcome: string; statement: CallStatement | null }): boolean {
  const { outcome, statement } = call;
  return outcome === 'answered' && statement?.lookUp === 'waiting' && isStillRunning(statement);
}

/** A status in words; a newer one as it is. */
export function stateText(state: string): string {
  return STATES[state] ?? state;
}

/** How a statement ended, or what it does, for people; null if that is not known. */
export function statusText(statement: Pick<CallStatement, 'state' | 'record'>): string | null {
  const status = lastStatus(statement);
  return status === null || status === '' ? null : stateText(status);
}

/** A name and what is known; null for what is not. */
type Fact = [name: string, value: string | null];

/** What the history says about a statement, but where its time passed. @param moment writes milliseconds since the epoch */
export function recordFacts(record: StatementRecord, moment: (at: number) => string): Fact[] {
  const { warehouse, startedAt, totalMs, taskMs, rows, readBytes, isFromCache, errorClass } = record;
  const { fromCache, computed } = statementWords;
  return [
    [
      statementWords.warehouse,
      warehouse && (warehouse.name === null ? warehouse.id : `${warehouse.name} (${warehouse.id})`),
    ],
    [statementWords.began, startedAt === null ? null : moment(startedAt)],
    [statementWords.total, timeText(totalMs)],
    // A result from the cache costs nothing.
    [statementWords.tasks, isFromCache ? null : timeText(taskMs)],
    [statementWords.cost, costText(record)],
    [statementWords.rows, rows === null ? null : formatNumber(rows)],
    [statementWords.read, readBytes === null ? null : formatBytes(readBytes)],
    [statementWords.result, isFromCache === null ? null : isFromCache ? fromCache : computed],
    [statementWords.error, errorClass],
  ];
}

/** Where the time of a statement passed, in order; in milliseconds. */
export function phasesOf({ queuedMs, compiledMs, executedMs, fetchedMs }: StatementRecord) {
  const phases = [
    { phase: 'queued', ms: queuedMs },
    { phase: 'compiled', ms: compiledMs },
    { phase: 'executed', ms: executedMs },
    { phase: 'fetched', ms: fetchedMs },
  ] as const;
  return phases.flatMap(({ phase, ms }) =>
    ms === null ? [] : [{ phase, ms, name: statementWords[phase], text: formatDuration(ms) }],
  );
}

/** What a statement can have cost, as what it is: a bound. */
function costText({ mostDbus, isFromCache }: StatementRecord): string | null {
  if (isFromCache) return statementWords.free;
  return mostDbus === null
    ? null
    : statementWords.atMost(mostDbus < 0.0001 ? '0.0001' : String(Number(mostDbus.toPrecision(2))));
}

function timeText(ms: number | null): string | null {
  return ms === null ? null : formatDuration(ms);
}
