import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import { VERSION } from '../platform/version.ts';
import type { RawAnswer } from './error-body.ts';
import { WorkspaceError } from './errors.ts';
import type { Rest } from './rest.ts';

const PATH = '/api/2.0/mcp/sql';
/** A stopped warehouse takes minutes to start, and the server may be silent meanwhile. */
const SILENCE_MILLIS = 300_000;
const POLL_MILLIS = 1000;
const GOODBYE_MILLIS = 3000;
const UNFINISHED = new Set(['PENDING', 'RUNNING']);

const Frame = z.looseObject({
  id: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ message: z.string().default('no explanation') }).optional(),
});
const Tools = z.looseObject({ tools: z.array(z.looseObject({ name: z.string() })).default([]) });
const Statement = z.looseObject({
  statement_id: z.string().optional(),
  status: z.looseObject({
    state: z.string(),
    error: z.looseObject({ message: z.string().optional() }).optional(),
  }),
});
const ToolResult = z.looseObject({
  isError: z.boolean().optional(),
  structuredContent: z.unknown().optional(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).default([]),
});

/** How a statement ended. */
export interface StatementOutcome {
  succeeded: boolean;
  /** The workspace's state word, or its explanation of the failure. */
  explanation: string;
}

export interface SqlServerOptions {
  /** Resolves after so many milliseconds; rejects when the signal is aborted. */
  sleep(millis: number, signal: AbortSignal | undefined): Promise<void>;
  signal?: AbortSignal | undefined;
}

/**
 * Runs one statement through the managed SQL server as any AI client would, so that the workspace chooses the warehouse
 * (spec/managed-mcp-endpoints.md › Endpoints). Waits until it has ended.
 * @throws {WorkspaceError} if the server cannot be talked to; a statement that fails is an outcome
 */
export async function runStatement(rest: Rest, sql: string, options: SqlServerOptions): Promise<StatementOutcome> {
  const { signal, sleep } = options;
  const session = await openSession(rest, signal);
  try {
    const { tools } = checked(Tools, await session.call('tools/list', {}));
    const tool = ['execute_sql_read_only', 'execute_sql'].find((wanted) => tools.some(({ name }) => name === wanted));
    if (!tool) throw new WorkspaceError('no_grants', 'The SQL server offers no tool that runs a statement.');
    let result = await session.call('tools/call', { name: tool, arguments: { query: sql } });
    for (;;) {
      const statement = readStatement(result);
      if (!('id' in statement)) return statement;
      await sleep(POLL_MILLIS, signal);
      result = await session.call('tools/call', {
        name: 'poll_sql_result',
        arguments: { statement_id: statement.id },
      });
    }
  } finally {
    await session.close();
  }
}

/** The statement's outcome, or its id while it has none. The structured content and the text say the same. */
function readStatement(result: unknown): StatementOutcome | { id: string } {
  const { isError, structuredContent, content } = checked(ToolResult, result);
  const text = content.find(({ type }) => type === 'text')?.text ?? '';
  const parsed = Statement.safeParse(structuredContent ?? parseJson(text));
  if (!parsed.success) return { succeeded: isError !== true, explanation: text || 'no explanation' };
  const { statement_id: id, status } = parsed.data;
  if (id !== undefined && UNFINISHED.has(status.state)) return { id };
  return {
    succeeded: status.state === 'SUCCEEDED' && isError !== true,
    explanation: status.error?.message ?? status.state,
  };
}

interface Session {
  call(method: string, params: unknown): Promise<unknown>;
  close(): Promise<void>;
}

async function openSession(rest: Rest, signal: AbortSignal | undefined): Promise<Session> {
  let nextId = 1;
  let sessionId: string | undefined;
  const post = async (frame: { id?: number; method: string; params?: unknown }) => {
    const { data, header } = await rest.exchange({
      method: 'POST',
      path: PATH,
      headers: {
        accept: 'application/json, text/event-stream',
        ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }),
      },
      body: { jsonrpc: '2.0', ...frame },
      decode: (answer) => answerTo(frame.id, answer),
      schema: Frame,
      silenceMillis: SILENCE_MILLIS,
      signal,
    });
    sessionId ??= header('mcp-session-id');
    if (data.error) throw new WorkspaceError('unexpected_answer', `The SQL server answered: ${data.error.message}`);
    return data.result;
  };
  const call = (method: string, params: unknown) => post({ id: nextId++, method, params });
  await call('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'causeway', version: VERSION },
  });
  await post({ method: 'notifications/initialized' });
  return { call, close: () => endSession(rest, sessionId) };
}

/** Not every server knows how to end a session; it then ends by itself. */
async function endSession(rest: Rest, sessionId: string | undefined): Promise<void> {
  if (sessionId === undefined) return;
  const headers = { 'mcp-session-id': sessionId };
  const signal = AbortSignal.timeout(GOODBYE_MILLIS);
  const ending = rest.request({
    method: 'DELETE',
    path: PATH,
    headers,
    schema: z.unknown(),
    decode: () => ({}),
    signal,
  });
  await ending.catch((error: unknown) => {
    if (!(error instanceof WorkspaceError)) throw error;
  });
}

/** The frame with that id: the whole answer, or one event of a stream. */
function answerTo(id: number | undefined, answer: RawAnswer): unknown {
  if (id === undefined) return {};
  if (!answer.header('content-type')?.startsWith('text/event-stream')) return JSON.parse(answer.text);
  const frames: unknown[] = [];
  const parser = createParser({ onEvent: ({ data }) => frames.push(parseJson(data)) });
  parser.feed(`${answer.text}\n\n`);
  return frames.find((frame) => Frame.safeParse(frame).data?.id === id);
}

function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new WorkspaceError('unexpected_answer', 'The SQL server answered with something that is no MCP result.', {
    cause: parsed.error,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
