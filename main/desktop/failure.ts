import type { Failure, Problem } from '../../preload/contract.ts';
import type { AuthMethod } from '../auth/auth.ts';
import { withoutControls } from '../platform/display.ts';
import { asSentence, CausewayError, sentences } from '../platform/errors.ts';
import { type ActionWords, formatAction } from '../platform/next-action.ts';

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

/** Remedies of the window instead of the services' commands. */
const REMEDIES: Record<string, string> = {
  ambiguous: 'Choose the one to open.',
  cli_unavailable: 'Sign in here with your browser instead.',
  profile_not_found: 'Choose another one.',
  signed_out: 'Sign in with your browser.',
};

/** A failure as tray and window show it. `method` is how the open profile signs in; undefined if none is open. */
export function failureFor(error: unknown, method: AuthMethod | undefined, profiles: readonly string[]): Failure {
  const problem = problemFor(error);
  const next = nextStep(problem.code, method, profiles);
  const remedy = next === 'try-again' ? undefined : REMEDIES[problem.code];
  return { problem: remedy === undefined ? problem : { ...problem, remedy }, next };
}

function nextStep(code: string, method: AuthMethod | undefined, profiles: readonly string[]): Failure['next'] {
  const signsInByBrowser = method === 'oauth-user' || method === 'databricks-cli';
  if (SIGN_IN_HELPS.has(code) && signsInByBrowser) return 'sign-in';
  return ANOTHER_PROFILE_HELPS.has(code) && profiles.length > 0 ? 'choose-profile' : 'try-again';
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

/** Next actions in terms of the window's buttons and screens, where the command line names commands. */
export const AS_BUTTON: ActionWords = {
  'sign-in': ({ profile }) => `Sign in to ${profile} on the Accounts screen.`,
  'sign-in-to-service': ({ title }) => `Sign in to ${title} on the Servers screen.`,
  'open-service-page': ({ title, userName }) =>
    `Sign in to ${title} in a browser where you are signed in to the workspace as ${userName}, then check again.`,
  'renew-service-sign-in': ({ title }) => `Sign out of ${title} on its server’s page, then sign in again.`,
  'sign-in-again': ({ profile }) => `If that does not help, sign in to ${profile} again on the Accounts screen.`,
  'add-browser-profile': () =>
    'Add the app with an account that signs in with your browser. You can add one on the Accounts screen.',
  'check-sign-in': ({ profile, path }) =>
    `Sign in to ${profile} again. If that does not help, ${path} belongs to another workspace.`,
  'check-credentials': ({ profile, path }) =>
    `Correct the credentials of ${profile} in the Databricks configuration file. If they are right, ${path} belongs to another workspace.`,
  'grant-scope': ({ profile }) => `Sign in to ${profile} again and grant the missing scope.`,
  'create-application': ({ port }) =>
    `Or ask for one with these scopes and the redirect URL http://localhost:${port}. Enter it on the Accounts screen with that port.`,
  'add-workspace': () => 'Add your workspace on the Accounts screen.',
  'choose-profile': () => 'Choose one at the top left.',
  'choose-warehouse': () => 'Choose a warehouse on the Warehouse screen.',
  // The advice and the button beside it already say so.
  'choose-or-clear-warehouse': () => '',
  'choose-warehouse-for-user': () => 'Use “Set for a user” on the Overrides screen.',
  'find-user': () => '“Set for a user” on the Overrides screen finds users by name, email address or ID.',
  'show-own-override': () => 'Your own override is on the Warehouse screen.',
  'change-own-override': () => 'Your own override is on the Warehouse screen.',
  'list-warehouses': () => 'Choose another warehouse from the list.',
  'export-overrides': () => '“Export” on the Overrides screen writes such a file.',
  'quit-client': ({ client }) => `Quit ${client}, then try again.`,
  'free-entry': ({ client }) => `Rename it in ${client}, or replace it.`,
  'remove-shared': ({ clients }) => `Remove it from ${clients.join(' and ')}, or leave it.`,
  'list-backups': () => '“Backups…” in the menu of the AI clients screen lists them.',
  'paste-by-hand': () => '“Other clients” on the AI clients screen has the configuration to paste.',
  'add-server': () => 'Add one on the Servers screen.',
  'confirm-app': () => 'Confirm its address on the Servers screen.',
  'start-app': () => 'Start it on the Servers screen.',
  'see-profiles': () => 'See the reasons on the Accounts screen, and correct the profiles.',
  'check-address': () => 'Check the workspace’s address.',
  'see-client-files': () => 'See what is wrong with them on the AI clients screen.',
  'repair-entries': () => 'Repair them on the AI clients screen.',
  'connect-client': () => 'Connect one on the AI clients screen.',
};

/** The remedy of a failure as the window shows it. */
export function remedyInWindow({ advice, action }: CausewayError): string | null {
  return sentences(advice, action && formatAction(AS_BUTTON, action)) || null;
}

/** A failure as one text: message and remedy. */
export function failureInWindow(error: CausewayError): string {
  return sentences(error.message, remedyInWindow(error));
}
