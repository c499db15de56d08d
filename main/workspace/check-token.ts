import { ERROR_FACTS, type ErrorCode } from '../../preload/contract/error-facts.ts';
import { CausewayError } from '../platform/errors.ts';
import type { Users } from './scim.ts';

/** What the workspace says about a token. */
export type TokenCheck =
  /** The fields are undefined if the token is valid but cannot read its user. */
  | ({ state: 'signed-in' } & Identity)
  /** The workspace allows this token nothing. It may belong to another workspace, so it does not count as valid. */
  | { state: 'forbidden'; error: CausewayError }
  /** There is no token, or the workspace rejects it. */
  | { state: 'refused'; error: CausewayError }
  /** The workspace was not reached, or could not answer. */
  | { state: 'not-asked'; error: CausewayError };

/** Whose token it is. */
interface Identity {
  /** A service principal's is its application id. */
  userName: string | undefined;
  displayName: string | undefined;
  isServicePrincipal: boolean | undefined;
}

const UNKNOWN: Identity = { userName: undefined, displayName: undefined, isServicePrincipal: undefined };
/** Users's user names are addresses; an application id is a UUID. */
const APPLICATION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a user name is a service principal's. */
export function isServicePrincipalName(userName: string): boolean {
  return APPLICATION_ID.test(userName);
}

/** What an error says about the token; undefined if it is one of this computer, such as a locked keychain. */
function stateIn(code: ErrorCode): TokenCheck['state'] | undefined {
  const { from, token } = ERROR_FACTS[code];
  if (code === 'missing_scope') return 'signed-in';
  // Only a refusal that names scopes proves that the token is valid.
  if (code === 'permission_denied') return 'forbidden';
  if (token === 'refused' || token === 'missing') return 'refused';
  return from === 'workspace' || from === 'between' ? 'not-asked' : undefined;
}

/**
 * Asks the workspace whose token it is (spec/managed-mcp-endpoints.md › Authentication, the diagnostic behind a 401).
 * @throws errors that say nothing about the token: `keychain_locked`, `profile_unusable`, `cancelled`, …
 */
export async function checkToken(users: Pick<Users, 'me'>, signal?: AbortSignal): Promise<TokenCheck> {
  try {
    const { user } = await users.me(signal);
    const { userName, displayName } = user;
    return { state: 'signed-in', userName, displayName, isServicePrincipal: isServicePrincipalName(userName) };
  } catch (error) {
    if (!(error instanceof CausewayError)) throw error;
    const state = stateIn(error.code);
    if (state === undefined) throw error;
    if (state === 'signed-in') return { state, ...UNKNOWN };
    return { state, error: state === 'forbidden' ? forbidden(error) : error };
  }
}

function forbidden(error: CausewayError): CausewayError {
  return new CausewayError('permission_denied', `The workspace denied access. ${error.message}`, {
    cause: error,
    remedy: 'Check that the profile names the right workspace, or ask a workspace admin to add you to it.',
  });
}
