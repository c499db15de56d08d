import type { ActionDetails, NextAction } from '../platform/next-action.ts';

/**
 * Who reads a text. The command line names commands, the window its own buttons and screens. An AI client's model reads what the
 * command line says: it passes that on to its user.
 */
export type Reader = 'command' | 'window';

type Name = keyof ActionDetails;
type Words = { [Each in Name]: Record<Reader, (details: ActionDetails[Each]) => string> };

/** A profile's name, quoted for a shell if necessary. */
function quoted(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : JSON.stringify(name);
}

function newApplication({ client, redirectUrl, command }: ActionDetails['name-application']): string {
  const place = redirectUrl === null ? `, with the redirect URL that ${client} documents in place of REDIRECT-URL` : '';
  return `An account admin creates one with this command${place}: ${command}`;
}

/** What each reader is told to do. */
const WORDS: Words = {
  'sign-in': {
    command: ({ profile }) => `Sign in with: causeway login --profile ${quoted(profile)}.`,
    window: ({ profile }) => `Sign in to ${profile} on the Accounts screen.`,
  },
  'sign-in-to-service': {
    command: ({ profile, service }) =>
      `Sign in with: causeway servers sign-in ${service} --profile ${quoted(profile)}.`,
    window: ({ title }) => `Sign in to ${title} on the Servers screen.`,
  },
  'open-service-page': {
    command: ({ profile, userName, url }) =>
      `The token of profile "${profile}" cannot sign in. Open the page in a browser where you are signed in to the workspace as ${userName}, then try again: ${url}`,
    window: ({ title, userName }) =>
      `Sign in to ${title} in a browser where you are signed in to the workspace as ${userName}, then check again.`,
  },
  'renew-service-sign-in': {
    command: ({ profile, service }) =>
      `Sign out and in again: causeway servers sign-out ${service} --profile ${quoted(profile)}, then: causeway servers sign-in ${service} --profile ${quoted(profile)}.`,
    window: ({ title }) => `Sign out of ${title} on its server’s page, then sign in again.`,
  },
  'sign-in-again': {
    command: ({ profile }) =>
      `If that does not help, sign in to the workspace again: causeway login --profile ${quoted(profile)}.`,
    window: ({ profile }) => `If that does not help, sign in to ${profile} again on the Accounts screen.`,
  },
  'add-browser-profile': {
    command: ({ host }) =>
      `Add the app with a profile that signs in with the browser: causeway login --host ${host} --profile NAME.`,
    window: () =>
      'Add the app with an account that signs in with your browser. You can add one on the Accounts screen.',
  },
  'check-sign-in': {
    command: ({ profile, path }) =>
      `Run \`causeway whoami --profile ${quoted(profile)}\`: if that works, ${path} belongs to another workspace; if not, run \`causeway login --profile ${quoted(profile)}\`.`,
    window: ({ profile, path }) =>
      `Sign in to ${profile} again. If that does not help, ${path} belongs to another workspace.`,
  },
  'check-credentials': {
    command: ({ profile, path }) =>
      `Run \`causeway whoami --profile ${quoted(profile)}\`: if that works, ${path} belongs to another workspace; if not, correct the profile's credentials.`,
    window: ({ profile, path }) =>
      `Correct the credentials of ${profile} in the Databricks configuration file. If they are right, ${path} belongs to another workspace.`,
  },
  'grant-scope': {
    command: ({ profile }) => `Run \`causeway login --profile ${quoted(profile)}\` and grant the missing scope.`,
    window: ({ profile }) => `Sign in to ${profile} again and grant the missing scope.`,
  },
  'create-application': {
    command: ({ command, port }) =>
      `Or create one that has them, for \`causeway login --client-id CLIENT-ID --callback-port ${port}\`: ${command}`,
    window: ({ port }) =>
      `Or ask for one with these scopes and the redirect URL http://localhost:${port}. Enter it on the Accounts screen with that port.`,
  },
  'name-application': {
    command: (details) => `Name an application with --client-id. ${newApplication(details)}`,
    window: (details) => `Enter the client ID of an application. ${newApplication(details)}`,
  },
  'add-workspace': {
    command: ({ profile }) =>
      `Sign in with: causeway login --host https://YOUR-WORKSPACE${profile === undefined ? '' : ` --profile ${quoted(profile)}`}.`,
    window: () => 'Add your workspace on the Accounts screen.',
  },
  'choose-profile': {
    command: ({ profiles }) => `Choose one with --profile or DATABRICKS_CONFIG_PROFILE: ${profiles.join(', ')}.`,
    window: () => 'Choose one at the top left.',
  },
  'choose-warehouse': {
    command: () => '`causeway warehouse set NAME` creates or updates your override.',
    window: () => 'Choose a warehouse on the Warehouse screen.',
  },
  'choose-or-clear-warehouse': {
    command: () => '`causeway warehouse set NAME` chooses one, `causeway warehouse clear` removes your override.',
    // The advice and the button beside it already say so.
    window: () => '',
  },
  'choose-warehouse-for-user': {
    command: () => '`causeway warehouse for USER set NAME` creates or updates theirs.',
    window: () => 'Use “Set for a user” on the Overrides screen.',
  },
  'find-user': {
    command: () => 'Check the user ID. `causeway warehouse for NAME-OR-EMAIL` finds it.',
    window: () => '“Set for a user” on the Overrides screen finds users by name, email address or ID.',
  },
  'show-own-override': {
    command: () => '`causeway warehouse` shows your own.',
    window: () => 'Your own override is on the Warehouse screen.',
  },
  'change-own-override': {
    command: () => '`causeway warehouse set NAME` changes your own.',
    window: () => 'Your own override is on the Warehouse screen.',
  },
  'list-warehouses': {
    command: () => '`causeway warehouse list` shows the available warehouses.',
    window: () => 'Choose another warehouse from the list.',
  },
  'export-overrides': {
    command: () => '`causeway warehouse export` writes such a file.',
    window: () => '“Export” on the Overrides screen writes such a file.',
  },
  'quit-client': {
    command: ({ client }) => `Quit ${client} and try again, or use --force to write anyway.`,
    window: ({ client }) => `Quit ${client}, then try again.`,
  },
  'free-entry': {
    command: ({ client }) => `Rename it in ${client}, give the server another name, or use --force to replace it.`,
    window: ({ client }) => `Rename it in ${client}, or replace it.`,
  },
  'remove-shared': {
    command: ({ clients }) => `--yes removes it from ${clients.join(' and ')}.`,
    window: ({ clients }) => `Remove it from ${clients.join(' and ')}, or leave it.`,
  },
  'list-backups': {
    command: () => '`causeway clients backups` lists them.',
    window: () => '“Backups…” in the menu of the AI clients screen lists them.',
  },
  'paste-by-hand': {
    command: () => 'For other clients, `causeway clients json` prints the entry to paste.',
    window: () => '“Other clients” on the AI clients screen has the configuration to paste.',
  },
  'add-server': {
    command: () => 'Add one with: causeway servers add sql.',
    window: () => 'Add one on the Servers screen.',
  },
  'confirm-app': {
    command: ({ app, profile }) =>
      `Review the address and confirm it with: causeway servers add app:${app} --profile ${quoted(profile)}.`,
    window: () => 'Confirm its address on the Servers screen.',
  },
  'start-app': {
    command: ({ app, profile }) => `Start it with: causeway servers start app:${app} --profile ${quoted(profile)}.`,
    window: () => 'Start it on the Servers screen.',
  },
  'see-profiles': {
    command: () => '`causeway profiles` shows the reasons. Correct the profiles in the configuration file.',
    window: () => 'See the reasons on the Accounts screen, and correct the profiles.',
  },
  'check-address': {
    command: ({ profile }) =>
      `\`causeway profiles\` shows the address. Set another with: causeway login --host https://YOUR-WORKSPACE --profile ${quoted(profile)}.`,
    window: () => 'Check the workspace’s address.',
  },
  'see-client-files': {
    command: () => '`causeway clients` shows what is wrong with each.',
    window: () => 'See what is wrong with them on the AI clients screen.',
  },
  'repair-entries': {
    command: () => 'Repair them with: causeway clients repair.',
    window: () => 'Repair them on the AI clients screen.',
  },
  'connect-client': {
    command: () => 'Connect one with: causeway clients add.',
    window: () => 'Connect one on the AI clients screen.',
  },
};

/** A next action in words. */
export function formatAction<Which extends Name>(reader: Reader, action: NextAction<Which>): string {
  return WORDS[action.do][reader](action);
}
