import type { CausewayError } from '../platform/errors.ts';
import { type ActionWords, actionInWords } from '../platform/next-action.ts';
import { sentences } from '../platform/sentences.ts';

/** What a command line words as commands, in the words of the window's own buttons and screens. */
export const AS_BUTTON: ActionWords = {
  'sign-in': ({ profile }) => `Sign in to ${profile} on the Accounts screen: a page opens in your browser.`,
  'check-sign-in': ({ profile, path }) =>
    `Sign in to ${profile} again: a page opens in your browser. If that does not help, ${path} belongs to another workspace than that profile.`,
  'check-credentials': ({ profile, path }) =>
    `Put the credentials of ${profile} right in the Databricks configuration file. If they are right, ${path} belongs to another workspace than that profile.`,
  'grant-scope': ({ profile }) =>
    `Sign in to ${profile} again and grant the missing scope: a page opens in your browser.`,
  'create-application': () => 'Or ask for one that has them, and name it on the Accounts screen.',
  'add-workspace': () => 'Add your workspace on the Accounts screen.',
  'choose-profile': () => 'Choose one at the top left.',
  'choose-warehouse': () => 'Choose a warehouse on the Warehouse screen to have one.',
  // The advice beside it says so, and the button leads there.
  'choose-or-clear-warehouse': () => '',
  'choose-warehouse-for-user': () => '“Set for somebody…” on the Everyone screen chooses a warehouse for them.',
  'find-user': () => '“Set for somebody…” on the Everyone screen finds people by name, e-mail address or user id.',
  'show-own-override': () => 'Your own override is on the Warehouse screen.',
  'change-own-override': () => 'Your own override is on the Warehouse screen.',
  'list-warehouses': () => 'Choose another one: the list shows those that do.',
  'export-overrides': () => '“Export…” on the Everyone screen writes such a file.',
  'quit-client': ({ client }) => `Quit ${client}, then try again.`,
  'free-entry': ({ client }) => `Rename it in ${client}, or replace it.`,
  'remove-shared': ({ clients }) => `Remove it from ${clients.join(' and ')}, or leave it.`,
  'list-backups': () => '“Backups…” on the AI clients screen lists them.',
  'paste-by-hand': () => '“Any other client” on the AI clients screen has what to paste.',
  'add-server': () => 'Add one on the Servers screen.',
  'see-profiles': () => 'See why on the Accounts screen, and correct them.',
  'check-address': () => 'Check the workspace’s address.',
  'see-client-files': () => 'See what is wrong with them on the AI clients screen.',
  'repair-entries': () => 'Repair them on the AI clients screen.',
  'connect-client': () => 'Connect one on the AI clients screen.',
};

/** What can be done about a failure, as the window says it. */
export function remedyInWindow({ advice, action }: CausewayError): string | null {
  return sentences(advice, action && actionInWords(AS_BUTTON, action)) || null;
}

/** A failure in one text, for where the window has room for no more. */
export function failureInWindow(error: CausewayError): string {
  return sentences(error.message, remedyInWindow(error));
}
