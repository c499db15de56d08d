import { z } from 'zod';
import { pathOfRow } from '../../preload/contract/server-kinds.ts';
import { CausewayError } from '../platform/errors.ts';
import { foreignCause, foreignText } from '../platform/foreign-text.ts';
import { jsonIn } from '../platform/json.ts';

const STATEMENT_POLL_MS = 1000;
const UNFINISHED = new Set(['PENDING', 'RUNNING']);
/** The read-only one first: nothing that is sent here changes anything. */
const TOOLS = ['execute_sql_read_only', 'execute_sql'];

const statementSchema = z.looseObject({
  statement_id: z.string().optional(),
  status: z.looseObject({
    state: z.string(),
    error: z.looseObject({ message: z.string().optional() }).optional(),
  }),
});
const resultSchema = z.looseObject({
  isError: z.boolean().optional(),
  structuredContent: z.unknown().optional(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).default([]),
});

/** The managed SQL server (spec/managed-mcp-endpoints.md › Endpoints). */
export const SQL_SERVER_PATH = pathOfRow('sql');

/** Which SQL server, by its path, and the warehouse that its calls name; the workspace chooses if left out. */
export interface SqlServerChoice {
  path: string;
  warehouseId: string | undefined;
}

/** A session with a managed SQL server, like an AI client's. */
export interface SqlServer {
  /** The tools that the server offers now. Opens the session. */
  tools(signal?: AbortSignal): Promise<readonly { name: string }[]>;
  call(name: string, args: Record<string, unknown>, options: { signal?: AbortSignal | undefined }): Promise<unknown>;
  /** Ends the session. */
  close(): Promise<void>;
}

/** How a statement ended. */
export interface StatementOutcome {
  /** Undefined if the server has named none. */
  id: string | undefined;
  succeeded: boolean;
  /** The workspace's state word, or its explanation of the failure. */
  explanation: string;
}

interface StatementOptions {
  /** Resolves after so many milliseconds; rejects when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  signal?: AbortSignal | undefined;
}

/**
 * Opens the session and finds the tool that runs statements, so that nothing has to be done for a query that could not be
 * sent. @throws {CausewayError} `no_grants` if there is none; whatever keeps the session from opening
 */
export async function statementTool(server: SqlServer, signal?: AbortSignal): Promise<string> {
  const offered = new Set((await server.tools(signal)).map(({ name }) => name));
  const tool = TOOLS.find((name) => offered.has(name));
  if (tool !== undefined) return tool;
  throw new CausewayError('no_grants', 'The SQL server has no tool to run a statement.');
}

/**
 * Runs one statement with a tool of `statementTool`; the workspace chooses the warehouse
 * (spec/managed-mcp-endpoints.md › Endpoints). Waits until it has ended.
 * @throws {CausewayError} if the server cannot be talked to; a statement that fails is an outcome
 */
export async function runStatement(
  server: SqlServer,
  tool: string,
  sql: string,
  { sleep, signal }: StatementOptions,
): Promise<StatementOutcome> {
  let result = await server.call(tool, { query: sql }, { signal });
  for (;;) {
    const statement = readStatement(result);
    if ('succeeded' in statement) return statement;
    await sleep(STATEMENT_POLL_MS, signal);
    result = await server.call('poll_sql_result', { statement_id: statement.unfinished }, { signal });
  }
}

/** The statement's outcome, or its id while it has none. The structured content and the text say the same. */
function readStatement(result: unknown): StatementOutcome | { unfinished: string } {
  const answer = resultSchema.safeParse(result);
  if (!answer.success) {
    throw new CausewayError('unexpected_answer', 'The SQL server sent an invalid tool result.', {
      cause: foreignCause(answer.error),
    });
  }
  const { isError, structuredContent, content } = answer.data;
  const text = content.find(({ type }) => type === 'text')?.text ?? '';
  const parsed = statementSchema.safeParse(structuredContent ?? jsonIn(text));
  if (!parsed.success) {
    return { id: undefined, succeeded: isError !== true, explanation: foreignText(text) || 'no explanation' };
  }
  const { statement_id: id, status } = parsed.data;
  if (id !== undefined && UNFINISHED.has(status.state)) return { unfinished: id };
  return {
    id,
    succeeded: status.state === 'SUCCEEDED' && isError !== true,
    explanation: foreignText(status.error?.message ?? status.state),
  };
}
