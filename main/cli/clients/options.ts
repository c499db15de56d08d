import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isSea } from 'node:sea';
import { withEnvironment } from '../../clients/entry-environment.ts';
import { launcherFor } from '../../clients/launcher.ts';
import { type HostEnvironment, thisSystem } from '../../clients/places.ts';
import { runningProcesses } from '../../clients/running.ts';
import { findServer, hasServerList, type ManagedServer, openServers } from '../../clients/servers.ts';
import { ClientsService } from '../../clients/service.ts';
import { CausewayError } from '../../platform/errors.ts';
import { homeFolder } from '../../platform/paths.ts';
import type { CommandContext } from '../command.ts';

/** The options of every command in this folder. */
export interface ClientOptions {
  json?: boolean;
  configRoot?: string;
  server?: string[];
  project?: string | true;
}

/** The absolute path of the project's folder. @throws {CausewayError} `not_found` */
export async function projectFolder({ project }: ClientOptions): Promise<string | undefined> {
  if (project === undefined) return undefined;
  const folder = resolve(project === true ? '.' : project);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return folder;
  throw new CausewayError('not_found', `There is no folder ${folder}.`, {
    remedy: 'Give the folder of the project with --project.',
  });
}

/** The environment of the clients of this user, or of another home folder. */
export function hostEnvironment({ env }: CommandContext, { configRoot }: ClientOptions): HostEnvironment {
  return configRoot
    ? // Nothing of the person's own environment leads out of that folder.
      { system: thisSystem(), home: resolve(configRoot), env: {} }
    : { system: thisSystem(), home: homeFolder(env), env };
}

/** The clients of this user, or of another home folder. */
export function openClients(context: CommandContext, options: ClientOptions): ClientsService {
  const { env } = context;
  const { configRoot } = options;
  // What is started in the other home has that home's permissions.
  const there = configRoot ? context.inHome(resolve(configRoot)).env : env;
  const environment = hostEnvironment(context, options);
  return new ClientsService({
    env,
    environment,
    launcher: withEnvironment(
      launcherFor({ execPath: process.execPath, script: isSea() ? undefined : process.argv[1] }, env),
      there,
    ),
    running: configRoot ? async () => new Set() : runningProcesses,
  });
}

/**
 * The servers in the list, or those of them that are named. Another home's own list counts there, if it has one.
 * @throws {CausewayError} `not_found`
 */
export async function chosenServers(
  context: CommandContext,
  { server, configRoot }: ClientOptions,
): Promise<ManagedServer[]> {
  const there = configRoot === undefined ? context : context.inHome(resolve(configRoot));
  const list = (await openServers(((await hasServerList(there.env)) ? there : context).env)).initial;
  return server ? server.map((name) => findServer(list, name)) : list.servers;
}
