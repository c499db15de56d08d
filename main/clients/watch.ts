import { type FSWatcher, watch } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, parse } from 'node:path';
import { expand } from './detect.ts';

export interface WatchOptions {
  /** Nothing above this folder is watched. */
  root: string;
  /** For how long it has to be quiet before a change is told, in milliseconds; at most ten times as long is waited. */
  quietMs: number;
  /** How often all is looked at besides, for what no system reports (network folders, used-up watches), in milliseconds. */
  lookMs: number;
}

/**
 * Calls back after one of those files came, went or changed. Folders are watched, for editors put new files in the place of
 * old ones; of a folder that is not there, the nearest that is. A pattern's `*` stands for any part of one segment.
 * Gives the function that ends it; after that there are no more calls.
 */
export function watchFiles(
  paths: () => Promise<string[]>,
  onChange: () => void,
  { root, quietMs = 300, lookMs = 30_000 }: Partial<WatchOptions> & Pick<WatchOptions, 'root'>,
): () => void {
  const watchers = new Map<string, FSWatcher>();
  let meant = new Map<string, Set<string>>();
  let seen: string | undefined;
  let quiet: NodeJS.Timeout | undefined;
  let stirred: number | undefined;
  let looking = false;
  let again = false;
  let ended = false;

  const soon = () => {
    if (ended) return;
    stirred ??= performance.now();
    // Where it is never quiet, changes are to be told all the same.
    if (performance.now() - stirred > 10 * quietMs) return;
    clearTimeout(quiet);
    quiet = setTimeout(() => void look(), quietMs).unref();
  };

  const attach = (folder: string) => {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || isMeant(meant.get(folder), name)) soon();
      });
      watcher.on('error', () => detach(folder));
      watchers.set(folder, watcher);
    } catch {
      // No more watches to be had, or the folder went: looking now and then has to do.
    }
  };

  const detach = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };

  const look = async () => {
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    stirred = undefined;
    const wanted = await watchedFolders(await paths().catch((): string[] => []), root);
    looking = false;
    if (ended) return;
    meant = wanted.meant;
    for (const folder of watchers.keys()) if (!meant.has(folder)) detach(folder);
    const fresh = [...meant.keys()].filter((folder) => !watchers.has(folder));
    fresh.forEach(attach);
    const changed = seen !== undefined && seen !== wanted.state;
    seen = wanted.state;
    // Between the look and the watch something may have come.
    if (again || fresh.length > 0) soon();
    again = false;
    if (changed) onChange();
  };

  const timer = setInterval(() => void look(), lookMs).unref();
  void look();
  return () => {
    ended = true;
    clearInterval(timer);
    clearTimeout(quiet);
    for (const folder of [...watchers.keys()]) detach(folder);
  };
}

/** The folders to watch for those paths, each with the names that count in it, and how the files are now. */
async function watchedFolders(paths: string[], root: string) {
  const meant = new Map<string, Set<string>>();
  const states = await Promise.all(
    paths.map(async (path) => {
      for (const place of await linked(path)) {
        const { folder, name } = await nearest(place, root);
        if (folder !== undefined) meant.set(folder, (meant.get(folder) ?? new Set()).add(name));
      }
      const there = await expand(path);
      return Promise.all(there.map(async (one) => `${one} ${await describe(one)}`));
    }),
  );
  return { meant, state: states.flat().join('\n') };
}

/** A path and, where it is a link, what it leads to. */
async function linked(path: string): Promise<string[]> {
  const target = await realpath(path).catch(() => path);
  return target === path ? [path] : [path, target];
}

/** The nearest folder above a path that is there, and the name in it that leads on to the path. */
async function nearest(path: string, root: string): Promise<{ folder: string | undefined; name: string }> {
  let [folder, name] = [dirname(path), basename(path)];
  while (folder.includes('*') || !(await isFolder(folder))) {
    if (folder === root || folder === parse(folder).root) return { folder: undefined, name };
    [folder, name] = [dirname(folder), basename(folder)];
  }
  return { folder, name };
}

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** What tells one state of a file from another; of a folder only that it is there. */
async function describe(path: string): Promise<string> {
  try {
    const found = await stat(path);
    return found.isDirectory() ? 'folder' : `${found.mtimeMs} ${found.size} ${found.ino}`;
  } catch {
    return 'gone';
  }
}

function isMeant(names: Set<string> | undefined, name: string): boolean {
  return names !== undefined && (names.has(name) || [...names].some((one) => one.includes('*')));
}
