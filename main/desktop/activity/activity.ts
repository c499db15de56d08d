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
import { throttled } from '../throttle.ts';
import { CallRing } from './call-ring.ts';
import { ContentsRecording } from './recorded-contents.ts';

/** The shortest time between two events for the window, in milliseconds. */
const TELL_EVERY = 250;
/** The most sessions and the most names that one event carries. */
const MOST_SESSIONS = 100;
const MOST_NAMES = 200;

/**
 * What passes between AI clients and servers. A call costs next to nothing here while nobody looks; while somebody does,
 * the window hears a few times a second that there is more, and asks for the rows that it shows.
 */
export class ActivityLog {
  readonly ring = new CallRing();
  /** What was asked and answered, where the person has turned that on. */
  readonly recording: ContentsRecording;
  readonly #tell: { (): void; stop(): void };
  #sessions: ActivitySession[] = [];
  #watched = false;

  constructor(emit: (name: 'activityChanged', activity: Activity) => void, show: (recording: Recording) => void) {
    this.#tell = throttled(() => emit('activityChanged', this.state), TELL_EVERY);
    this.recording = new ContentsRecording((recording) => {
      show(recording);
      if (this.#watched) this.#tell();
    });
  }

  get state(): Activity {
    const { size, newest } = this.ring;
    return {
      sessions: this.#sessions.slice(0, MOST_SESSIONS),
      moreSessions: Math.max(0, this.#sessions.length - MOST_SESSIONS),
      kept: size,
      newest,
      recorded: this.recording.contents.size,
      clients: this.ring.names('client').slice(0, MOST_NAMES),
      paths: this.ring.names('path').slice(0, MOST_NAMES),
      tools: this.ring.names('tool').slice(0, MOST_NAMES),
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
    if (this.#watched) this.#tell();
  }

  add(call: Omit<HubCall, 'id' | 'session'>): void {
    this.ring.add({ ...withDisplayName(call), profile: call.profile ?? null });
    if (this.#watched) this.#tell();
  }

  latency(filter: CallFilter): Latency {
    return latencyOf(this.ring.newestFirst(filter), Date.now());
  }

  clear(): void {
    this.ring.clear();
    this.recording.contents.clear();
    this.#tell();
  }

  close(): void {
    this.#watched = false;
    this.recording.close();
    this.#tell.stop();
  }
}

/** The same with the client's name as people know it, in place of the one that it gives itself. */
function withDisplayName<T extends { clientName: string | null }>(of: T): T {
  return of.clientName === null ? of : { ...of, clientName: displayNameOf(of.clientName) };
}

const BUCKET_MILLIS = 15_000;
const BUCKETS = 60;

/** Open for as long as the client likes: how long says nothing about the server (MCP 2026-07-28 › Subscriptions). */
const STANDING = 'subscriptions/listen';

/** How long the calls of the last quarter of an hour took. `newestFirst` are calls in the order in which they ended. */
export function latencyOf(newestFirst: Iterable<ActivityCall>, now: number): Latency {
  const durations: number[][] = Array.from({ length: BUCKETS }, () => []);
  for (const { startedAt, durationMs, method } of newestFirst) {
    const age = Math.max(0, now - startedAt - durationMs);
    if (age >= BUCKETS * BUCKET_MILLIS) break;
    if (method !== STANDING) durations[BUCKETS - 1 - Math.floor(age / BUCKET_MILLIS)]?.push(durationMs);
  }
  const sorted = durations.map((bucket) => Float64Array.from(bucket).sort());
  const all = Float64Array.from(durations.flat()).sort();
  return {
    bucketMillis: BUCKET_MILLIS,
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

/** The smallest value that at least this share of all reaches not beyond; null of none. */
function percentile(sorted: Float64Array, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
