import { lstat, readdir, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';

import { environmentFiles } from '../../clients/entry-environment.ts';
import { launcherFolders } from '../../clients/launcher.ts';
import { hubFolder } from '../../hub/rendezvous.ts';
import { CausewayError } from '../../platform/errors.ts';
import { fileError } from '../../platform/file-errors.ts';
import { configFilePath, configFolder, homeFolder, logFolder, stateFolder } from '../../platform/paths.ts';
import type { Remnant } from './step.ts';

/** On Windows, a proxy that runs holds the file with calls open for some seconds after a call: in all, 7 seconds are waited. */
const WHILE_HELD = { maxRetries: 8, retryDelay: 200 };

/**
 * The folders that hold nothing but what Causeway keeps: settings, servers, permissions, logs, the backups of clients' files, and what
 * window and updater have put beside. A folder that holds the user's home or Databricks profiles is none of them.
 */
export async function ownFolders(env: NodeJS.ProcessEnv): Promise<Remnant[]> {
  const present: string[] = [];
  for (const folder of candidates(env)) {
    if (!(await isThere(folder)) || present.some((other) => isInside(folder, other))) continue;
    for (const inner of present.filter((other) => isInside(other, folder))) present.splice(present.indexOf(inner), 1);
    present.push(folder);
  }
  return present.map((folder) => ({
    kind: 'files' as const,
    what: folder,
    note: folder === stateFolder(env) ? "Including the backups of the AI clients' files." : undefined,
    remove: async () => {
      const profiles = [configFilePath(env), homeFolder(env)].find((kept) => isInside(kept, folder));
      if (profiles !== undefined) throw holdsOther(folder, profiles);
      await rm(folder, { recursive: true, force: true, ...WHILE_HELD }).catch((error: unknown) => {
        throw fileError(folder, error);
      });
      // A folder that was made for ours alone.
      const parent = dirname(folder);
      if (parent === env.CAUSEWAY_HOME || basename(parent) === 'Causeway') await removeIfEmpty(parent);
    },
  }));
}

function candidates(env: NodeJS.ProcessEnv): string[] {
  const own = [configFolder(env), stateFolder(env), logFolder(env), hubFolder(env)];
  const key = [...(env.CAUSEWAY_TOKEN_KEY_FILE ? [env.CAUSEWAY_TOKEN_KEY_FILE] : []), ...environmentFiles(env)];
  // The rest belongs to the user's own installation, not to one in its own folder.
  return env.CAUSEWAY_HOME ? [...own, ...key] : [...own, ...key, ...launcherFolders(env), ...ofElectron(env)];
}

/** What Chromium keeps of the window, and electron-updater of what it has downloaded. */
function ofElectron(env: NodeJS.ProcessEnv): string[] {
  const home = homeFolder(env);
  switch (process.platform) {
    case 'win32':
      return [join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'causeway-updater')];
    case 'darwin':
      return [join(home, 'Library', 'Caches', 'causeway-updater')];
    default:
      return [
        join(env.XDG_CONFIG_HOME || join(home, '.config'), 'Causeway'),
        join(env.XDG_CACHE_HOME || join(home, '.cache'), 'causeway-updater'),
      ];
  }
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Whether a path is a folder or is below it. */
function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith('..') && !isAbsolute(way);
}

function holdsOther(folder: string, other: string): CausewayError {
  return new CausewayError('file_not_writable', `${folder} also contains your own file ${other}.`, {
    remedy: 'It was not removed. Delete the rest by hand.',
  });
}

async function removeIfEmpty(folder: string): Promise<void> {
  if ((await readdir(folder).catch(() => ['unreadable'])).length === 0) await rmdir(folder).catch(() => undefined);
}
