import type { ClientFacts, PublishedApplication } from './client.ts';
import type { ManagedServer } from './servers.ts';

/** The OAuth application that a client signs in as. */
interface Application {
  /** Left out for the one that Databricks publishes for the client, where the workspace has it. */
  clientId: string | undefined;
  callbackPort: number | undefined;
}

/** A server by its own address, for a client that connects by itself. */
export interface HttpChoice extends Application {
  urlOf(server: ManagedServer): string;
  /** Whether the server's workspace has an application that Databricks publishes. @throws {CausewayError} where it cannot be told */
  isPublished(server: ManagedServer, application: PublishedApplication): Promise<boolean>;
}

/** How a change is made. */
export interface ChangeChoice {
  http?: HttpChoice | undefined;
  dryRun?: boolean | undefined;
  /** Also over an entry of somebody else. */
  replace?: boolean | undefined;
  /** Also while the client runs, which then overwrites it. */
  whileRunning?: boolean | undefined;
  /** Also from a file that other clients read, which lose it too. */
  evenShared?: boolean | undefined;
  /** In the files of the project in this folder, rather than the person's own. */
  project?: string | undefined;
}

/** How a backup is put back. */
export type RestoreChoice = Pick<ChangeChoice, 'dryRun' | 'whileRunning'>;

/** The workspace of a profile, as far as a client that connects by itself has to know it. */
export interface Workspace {
  host: string;
  /** Whether it has an application that Databricks publishes. @throws {CausewayError} where it cannot be told */
  hasApplication(application: PublishedApplication): Promise<boolean>;
}

/**
 * Lets clients connect by themselves, as an application that an account administrator has registered, or as one that
 * Databricks publishes for the client.
 * @param workspaceOf the workspace of a profile, and throws where it has none
 */
export async function directly(
  servers: readonly ManagedServer[],
  workspaceOf: (profile: string) => Promise<Workspace>,
  application: Application,
): Promise<HttpChoice> {
  const workspaces = new Map<string, Workspace>();
  for (const { profile } of servers) workspaces.set(profile, await workspaceOf(profile));
  const asked = new Map<string, Promise<boolean>>();
  return {
    ...application,
    urlOf: ({ profile, path }) => `${workspaces.get(profile)?.host ?? ''}${path}`,
    isPublished: ({ profile }, published) => {
      const key = `${profile} ${published.clientId}`;
      const answer = asked.get(key) ?? workspaces.get(profile)?.hasApplication(published) ?? Promise.resolve(false);
      asked.set(key, answer);
      return answer;
    },
  };
}

/** The choice as it is for one client and server: with the published application, where none was named and there is one. */
export async function forClient(
  http: HttpChoice | undefined,
  { published }: ClientFacts,
  server: ManagedServer,
): Promise<HttpChoice | undefined> {
  if (!http || http.clientId !== undefined || !published) return http;
  if (!(await http.isPublished(server, published))) return http;
  return { ...http, clientId: published.clientId, callbackPort: http.callbackPort ?? published.callbackPort };
}
