import { type ErrorCode, endsByProfile, endsBySignIn } from '../../preload/contract/error-facts.ts';
import type { Failure, Problem } from '../../preload/contract.ts';
import { type AuthMethod, maySignIn } from '../auth/auth.ts';
import { withoutControls } from '../platform/display.ts';
import { asCausewayError, asSentence, CausewayError, sentences } from '../platform/errors.ts';
import { remedyFor } from '../words/failure.ts';

/** Remedies of the window instead of the services' commands. */
const REMEDIES: Partial<Record<ErrorCode, string>> = {
  ambiguous: 'Choose the one to open.',
  cli_unavailable: 'Sign in here with your browser instead.',
  profile_not_found: 'Choose another one.',
  signed_out: 'Sign in with your browser.',
};

/** A failure as tray and window show it. `method` is how the open profile signs in; undefined if none is open. */
export function failureFor(error: unknown, method: AuthMethod | undefined, profiles: readonly string[]): Failure {
  const problem = problemFor(error);
  const { code } = asCausewayError(error);
  const next = nextStep(code, method, profiles);
  const remedy = next === 'try-again' ? undefined : REMEDIES[code];
  return { problem: remedy === undefined ? problem : { ...problem, remedy }, next };
}

function nextStep(code: ErrorCode, method: AuthMethod | undefined, profiles: readonly string[]): Failure['next'] {
  if (endsBySignIn(code) && method !== undefined && maySignIn({ method })) return 'sign-in';
  return endsByProfile(code) && profiles.length > 0 ? 'choose-profile' : 'try-again';
}

/** An error as the window may see it. Nothing of an unknown error crosses, because its text may hold anything. */
export function problemFor(error: unknown): Problem {
  if (error instanceof CausewayError) {
    // Message and remedy may contain the names of profiles, files and warehouses.
    const remedy = remedyInWindow(error);
    return {
      code: error.code,
      message: withoutControls(asSentence(error.message)),
      remedy: remedy && withoutControls(remedy),
    };
  }
  return {
    code: 'internal',
    message: 'Causeway hit an internal error.',
    remedy: 'Try again. If it happens again, send a support report from Diagnostics.',
  };
}

/** The remedy of a failure as the window shows it. */
export function remedyInWindow(error: CausewayError): string | null {
  return remedyFor('window', error) ?? null;
}

/** A failure as one text: message and remedy. */
export function failureInWindow(error: CausewayError): string {
  return sentences(error.message, remedyInWindow(error));
}
