import { messageLine } from './display.ts';
import { AS_COMMAND, formatAction, type NextAction } from './next-action.ts';

/** The codes of all of Causeway's errors. The window and the command line depend on these, never on text. */
export type ErrorCode =
  // what the user typed, or what a file holds
  | 'usage'
  | 'invalid_file'
  | 'profile_not_found'
  | 'profile_unusable'
  | 'ambiguous'
  | 'not_found'
  /** The organization's policy forbids it. */
  | 'managed'
  // AI clients' own files
  | 'file_not_writable'
  | 'client_running'
  | 'shared_file'
  // signing in
  | 'signed_out'
  /** Signed in to the workspace, but not to a service behind it, such as GitHub. */
  | 'service_signed_out'
  /** The user has not agreed that tokens go to a Databricks App's address, or it is another one now. */
  | 'app_not_confirmed'
  | 'sign_in_failed'
  | 'sign_in_cancelled'
  | 'sign_in_timeout'
  | 'consent_denied'
  | 'wrong_workspace'
  | 'keychain_unavailable'
  | 'keychain_locked'
  | 'cli_unavailable'
  /** Another user has signed in than the one whom the session was started as. */
  | 'user_changed'
  // what the workspace answered
  | 'unauthenticated'
  | 'permission_denied'
  | 'ip_blocked'
  | 'missing_scope'
  | 'no_grants'
  | 'already_exists'
  | 'invalid_argument'
  | 'conflict'
  | 'rate_limited'
  | 'feature_unavailable'
  | 'unavailable'
  | 'unexpected_answer'
  // what stands between
  | 'unreachable'
  | 'tls'
  | 'timeout'
  | 'cancelled'
  | 'login_page'
  | 'outcome_unknown'
  // the running application's socket
  | 'hub_foreign'
  | 'hub_running'
  | 'internal';

export interface CausewayErrorOptions {
  cause?: unknown;
  /** What the user can do next, as sentences that apply in the window and on the command line. */
  remedy?: string | undefined;
  /** What the user can do next, if that is a command in a terminal and a button in the window. */
  action?: NextAction | undefined;
  /** The delay that the other side asked for, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** The possible meanings of a name that is unknown or ambiguous. */
  candidates?: readonly Candidate[] | undefined;
}

/** A possible meaning of a name. The id is left out if the name is the id. */
export interface Candidate {
  name: string;
  id?: string;
}

/**
 * The one error class that crosses module borders: a stable `code`, a `message` that says what happened and to what,
 * and a `remedy` that says what to do. Neither text ever holds a secret.
 */
export class CausewayError extends Error {
  override readonly name = 'CausewayError';
  readonly code: ErrorCode;
  /** The remedy, as text for the command line. */
  readonly remedy: string | undefined;
  /** The part of the remedy that applies everywhere. */
  readonly advice: string | undefined;
  /** The part that is worded differently in the window and on the command line. */
  readonly action: NextAction | undefined;
  readonly retryAfterMs: number | undefined;
  readonly candidates: readonly Candidate[] | undefined;

  constructor(code: ErrorCode, message: string, options: CausewayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    const { remedy, action } = options;
    this.advice = remedy;
    this.action = action;
    this.remedy = action ? sentences(remedy, formatAction(AS_COMMAND, action)) : remedy;
    this.retryAfterMs = options.retryAfterMs;
    this.candidates = options.candidates;
  }
}

/** The error itself if it is one of ours; any other counts as a bug of the program, with its text in one line. */
export function asCausewayError(error: unknown): CausewayError {
  return error instanceof CausewayError ? error : new CausewayError('internal', inOneLine(error), { cause: error });
}

/** The errors that a runtime throws for a mistake in a program, a failed `fetch` included. Their messages tell its users nothing. */
const MISTAKES = [TypeError, ReferenceError, RangeError, SyntaxError];

/** An error's message, or what stands for it if its words are the runtime's own. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isMistake = MISTAKES.some((kind) => error instanceof kind);
  return isMistake ? `Something unexpected happened in Causeway (${error.name}).` : error.message;
}

/** What happened and what to do about it, in one line, for a terminal or a JSON-RPC error message. */
export function inOneLine(error: unknown): string {
  const message = messageOf(error);
  const text = error instanceof CausewayError ? sentences(message, error.remedy) : message;
  // Messages quote arguments and files unchanged. A line end in one must not start a new line, nor an escape move the cursor.
  return messageLine(text);
}

/** Punctuation at the end of a sentence, also inside closing quotes and brackets. */
const ENDED = /[.!?…:;]["'”’)\]]*$/u;

/** Text as a whole sentence: other programs' messages often lack the period. Empty text stays empty. */
export function asSentence(text: string): string {
  const trimmed = text.trim();
  return trimmed === '' || ENDED.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** Texts joined as sentences. The last one is not changed, because it may end with a command. */
export function sentences(...texts: readonly (string | null | undefined)[]): string {
  const said = texts.flatMap((text) => text?.trim() || []);
  return said.map((text, index) => (index === said.length - 1 ? text : asSentence(text))).join(' ');
}
