import type { FrameSink } from './back-pressure.ts';
import { placeAt, textAt } from './frame/edit.ts';
import { memberAt, membersOf } from './frame/members.ts';
import type { PendingRequest } from './pending-request.ts';

/** How often a waiting client gets a progress notification, in milliseconds. Some clients time out after 60 s without one. */
const REPORT_INTERVAL_MS = 12_000;
/** The increment per report. It is small, because a server that reports later counts in whole numbers from 0. */
const STEP = 0.001;

/** A request whose client wants progress notifications. */
interface Report {
  /** The progress token as the client wrote it. */
  token: string;
  /** The last progress that the bridge has sent; undefined if it has sent none. */
  progress: number | undefined;
  since: number;
  /** Undefined once the server sends its own progress. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * Notifies a client that its request is still in progress (MCP › Progress), as long as the server sends no progress itself:
 * clients give up on silent requests. Progress never decreases, whether the server or the bridge reports it.
 */
export class ProgressReports {
  readonly #sink: FrameSink;
  readonly #intervalMs: number;
  readonly #reports = new Map<PendingRequest, Report>();
  /** The progress of requests that are not sent yet. */
  readonly #before = new WeakMap<Buffer, number>();

  constructor(sink: FrameSink, intervalMs: number = REPORT_INTERVAL_MS) {
    this.#sink = sink;
    this.#intervalMs = intervalMs;
  }

  /** Starts reports for a request that has a progress token. */
  began(pending: PendingRequest): void {
    if (pending.envelope.kind !== 'request' || pending.method === 'initialize') return;
    const token = textAt(pending.frame, 'params', '_meta', 'progressToken');
    if (token === undefined) return;
    const progress = this.#before.get(pending.frame);
    const report: Report = { token, progress, since: performance.now(), timer: undefined };
    report.timer = setInterval(() => this.#tell(pending, report), this.#intervalMs);
    report.timer.unref();
    this.#reports.set(pending, report);
  }

  /**
   * Reports that a call waits for the user's permission. Returns the function that ends this; reports about the request itself
   * then continue.
   */
  askingUser(frame: Buffer): () => void {
    const token = textAt(frame, 'params', '_meta', 'progressToken');
    if (token === undefined) return () => {};
    const report: Report = { token, progress: undefined, since: performance.now(), timer: undefined };
    const tell = () => this.#send(report, 'Waiting for the user to allow this call in Causeway.');
    tell();
    const timer = setInterval(tell, this.#intervalMs);
    timer.unref();
    return () => {
      clearInterval(timer);
      if (report.progress !== undefined) this.#before.set(frame, report.progress);
    };
  }

  /** The request was answered or cancelled. */
  ended(pending: PendingRequest): void {
    if (this.#reports.size === 0) return;
    clearInterval(this.#reports.get(pending)?.timer);
    this.#reports.delete(pending);
  }

  /** The client has cancelled the request with this raw id. */
  cancelled(id: string): void {
    for (const pending of this.#reports.keys()) if (pending.id === id) this.ended(pending);
  }

  /** A frame from the server to the client. If it reports progress, the value is raised above earlier reports. */
  adjusted(frame: Buffer, json: unknown): Buffer {
    const { method, params } = membersOf(this.#reports.size > 0 ? json : undefined);
    const { progress } = membersOf(params);
    if (method !== 'notifications/progress' || typeof progress !== 'number') return frame;
    const token = textAt(frame, 'params', 'progressToken');
    const report = Array.from(this.#reports.values()).find((each) => each.token === token);
    if (!report) return frame;
    clearInterval(report.timer);
    report.timer = undefined;
    if (report.progress === undefined) return frame;
    const isMore = progress > report.progress;
    report.progress = isMore ? progress : report.progress + STEP;
    const place = isMore ? undefined : placeAt(frame, 'params', 'progress');
    if (!place) return frame;
    return Buffer.concat([
      frame.subarray(0, place.start),
      Buffer.from(`${report.progress}`),
      frame.subarray(place.end),
    ]);
  }

  #tell(pending: PendingRequest, report: Report): void {
    if (!pending.isAwaited) return;
    const seconds = Math.round((performance.now() - report.since) / 1000);
    this.#send(report, `Still waiting for a response after ${seconds} s.`);
  }

  #send(report: Report, message: string): void {
    // A client that does not read gets no more notifications.
    if (!this.#sink.flowing) return;
    report.progress = (report.progress ?? 0) + STEP;
    const params = `"progressToken":${report.token},"progress":${report.progress},"message":${JSON.stringify(message)}`;
    this.#sink.write(Buffer.from(`{"jsonrpc":"2.0","method":"notifications/progress","params":{${params}}}`));
  }
}

/** Whether a request, as JSON, names a token for its progress. */
export function hasProgressToken(json: unknown): boolean {
  return memberAt(json, 'params', '_meta', 'progressToken') !== undefined;
}
