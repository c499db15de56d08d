import { parseText } from '../bridge/frame/frame.ts';
import { itemsOf, memberAt, membersOf } from '../bridge/frame/members.ts';

/** The states in which SQL statements and Genie's answers end without a result. */
const FAILED = new Set(['FAILED', 'CANCELED', 'CANCELLED', 'CLOSED', 'QUERY_RESULT_EXPIRED']);

/** The longest text that is read as JSON, in characters: a failure is short. */
const MAX_TEXT_LENGTH = 200_000;

/** A statement or a question that has failed. */
export interface FailedResult {
  /** In capitals. */
  state: string;
  /** Why, in the server's words; undefined if it does not say. */
  reason: string | undefined;
}

/**
 * The failed statement or question in a tool's result, which MCP itself calls a success: the SQL server and Genie answer a
 * call with the state of what was asked. It is in the structured content, or in a text for clients that know no other.
 */
export function failedResult(structuredContent: unknown, content: unknown): FailedResult | undefined {
  for (const value of valuesIn(structuredContent, content)) {
    const failure = failureIn(value);
    if (failure) return failure;
  }
  return undefined;
}

/** The JSON that a tool's result holds: the structured content, and texts for clients that know no other. */
export function* valuesIn(structuredContent: unknown, content: unknown): Generator<unknown> {
  yield structuredContent;
  for (const part of itemsOf(content)) {
    const { type, text } = membersOf(part);
    if (type === 'text' && typeof text === 'string') yield jsonIn(text);
  }
}

/** Other tools can report things that failed, such as jobs, although their own call succeeded. */
function failureIn(value: unknown): FailedResult | undefined {
  const { statement_id: statement, conversationId, conversation_id: conversation, status, error } = membersOf(value);
  const state = statement === undefined ? status : memberAt(status, 'state');
  if (statement === undefined && conversationId === undefined && conversation === undefined) return undefined;
  if (typeof state !== 'string' || !FAILED.has(state.toUpperCase())) return undefined;
  return { state: state.toUpperCase(), reason: wordsOf(memberAt(status, 'error')) ?? wordsOf(error) };
}

function wordsOf(error: unknown): string | undefined {
  const words = typeof error === 'string' ? error : memberAt(error, 'message');
  return typeof words === 'string' ? words : undefined;
}

function jsonIn(text: string): unknown {
  return text.length > MAX_TEXT_LENGTH || !/^\s*\{/.test(text) ? undefined : parseText(text);
}
