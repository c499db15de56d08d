/** The details of each action. */
export interface ActionDetails {
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
  /** For an AI client that signs in itself; `redirectUrl` is its own, null if it is not known and the command has a word in its place. */
  'name-application': { client: string; redirectUrl: string | null; command: string };
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
type Name = keyof ActionDetails;

/**
 * What a user can do next, if the words for it depend on where they are: at the command line it is a command, in the
 * window one of its buttons (`main/words/next-actions.ts`).
 */
export type NextAction<Which extends Name = Name> = { [Each in Which]: { do: Each } & ActionDetails[Each] }[Which];

/** An OAuth application as an account administrator is asked to create it. */
export interface WantedApplication {
  /** `causeway` if left out. */
  name?: string | undefined;
  redirectUrl: string;
  scopes: readonly string[];
  /** Whether it is to have a secret; an application that users sign in through needs none. */
  confidential?: boolean;
}

const MINUTE_MS = 60_000;
const ACCESS_TOKEN_TTL_MS = 60 * MINUTE_MS;
const REFRESH_TOKEN_TTL_MS = 7 * 24 * 60 * MINUTE_MS;

/** The Databricks CLI's command that creates an OAuth application. */
export const CREATE_APPLICATION = 'databricks account custom-app-integration create';

/**
 * The Databricks CLI's command that creates an OAuth application, filled in. An account administrator runs it; the answer
 * holds the client id (`databricks account custom-app-integration create --help`).
 */
export function createApplicationCommand(wanted: WantedApplication): string {
  const { name = 'causeway', redirectUrl, scopes, confidential = false } = wanted;
  const application = {
    name,
    redirect_urls: [redirectUrl],
    confidential,
    scopes: [...new Set([...scopes, 'offline_access'])],
    token_access_policy: {
      access_token_ttl_in_minutes: ACCESS_TOKEN_TTL_MS / MINUTE_MS,
      refresh_token_ttl_in_minutes: REFRESH_TOKEN_TTL_MS / MINUTE_MS,
    },
  };
  // Scopes are what the user typed: a single quote in one would end the argument.
  return `${CREATE_APPLICATION} --json '${JSON.stringify(application).replaceAll("'", '')}'`;
}
