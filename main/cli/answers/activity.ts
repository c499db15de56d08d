import { z } from 'zod';
import { callStatement, statementRecord } from '../../../preload/contract/activity.ts';
import { REFUSAL_KINDS } from '../../../preload/contract/refusals.ts';
import { named } from './named.ts';

const record = named(
  'statementRecord',
  'What the query history of the workspace says about a statement. Times are in milliseconds.',
  statementRecord,
  {
    status: '`QUEUED`, `RUNNING`, `FINISHED`, `FAILED`, `CANCELED`, or a newer word.',
    isFinal: 'Whether it no longer changes.',
    warehouse: 'Where it ran; null until the history says it.',
    startedAt: 'When it began, since 1970.',
    totalMs: 'From its beginning to its end.',
    queuedMs: 'How long it waited for a warehouse to start, or for its turn.',
    compiledMs: 'How long it was compiled.',
    executedMs: 'How long it was executed.',
    fetchedMs: 'How long its result was fetched.',
    taskMs: 'The time of all its tasks together, on all cores.',
    rows: 'How many rows it produced.',
    readBytes: 'How many bytes it read.',
    mostDbus: 'The most DBUs that it can have taken, as if nothing else ran on its warehouse; null if not known.',
    isFromCache: 'Whether the result came from the cache.',
    errorClass: 'The class of its error; null if it has none.',
  },
);

const statement = named(
  'statement',
  'A SQL statement that a call ran.',
  callStatement.extend({ record: record.nullable() }),
  {
    id: 'The id of the workspace.',
    state: 'As the last answer of the server shows it; null if it does not.',
    isPinned: 'Whether the call named its warehouse itself, as those of a pinned entry do.',
    polls: 'How often the client has asked for its result again.',
    seenAt: 'When the last answer about it came, in milliseconds since 1970.',
    lookUp: 'Whether the query history shows it. `waiting`: not yet. `off`: Causeway does not ask.',
    record: 'What the query history says; null until it does.',
  },
);

/** One line of `causeway activity --follow --json`. */
export const call = named(
  'call',
  'One request of an AI client that has ended, without its contents.',
  z.object({
    at: z.string(),
    client: z.string().nullable(),
    profile: z.string().nullable(),
    server: z.string().nullable(),
    path: z.string(),
    method: z.string(),
    tool: z.string().nullable(),
    outcome: z.enum(['answered', 'tool-error', 'error', 'cancelled', 'lost']),
    errorCode: z.number().nullable(),
    refusal: z.enum(REFUSAL_KINDS).nullable(),
    durationMs: z.number(),
    statement: statement.nullable(),
  }),
  {
    at: 'When it came.',
    client: 'The AI client; null if it has not named itself.',
    profile: 'The profile that the server signs in with; null for the default one.',
    server: "The server's name; null if it is not in the list.",
    path: 'The path of the server.',
    method: 'The method of MCP.',
    tool: 'The tool of a `tools/call`; null for other methods.',
    outcome: 'How it ended. `lost` means that it is not known whether it ran.',
    errorCode: 'The code of a JSON-RPC error; null if there is none.',
    refusal: 'Who in the workspace refused it, if that is known: `policy`, for example.',
    durationMs: 'How long it took.',
    statement: 'The SQL statement that it ran; null if it ran none. Polls are counted there.',
  },
);

export const deletedCalls = z.object({ deleted: z.number() });

export const activity = z.object({
  /** Whether the application runs and has answered. */
  application: z.boolean(),
  calls: z.array(call),
  /** What could not be read. */
  problems: z.array(z.string()),
});

export const shownStatement = z.object({
  id: z.string(),
  profile: z.string(),
  host: z.string(),
  /** Null where the workspace knows the statement no longer, or shows it only in the history. */
  state: z.string().nullable(),
  /** Null if the query history does not show it. */
  record: record.nullable(),
  /** Its page in the workspace. */
  url: z.string(),
});

export const canceledStatement = z.object({
  id: z.string(),
  profile: z.string(),
  host: z.string(),
  /** After the cancellation; it may still run. */
  state: z.string(),
});
