import { revealed } from '../platform/display.ts';

/** What a call would run, as a person reads it before they allow it. Characters that cannot be seen are shown by their codes. */
export interface ShownCall {
  /** The SQL among the arguments; null if there is none. */
  statement: string | null;
  /** The other arguments as indented JSON; null if there are none. */
  rest: string | null;
  /** How many characters are left out, because nobody would read them. What is not shown whole must not be allowed. */
  cut: number;
}

/** The longest statement, and the longest other arguments, that are shown, in characters. */
const MAX_SHOWN_LENGTH = 100_000;
/** The argument in which a tool of the SQL server takes its SQL; others spell it otherwise. */
const STATEMENT_ARGUMENTS = ['query', 'statement', 'sql'];

/** @param json the call's arguments as the client wrote them */
export function shownCall(json: string): ShownCall {
  const { statement, rest } = argumentsOf(json);
  const cutLength = (text: string | null) => Math.max(0, (text?.length ?? 0) - MAX_SHOWN_LENGTH);
  const shown = (text: string | null) => (text === null ? null : revealed(text.slice(0, MAX_SHOWN_LENGTH)));
  return { statement: shown(statement), rest: shown(rest), cut: cutLength(statement) + cutLength(rest) };
}

/** Why a call cannot be allowed that is not shown whole; null for one that is. */
export function tooLongToAllow({ cut }: Pick<ShownCall, 'cut'>): string | null {
  if (cut === 0) return null;
  return `This call is too long to be shown whole: ${cut.toLocaleString('en')} more characters. It can't be allowed here. Block it, or allow the tool in its permissions.`;
}

function argumentsOf(json: string): { statement: string | null; rest: string | null } {
  const values = JSON.parse(json, numberAsWritten);
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return { statement: null, rest: json };
  const entries = Object.entries(values);
  const statement = entries.find(([name, value]) => STATEMENT_ARGUMENTS.includes(name) && typeof value === 'string');
  const others = entries.filter((entry) => entry !== statement);
  return {
    statement: statement ? String(statement[1]) : null,
    rest: others.length > 0 ? JSON.stringify(Object.fromEntries(others), null, 2) : null,
  };
}

/** A number that a double cannot hold, such as an id beyond 2^53, as the client wrote it: the server may read all of it. */
function numberAsWritten(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value;
}
