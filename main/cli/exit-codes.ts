import { CausewayError, type ErrorCode } from '../platform/errors.ts';
import { WorkspaceError } from '../workspace/errors.ts';

/** The exit codes of every command but `proxy`. The README and each command's `--help` show this table. */
export const EXIT_CODES = {
  0: 'done',
  1: 'failed',
  2: 'wrong usage, or a name that fits several',
  3: 'signed out, or there is no such profile',
  4: 'not found',
  5: 'the workspace could not be reached, or a check could not be made',
  130: 'interrupted',
} as const;

export type ExitCode = keyof typeof EXIT_CODES;

/** What each failure means to a script. Each error code stands here, so that a new one has to be decided. */
const CODES: Record<ErrorCode, ExitCode> = {
  usage: 2,
  invalid_argument: 2,
  ambiguous: 2,
  profile_unusable: 2,
  profile_not_found: 3,
  signed_out: 3,
  unauthenticated: 3,
  cli_unavailable: 3,
  not_found: 4,
  unreachable: 5,
  timeout: 5,
  tls: 5,
  login_page: 5,
  ip_blocked: 5,
  rate_limited: 5,
  unavailable: 5,
  cancelled: 130,
  sign_in_cancelled: 130,
  invalid_file: 1,
  file_not_writable: 1,
  client_running: 1,
  shared_file: 1,
  sign_in_failed: 1,
  sign_in_timeout: 1,
  consent_denied: 1,
  wrong_workspace: 1,
  keychain_unavailable: 1,
  keychain_locked: 1,
  permission_denied: 1,
  missing_scope: 1,
  no_grants: 1,
  already_exists: 1,
  conflict: 1,
  feature_unavailable: 1,
  unexpected_answer: 1,
  // Whether the change was made has to be looked up: trying again is not the next step.
  outcome_unknown: 1,
  hub_foreign: 1,
  hub_running: 1,
  internal: 1,
};

/** The exit code for whatever was thrown. */
export function exitCodeOf(error: unknown): ExitCode {
  // A script that tries again where the workspace was not reached must not repeat a change that may have been made.
  if (error instanceof WorkspaceError && error.mayHaveRun && error.code !== 'cancelled') return 1;
  return error instanceof CausewayError ? CODES[error.code] : 1;
}

/** One exit code for several failures: their own where they agree, else 1. 0 where there are none. */
export function exitCodeOfAll(errors: readonly unknown[]): ExitCode {
  const [first, ...others] = new Set(errors.map(exitCodeOf));
  if (first === undefined) return 0;
  return others.length === 0 ? first : 1;
}

/** The table in one paragraph, for `--help`. */
export function exitCodesInWords(): string {
  return `Exit codes: ${Object.entries(EXIT_CODES)
    .map(([code, meaning]) => `${code} ${meaning}`)
    .join('; ')}.`;
}
