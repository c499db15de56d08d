import type { ActivityCall } from '../../../preload/contract.ts';
import { csvLines } from '../../warehouses/bulk/csv.ts';

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
] as const;

const ROWS_AT_ONCE = 500;

/** Calls as lines of CSV, some at a time. */
export async function* callLines(calls: Iterable<ActivityCall>): AsyncGenerator<string> {
  let held: string[][] = [[...COLUMNS]];
  for (const call of calls) {
    held.push(cellsOf(call));
    if (held.length < ROWS_AT_ONCE) continue;
    yield csvLines(held);
    held = [];
  }
  yield csvLines(held);
}

function cellsOf(call: ActivityCall): string[] {
  const { clientName, profile, path, method, tool, startedAt, durationMs, outcome, errorCode } = call;
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
  ];
}
