import type { DiagnosticCheck } from '../../../preload/contract/diagnostics.ts';
import { withoutControls } from '../../platform/display.ts';
import { asSentence, CausewayError } from '../../platform/errors.ts';
import type { NextAction } from '../../platform/next-action.ts';
import { remedyFor } from '../../words/failure.ts';

export type FindingStatus = Exclude<DiagnosticCheck['status'], 'waiting' | 'running'>;

/** What can be done about a finding. */
export interface Remedy {
  /** As sentences that are right wherever they are read. */
  advice?: string | undefined;
  /** Where that is a command in a terminal and a button in the window. */
  action?: NextAction | undefined;
  /** The window's screen for it. */
  screen?: Screen | undefined;
}

export type Screen = 'accounts' | 'warehouse' | 'servers' | 'clients' | 'settings' | 'log';

/** The result of one check. */
export interface CheckFinding extends Remedy {
  status: FindingStatus;
  /** What was found, as sentences. */
  words: string;
  /** The error behind it; undefined if no error was thrown. */
  error?: CausewayError | undefined;
}

export function pass(words: string): CheckFinding {
  return { status: 'pass', words };
}

/** Nothing is wrong, but there was nothing to check either. */
export function skipped(words: string): CheckFinding {
  return { status: 'skipped', words };
}

export function warning(words: string, remedy: Remedy): CheckFinding {
  return { status: 'warning', words, ...remedy };
}

export function fail(words: string, remedy: Remedy, error?: CausewayError): CheckFinding {
  return { status: 'fail', words, ...remedy, ...(error && { error }) };
}

/** The finding for an error. `screen` is where the window leads on. */
export function failedBecause(cause: unknown, screen?: Screen): CheckFinding {
  const error = cause instanceof CausewayError ? cause : internal(cause);
  // The message may hold names of profiles, files and warehouses as they came from outside.
  const words = withoutControls(asSentence(error.message));
  return fail(words, { advice: error.remedy, action: error.action, screen }, error);
}

/** Hides the text of an error that is not a `CausewayError`, because it may hold anything. It stays as the `cause`. */
function internal(cause: unknown): CausewayError {
  return new CausewayError('internal', 'Causeway hit an internal error.', {
    cause,
    remedy: 'Try again. If it happens again, send a support report.',
  });
}

/** What can be done, as it is said where there are commands; null if nothing is known to help. */
export function remedyAsCommand({ advice, action }: Remedy): string | null {
  return withoutControls(remedyFor('command', { remedy: advice, action }) ?? '') || null;
}
