import type { activityRequests } from '../../../preload/contract/activity.ts';
import type { ActivityCall } from '../../../preload/contract.ts';
import { jsonArrayLines } from '../../platform/json-array.ts';
import { writePieces } from '../../platform/replace-file.ts';
import { csvLines } from '../../warehouses/bulk/files.ts';
import type { DesktopContext, HandlersOf } from '../context.ts';
import { frameAsValue } from './read-contents.ts';
import type { RecordedContents } from './recorded-contents.ts';

const EXPORT_OFFER = {
  title: 'Export calls',
  name: 'calls.csv',
  kinds: [
    { name: 'CSV', extensions: ['csv'] },
    { name: 'JSON', extensions: ['json'] },
  ],
};

/** Answers the Activity screen's requests. */
export function activityHandlers({ activity, shell, onClose }: DesktopContext): HandlersOf<typeof activityRequests> {
  onClose(() => activity.close());
  return {
    watchActivity: async ({ on }) => activity.watch(on),
    activityPage: async ({ filter, upTo, from, count }) => activity.ring.page(filter, upTo, from, count),
    latency: async ({ filter }) => activity.latency(filter),
    clearActivity: async () => void activity.clear(),
    exportActivity: async ({ filter, upTo, withContents }) => {
      const file = await shell.chooseFileToSave(EXPORT_OFFER);
      if (file === null) return null;
      const calls = [...activity.ring.newestFirst(filter, upTo)];
      const isJson = file.toLowerCase().endsWith('.json');
      const { contents } = activity.recording;
      const exported = exportedCalls(calls, withContents ? contents : null);
      await writePieces(file, isJson ? jsonArrayLines(exported) : callLines(exported, withContents));
      return { file, count: calls.length };
    },
  };
}

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
const CONTENT_COLUMNS = ['request', 'answer'] as const;

const ROWS_PER_BATCH = 500;

/** A call as a file holds it; `request` and `answer` only where they were recorded and asked for. */
interface ExportedCall extends Omit<ActivityCall, 'contents'> {
  request?: unknown;
  answer?: unknown;
}

/** Calls as a file holds them, with their contents if `recorded` is not null. */
export function* exportedCalls(
  calls: Iterable<ActivityCall>,
  recorded: RecordedContents | null,
): Generator<ExportedCall> {
  for (const { contents, ...call } of calls) {
    const found = contents === null ? undefined : recorded?.at(contents);
    yield found
      ? { ...call, request: frameAsValue(found.request), answer: found.answer && frameAsValue(found.answer) }
      : call;
  }
}

/** Calls as lines of CSV, in batches. */
export async function* callLines(calls: Iterable<ExportedCall>, withContents: boolean): AsyncGenerator<string> {
  let batch: string[][] = [[...COLUMNS, ...(withContents ? CONTENT_COLUMNS : [])]];
  for (const call of calls) {
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
