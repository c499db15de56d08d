import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { FileTooLarge, readBoundedSync } from './bounded-file.ts';
import { CausewayError } from './errors.ts';
import { codeOf, FileError, fileError } from './file-errors.ts';
import { lostMember } from './json-faults.ts';
import { placeInFile } from './line-and-column.ts';
import { withLock } from './lock.ts';
import { writeOutside } from './outside-file.ts';
import { type WriteOptions, writeWholeFile } from './replace-file.ts';
import { utf8Text } from './utf8.ts';

/** A file with Causeway's own data. */
export interface SettingsFile<T> {
  /** The file's path. */
  readonly path: string;
  /** The content when the file was opened. */
  readonly initial: T;
  /** The current content; that of `empty` if there is no file. */
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
  /** The folder of the lock among processes. */
  lockFolder: string;
  /**
   * What happens to a file that is damaged, or holds what the schema does not know. `set-aside` renames it, and it counts as
   * empty: for what Causeway remembers. `refuse` throws and leaves it: for what users edit.
   */
  damaged: 'set-aside' | 'refuse';
  /** Whether it holds texts from outside, such as names from a workspace: they are cleared of secrets. */
  isFromOutside?: boolean;
}

/**
 * Opens a settings file. Reading makes no folder.
 * @throws {CausewayError} `file_not_writable` if the file cannot be read or set aside; `invalid_file` with line and column if
 * `damaged` is `refuse`. Later calls throw both; `read` does so without line and column.
 */
export async function openSettings<T extends Record<string, unknown>>(
  options: SettingsOptions<T>,
): Promise<SettingsFile<T>> {
  const { folder, name, schema, empty, lockFolder, damaged, isFromOutside } = options;
  const path = join(folder, `${name}.json`);
  const write = isFromOutside ? writeOutsideJson : writeWholeFile;
  const parse = (text: string | undefined) => {
    const stored: unknown = text === undefined ? {} : JSON.parse(text);
    const lost = damaged === 'refuse' && text !== undefined ? lostMember(text) : undefined;
    if (lost) throw damage(`${placeInFile(path, lost)}: ${lost.what}.`);
    const isEmpty = typeof stored === 'object' && stored !== null && Object.keys(stored).length === 0;
    return isEmpty ? empty : schema.parse(stored);
  };
  const load = () => {
    const text = readText(path);
    try {
      return parse(text);
    } catch (error) {
      throw isMisread(error) ? damage(`${path} is not valid.`, error) : error;
    }
  };
  const loadOrLocate = async () => {
    const text = readText(path);
    try {
      return parse(text);
    } catch (error) {
      throw isMisread(error) ? await damageIn(path, text ?? '', error) : error;
    }
  };
  let initial = empty;
  try {
    initial = await loadOrLocate();
  } catch (error) {
    // A folder or a pipe in its place is none of ours.
    const isFile = !(error instanceof FileError) || error instanceof FileTooLarge;
    const isDamaged = error instanceof CausewayError && error.code === 'invalid_file' && isFile;
    if (!isDamaged || damaged === 'refuse') throw error;
    const aside = join(folder, `${name}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.json`);
    await rename(path, aside).catch((cause: unknown) => {
      throw fileError(path, cause);
    });
  }
  return {
    path,
    initial,
    read: load,
    change: (edit) =>
      withLock(lockFolder, async () => {
        const before = await loadOrLocate();
        const after = edit(before);
        if (after !== before) await write(path, `${JSON.stringify(after, null, 2)}\n`, { mode: 0o600 });
        return after;
      }),
  };
}

function writeOutsideJson(path: string, text: string, options: WriteOptions): Promise<void> {
  return writeOutside(path, text, 'json', options);
}

/** The error for text that is not JSON, or does not match the schema. */
type Misread = SyntaxError | z.ZodError;

function isMisread(error: unknown): error is Misread {
  return error instanceof SyntaxError || error instanceof z.ZodError;
}

/** The error in a file's text, with its place. */
async function damageIn(path: string, text: string, cause: Misread): Promise<CausewayError> {
  const { schemaFault, syntaxFault } = await import('./json-faults.ts');
  const isSyntax = cause instanceof SyntaxError;
  const { what, ...place } = isSyntax ? await syntaxFault(text) : await schemaFault(text, cause);
  const kind = isSyntax ? 'this is not valid JSON: ' : '';
  return damage(`${placeInFile(path, place)}: ${kind}${what}.`, cause);
}

function damage(message: string, cause?: Misread): CausewayError {
  return new CausewayError('invalid_file', message, {
    cause,
    remedy: 'Nothing was changed. Correct the file in a text editor, or rename it to start again without it.',
  });
}

/**
 * The text of a file; undefined if there is none. Some editors put a byte order mark before it.
 * @throws {CausewayError} `invalid_file` if it is not UTF-8, `file_not_writable` if it cannot be read
 */
function readText(path: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readBoundedSync(path, 'own');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw fileError(path, error);
  }
  return utf8Text(path, bytes).replace(/^\uFEFF/, '');
}
