import { z } from 'zod';
import { clientMark, problem, text } from './parts.ts';
import { REFUSAL_KINDS } from './refusals.ts';

/** A `causeway proxy` that is attached: one session of an AI client. */
export const attachedProxy = z.object({
  id: z.number(),
  pid: z.number(),
  /** The client's display name; null until it has named itself. */
  client: z.string().nullable(),
  /** Null for the default profile. */
  profile: z.string().nullable(),
  path: z.string(),
  /** Milliseconds since the epoch. */
  since: z.number(),
});

/** The same session with what has passed through it: numbers, never contents. */
const session = z.object({
  id: z.number(),
  pid: z.number(),
  profile: z.string().nullable(),
  path: z.string(),
  /** As whom its last call was sent; null if that is not known. */
  user: z.string().nullable(),
  since: z.number(),
  /** As the client names itself; null until it has. */
  clientName: z.string().nullable(),
  /** Null for a client that is not in the table. */
  mark: clientMark.nullable(),
  clientVersion: z.string().nullable(),
  /** Requests that wait for their answer. */
  open: z.number(),
  /** Requests that have ended, however. */
  done: z.number(),
  /** Those in `done` that ended with a tool's or the protocol's error, or without an answer. */
  failed: z.number(),
  bytesFromClient: z.number(),
  bytesToClient: z.number(),
});

/**
 * `tool-error`: the tool itself said that it failed, or that the statement or question did. `error`: a JSON-RPC error. `cancelled`:
 * the client canceled it. `lost`: it is unknown whether it ran, because the connection or the session ended before the answer.
 */
const outcome = z.enum(['answered', 'tool-error', 'error', 'cancelled', 'lost']);

/** One attempt to send a call to the server. */
const callAttempt = z.object({
  /** Milliseconds from when the call came until it was sent. */
  afterMs: z.number(),
  /** Until it ended; null if it has no end. */
  tookMs: z.number().nullable(),
  /** Null for the attempt that brought the answer. */
  failure: z
    .object({
      /** The HTTP status, if there was one. */
      status: z.number().nullable(),
      /** `not-sent`: the server has not seen it. `broken`: the connection ended before the answer. */
      reason: z.enum(['refused', 'session-lost', 'not-sent', 'broken', 'too-long']),
    })
    .nullable(),
});

/** What the query history of the workspace says about a statement. Times are in milliseconds. */
export const statementRecord = z.object({
  /** `QUEUED`, `RUNNING`, `FINISHED`, `FAILED`, `CANCELED` and others; new ones may come. */
  status: z.string(),
  /** Whether it no longer changes. */
  isFinal: z.boolean(),
  /** Null until the history says it. */
  warehouse: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  /** When it began, since the epoch. */
  startedAt: z.number().nullable(),
  totalMs: z.number().nullable(),
  /** How long it waited for a warehouse to start, or for its turn. */
  queuedMs: z.number().nullable(),
  compiledMs: z.number().nullable(),
  executedMs: z.number().nullable(),
  fetchedMs: z.number().nullable(),
  /** The time of all tasks together, on all the cores that worked for it. */
  taskMs: z.number().nullable(),
  rows: z.number().nullable(),
  readBytes: z.number().nullable(),
  isFromCache: z.boolean().nullable(),
  /** The most DBUs that it can have taken, as if nothing else ran on its warehouse; null if that is not known. */
  mostDbus: z.number().nullable(),
  /** The error's class, such as `TABLE_OR_VIEW_NOT_FOUND`; never its text, which can hold contents. */
  errorClass: z.string().nullable(),
});

/** The SQL statement that a call ran. */
export const callStatement = z.object({
  id: z.string(),
  /** As the last answer of the server shows it, in capitals; null if it does not. */
  state: z.string().nullable(),
  /** Whether the call named the warehouse itself, as the calls of a pinned entry do. */
  isPinned: z.boolean(),
  /** How often the client has asked for its result. */
  polls: z.number(),
  /** When the last answer about it came, in milliseconds since the epoch. */
  seenAt: z.number(),
  /** `off`: the user or the organization does not want it looked up. */
  lookUp: z.enum(['waiting', 'done', 'not-found', 'off']),
  record: statementRecord.nullable(),
});

/** One request of a client's that has ended. */
const call = z.object({
  /** Grows from call to call. */
  id: z.number(),
  /** The session that it belongs to. */
  session: z.number(),
  /** The proxy's process. */
  pid: z.number(),
  clientName: z.string().nullable(),
  clientVersion: z.string().nullable(),
  profile: z.string().nullable(),
  path: z.string(),
  /** As whom it was sent; null if that is not known, and if it was answered without the server. */
  user: z.string().nullable(),
  /** What the server was called in the list when the call came; null if it is not in the list. */
  server: z.string().nullable(),
  method: z.string(),
  /** The tool of a `tools/call`. */
  tool: z.string().nullable(),
  startedAt: z.number(),
  durationMs: z.number(),
  outcome,
  /** The JSON-RPC code of an `error`, or of an `answered` request that the server has no method for. */
  errorCode: z.number().nullable(),
  bytesFromClient: z.number(),
  bytesToClient: z.number(),
  /** Under which number its contents were recorded; null if they were not. They may be deleted by now. */
  contents: z.number().nullable(),
  /** The attempts to send it, the first one first; none if it was answered without the server. */
  attempts: z.array(callAttempt),
  /**
   * Causeway's own error if Causeway wrote the answer, or a refusal in the server's words; no other text of the server's. Its message is
   * in memory only, null where it is not.
   */
  problem: z.object({ code: z.string(), message: z.string().nullable() }).nullable(),
  /** Who in the workspace refused it, if that is known. */
  refusal: z.enum(REFUSAL_KINDS).nullable(),
  /** Null for a call that ran none, as far as its answer shows it. */
  statement: callStatement.nullable(),
});

/** Which calls, and in which order; null if any will do. */
export const callFilter = z.object({
  client: text().nullable(),
  path: text().nullable(),
  tool: text().nullable(),
  outcome: z.union([outcome, z.literal('failed')]).nullable(),
  /** Part of the client's, server's or tool's name, the method, the path or the error's code; empty for any. */
  text: text(200),
  /** A day of this computer's clock, as `2026-11-27`. */
  day: text(10)
    .regex(/^\d{4}-\d\d-\d\d$/)
    .nullable(),
  /** Whether those that failed come first. */
  failedFirst: z.boolean(),
});

/** The calls of the last day, by hours of the clock. */
const dayOfCalls = z.object({
  /** `from` is the beginning of the hour, in milliseconds since the epoch; the last one is the present hour. */
  hours: z.array(z.object({ from: z.number(), calls: z.number(), failed: z.number() })),
  /** When the oldest call of the list came, where older ones of that day have been dropped; null if none have. */
  droppedBefore: z.number().nullable(),
});

/** A summary. The calls themselves are requested by pages: there may be very many. */
const activity = z.object({
  sessions: z.array(session),
  /** The number of further sessions. */
  moreSessions: z.number(),
  /** How many calls are kept, in memory or on disk. */
  kept: z.number(),
  /** The id of the last call, 0 before the first. */
  newest: z.number(),
  /** Grows when more is known of a call that was there. */
  revision: z.number(),
  /** Of how many calls the contents are recorded. */
  recorded: z.number(),
  /** What calls can be filtered by. */
  clients: z.array(z.string()),
  paths: z.array(z.string()),
  tools: z.array(z.string()),
  /** The last one first, as `2026-11-27`. */
  days: z.array(z.string()),
  /** For how many days calls are kept on disk; 0 if they are in memory only. */
  keptDays: z.number(),
  /** Why they are not on disk, where they should be; null otherwise. */
  problem: problem.nullable(),
});

/** How long calls took, in milliseconds; null if there were none. */
const latency = z.object({
  /** Milliseconds that each of `buckets` covers; the last one ends now. */
  bucketMs: z.number(),
  buckets: z.array(z.object({ count: z.number(), p50: z.number().nullable(), p95: z.number().nullable() })),
  count: z.number(),
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  worst: z.number().nullable(),
});

/** `upTo` leaves out the calls after this one, so that what is being read does not move; null for all. */
const selection = z.object({ filter: callFilter, upTo: z.number().nullable() });

export const activityRequests = {
  /** Says whether the screen is shown: only then are there events. */
  watchActivity: { input: z.object({ on: z.boolean() }), output: activity },
  /** The calls, the newest first. */
  activityPage: {
    input: selection.extend({ from: z.int().min(0), count: z.int().min(1).max(500) }),
    output: z.object({ total: z.number(), rows: z.array(call) }),
  },
  /** One call; null if it is no longer in the list. */
  activityCall: { input: z.object({ id: z.number() }), output: call.nullable() },
  /** Opens the page of a call's statement in the workspace. */
  openStatement: { input: z.object({ id: z.number() }), output: z.undefined() },
  /** Asks the workspace to cancel a call's statement. It does not say whether the statement ends. */
  cancelStatement: { input: z.object({ id: z.number() }), output: z.undefined() },
  latency: { input: z.object({ filter: callFilter }), output: latency },
  dayOfCalls: { input: z.object({ filter: callFilter }), output: dayOfCalls },
  /** The filter that was used last, also before Causeway was started. */
  getCallFilter: { input: z.undefined(), output: callFilter },
  keepCallFilter: { input: callFilter, output: z.undefined() },
  /** Deletes the calls of a day, of a client, or of both; without either, all of them. Resolves when that is done. */
  deleteCalls: {
    input: z.object({ day: callFilter.shape.day, client: text().nullable() }),
    output: z.undefined(),
  },
  /**
   * Writes calls as JSON where the file's name ends so, as CSV otherwise; what was recorded of their contents only if
   * that is asked for. Null if the user cancels.
   */
  exportActivity: {
    input: selection.extend({ withContents: z.boolean() }),
    output: z.object({ file: z.string(), count: z.number() }).nullable(),
  },
} as const;

export const activityEvents = {
  /** At most four times a second, and only while the screen is shown. */
  activityChanged: activity,
} as const;

export type AttachedProxy = z.output<typeof attachedProxy>;
export type ActivitySession = z.output<typeof session>;
export type ActivityCall = z.output<typeof call>;
export type CallStatement = z.output<typeof callStatement>;
export type StatementRecord = z.output<typeof statementRecord>;
export type CallAttempt = z.output<typeof callAttempt>;
export type CallFilter = z.output<typeof callFilter>;
export type DayOfCalls = z.output<typeof dayOfCalls>;
export type Activity = z.output<typeof activity>;
export type Latency = z.output<typeof latency>;
