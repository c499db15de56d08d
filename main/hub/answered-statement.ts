import { itemsOf, memberAt, membersOf } from '../bridge/frame/members.ts';
import { ownCopy } from '../platform/own-copy.ts';
import { valuesIn } from './failed-result.ts';

/** A SQL statement, as the answer to a call of a tool shows it. */
export interface AnsweredStatement {
  /** The workspace's. */
  id: string;
  /** In capitals, such as `RUNNING` or `SUCCEEDED`; null where the answer does not say, or is too long to be read whole. */
  state: string | null;
}

/** Ids go into addresses and onto the screen: of another form, they are not ids. */
const ID = /^[\w-]{8,64}$/;
/** As the SQL server begins its answers, in the structured content or in the text. */
const IN_CONTENT = /^"structuredContent"\s*:\s*\{\s*"statement_id"\s*:\s*"([\w-]{8,64})"/;
const IN_TEXT = /"text"\s*:\s*"\s*\{(?:\s|\\n)*\\"statement_id\\"\s*:\s*\\"([\w-]{8,64})\\"/;
const STRUCTURED = Buffer.from('"structuredContent"');
/** How many bytes of a long answer are read at each of the two places. */
const READ_BYTES = 512;
/** Whether a text has the form of a statement's id. */
export function isStatementId(text: unknown): text is string {
  return typeof text === 'string' && ID.test(text);
}

/** How deep Genie's answers hold the statements behind them. */
const MAX_DEPTH = 6;

/** The statement that a parsed answer is about; null if it names none. Of several, which Genie can have, the first. */
export function answeredStatement(answer: unknown): AnsweredStatement | null {
  const { structuredContent, content } = membersOf(memberAt(answer, 'result'));
  for (const value of valuesIn(structuredContent, content)) {
    const found = statementIn(value, MAX_DEPTH);
    if (found) return found;
  }
  return null;
}

/** The same of an answer that is too long to be read whole: it is looked for only where the SQL server writes it. */
export function statementOfLongAnswer(answer: Buffer): AnsweredStatement | null {
  const inText = IN_TEXT.exec(answer.toString('latin1', 0, READ_BYTES))?.[1];
  const at = inText === undefined ? answer.indexOf(STRUCTURED) : -1;
  const id = inText ?? (at < 0 ? undefined : IN_CONTENT.exec(answer.toString('latin1', at, at + READ_BYTES))?.[1]);
  return id === undefined ? null : { id: ownCopy(id), state: null };
}

/** The statement that a call asks about again by its id, as polls do; null for any other call. */
export function polledStatement(params: unknown): string | null {
  const id = memberAt(params, 'arguments', 'statement_id');
  return isStatementId(id) ? id : null;
}

function statementIn(value: unknown, depth: number): AnsweredStatement | null {
  if (depth === 0) return null;
  const { statement_id: id, status } = membersOf(value);
  if (isStatementId(id)) {
    const state = memberAt(status, 'state') ?? status;
    return { id, state: typeof state === 'string' ? state.toUpperCase().slice(0, 32) : null };
  }
  const inner = Array.isArray(value) ? itemsOf(value) : Object.values(membersOf(value));
  for (const each of inner) {
    const found = typeof each === 'object' ? statementIn(each, depth - 1) : null;
    if (found) return found;
  }
  return null;
}
