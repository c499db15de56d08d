/** The details of each action. */
interface Details {
  'sign-in': { profile: string };
  /** To a service behind the workspace; `title` is its name, such as GitHub. */
  'sign-in-to-service': { profile: string; service: string; title: string };
  /** The same for a profile whose token cannot sign in: its user signs in with a browser that is signed in to the workspace. */
  'open-service-page': { profile: string; title: string; userName: string; url: string };
  /** To a service that refuses although its user is signed in to it. */
  'renew-service-sign-in': { profile: string; service: string; title: string };
  /** To the workspace, if nothing else has helped. */
  'sign-in-again': { profile: string };
  /** For an app that does not take the tokens of this profile. */
  'add-browser-profile': { host: string };
  /** The workspace refused the sign-in for this path: either is the wrong one. */
  'check-sign-in': { profile: string; path: string };
  /** The same if the profile holds its own credentials and has nothing to sign in to. */
  'check-credentials': { profile: string; path: string };
  /** The sign-in lacks a permission. */
  'grant-scope': { profile: string };
  /** An OAuth application with the scopes that are missing; `command` is the vendor's, filled in. */
  'create-application': { command: string; port: number };
  /** To a workspace that no profile names yet. */
  'add-workspace': { profile: string | undefined };
  'choose-profile': { profiles: readonly string[] };
  'choose-warehouse': object;
  /** The chosen warehouse does not run queries. */
  'choose-or-clear-warehouse': object;
  'choose-warehouse-for-user': object;
  'find-user': object;
  'show-own-override': object;
  'change-own-override': object;
  'list-warehouses': object;
  'export-overrides': object;
  /** A running AI client would overwrite the change. */
  'quit-client': { client: string };
  /** An AI client's entry of this name is not ours. */
  'free-entry': { client: string };
  /** Other AI clients read the same file. */
  'remove-shared': { clients: readonly string[] };
  'list-backups': object;
  /** Into an AI client that Causeway does not know. */
  'paste-by-hand': object;
  'add-server': object;
  /** The user agrees that tokens go to a Databricks App's address. */
  'confirm-app': { app: string; profile: string };
  'start-app': { app: string; profile: string };
  /** Some of the configuration file's profiles cannot be used. */
  'see-profiles': object;
  /** Something other than a workspace answers there. */
  'check-address': { profile: string };
  /** Files of AI clients that cannot be read. */
  'see-client-files': object;
  /** Entries in AI clients' files that were changed or lead nowhere. */
  'repair-entries': object;
  'connect-client': object;
}
type Name = keyof Details;

/**
 * What a user can do next, if the words for it depend on where they are: at the command line it is a command, in the
 * window one of its buttons (`main/desktop/failure.ts`).
 */
export type NextAction<Which extends Name = Name> = { [Each in Which]: { do: Each } & Details[Each] }[Which];

/** Words for each of the actions. */
export type ActionWords = { [Each in Name]: (details: Details[Each]) => string };

/** An action in the words of the command line or the window. */
export function formatAction<Which extends Name>(words: ActionWords, action: NextAction<Which>): string {
  return words[action.do](action);
}

/** A profile's name, quoted for a shell if necessary. */
function quoted(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : JSON.stringify(name);
}

/** The actions as commands. */
export const AS_COMMAND: ActionWords = {
  'sign-in': ({ profile }) => `Sign in with: causeway login --profile ${quoted(profile)}.`,
  'sign-in-to-service': ({ profile, service }) =>
    `Sign in with: causeway servers sign-in ${service} --profile ${quoted(profile)}.`,
  'open-service-page': ({ profile, userName, url }) =>
    `The token of profile "${profile}" cannot sign in. Open the page in a browser where you are signed in to the workspace as ${userName}, then try again: ${url}`,
  'renew-service-sign-in': ({ profile, service }) =>
    `Sign out and in again: causeway servers sign-out ${service} --profile ${quoted(profile)}, then: causeway servers sign-in ${service} --profile ${quoted(profile)}.`,
  'sign-in-again': ({ profile }) =>
    `If that does not help, sign in to the workspace again: causeway login --profile ${quoted(profile)}.`,
  'add-browser-profile': ({ host }) =>
    `Add the app with a profile that signs in with the browser: causeway login --host ${host} --profile NAME.`,
  'check-sign-in': ({ profile, path }) =>
    `Run \`causeway whoami --profile ${quoted(profile)}\`: if that works, ${path} belongs to another workspace; if not, run \`causeway login --profile ${quoted(profile)}\`.`,
  'check-credentials': ({ profile, path }) =>
    `Run \`causeway whoami --profile ${quoted(profile)}\`: if that works, ${path} belongs to another workspace; if not, correct the profile's credentials.`,
  'grant-scope': ({ profile }) => `Run \`causeway login --profile ${quoted(profile)}\` and grant the missing scope.`,
  'create-application': ({ command, port }) =>
    `Or create one that has them, for \`causeway login --client-id CLIENT-ID --callback-port ${port}\`: ${command}`,
  'add-workspace': ({ profile }) =>
    `Sign in with: causeway login --host https://YOUR-WORKSPACE${profile === undefined ? '' : ` --profile ${quoted(profile)}`}.`,
  'choose-profile': ({ profiles }) => `Choose one with --profile or DATABRICKS_CONFIG_PROFILE: ${profiles.join(', ')}.`,
  'choose-warehouse': () => '`causeway warehouse set NAME` creates or updates your override.',
  'choose-or-clear-warehouse': () =>
    '`causeway warehouse set NAME` chooses one, `causeway warehouse clear` removes your override.',
  'choose-warehouse-for-user': () => '`causeway warehouse for USER set NAME` creates or updates theirs.',
  'find-user': () => 'Check the user ID. `causeway warehouse for NAME-OR-EMAIL` finds it.',
  'show-own-override': () => '`causeway warehouse` shows your own.',
  'change-own-override': () => '`causeway warehouse set NAME` changes your own.',
  'list-warehouses': () => '`causeway warehouse list` shows the available warehouses.',
  'export-overrides': () => '`causeway warehouse export` writes such a file.',
  'quit-client': ({ client }) => `Quit ${client} and try again, or use --force to write anyway.`,
  'free-entry': ({ client }) => `Rename it in ${client}, give the server another name, or use --force to replace it.`,
  'remove-shared': ({ clients }) => `--yes removes it from ${clients.join(' and ')}.`,
  'list-backups': () => '`causeway clients backups` lists them.',
  'paste-by-hand': () => 'For other clients, `causeway clients json` prints the entry to paste.',
  'add-server': () => 'Add one with: causeway servers add sql.',
  'confirm-app': ({ app, profile }) =>
    `Review the address and confirm it with: causeway servers add app:${app} --profile ${quoted(profile)}.`,
  'start-app': ({ app, profile }) => `Start it with: causeway servers start app:${app} --profile ${quoted(profile)}.`,
  'see-profiles': () => '`causeway profiles` shows the reasons. Correct the profiles in the configuration file.',
  'check-address': ({ profile }) =>
    `\`causeway profiles\` shows the address. Set another with: causeway login --host https://YOUR-WORKSPACE --profile ${quoted(profile)}.`,
  'see-client-files': () => '`causeway clients` shows what is wrong with each.',
  'repair-entries': () => 'Repair them with: causeway clients repair.',
  'connect-client': () => 'Connect one with: causeway clients add.',
};

/** An OAuth application as an account administrator is asked to create it. */
export interface WantedApplication {
  redirectUrl: string;
  scopes: readonly string[];
  /** Whether it is to have a secret; an application that users sign in through needs none. */
  confidential?: boolean;
}

const MINUTE_MS = 60_000;
const ACCESS_TOKEN_TTL_MS = 60 * MINUTE_MS;
const REFRESH_TOKEN_TTL_MS = 7 * 24 * 60 * MINUTE_MS;

/**
 * The Databricks CLI's command that creates an OAuth application, filled in. An account administrator runs it; the answer
 * holds the client id (`databricks account custom-app-integration create --help`).
 */
export function createApplicationCommand({ redirectUrl, scopes, confidential = false }: WantedApplication): string {
  const application = {
    name: 'causeway',
    redirect_urls: [redirectUrl],
    confidential,
    scopes: [...new Set([...scopes, 'offline_access'])],
    token_access_policy: {
      access_token_ttl_in_minutes: ACCESS_TOKEN_TTL_MS / MINUTE_MS,
      refresh_token_ttl_in_minutes: REFRESH_TOKEN_TTL_MS / MINUTE_MS,
    },
  };
  // Scopes are what the user typed: a single quote in one would end the argument.
  return `databricks account custom-app-integration create --json '${JSON.stringify(application).replaceAll("'", '')}'`;
}
