import { readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CausewayError } from './errors.ts';
import { codeOf, fileError } from './file-errors.ts';
import { withLock } from './lock.ts';
import { writeWholeFile } from './replace-file.ts';
import { utf8Text } from './utf8.ts';

/** One file of what Causeway remembers. */
export interface SettingsFile<T> {
  /** The file's path. */
  readonly path: string;
  /** Where a damaged file was put, if one was found at the opening. */
  readonly setAside: string | undefined;
  /** What the file held at the opening. */
  readonly atOpening: T;
  /** What the file holds now; what `empty` gives if there is none. */
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
 * before it can be overwritten, and counts as empty. Reading makes no folder.
 * @throws {CausewayError} `file_not_writable` where the file may not be read or set aside, also from each call
 */
export async function openSettings<T extends Record<string, unknown>>(
  options: SettingsOptions<T>,
): Promise<SettingsFile<T>> {
  const { folder, name, schema, empty, lockFolder } = options;
  const path = join(folder, `${name}.json`);
  let setAside: string | undefined;
  let atOpening = empty;
  const load = () => {
    const stored = readJson(path);
    const isEmpty = typeof stored === 'object' && stored !== null && Object.keys(stored).length === 0;
    return stored === undefined || isEmpty ? empty : schema.parse(stored);
  };
  try {
    atOpening = load();
  } catch (error) {
    if (!isDamage(error)) throw error;
    setAside = join(folder, `${name}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.json`);
    await rename(path, setAside).catch((cause: unknown) => {
      throw fileError(path, cause);
    });
  }
  return {
    path,
    setAside,
    atOpening,
    read: load,
    change: (edit) =>
      withLock(lockFolder, async () => {
        const before = load();
        const after = edit(before);
        if (after !== before) await writeWholeFile(path, `${JSON.stringify(after, null, 2)}\n`, { mode: 0o600 });
        return after;
      }),
  };
}

/** Whether a file could be read, but says nothing that is understood. */
function isDamage(error: unknown): boolean {
  const isMisread = error instanceof SyntaxError || error instanceof z.ZodError;
  return isMisread || (error instanceof CausewayError && error.code === 'invalid_file');
}

/**
 * What a JSON file holds; undefined if there is none. Some editors put a byte order mark before it.
 * @throws {SyntaxError} @throws {CausewayError} `invalid_file` if it is not UTF-8, `file_not_writable` where it may not
 * be read
 */
function readJson(path: string): unknown {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw fileError(path, error);
  }
  return JSON.parse(utf8Text(path, bytes).replace(/^\uFEFF/, ''));
}
