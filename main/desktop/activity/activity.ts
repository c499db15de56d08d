import type { activityRequests } from '../../../preload/contract/activity.ts';
import type {
  Activity,
  ActivityCall,
  ActivitySession,
  CallFilter,
  Latency,
  Recording,
} from '../../../preload/contract.ts';
import { clientOnWire, displayNameOf } from '../../clients/table.ts';
import type { HubCall, HubSession } from '../../hub/session-log.ts';
import { jsonArrayLines } from '../../platform/json-array.ts';
import { writePieces } from '../../platform/replace-file.ts';
import { csvLines } from '../../warehouses/bulk/files.ts';
import type { DesktopContext, HandlersOf } from '../context.ts';
import { throttled } from '../throttle.ts';
import { CallRing } from './call-ring.ts';
import { frameAsValue } from './read-contents.ts';
import { ContentsRecording, type RecordedContents } from './recorded-contents.ts';

/** The shortest time between two events for the window. */
const EMIT_INTERVAL_MS = 250;
/** The most sessions and the most names that one event carries. */
const MAX_SESSIONS = 100;
const MAX_NAMES = 200;

/**
 * Sessions and calls between AI clients and servers. While the window does not watch, a call is only added to the ring.
 * While it watches, it hears a few times a second that there is more, and asks for the rows that it shows.
 */
export class ActivityLog {
  readonly ring = new CallRing();
  /** Contents of requests and answers, while the user has recording turned on. */
  readonly recording: ContentsRecording;
  readonly #emitSoon: { (): void; stop(): void };
  #sessions: ActivitySession[] = [];
  #watched = false;

  constructor(emit: (name: 'activityChanged', activity: Activity) => void, show: (recording: Recording) => void) {
    this.#emitSoon = throttled(() => emit('activityChanged', this.state), EMIT_INTERVAL_MS);
    this.recording = new ContentsRecording((recording) => {
      show(recording);
      if (this.#watched) this.#emitSoon();
    });
  }

  get state(): Activity {
    const { size, newest } = this.ring;
    return {
      sessions: this.#sessions.slice(0, MAX_SESSIONS),
      moreSessions: Math.max(0, this.#sessions.length - MAX_SESSIONS),
      kept: size,
      newest,
      recorded: this.recording.contents.size,
      clients: this.ring.names('client').slice(0, MAX_NAMES),
      paths: this.ring.names('path').slice(0, MAX_NAMES),
      tools: this.ring.names('tool').slice(0, MAX_NAMES),
    };
  }

  watch(on: boolean): Activity {
    this.#watched = on;
    if (!on) this.ring.unwatch();
    return this.state;
  }

  showSessions(sessions: readonly HubSession[]): void {
    this.#sessions = sessions.map((session) => ({
      ...withDisplayName(session),
      mark: clientOnWire(session.clientName ?? '')?.mark ?? null,
      profile: session.profile ?? null,
    }));
    if (this.#watched) this.#emitSoon();
  }

  add(call: Omit<HubCall, 'id' | 'session'>): void {
    this.ring.add({ ...withDisplayName(call), profile: call.profile ?? null });
    if (this.#watched) this.#emitSoon();
  }

  latency(filter: CallFilter): Latency {
    return latencyOf(this.ring.newestFirst(filter), Date.now());
  }

  clear(): void {
    this.ring.clear();
    this.recording.contents.clear();
    this.#emitSoon();
  }

  close(): void {
    this.#watched = false;
    this.recording.close();
    this.#emitSoon.stop();
  }
}

/** A session or call with the client's display name in place of the name that the client sends. */
function withDisplayName<T extends { clientName: string | null }>(of: T): T {
  return of.clientName === null ? of : { ...of, clientName: displayNameOf(of.clientName) };
}

const BUCKET_MS = 15_000;
const BUCKETS = 60;

/** A long-lived request: its duration depends on the client and says nothing about the server (MCP 2026-07-28 › Subscriptions). */
const LONG_LIVED_METHOD = 'subscriptions/listen';

/** How long the calls of the last quarter of an hour took. `newestFirst` are calls in the order in which they ended. */
export function latencyOf(newestFirst: Iterable<ActivityCall>, now: number): Latency {
  const durations: number[][] = Array.from({ length: BUCKETS }, () => []);
  for (const { startedAt, durationMs, method } of newestFirst) {
    const age = Math.max(0, now - startedAt - durationMs);
    if (age >= BUCKETS * BUCKET_MS) break;
    if (method !== LONG_LIVED_METHOD) durations[BUCKETS - 1 - Math.floor(age / BUCKET_MS)]?.push(durationMs);
  }
  const sorted = durations.map((bucket) => Float64Array.from(bucket).sort());
  const all = Float64Array.from(durations.flat()).sort();
  return {
    bucketMs: BUCKET_MS,
    buckets: sorted.map((bucket) => ({
      count: bucket.length,
      p50: percentile(bucket, 0.5),
      p95: percentile(bucket, 0.95),
    })),
    count: all.length,
    p50: percentile(all, 0.5),
    p95: percentile(all, 0.95),
    worst: all.at(-1) ?? null,
  };
}

/** The nearest-rank percentile; null of no values. */
function percentile(sorted: Float64Array, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

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
