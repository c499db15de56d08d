import type { ErrorCode } from '../../preload/contract/error-facts.ts';
import type { RefusalKind } from '../../preload/contract/refusals.ts';
import { messageLine } from './display.ts';
import type { NextAction } from './next-action.ts';

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
  /** Who in the workspace refuses, if that is known. */
  refusal?: RefusalKind | undefined;
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
  /** What the user can do next, as sentences that apply everywhere. */
  readonly remedy: string | undefined;
  /** What the user can do next, if its words depend on where it is read; see `main/words/`. */
  readonly action: NextAction | undefined;
  readonly retryAfterMs: number | undefined;
  readonly candidates: readonly Candidate[] | undefined;
  readonly refusal: RefusalKind | undefined;

  constructor(code: ErrorCode, message: string, options: CausewayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    const { remedy, action } = options;
    this.remedy = remedy;
    this.action = action;
    this.retryAfterMs = options.retryAfterMs;
    this.candidates = options.candidates;
    this.refusal = options.refusal;
  }
}

/** The error itself if it is one of ours; any other counts as a bug of the program, with its text in one line. */
export function asCausewayError(error: unknown): CausewayError {
  return error instanceof CausewayError
    ? error
    : new CausewayError('internal', messageLine(messageOf(error)), { cause: error });
}

/** The errors that a runtime throws for a mistake in a program, a failed `fetch` included. Their messages tell its users nothing. */
const MISTAKES = [TypeError, ReferenceError, RangeError, SyntaxError];

/** An error's message, or what stands for it if its words are the runtime's own. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isMistake = MISTAKES.some((kind) => error instanceof kind);
  return isMistake ? `Something unexpected happened in Causeway (${error.name}).` : error.message;
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
