import { type FSWatcher, watch } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, parse } from 'node:path';
import { expand } from './detect.ts';

export interface WatchOptions {
  /** Nothing above this folder is watched. */
  root: string;
  /** How long there must be no further change before one is reported, in milliseconds. The wait is at most ten times as long. */
  quietMs: number;
  /** How often everything is checked in addition, in milliseconds, for changes that no system reports (network folders, exhausted watches). */
  lookMs: number;
}

/** A running watch. */
export interface Watching {
  /** Resolves once the watch has begun. What is read after that is either current, or its change is reported. */
  ready: Promise<void>;
  /** Ends the watch. There are no calls after this. */
  end(): void;
  /** Accepts the current state of the files as known, because the caller has just changed some of them. */
  settle(): Promise<void>;
}

/** A watched path: the folders that show its changes, and its last known state. */
interface Seen {
  places: { folder: string; name: string }[];
  state: string;
}

/**
 * Calls back after one of those files came, went or changed. Folders are watched, for editors put new files instead of
 * old ones; of a folder that is not there, the nearest that is. A pattern's `*` stands for any part of one segment. After a change in
 * a folder, only the paths that lead through it are looked at.
 */
export function watchFiles(
  paths: () => Promise<string[]>,
  onChange: () => void,
  { root, quietMs = 300, lookMs = 30_000 }: Partial<WatchOptions> & Pick<WatchOptions, 'root'>,
): Watching {
  const watchers = new Map<string, FSWatcher>();
  /** In each folder, the names that lead on to a path. */
  let namesIn = new Map<string, Set<string>>();
  const seen = new Map<string, Seen>();
  /** The folders that have changed; all if it is not known which. */
  let stirredFolders: Set<string> | 'all' = 'all';
  let quiet: NodeJS.Timeout | undefined;
  let stirred: number | undefined;
  let looking = false;
  let again = false;
  let ended = false;

  const soon = (folders: readonly string[]) => {
    if (ended) return;
    if (stirredFolders !== 'all') for (const folder of folders) stirredFolders.add(folder);
    stirred ??= performance.now();
    // Changes that never pause are reported anyway.
    if (performance.now() - stirred > 10 * quietMs) return;
    clearTimeout(quiet);
    quiet = setTimeout(() => void look(), quietMs).unref();
  };

  const attach = (folder: string) => {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || isWatched(namesIn.get(folder), name)) soon([folder]);
      });
      watcher.on('error', () => detach(folder));
      watchers.set(folder, watcher);
    } catch {
      // No more watches are available, or the folder is gone. The regular checks have to be enough.
    }
  };

  const detach = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };

  /** @returns whether something is not as it was last seen */
  const refresh = async (): Promise<boolean> => {
    const stirredIn = stirredFolders;
    stirredFolders = new Set();
    const wanted = await paths().catch((): string[] => []);
    const isFirst = seen.size === 0;
    const gone = [...seen.keys()].filter((path) => !wanted.includes(path));
    for (const path of gone) seen.delete(path);
    let changed = gone.length > 0;
    const isStirred = (path: string) =>
      stirredIn === 'all' || (seen.get(path)?.places.some(({ folder }) => stirredIn.has(folder)) ?? true);
    const looks = wanted.filter(isStirred).map(async (path) => {
      const now = await seePath(path, root);
      changed ||= seen.get(path)?.state !== now.state;
      seen.set(path, now);
    });
    await Promise.all(looks);
    return changed && !isFirst;
  };

  const look = async () => {
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    stirred = undefined;
    const changed = await refresh();
    looking = false;
    if (ended) return;
    namesIn = namesByFolder(seen.values());
    for (const folder of watchers.keys()) if (!namesIn.has(folder)) detach(folder);
    const fresh = [...namesIn.keys()].filter((folder) => !watchers.has(folder));
    fresh.forEach(attach);
    // There may have been a change before the watch began.
    if (again || fresh.length > 0) soon(fresh);
    again = false;
    if (changed) onChange();
  };

  const lookAtAll = () => {
    stirredFolders = 'all';
    void look();
  };
  const timer = setInterval(lookAtAll, lookMs).unref();
  return {
    ready: look(),
    settle: async () => {
      // A check that is running may have begun before the change.
      if (looking) return;
      // The system may not have reported the change yet.
      stirredFolders = 'all';
      await refresh();
    },
    end: () => {
      ended = true;
      clearInterval(timer);
      clearTimeout(quiet);
      for (const folder of [...watchers.keys()]) detach(folder);
    },
  };
}

/** The folders that show a path's changes, and its current state. */
async function seePath(path: string, root: string): Promise<Seen> {
  const places: Seen['places'] = [];
  for (const place of await linked(path)) {
    const { folder, name } = await nearest(place, root);
    if (folder !== undefined) places.push({ folder, name });
  }
  const there = await expand(path);
  const states = await Promise.all(there.map(async (one) => `${one} ${await describe(one)}`));
  return { places, state: states.join('\n') };
}

/** The folders to watch, each with the names that matter in it. */
function namesByFolder(paths: Iterable<Seen>): Map<string, Set<string>> {
  const byFolder = new Map<string, Set<string>>();
  for (const { places } of paths) {
    for (const { folder, name } of places) byFolder.set(folder, (byFolder.get(folder) ?? new Set()).add(name));
  }
  return byFolder;
}

/** A path and, if it is a link, what it leads to. */
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

/** What distinguishes the states of a file; for a folder, only its existence. */
async function describe(path: string): Promise<string> {
  try {
    const found = await stat(path);
    return found.isDirectory() ? 'folder' : `${found.mtimeMs} ${found.size} ${found.ino}`;
  } catch {
    return 'gone';
  }
}

function isWatched(names: Set<string> | undefined, name: string): boolean {
  return names !== undefined && (names.has(name) || [...names].some((one) => one.includes('*')));
}
