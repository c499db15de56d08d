import { posix, win32 } from 'node:path';
import type { HttpShape } from './entry.ts';

/** The operating systems that differ in where clients keep their files. */
export type System = 'darwin' | 'win32' | 'linux';

/** The system that this process runs on. Everything that is neither macOS nor Windows counts as Linux. */
export function thisSystem(): System {
  const { platform } = process;
  return platform === 'win32' || platform === 'darwin' ? platform : 'linux';
}

/** Everything that a client's paths depend on. */
export interface HostEnvironment {
  system: System;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The folder used as the root of the file system; only for tests. */
  root?: string;
  /** Additional folders for finding commands, requested only if a command is not in `PATH`. */
  moreCommands?(): Promise<string[]>;
  /** A cache of lookups for one survey of many clients in the same places; without it, everything is looked up each time. */
  lookups?: Lookups;
}

/** Cached answers of the file system. */
export interface Lookups {
  /** The paths that fit a pattern. */
  paths: Map<string, Promise<string[]>>;
  /** Where commands were found. */
  commands: Map<string, Promise<string | undefined>>;
  /** The names in folders of `PATH`; undefined if a folder cannot be read. */
  folders: Map<string, Promise<ReadonlySet<string> | undefined>>;
}

/** An empty cache of lookups. */
export function newLookups(): Lookups {
  return { paths: new Map(), commands: new Map(), folders: new Map() };
}

/** The cached answer, or else a new one. */
export function lookedUp<T>(
  known: Map<string, Promise<T>> | undefined,
  key: string,
  ask: () => Promise<T>,
): Promise<T> {
  const answer = known?.get(key) ?? ask();
  known?.set(key, answer);
  return answer;
}

/** A sign that a client is installed. Paths may hold `*` as a part of one segment. */
export type Sign = { exists: string } | { command: string };

/** One file in which a client looks for servers. */
export interface FilePlace {
  path: string;
  /**
   * `main`: the first of these whose condition holds is written; if none does the last one, unless one is written besides.
   * `also`: written as well, if its condition is true.
   */
  role: 'main' | 'also';
  /** The path, which may hold `*`, or the command that must exist for this place to count; always counts if left out. */
  if?: string | { command: string };
  /** Where entries in this file differ from the row's. */
  http?: HttpShape;
  /** What a user should know about this file, as a sentence. */
  warning?: string;
}

/** The folders that clients' paths begin with, on one system. */
export interface Places extends HostEnvironment {
  /** Joins with the system's own separator. */
  join(...parts: string[]): string;
  /** A path below the home folder. */
  inHome(...parts: string[]): string;
  /** `$XDG_CONFIG_HOME`, or `.config` in the home folder; on every system, for the clients that use it on every system. */
  xdgConfig(...parts: string[]): string;
  /**
   * Where desktop applications keep their settings: `~/Library/Application Support`, `%APPDATA%`, or `xdgConfig`.
   */
  applicationData(...parts: string[]): string;
  /** The counterpart of `xdgConfig` in a Flatpak application, whatever its id; Linux only. */
  flatpakConfig(...parts: string[]): string;
  /** `%LOCALAPPDATA%`; elsewhere what `applicationData` gives. */
  localData(...parts: string[]): string;
  /** A path from the root of the file system. */
  ofSystem(path: string): string;
  /** One of three values, by system. */
  bySystem<T>(values: Record<System, T>): T;
}

/** The folders of the given environment. Pure: looks at no file. */
export function placesOf({ system, home, env, root }: HostEnvironment): Places {
  const { join } = system === 'win32' ? win32 : posix;
  const inHome = (...parts: string[]) => join(home, ...parts);
  const xdgConfig = (...parts: string[]) => join(env.XDG_CONFIG_HOME || inHome('.config'), ...parts);
  const bySystem = <T>(values: Record<System, T>) => values[system];
  const applicationData = bySystem({
    darwin: () => inHome('Library', 'Application Support'),
    win32: () => env.APPDATA || inHome('AppData', 'Roaming'),
    linux: () => xdgConfig(),
  });
  const localData = bySystem({
    darwin: applicationData,
    win32: () => env.LOCALAPPDATA || inHome('AppData', 'Local'),
    linux: applicationData,
  });
  return {
    system,
    home,
    env,
    join,
    inHome,
    xdgConfig,
    applicationData: (...parts) => join(applicationData(), ...parts),
    // https://docs.flatpak.org/en/latest/conventions.html#xdg-base-directories
    flatpakConfig: (...parts) => inHome('.var', 'app', '*', 'config', ...parts),
    localData: (...parts) => join(localData(), ...parts),
    ofSystem: (path) => (root === undefined ? path : join(root, path)),
    bySystem,
  };
}

/** What a Flatpak application needs in addition, because it sees only the files that it is allowed to. */
const WARNING =
  'A Flatpak application starts only programs it can see. Give it access to your home folder with "flatpak override".';

/** A file below the configuration folder of any Flatpak application that has its parent folder. */
export function inFlatpak({ flatpakConfig, bySystem, join }: Places, ...path: string[]): FilePlace[] {
  const folder = flatpakConfig(...path.slice(0, -1));
  const place: FilePlace = { role: 'also', path: join(folder, path.at(-1) ?? ''), if: folder, warning: WARNING };
  return bySystem({ darwin: [], win32: [], linux: [place] });
}

/** A sign that a Flatpak application has such a folder. */
export function seenInFlatpak({ flatpakConfig, bySystem }: Places, ...folder: string[]): Sign[] {
  return bySystem({ darwin: [], win32: [], linux: [{ exists: flatpakConfig(...folder) }] });
}
