/**
 * What each error code means, for every part of Causeway: a new code is one row here, and a row that leaves something out does not
 * compile. Whoever needs to know what to do about an error asks a question below; none keeps a list of codes.
 */

/** Why a server is not ready (spec/managed-mcp-endpoints.md › States). */
export type Trouble =
  | 'signed-out'
  /** The user has not signed in to the service behind it, such as GitHub. */
  | 'service-signed-out'
  /** The user cannot use it. */
  | 'forbidden'
  /** The workspace has no such server, or has not turned it on. */
  | 'not-found'
  | 'blocked-by-ip-list'
  /** A web page answered in its place: a captive portal, or a company proxy that wants a sign-in. */
  | 'login-page'
  | 'unreachable'
  /** Anything else: the problem says what. */
  | 'failing';

export interface ErrorFacts {
  /** The exit code of a command that ends with it. */
  exit: 1 | 2 | 3 | 4 | 5 | 130;
  /** Who says so: this computer, the sign-in, the workspace, or what stands between. */
  from: 'here' | 'sign-in' | 'workspace' | 'between';
  /**
   * What fails in the same way: only what was asked for (`one`), everything of its kind (`kind`), such as one API, or everything
   * that the profile asks for (`all`).
   */
  concerns: 'one' | 'kind' | 'all';
  /** The state of a server that answers with it. */
  server: Trouble;
  /** What it tells about the profile's token: nothing by default. */
  token?: 'missing' | 'refused' | 'accepted';
  /** What ends it: signing in, or another profile. */
  ends?: 'by-sign-in' | 'by-profile';
  /** It may end by itself within minutes: the same request may work then. */
  passes?: true;
}

const rows = {
  // What the user typed, or what a file holds.
  usage: { exit: 2, from: 'here', concerns: 'one', server: 'failing' },
  invalid_file: { exit: 1, from: 'here', concerns: 'one', server: 'failing' },
  profile_not_found: { exit: 3, from: 'here', concerns: 'all', server: 'failing', ends: 'by-profile' },
  profile_unusable: { exit: 2, from: 'here', concerns: 'all', server: 'failing', ends: 'by-profile' },
  ambiguous: { exit: 2, from: 'here', concerns: 'one', server: 'failing', ends: 'by-profile' },
  not_found: { exit: 4, from: 'workspace', concerns: 'one', server: 'not-found', token: 'accepted' },
  /** The organization's policy forbids it. */
  managed: { exit: 1, from: 'here', concerns: 'all', server: 'failing' },
  // AI clients' own files.
  file_not_writable: { exit: 1, from: 'here', concerns: 'one', server: 'failing' },
  client_running: { exit: 1, from: 'here', concerns: 'one', server: 'failing' },
  shared_file: { exit: 1, from: 'here', concerns: 'one', server: 'failing' },
  // Signing in.
  signed_out: {
    exit: 3,
    from: 'sign-in',
    concerns: 'all',
    server: 'signed-out',
    token: 'missing',
    ends: 'by-sign-in',
  },
  /** Signed in to the workspace, but not to a service behind it, such as GitHub. */
  service_signed_out: { exit: 3, from: 'sign-in', concerns: 'one', server: 'service-signed-out' },
  /** The user has not agreed that tokens go to a Databricks App's address, or it is another one now. */
  app_not_confirmed: { exit: 1, from: 'here', concerns: 'one', server: 'failing' },
  sign_in_failed: { exit: 1, from: 'sign-in', concerns: 'all', server: 'signed-out', ends: 'by-sign-in' },
  sign_in_cancelled: { exit: 130, from: 'sign-in', concerns: 'all', server: 'signed-out', ends: 'by-sign-in' },
  sign_in_timeout: { exit: 1, from: 'sign-in', concerns: 'all', server: 'signed-out', ends: 'by-sign-in' },
  consent_denied: { exit: 1, from: 'sign-in', concerns: 'all', server: 'signed-out', ends: 'by-sign-in' },
  wrong_workspace: { exit: 1, from: 'between', concerns: 'all', server: 'failing', ends: 'by-sign-in' },
  keychain_unavailable: { exit: 1, from: 'sign-in', concerns: 'all', server: 'failing' },
  keychain_locked: { exit: 1, from: 'sign-in', concerns: 'all', server: 'failing' },
  cli_unavailable: {
    exit: 3,
    from: 'sign-in',
    concerns: 'all',
    server: 'signed-out',
    token: 'missing',
    ends: 'by-sign-in',
  },
  /** Another user has signed in than the one whom the session was started as. */
  user_changed: { exit: 1, from: 'here', concerns: 'one', server: 'failing' },
  // What the workspace answered.
  unauthenticated: {
    exit: 3,
    from: 'workspace',
    concerns: 'all',
    server: 'signed-out',
    token: 'refused',
    ends: 'by-sign-in',
  },
  permission_denied: { exit: 1, from: 'workspace', concerns: 'one', server: 'forbidden', token: 'accepted' },
  ip_blocked: { exit: 5, from: 'workspace', concerns: 'all', server: 'blocked-by-ip-list' },
  missing_scope: {
    exit: 1,
    from: 'workspace',
    concerns: 'kind',
    server: 'forbidden',
    token: 'accepted',
    ends: 'by-sign-in',
  },
  no_grants: { exit: 1, from: 'workspace', concerns: 'one', server: 'forbidden', token: 'accepted' },
  already_exists: { exit: 1, from: 'workspace', concerns: 'one', server: 'failing', token: 'accepted' },
  invalid_argument: { exit: 2, from: 'workspace', concerns: 'one', server: 'failing' },
  conflict: { exit: 1, from: 'workspace', concerns: 'one', server: 'failing' },
  rate_limited: { exit: 5, from: 'workspace', concerns: 'one', server: 'failing', passes: true },
  feature_unavailable: { exit: 1, from: 'workspace', concerns: 'kind', server: 'not-found', token: 'accepted' },
  unavailable: { exit: 5, from: 'workspace', concerns: 'one', server: 'failing', passes: true },
  unexpected_answer: { exit: 1, from: 'workspace', concerns: 'one', server: 'failing' },
  // What stands between.
  unreachable: { exit: 5, from: 'between', concerns: 'all', server: 'unreachable', passes: true },
  tls: { exit: 5, from: 'between', concerns: 'all', server: 'failing' },
  timeout: { exit: 5, from: 'between', concerns: 'one', server: 'unreachable', passes: true },
  cancelled: { exit: 130, from: 'here', concerns: 'all', server: 'failing' },
  login_page: { exit: 5, from: 'between', concerns: 'all', server: 'login-page' },
  /** Whether a change was made has to be looked up: trying again is not the next step. */
  outcome_unknown: { exit: 1, from: 'between', concerns: 'one', server: 'unreachable', passes: true },
  // The running application's socket.
  hub_foreign: { exit: 1, from: 'here', concerns: 'one', server: 'failing' },
  hub_running: { exit: 1, from: 'here', concerns: 'one', server: 'failing' },
  internal: { exit: 1, from: 'here', concerns: 'all', server: 'failing' },
} as const satisfies Record<string, ErrorFacts>;

/** The codes of all of Causeway's errors. The window and the command line depend on these, never on text. */
export type ErrorCode = keyof typeof rows;

/** The facts, by code. */
export const ERROR_FACTS: Readonly<Record<ErrorCode, ErrorFacts>> = rows;

/** Whether signing in to the workspace in the browser ends it, for a profile whose user can. */
export function endsBySignIn(code: ErrorCode): boolean {
  return ERROR_FACTS[code].ends === 'by-sign-in';
}

/** Whether only another profile ends it, or one that is put right. */
export function endsByProfile(code: ErrorCode): boolean {
  return ERROR_FACTS[code].ends === 'by-profile';
}

/** Whether no answer came from the host, which may be different in a moment. */
export function isNoAnswer(code: ErrorCode): boolean {
  const { from, passes } = ERROR_FACTS[code];
  return from === 'between' && passes === true;
}

/** Whether the other side has answered that it did nothing, and may do it in a moment. */
export function isRefusedForNow(code: ErrorCode): boolean {
  const { from, passes } = ERROR_FACTS[code];
  return from === 'workspace' && passes === true;
}

/** Whether the user was not let through to the server, so that nothing is known of it but what was known before. */
export function isBeforeServer(code: ErrorCode): boolean {
  const { from, passes, token } = ERROR_FACTS[code];
  return from === 'sign-in' || from === 'between' || (from === 'workspace' && (passes === true || token === 'refused'));
}

/** Whether the same request would fail again and again, for this record and for any other. */
export function endsRun(code: ErrorCode): boolean {
  const { concerns, passes } = ERROR_FACTS[code];
  return code === 'permission_denied' || (concerns !== 'one' && !passes);
}
