import type { ActivityCall } from '../../../preload/contract.ts';
import { csvLines } from '../../warehouses/bulk/files.ts';
import { frameAsValue } from './read-contents.ts';
import type { RecordedContents } from './recorded-contents.ts';

const COLUMNS = [
  'started_at',
  'client',
  'profile',
  'path',
  'method',
  'tool',
  'duration_ms',
  'outcome',
  'error_code',
  'bytes_from_client',
  'bytes_to_client',
  'statement_id',
  'statement_status',
  'warehouse_id',
  'warehouse',
  'statement_ms',
  'queued_ms',
  'compiled_ms',
  'executed_ms',
  'fetched_ms',
  'task_ms',
  'rows',
  'read_bytes',
  'from_cache',
  'error_class',
  'most_dbus',
  'refusal',
] as const;
const CONTENT_COLUMNS = ['request', 'answer'] as const;

const ROWS_PER_BATCH = 500;

/** A call as a file holds it; `request` and `answer` only if they were recorded and asked for. */
interface ExportedCall extends Omit<ActivityCall, 'contents'> {
  request?: unknown;
  answer?: unknown;
}

/** Calls as a file holds them, with their contents if `recorded` is not null. */
export async function* exportedCalls(
  calls: AsyncIterable<ActivityCall>,
  recorded: RecordedContents | null,
): AsyncGenerator<ExportedCall> {
  for await (const { contents, ...call } of calls) {
    const found = contents === null ? undefined : recorded?.at(contents);
    yield found
      ? { ...call, request: frameAsValue(found.request), answer: found.answer && frameAsValue(found.answer) }
      : call;
  }
}

/** Calls as lines of CSV, in batches. */
export async function* callLines(calls: AsyncIterable<ExportedCall>, withContents: boolean): AsyncGenerator<string> {
  let batch: string[][] = [[...COLUMNS, ...(withContents ? CONTENT_COLUMNS : [])]];
  for await (const call of calls) {
    const { request, answer } = call;
    batch.push([...cellsOf(call), ...(withContents ? [textOf(request), textOf(answer)] : [])]);
    if (batch.length < ROWS_PER_BATCH) continue;
    yield csvLines(batch);
    batch = [];
  }
  yield csvLines(batch);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function cellsOf(call: ExportedCall): string[] {
  const { clientName, profile, path, method, tool, startedAt, durationMs, outcome, errorCode, refusal } = call;
  return [
    new Date(startedAt).toISOString(),
    clientName ?? '',
    profile ?? '',
    path,
    method,
    tool ?? '',
    durationMs.toFixed(3),
    outcome,
    errorCode === null ? '' : String(errorCode),
    String(call.bytesFromClient),
    String(call.bytesToClient),
    ...statementCells(call.statement),
    refusal ?? '',
  ];
}

function statementCells(statement: ActivityCall['statement']): string[] {
  const { id, state, record } = statement ?? {};
  const { totalMs, queuedMs, compiledMs, executedMs, fetchedMs, taskMs, rows, readBytes } = record ?? {};
  const { warehouse, isFromCache, errorClass } = record ?? {};
  const measured = [totalMs, queuedMs, compiledMs, executedMs, fetchedMs, taskMs, rows, readBytes, isFromCache];
  return [
    id ?? '',
    record?.status ?? state ?? '',
    warehouse?.id ?? '',
    warehouse?.name ?? '',
    ...measured.map((value) => (value === null || value === undefined ? '' : String(value))),
    errorClass ?? '',
    record?.mostDbus === null || record === null || record === undefined ? '' : String(record.mostDbus),
  ];
}
