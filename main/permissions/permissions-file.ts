import { type FSWatcher, lstatSync, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { readBytes } from '../platform/bounded-file.ts';
import { CausewayError } from '../platform/errors.ts';
import { codeOf, FileError } from '../platform/file-errors.ts';
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
 * The file with the permissions about what agents may do. It is checked before each decision. If it cannot be read, every tool is
 * refused; if it does not exist, every tool is allowed.
 */
export class PermissionsFile {
  readonly path: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #listeners = new Set<() => void>();
  readonly #value: VersionedValue<Permissions | CausewayError>;
  #stopWatching: (() => void) | undefined;
  /** The version of the file that the listeners know. */
  #toldVersion: string | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
    this.path = join(configFolder(env), 'rules.json');
    this.#value = new VersionedValue<Permissions | CausewayError>({
      version: () => versionOf(this.path),
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

  async #read(): Promise<{ value: Permissions | CausewayError; isFinal: boolean }> {
    try {
      return { value: await this.#load(), isFinal: true };
    } catch (error) {
      if (error instanceof CausewayError && !(error instanceof FileError)) return { value: error, isFinal: true };
      return { value: this.#failed(error), isFinal: false };
    }
  }

  /** The system did not let the file be read. The next attempt may succeed although the file stays the same. */
  #failed(error: unknown): CausewayError {
    if (error instanceof FileError) return unreadablePermissions(this.path, `it ${error.problem}`, error.repair, error);
    const reason = error instanceof Error ? error.message : String(error);
    return unreadablePermissions(this.path, reason, 'Restart Causeway and the AI client.', error);
  }

  async #load(): Promise<Permissions> {
    // The schema library takes longer to load than the file: it is loaded only if there are permissions.
    const [{ parsePermissions }, bytes] = await Promise.all([import('./permissions.ts'), readBytes(this.path, 'own')]);
    if (bytes !== undefined) return parsePermissions(this.path, bytes);
    if (versionOf(this.path) !== DANGLING) return NOTHING;
    const remedy = 'Restore the file or folder that the link points to, or remove the link.';
    throw unreadablePermissions(this.path, 'a symbolic link in its path points to nothing', remedy);
  }

  /** Calls back after each change of the file. Returns the function that ends this. Does not keep the process alive. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (!this.#stopWatching) {
      this.#toldVersion = versionOf(this.path);
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
    const [{ withLock }, { writeWholeFile }] = await Promise.all([
      import('../platform/lock.ts'),
      import('../platform/replace-file.ts'),
    ]);
    return withLock(join(stateFolder(this.#env), 'locks', 'rules'), async () => {
      await this.refresh();
      const before = this.permissions;
      if (before instanceof CausewayError) throw before;
      const after = edit(before);
      if (after !== before) {
        await writeWholeFile(this.path, `${JSON.stringify(after, null, 2)}\n`, { mode: 0o600 });
        await this.#changed();
      }
      return after;
    });
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
  if (!found) return whyMissing(folder);
  return found.isDirectory() ? ABSENT : 'unreadable: ENOTDIR';
}
