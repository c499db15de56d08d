import type { ActivityCall, ActivitySession, CallAttempt } from '../../preload/contract/activity.ts';
import { runsStatements } from '../../preload/contract/server-kinds.ts';
import type { Profile } from '../auth/auth.ts';
import type { AttemptFailure, AttemptObserver } from '../bridge/endpoint.ts';
import { parseFrame } from '../bridge/frame/frame.ts';
import { memberAt, membersOf } from '../bridge/frame/members.ts';
import { isSafeToRepeat } from '../bridge/methods.ts';
import { revisionOf } from '../bridge/stateless/headers.ts';
import { ownCopy } from '../platform/own-copy.ts';
import {
  type AnsweredStatement,
  answeredStatement,
  polledStatement,
  statementOfLongAnswer,
} from './answered-statement.ts';
import {
  batchOf,
  type CallOutcome,
  calledTool,
  callOutcome,
  isReadWhole,
  nameOrNull,
  paramsOf,
  summarizeFrame,
  traceparentIn,
} from './frame-summary.ts';

/** A proxy that is attached, and what is known about the client behind it. No arguments or results of tools. */
export interface HubSession extends Omit<ActivitySession, 'profile' | 'mark'> {
  profile: string | undefined;
  /** The revision that client and server speak, as far as it is known. */
  protocolVersion: string | null;
  /** When the last request came, in milliseconds since 1970. */
  lastCallAt: number | null;
}

/** A client's request, reported when it has ended. */
export interface HubCall extends Omit<ActivityCall, 'profile' | 'server' | 'statement'> {
  profile: string | undefined;
  /** The statement that it ran or asked about; null for any other call. */
  statement: (AnsweredStatement & { isPoll: boolean; isPinned: boolean }) | null;
  /** The JSON-RPC id as it was written: a text has its quotes. */
  requestId: string;
  /** The `traceparent` in its `_meta`, if that is one. */
  traceparent: string | null;
  /** Where it was to go; null if its bridge was not opened. */
  workspace: Pick<Profile, 'host' | 'workspaceId'> | null;
}

/** Whether a call counts as failed. */
export function isFailed({ outcome }: Pick<HubCall, 'outcome'>): boolean {
  return outcome !== 'answered' && outcome !== 'cancelled';
}

/**
 * Receives each request and its answer while the user has contents recorded, and at no other time. The hub keeps neither. A
 * recorder copies the bytes it keeps: the buffers are the hub's. Its functions must not throw and must be quick.
 */
export interface ContentsRecorder {
  /** A request has come. Returns the number that its answer is reported with. */
  asked(request: Buffer): number;
  /** The answer to the request of that number goes to the client. */
  answered(number: number, answer: Buffer): void;
}

/** Callbacks of one record. They must not throw and must be quick: a client's frames wait meanwhile. */
export interface RecordEvents {
  /** A call has ended. The listener assigns its `id`. */
  call(call: Omit<HubCall, 'id'>): void;
  /** The session has changed. */
  changed(): void;
  /** There only while contents are recorded; read again with each request and each answer. */
  readonly recorder?: ContentsRecorder | undefined;
}

interface OpenCall {
  traceparent: string | null;
  method: string;
  tool: string | null;
  startedAt: number;
  start: number;
  bytes: number;
  contents: number | null;
  attempts: CallAttempt[];
  user: string | null;
  /** The statement that a poll asks about. */
  polled: string | null;
  /** Whether it names a warehouse, or is too long to tell. */
  isPinned: boolean;
}

/** How an answer ends a call. */
interface CallEnd {
  outcome: HubCall['outcome'];
  errorCode?: number | null;
  problem?: HubCall['problem'];
  refusal?: HubCall['refusal'];
  /** The answer's size; 0 if there is none. */
  bytes?: number;
  statement?: AnsweredStatement | null;
}

/** The most attempts kept per call: retries are few (`REPEAT`), renewed sessions may add some. */
const MAX_ATTEMPTS = 8;

/** A long-lived request, whose end is not a failure (MCP 2026-07-28 › Subscriptions). */
const LONG_LIVED = 'subscriptions/listen';

const METHOD_NOT_FOUND = -32601;

/** Whether a client only probed for a method that the server lacks (JSON-RPC 2.0 §5.1): that is not a failure. */
function isProbe(method: string, result: CallOutcome): boolean {
  return result.outcome === 'error' && result.errorCode === METHOD_NOT_FOUND && method !== 'tools/call';
}

const NO_STATEMENT = { polled: null, isPinned: false };

function readStatementCall(frame: Buffer): Pick<OpenCall, 'polled' | 'isPinned'> {
  const params = paramsOf(frame);
  return {
    polled: polledStatement(params),
    isPinned: params === undefined || memberAt(params, '_meta', 'warehouse_id') !== undefined,
  };
}

/** What a poll has shown of its statement: a failure may not name it again. */
function polledState(id: string, answered: AnsweredStatement | null): AnsweredStatement {
  return { id, state: answered?.id === id ? answered.state : null };
}

/** Counts the frames between one client and its bridge. Frames are read, never kept. */
export class SessionRecord implements AttemptObserver {
  readonly #session: HubSession;
  readonly #events: RecordEvents;
  /** By the id as it was written. */
  readonly #open = new Map<string, OpenCall>();
  readonly #runsStatements: boolean;
  #workspace: HubCall['workspace'] = null;

  constructor(of: Pick<HubSession, 'id' | 'pid' | 'profile' | 'path' | 'since'>, events: RecordEvents) {
    this.#session = {
      ...of,
      clientName: null,
      clientVersion: null,
      protocolVersion: null,
      open: 0,
      done: 0,
      failed: 0,
      bytesFromClient: 0,
      bytesToClient: 0,
      lastCallAt: null,
      user: null,
    };
    this.#events = events;
    this.#runsStatements = runsStatements(of.path);
  }

  /** As it is now. */
  get session(): HubSession {
    return { ...this.#session, open: this.#open.size };
  }

  /** Whether only this hub can deliver an outstanding answer: a proxy repeats idempotent requests elsewhere. */
  get awaitsAnswer(): boolean {
    return Array.from(this.#open.values()).some(({ method }) => method !== LONG_LIVED && !isSafeToRepeat(method));
  }

  /** The client has sent a frame. */
  fromClient(frame: Buffer): void {
    this.#session.bytesFromClient += frame.length;
    for (const one of batchOf(frame) ?? [frame]) this.#sent(one);
    this.#events.changed();
  }

  /** A frame goes to the client. */
  toClient(frame: Buffer): void {
    this.#session.bytesToClient += frame.length;
    if (this.#open.size > 0) for (const one of batchOf(frame) ?? [frame]) this.#answered(one);
    this.#events.changed();
  }

  opened({ host, workspaceId }: NonNullable<HubCall['workspace']>): void {
    this.#workspace = { host, workspaceId };
  }

  sent(id: string, user?: string): void {
    this.#session.user = user ?? null;
    const call = this.#open.get(id);
    if (!call || call.attempts.length === MAX_ATTEMPTS) return;
    call.user = user ?? null;
    call.attempts.push({ afterMs: performance.now() - call.start, tookMs: null, failure: null });
  }

  failed(id: string, failure: AttemptFailure): void {
    const call = this.#open.get(id);
    const last = call?.attempts.at(-1);
    if (!call || !last || last.tookMs !== null) return;
    last.tookMs = performance.now() - call.start - last.afterMs;
    last.failure = failure;
  }

  /** The session is over: open requests get no answer. */
  ended(): void {
    for (const [id, { method }] of this.#open) this.#end(id, { outcome: method === LONG_LIVED ? 'cancelled' : 'lost' });
  }

  #sent(frame: Buffer): void {
    const { id, method } = summarizeFrame(frame);
    if (method === undefined) return;
    if (id === undefined) {
      if (method === 'notifications/cancelled') this.#cancelled(frame);
      return;
    }
    if (method === 'initialize' || this.#session.protocolVersion === null) this.#learnClient(method, frame);
    // A client that uses an id twice gets one answer.
    this.#end(id, { outcome: 'lost' });
    const startedAt = Date.now();
    this.#session.lastCallAt = startedAt;
    const tool = method === 'tools/call' ? calledTool(frame) : null;
    const contents = this.#events.recorder?.asked(frame) ?? null;
    this.#open.set(id, {
      traceparent: traceparentIn(frame),
      method,
      tool,
      startedAt,
      start: performance.now(),
      bytes: frame.length,
      contents,
      attempts: [],
      user: null,
      ...(tool !== null && this.#runsStatements ? readStatementCall(frame) : NO_STATEMENT),
    });
  }

  #answered(frame: Buffer): void {
    const seen = summarizeFrame(frame);
    const { id, method } = seen;
    const call = method === undefined && id !== undefined ? this.#open.get(id) : undefined;
    if (!call || id === undefined) return;
    if (call.method === 'initialize') this.#learnRevision(frame);
    if (call.contents !== null) this.#events.recorder?.answered(call.contents, frame);
    const runsStatements = call.tool !== null && this.#runsStatements;
    const json = runsStatements && isReadWhole(frame) ? parseFrame(frame) : undefined;
    const result = callOutcome(frame, seen, json);
    const bytes = frame.length;
    const answered = () => (json === undefined ? statementOfLongAnswer(frame) : answeredStatement(json));
    const statement = runsStatements ? answered() : null;
    if (isProbe(call.method, result)) this.#end(id, { outcome: 'answered', errorCode: METHOD_NOT_FOUND, bytes });
    else if (result.outcome !== 'error') this.#end(id, { outcome: result.outcome, bytes, statement });
    else {
      const { problem } = result;
      this.#end(id, { ...result, outcome: problem?.code === 'outcome_unknown' ? 'lost' : 'error', bytes });
    }
  }

  #cancelled(frame: Buffer): void {
    const { requestId } = membersOf(paramsOf(frame));
    // A server may still answer; such an answer only counts as bytes.
    this.#end(JSON.stringify(requestId), { outcome: 'cancelled' });
  }

  #end(id: string, end: CallEnd): void {
    const { outcome, errorCode = null, problem = null, refusal = null, statement = null } = end;
    const { bytes: bytesToClient = 0 } = end;
    const call = this.#open.get(id);
    if (!call) return;
    this.#open.delete(id);
    this.#session.done += 1;
    if (isFailed({ outcome })) this.#session.failed += 1;
    const { id: session, pid, clientName, clientVersion, profile, path } = this.#session;
    const { method, tool, startedAt, start, bytes: bytesFromClient, contents, attempts, user, polled, isPinned } = call;
    const durationMs = performance.now() - start;
    const last = attempts.at(-1);
    // The attempt that brought the answer ends with the call; one that was cut off has no end.
    if (last?.tookMs === null && bytesToClient > 0) last.tookMs = durationMs - last.afterMs;
    this.#events.call({
      session,
      requestId: ownCopy(id),
      traceparent: call.traceparent,
      workspace: this.#workspace,
      pid,
      clientName,
      clientVersion,
      profile,
      path,
      user,
      method,
      tool,
      startedAt,
      durationMs,
      outcome,
      errorCode,
      bytesFromClient,
      bytesToClient,
      contents,
      attempts,
      problem,
      refusal,
      statement:
        polled === null
          ? statement && { ...statement, isPoll: false, isPinned }
          : { ...polledState(polled, statement), isPoll: true, isPinned },
    });
  }

  /** Clients of the session revisions introduce themselves once, those of the stateless revision in each request. */
  #learnClient(method: string, frame: Buffer): void {
    const params = paramsOf(frame);
    const isInitialize = method === 'initialize';
    const revision = isInitialize ? memberAt(params, 'protocolVersion') : revisionOf(params);
    const path = isInitialize ? ['clientInfo'] : ['_meta', 'io.modelcontextprotocol/clientInfo'];
    const { name, version } = membersOf(memberAt(params, ...path));
    this.#session.clientName = nameOrNull(name) ?? this.#session.clientName;
    this.#session.clientVersion = nameOrNull(version) ?? this.#session.clientVersion;
    this.#session.protocolVersion = nameOrNull(revision) ?? this.#session.protocolVersion;
  }

  #learnRevision(answer: Buffer): void {
    const version = memberAt(parseFrame(answer), 'result', 'protocolVersion');
    this.#session.protocolVersion = nameOrNull(version) ?? this.#session.protocolVersion;
  }
}
