import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import Conf from 'conf';
import { z } from 'zod';
import { withLock } from './lock.ts';

/** One file of what Causeway remembers. */
export interface Settings<T> {
  /** The file's path. */
  readonly path: string;
  /** Where a damaged file was put, if one was found at the opening. */
  readonly setAside: string | undefined;
  /** What the file holds now; what `empty` gives where there is none. */
  read(): T;
  /** Reads, changes and writes, one process at a time. What `edit` gives back unchanged is not written. */
  change(edit: (now: T) => T): Promise<T>;
}

export interface SettingsOptions<T extends Record<string, unknown>> {
  folder: string;
  /** The file's name without `.json`. */
  name: string;
  schema: z.ZodType<T>;
  empty: T;
  /** Where the lock among processes is. */
  lockFolder: string;
}

/**
 * Opens a settings file. One that is damaged, or holds what the schema does not know, is set aside under another name
 * before it can be overwritten, and counts as empty.
 */
export async function openSettings<T extends Record<string, unknown>>(
  options: SettingsOptions<T>,
): Promise<Settings<T>> {
  const { folder, name, schema, empty, lockFolder } = options;
  const path = join(folder, `${name}.json`);
  let setAside: string | undefined;
  const open = () =>
    new Conf<Record<string, unknown>>({
      cwd: folder,
      configName: name,
      accessPropertiesByDotNotation: false,
      clearInvalidConfig: false,
      configFileMode: 0o600,
    });
  const load = () => {
    const { store } = open();
    return Object.keys(store).length === 0 ? empty : schema.parse(store);
  };
  try {
    load();
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
    setAside = join(folder, `${name}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.json`);
    await rename(path, setAside);
  }
  return {
    path,
    setAside,
    read: load,
    change: (edit) =>
      withLock(lockFolder, async () => {
        const before = load();
        const after = edit(before);
        if (after !== before) open().store = { ...after };
        return after;
      }),
  };
}
