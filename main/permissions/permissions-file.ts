import { type FSWatcher, lstatSync, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { readBytes } from '../platform/bounded-file.ts';
import { CausewayError } from '../platform/errors.ts';
import { codeOf, FileError } from '../platform/file-errors.ts';
import { noteEvent } from '../platform/noted-events.ts';
import { configFolder, stateFolder } from '../platform/paths.ts';
import { ABSENT, VersionedValue } from '../platform/versioned-value.ts';
import type { Permissions } from './permissions.ts';
import { unreadablePermissions } from './unreadable.ts';

/** How long to wait after a change in the folder before the file is checked, in milliseconds. */
const SETTLE_MS = 50;
/** How often the file is read if its folder cannot be watched, in milliseconds. */
const LOOK_MS = 2_000;

const NOTHING: Permissions = { version: 1 };

/**
 * What stays under the old name. Versions that know only that name would otherwise find no file there, and so allow everything; this
 * they refuse to read, with the member's name as the reason.
 */
const MOVED = Buffer.from('{\n  "version": 1,\n  "moved to permissions.json; restart the AI client": true\n}\n');

/**
 * The file with the permissions about what agents may do. It is checked before each decision. If it cannot be read, every tool is
 * refused; if it does not exist, every tool is allowed. Until it is moved, a file under the old name, `rules.json`, counts as well.
 */
export class PermissionsFile {
  readonly path: string;
  readonly #oldPath: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #listeners = new Set<() => void>();
  readonly #value: VersionedValue<Permissions | CausewayError>;
  #stopWatching: (() => void) | undefined;
  /** Whether the last check has found a file. */
  #wasThere = false;
  /** Whether a file has gone with its folder. Whoever removes the permissions removes the file; its folder goes with a disk. */
  #isLost = false;
  /** The version of the file that the listeners know. */
  #toldVersion: string | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
    this.path = join(configFolder(env), 'permissions.json');
    this.#oldPath = join(configFolder(env), 'rules.json');
    this.#value = new VersionedValue<Permissions | CausewayError>({
      version: () => this.#version(),
      absent: NOTHING,
      read: () => this.#read(),
    });
  }

  /** What was last read. */
  get permissions(): Permissions | CausewayError {
    return this.#value.current ?? NOTHING;
  }

  /** Checks the file. If it has changed, resolves when it has been read; undefined if it has not changed. Never rejects. */
  refresh(): Promise<void> | undefined {
    return this.#value.refresh();
  }

  #version(): string {
    const found = versionOf(this.path);
    const old = isThere(this.#oldPath) ? versionOf(this.#oldPath) : undefined;
    const isMissing = old === undefined && (found === ABSENT || found === WITHOUT_FOLDER);
    this.#isLost = isMissing && (this.#isLost || (this.#wasThere && found === WITHOUT_FOLDER));
    this.#wasThere = !isMissing;
    if (this.#isLost) return LOST;
    const version = found === WITHOUT_FOLDER ? ABSENT : found;
    return old === undefined ? version : `${version} ${old}`;
  }

  async #read(): Promise<{ value: Permissions | CausewayError; isFinal: boolean }> {
    try {
      return { value: await this.#load(), isFinal: true };
    } catch (error) {
      // Where the system did not let it be read, the next attempt may succeed although the file stays the same.
      if (error instanceof CausewayError) return { value: error, isFinal: !(error.cause instanceof FileError) };
      const reason = error instanceof Error ? error.message : String(error);
      const remedy = 'Restart Causeway and the AI client.';
      return { value: unreadablePermissions(this.path, reason, remedy, error), isFinal: false };
    }
  }

  async #load(): Promise<Permissions> {
    if (this.#isLost) {
      const remedy = 'Connect the disk that it is on, or restore it. To begin without it, restart Causeway.';
      throw unreadablePermissions(this.path, 'its folder is gone', remedy);
    }
    const { old, bytes } = await this.#bytes();
    // The schema library takes longer to load than the file: it is loaded only if there are permissions.
    const { parsePermissions } = await import('./permissions.ts');
    if (old && bytes && !old.equals(bytes)) {
      const reason = `different permissions are in ${this.#oldPath}, its old name`;
      throw unreadablePermissions(this.path, reason, 'Delete the file that you do not want.');
    }
    if (bytes) return parsePermissions(this.path, bytes);
    return old ? parsePermissions(this.#oldPath, old) : NOTHING;
  }

  /** What is in the file, and under the old name. In this order: whoever moves it writes the new file first. */
  async #bytes(): Promise<{ old: Buffer | undefined; bytes: Buffer | undefined }> {
    const old = isThere(this.#oldPath) ? await bytesOf(this.#oldPath) : undefined;
    return { old: old?.equals(MOVED) ? undefined : old, bytes: await bytesOf(this.path) };
  }

  /** Calls back after each change of the file. Returns the function that ends this. Does not keep the process alive. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (!this.#stopWatching) {
      this.#toldVersion = this.#version();
      this.#stopWatching = this.#watch();
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stopWatching?.();
      this.#stopWatching = undefined;
    };
  }

  /**
   * Reads, changes and writes the permissions, one process at a time. If `edit` returns the same object, nothing is written.
   * @throws {CausewayError} `invalid_file` if the permissions cannot be read, `file_not_writable`, and whatever `edit` throws
   */
  async change(edit: (now: Permissions) => Permissions): Promise<Permissions> {
    return this.#locked(async (before) => {
      const after = edit(before);
      if (after === before) return after;
      const { writeWholeFile } = await import('../platform/replace-file.ts');
      await this.#move();
      await writeWholeFile(this.path, `${JSON.stringify(after, null, 2)}\n`, { mode: 0o600 });
      await this.#changed();
      noteEvent(this.#env, 'permission-change', { what: after.history?.at(-1)?.what ?? null });
      return after;
    });
  }

  /**
   * Gives a file under the old name its new one. Until that works, it goes on being read where it is.
   * @throws {CausewayError} as `change`
   */
  async move(): Promise<void> {
    if (isThere(this.#oldPath)) await this.#locked(() => this.#move());
  }

  async #locked<T>(work: (now: Permissions) => Promise<T>): Promise<T> {
    const { withLock } = await import('../platform/lock.ts');
    // Versions that know only the old name of the file take this lock too.
    return withLock(join(stateFolder(this.#env), 'locks', 'rules'), async () => {
      await this.refresh();
      if (this.permissions instanceof CausewayError) throw this.permissions;
      return work(this.permissions);
    });
  }

  /** A process that ends between the two writes leaves two files of the same content, which the next one moves. */
  async #move(): Promise<void> {
    const { old, bytes } = await this.#bytes();
    if (!old) return;
    const { writeWholeFile } = await import('../platform/replace-file.ts');
    if (!bytes) await writeWholeFile(this.path, old, { mode: 0o600 });
    await writeWholeFile(this.#oldPath, MOVED, { mode: 0o600 });
  }

  #watch(): () => void {
    let settling: NodeJS.Timeout | undefined;
    const look = () => {
      settling ??= setTimeout(() => {
        settling = undefined;
        void this.#changed();
      }, SETTLE_MS);
      settling.unref();
    };
    let watcher: FSWatcher | undefined;
    const open = () => {
      try {
        watcher = watch(configFolder(this.#env), { persistent: false }, look);
        watcher.on('error', () => {
          watcher?.close();
          watcher = undefined;
        });
      } catch {
        // The folder does not exist yet, or the limit of watched folders is reached: the timer checks instead.
        watcher = undefined;
      }
    };
    open();
    const timer = setInterval(() => {
      if (watcher) return;
      open();
      look();
    }, LOOK_MS);
    timer.unref();
    return () => {
      clearInterval(timer);
      clearTimeout(settling);
      watcher?.close();
    };
  }

  /** Notifies the listeners if the file differs from the one that was last reported. */
  async #changed(): Promise<void> {
    await this.refresh();
    if (this.#toldVersion === this.#value.version) return;
    this.#toldVersion = this.#value.version;
    for (const listener of this.#listeners) listener();
  }
}

const DANGLING = 'unreadable: a link to nothing';
/** There is no file, and no folder either. */
const WITHOUT_FOLDER = 'absent with its folder';
/** There was a file, and its folder is gone. */
const LOST = 'unreadable: its folder is gone';

/** The bytes of a file; undefined if there is none. @throws {CausewayError} `invalid_file` */
async function bytesOf(path: string): Promise<Buffer | undefined> {
  const bytes = await readBytes(path, 'own').catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error;
    throw unreadablePermissions(path, `it ${error.problem}`, error.repair, error);
  });
  if (bytes !== undefined || versionOf(path) !== DANGLING) return bytes;
  const remedy = 'Restore the file or folder that the link points to, or remove the link.';
  throw unreadablePermissions(path, 'a symbolic link in its path points to nothing', remedy);
}

/** Whether anything has this name. Why that cannot be known is found at the file beside it. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** A text that differs for each version of a file. A file that cannot be examined counts as unreadable. */
function versionOf(path: string): string {
  try {
    // Most users have no such file, and an exception for each of their calls would cost more than all other checks.
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (!found) return whyMissing(path);
    const { dev, ino, size, mtimeNs, ctimeNs } = found;
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return `unreadable: ${codeOf(error)}`;
  }
}

/** Why there is no file: it was never created, a link points to nothing, or a part of its path is not a folder. */
function whyMissing(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false })) return DANGLING;
  const folder = dirname(path);
  if (folder === path) return ABSENT;
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) {
    const why = whyMissing(folder);
    return why === ABSENT ? WITHOUT_FOLDER : why;
  }
  return found.isDirectory() ? ABSENT : 'unreadable: ENOTDIR';
}
