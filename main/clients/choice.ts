import type { ManagedServer } from './servers.ts';

/** A server by its own address, for a client that connects by itself. */
export interface HttpChoice {
  urlOf(server: ManagedServer): string;
  clientId: string | undefined;
  callbackPort: number | undefined;
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

/**
 * Lets clients connect by themselves, as an application that an account administrator has registered.
 * @param hostOf the workspace of a profile, and throws where it has none
 */
export async function directly(
  servers: readonly ManagedServer[],
  hostOf: (profile: string) => Promise<string>,
  application: Pick<HttpChoice, 'clientId' | 'callbackPort'>,
): Promise<HttpChoice> {
  const hosts = new Map<string, string>();
  for (const { profile } of servers) hosts.set(profile, await hostOf(profile));
  return { ...application, urlOf: ({ profile, path }) => `${hosts.get(profile) ?? ''}${path}` };
}
