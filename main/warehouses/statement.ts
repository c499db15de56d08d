import { z } from 'zod';
import { CausewayError } from '../platform/errors.ts';
import { foreignCause, foreignText } from '../platform/foreign-text.ts';

const POLL_MS = 1000;
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

/** A session with the managed SQL server, as any AI client has one. */
export interface SqlServer {
  /** The tools that the server offers now. Opens the session. */
  tools(signal?: AbortSignal): Promise<readonly { name: string }[]>;
  call(name: string, args: Record<string, unknown>, options: { signal?: AbortSignal | undefined }): Promise<unknown>;
  /** Ends the session. */
  close(): Promise<void>;
}

/** How a statement ended. */
export interface StatementOutcome {
  succeeded: boolean;
  /** The workspace's state word, or its explanation of the failure. */
  explanation: string;
}

export interface StatementOptions {
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
  throw new CausewayError('no_grants', 'The SQL server offers no tool that runs a statement.');
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
    if (!('id' in statement)) return statement;
    await sleep(POLL_MS, signal);
    result = await server.call('poll_sql_result', { statement_id: statement.id }, { signal });
  }
}

/** The statement's outcome, or its id while it has none. The structured content and the text say the same. */
function readStatement(result: unknown): StatementOutcome | { id: string } {
  const answer = resultSchema.safeParse(result);
  if (!answer.success) {
    throw new CausewayError('unexpected_answer', 'The SQL server answered with something that is no tool result.', {
      cause: foreignCause(answer.error),
    });
  }
  const { isError, structuredContent, content } = answer.data;
  const text = content.find(({ type }) => type === 'text')?.text ?? '';
  const parsed = statementSchema.safeParse(structuredContent ?? parseJson(text));
  if (!parsed.success) return { succeeded: isError !== true, explanation: foreignText(text) || 'no explanation' };
  const { statement_id: id, status } = parsed.data;
  if (id !== undefined && UNFINISHED.has(status.state)) return { id };
  return {
    succeeded: status.state === 'SUCCEEDED' && isError !== true,
    explanation: foreignText(status.error?.message ?? status.state),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
