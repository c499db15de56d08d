import type { Failure } from '../../preload/contract.ts';
import type { AuthMethod } from '../auth/auth.ts';
import { problemOf } from './problem.ts';

const SIGN_IN_HELPS = new Set([
  'signed_out',
  'unauthenticated',
  'cli_unavailable',
  'consent_denied',
  'missing_scope',
  'sign_in_cancelled',
  'sign_in_failed',
  'sign_in_timeout',
  'wrong_workspace',
]);

const ANOTHER_PROFILE_HELPS = new Set(['ambiguous', 'profile_not_found', 'profile_unusable']);

/** Where the services' remedy is a command, the window has a button. */
const REMEDIES: Record<string, string> = {
  ambiguous: 'Choose the one to open.',
  cli_unavailable: 'Sign in here instead: a page opens in your browser.',
  profile_not_found: 'Choose another one.',
  signed_out: 'Sign in: a page opens in your browser.',
};

/** A failure as tray and window show it. `method` is how the open profile signs in; undefined if none is open. */
export function failureOf(error: unknown, method: AuthMethod | undefined, profiles: readonly string[]): Failure {
  const problem = problemOf(error);
  const next = nextStep(problem.code, method, profiles);
  const remedy = next === 'try-again' ? undefined : REMEDIES[problem.code];
  return { problem: remedy === undefined ? problem : { ...problem, remedy }, next };
}

function nextStep(code: string, method: AuthMethod | undefined, profiles: readonly string[]): Failure['next'] {
  const signsInByBrowser = method === 'oauth-user' || method === 'databricks-cli';
  if (SIGN_IN_HELPS.has(code) && signsInByBrowser) return 'sign-in';
  return ANOTHER_PROFILE_HELPS.has(code) && profiles.length > 0 ? 'choose-profile' : 'try-again';
}
