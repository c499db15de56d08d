import type { ActivityCall, CallAttempt, CallStatement } from '../../preload/contract/activity.ts';
import { onWire, startedStatement } from '../hub/calls.ts';
import type { HubCall } from '../hub/session-record.ts';
import { clearedJson, clearedText } from '../platform/outside-text.ts';

/** Tells one stored call from all others, before and after it is stored. */
export interface CallKey {
  /** The session, among those of all processes. */
  session: string;
  /** The call in the process that saw it. */
  number: number;
  /** The millisecond of its end. */
  endedAt: number;
}

/** A call as it is stored: no arguments, results, tokens or SQL, and no server's words. */
export interface StoredCall extends CallKey {
  pid: number;
  clientVersion: string | null;
  /** What it has in common with many others. */
  kind: CallKind;
  durationUs: number;
  sent: number;
  received: number;
  attempts: string | null;
  /** What is known of its statement, as JSON. */
  detail: string | null;
}

/** What a filter looks at. */
export interface CallKind {
  client: string | null;
  profile: string | null;
  path: string;
  server: string | null;
  user: string | null;
  method: string;
  tool: string | null;
  outcome: HubCall['outcome'];
  errorCode: number | null;
  /** The code of Causeway's own error. Its message stays in memory: it may name what was asked for. */
  problem: string | null;
  /** Where its statement ran, as JSON: id and name. */
  warehouse: string | null;
  /** The class of its statement's error. */
  errorClass: string | null;
  /** Who in the workspace refused it. */
  refusal: HubCall['refusal'];
}

/** What is known of a call's statement, and whether the call only asked about it. */
export interface CallDetail {
  statement: CallStatement | null;
  isPoll: boolean;
}

/** What becomes known of a call after it was stored. */
export interface KnownLater {
  key: CallKey;
  outcome: HubCall['outcome'];
  detail: string | null;
  warehouse: string | null;
  errorClass: string | null;
}

/** This process among all that have ever written: process ids come again. */
const WRITER = `${process.pid}-${Math.floor(performance.timeOrigin)}`;

/** Names as they are stored: the same few come with each call, and clearing one takes longer than all else. */
const clearedNames = new Map<string, string>();
const MAX_NAMES = 1_000;

/** The longest name that is stored, in characters. */
const MAX_NAME_CHARACTERS = 128;

/** The application's own list of sessions; each session of a proxy that works alone has another one. */
const APPLICATION = 0;

/** The key under which a call of this process is stored. @param log which of the process's lists has numbered session and call */
function keyOfCall(
  call: Pick<HubCall, 'id' | 'session' | 'startedAt' | 'durationMs'>,
  log: number = APPLICATION,
): CallKey {
  const { id: number, session, startedAt, durationMs } = call;
  const endedAt = Math.floor(startedAt + microseconds(durationMs) / 1000);
  return { session: `${WRITER}-${log}/${session}`, number, endedAt };
}

/** Whether a session's key is one of the application's, in this run. */
export function isOwnSession(key: string): boolean {
  return key.startsWith(`${WRITER}-${APPLICATION}/`);
}

/** What becomes known of a call of the application: its statement's state, or where that ran. */
export function knownLater(call: ActivityCall): KnownLater {
  const { statement, outcome } = call;
  return { key: keyOfCall(call), outcome, ...storedStatement({ statement, isPoll: false }) };
}

function storedStatement(detail: CallDetail): Pick<KnownLater, 'detail' | 'warehouse' | 'errorClass'> {
  const { record } = detail.statement ?? {};
  return {
    detail: detail.statement === null ? null : clearedJson(JSON.stringify(detail)),
    warehouse: record?.warehouse ? JSON.stringify([record.warehouse.id, name(record.warehouse.name)]) : null,
    errorClass: record?.errorClass ?? null,
  };
}

/** A call as it is stored. @param server what the server is called in the user's list @param log as of `keyOfCall` */
export function storedCall(
  call: HubCall,
  server: string | null,
  statement: CallStatement | null = startedStatement(call, 'off'),
  log?: number,
): StoredCall {
  const isPoll = call.statement?.isPoll ?? false;
  const { client, profile, path, method, tool, outcome, errorCode } = onWire(call, statement, isPoll);
  const { detail, warehouse, errorClass } = storedStatement({ statement, isPoll });
  return {
    ...keyOfCall(call, log),
    pid: call.pid,
    clientVersion: name(call.clientVersion),
    kind: {
      client,
      profile: name(profile),
      path,
      server: name(server),
      user: name(call.user),
      method,
      tool,
      outcome,
      errorCode,
      problem: call.problem?.code ?? null,
      warehouse,
      errorClass,
      refusal: call.refusal,
    },
    detail,
    durationUs: microseconds(call.durationMs),
    sent: call.bytesFromClient,
    received: call.bytesToClient,
    attempts: attemptsAsText(call.attempts),
  };
}

function name(text: string | null): string | null {
  if (text === null) return null;
  let cleared = clearedNames.get(text);
  if (cleared === undefined) {
    cleared = clearedText(text).slice(0, MAX_NAME_CHARACTERS);
    if (clearedNames.size >= MAX_NAMES) clearedNames.clear();
    clearedNames.set(text, cleared);
  }
  return cleared;
}

function microseconds(ms: number): number {
  return Math.round(ms * 1000);
}

/** When a call came, from when it ended: both are whole milliseconds, as `Date.now()` gives them. */
export function startOf(endedAt: number, durationUs: number): number {
  return Math.ceil((endedAt * 1000 - durationUs) / 1000);
}

const REASONS = ['refused', 'session-lost', 'not-sent', 'broken', 'too-long'] as const;

/** Attempts in little room: `[after, took, status, reason]` with times in microseconds, as JSON. */
function attemptsAsText(attempts: readonly CallAttempt[]): string | null {
  if (attempts.length === 0) return null;
  return JSON.stringify(
    attempts.map(({ afterMs, tookMs, failure }) => [
      microseconds(afterMs),
      tookMs === null ? null : microseconds(tookMs),
      ...(failure === null ? [] : [failure.status, REASONS.indexOf(failure.reason)]),
    ]),
  );
}

/** Reads what `attemptsAsText` has written; what it has not written is left out. */
export function attemptsIn(text: string | null): ActivityCall['attempts'] {
  if (text === null) return [];
  const stored: unknown = JSON.parse(text);
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((attempt: unknown) => {
    if (!Array.isArray(attempt)) return [];
    const [after, took, status, reason]: unknown[] = attempt;
    const failure = REASONS[Number(reason)];
    return {
      afterMs: Number(after) / 1000,
      tookMs: typeof took === 'number' ? took / 1000 : null,
      failure: failure === undefined ? null : { status: typeof status === 'number' ? status : null, reason: failure },
    };
  });
}
