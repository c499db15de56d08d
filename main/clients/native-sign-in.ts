import { CausewayError } from '../platform/errors.ts';
import { createApplicationCommand } from '../platform/next-action.ts';
import type { ClientFacts, PublishedApplication } from './client.ts';
import { namesApplication, namesCallbackPort } from './entry.ts';
import type { HttpChoice, OwnApplication } from './server-entry.ts';
import type { ManagedServer } from './servers.ts';

/** What is needed to know about profiles for a client that connects directly. */
export interface ProfileLookup<Profile extends { host: string }> {
  /** @throws {CausewayError} if there is no such profile, or it names no workspace */
  profile(name: string): Promise<Profile>;
  /** Whether its workspace has an application that Databricks publishes. @throws {CausewayError} if it cannot be told */
  knowsApplication(profile: Profile, application: PublishedApplication): Promise<boolean>;
}

/**
 * Lets clients connect by themselves, as an application that an account administrator has registered, or as one that
 * Databricks publishes for the client.
 * @throws {CausewayError} `usage` for what cannot be the id of an application
 */
export async function directly<Profile extends { host: string }>(
  servers: readonly ManagedServer[],
  auth: ProfileLookup<Profile>,
  application: OwnApplication,
): Promise<HttpChoice> {
  checkClientId(application.clientId);
  const profiles = new Map<string, Profile>();
  for (const { profile } of servers) profiles.set(profile, await auth.profile(profile));
  const asked = new Map<string, Promise<boolean>>();
  return {
    ...application,
    urlOf: ({ profile, path }) => `${profiles.get(profile)?.host ?? ''}${path}`,
    isPublished: ({ profile }, published) => {
      const key = `${profile} ${published.clientId}`;
      const found = profiles.get(profile);
      const answer = asked.get(key) ?? (found ? auth.knowsApplication(found, published) : Promise.resolve(false));
      asked.set(key, answer);
      return answer;
    },
  };
}

/** A UUID as the account console gives it, or a name as published ones have. */
const CLIENT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Refuses what a template leaves, such as `${CLIENT_ID}`. @throws {CausewayError} `usage` */
function checkClientId(clientId: string | undefined): void {
  if (clientId === undefined || CLIENT_ID.test(clientId)) return;
  throw new CausewayError('usage', `"${clientId}" is not the client ID of an OAuth application.`, {
    remedy: 'Nothing was written. Give the ID that the account admin received, with nothing around it.',
  });
}

/**
 * The choice for one client and server: with the published application, if none was given and there is one.
 * @throws {CausewayError} `usage` if the client could not sign in with it
 */
export async function forClient(
  http: HttpChoice | undefined,
  client: ClientFacts,
  server: ManagedServer,
): Promise<HttpChoice | undefined> {
  if (!http || client.http === undefined) return http;
  const choice = await withPublished(http, client, server);
  checkSignsIn(client, choice);
  return choice;
}

async function withPublished(
  http: HttpChoice,
  { published, redirect }: ClientFacts,
  server: ManagedServer,
): Promise<HttpChoice> {
  if (http.clientId !== undefined || published === undefined || !redirect) return http;
  if (!(await http.isPublished(server, { clientId: published, redirectUri: redirect.uri }))) return http;
  return { ...http, clientId: published, callbackPort: http.callbackPort ?? redirect.port };
}

/** Databricks does not register clients itself: one that does not know which application it is has no way in. */
function checkSignsIn(client: ClientFacts, http: HttpChoice): void {
  const { name, published } = client;
  if (!namesApplication(client.http)) {
    throw new CausewayError('usage', `${name} cannot sign in on its own: its file names no OAuth application.`, {
      remedy: 'Nothing was written. Leave --http out.',
    });
  }
  if (http.clientId !== undefined) return;
  const reason =
    published === undefined
      ? 'Databricks accepts only registered applications'
      : `the workspace does not have the application that Databricks publishes for it (${published})`;
  throw new CausewayError('usage', `${name} signs in on its own, and ${reason}.`, {
    remedy: 'Nothing was written.',
    action: { do: 'name-application', ...wantedApplication(client, http.callbackPort) },
  });
}

/** What stands for a redirect URL that is not known. */
const REDIRECT_URL = 'REDIRECT-URL';

/** What an administrator is asked for: the client's own redirect URL, null if it is not known, and the command that registers it. */
function wantedApplication(client: ClientFacts, port: number | undefined) {
  const redirectUrl = redirectUrlOf(client, port);
  const command = createApplicationCommand({ redirectUrl: redirectUrl ?? REDIRECT_URL, scopes: ['all-apis'] });
  return { client: client.name, redirectUrl, command };
}

/** Where a client lets the browser come back to, at the chosen port if its entry names one; null if not known. */
function redirectUrlOf({ redirect, http }: ClientFacts, port: number | undefined): string | null {
  if (!redirect) return null;
  if (port === undefined || !namesCallbackPort(http)) return redirect.uri;
  const url = new URL(redirect.uri);
  url.port = String(port);
  return url.href;
}
