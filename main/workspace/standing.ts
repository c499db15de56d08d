import { CausewayError, type ErrorCode } from '../platform/errors.ts';
import type { Users } from './scim.ts';

/** What the workspace makes of a token: that it is somebody's, that it is nobody's, or nothing that could be heard. */
export type Standing =
  /** `userName` is undefined where the token is good and may not ask whose it is. */
  | { state: 'signed-in'; userName: string | undefined }
  /** There is no token, or the workspace does not take it. */
  | { state: 'refused'; error: CausewayError }
  /** The workspace was not reached, or was in no state to say. */
  | { state: 'not-asked'; error: CausewayError };

/** What each failure says of the token. Failures of this computer's own, such as a locked keychain, say nothing. */
const SAYS: Partial<Record<ErrorCode, Standing['state']>> = {
  missing_scope: 'signed-in',
  permission_denied: 'signed-in',
  unauthenticated: 'refused',
  signed_out: 'refused',
  cli_unavailable: 'refused',
  ip_blocked: 'not-asked',
  rate_limited: 'not-asked',
  unavailable: 'not-asked',
  unexpected_answer: 'not-asked',
  invalid_argument: 'not-asked',
  not_found: 'not-asked',
  conflict: 'not-asked',
  feature_unavailable: 'not-asked',
  wrong_workspace: 'not-asked',
  login_page: 'not-asked',
  unreachable: 'not-asked',
  tls: 'not-asked',
  timeout: 'not-asked',
};

/**
 * Asks the workspace whose token it is (spec/managed-mcp-endpoints.md › Authentication, the diagnostic behind a 401).
 * @throws what says nothing of the token: `keychain_locked`, `profile_unusable`, `cancelled`, …
 */
export async function standing(users: Users, signal?: AbortSignal): Promise<Standing> {
  try {
    const { user } = await users.me(signal);
    return { state: 'signed-in', userName: user.userName };
  } catch (error) {
    if (!(error instanceof CausewayError)) throw error;
    const state = SAYS[error.code];
    if (state === undefined) throw error;
    return state === 'signed-in' ? { state, userName: undefined } : { state, error };
  }
}
