import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { CausewayError } from '../platform/errors.ts';
import { codeOf, fileError } from '../platform/file-errors.ts';
import { configFolder, stateFolder } from '../platform/paths.ts';
import { type Decision, decide, isWithoutRules, type ToolHints } from './decision.ts';
import type { Rules } from './rules.ts';

/** How long a watched folder is left to settle before the file is looked at, in milliseconds. */
const SETTLE_MS = 50;
/** How often the file is read if its folder cannot be watched, in milliseconds. */
const LOOK_MS = 2_000;

const NOTHING: Rules = { version: 1 };

/** The rules for one server's tools, as they are in the file now. */
export interface ServerRules {
  /** Checks the file. If it has changed, resolves when it has been read; undefined if it has not changed. */
  refresh(): Promise<void> | undefined;
  /** Whether no rule says anything about this server's tools. */
  readonly isEmpty: boolean;
  /** Decides by what was last read. */
  decide(
    tool: string,
    client: string | undefined,
    hints: ToolHints | undefined,
  ): Decision | { do: 'refuse'; why: 'unreadable'; error: CausewayError };
  /** Calls back after each change of the file, until the function that is returned is called. */
  subscribe(listener: () => void): () => void;
}

/**
 * The file with the rules about what agents may do. It is looked at before each decision. One that cannot be read refuses
 * every tool; one that is not there allows every tool.
 */
export class RulesFile {
  readonly path: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #listeners = new Set<() => void>();
  #version: string | undefined;
  #rules: Rules | CausewayError = NOTHING;
  #reading: Promise<void> | undefined;
  #stopWatching: (() => void) | undefined;
  /** The version of the file that the listeners know. */
  #toldVersion: string | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
    this.path = join(configFolder(env), 'rules.json');
  }

  /** What was last read. */
  get rules(): Rules | CausewayError {
    return this.#rules;
  }

  /** As `ServerRules.refresh`. Never rejects. */
  refresh(): Promise<void> | undefined {
    const version = versionOf(this.path);
    if (version === this.#version) return this.#reading;
    this.#version = version;
    if (version === ABSENT) {
      this.#rules = NOTHING;
      this.#reading = undefined;
      return undefined;
    }
    const reading = this.#read(version).finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    this.#reading = reading;
    return reading;
  }

  async #read(version: string): Promise<void> {
    const rules = await this.#load().catch((error: unknown) =>
      error instanceof CausewayError
        ? error
        : new CausewayError('invalid_file', `The rules in ${this.path} cannot be read.`, { cause: error }),
    );
    // A later look has found another version meanwhile.
    if (this.#version === version) this.#rules = rules;
  }

  async #load(): Promise<Rules> {
    // The schema library takes longer to load than the file: it is loaded only if there are rules.
    const [{ parseRules }, { readBytes }] = await Promise.all([
      import('./rules.ts'),
      import('../platform/replace-file.ts'),
    ]);
    try {
      const bytes = await readBytes(this.path);
      return bytes === undefined ? NOTHING : parseRules(this.path, bytes);
    } catch (error) {
      throw fileError(this.path, error, 'Until it can be read, no tool may be called.');
    }
  }

  /** The rules for the server of a `serverKey`. */
  of(server: string): ServerRules {
    const file = this;
    let judged: { rules: Rules | CausewayError; isEmpty: boolean } | undefined;
    return {
      refresh: () => file.refresh(),
      get isEmpty() {
        const rules = file.#rules;
        if (judged?.rules !== rules)
          judged = { rules, isEmpty: !(rules instanceof CausewayError) && isWithoutRules(rules, server) };
        return judged.isEmpty;
      },
      decide: (tool, client, hints) =>
        file.#rules instanceof CausewayError
          ? { do: 'refuse', why: 'unreadable', error: file.#rules }
          : decide(file.#rules, { server, tool, client, hints }),
      subscribe: (listener) => file.subscribe(listener),
    };
  }

  /** Calls back after each change of the file. The process may end meanwhile. */
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
   * Reads, changes and writes the rules, one process at a time. What `edit` gives back unchanged is not written.
   * @throws {CausewayError} `invalid_file` if the rules cannot be read, `file_not_writable`, and whatever `edit` throws
   */
  async change(edit: (now: Rules) => Rules): Promise<Rules> {
    const [{ withLock }, { writeWholeFile }] = await Promise.all([
      import('../platform/lock.ts'),
      import('../platform/replace-file.ts'),
    ]);
    return withLock(join(stateFolder(this.#env), 'locks', 'rules'), async () => {
      await this.refresh();
      const before = this.#rules;
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
        // The folder is not there yet, or no more folders can be watched: the timer looks instead.
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
    if (this.#toldVersion === this.#version) return;
    this.#toldVersion = this.#version;
    for (const listener of this.#listeners) listener();
  }
}

const ABSENT = 'absent';

/** What distinguishes versions of a file. A file that cannot be examined counts as unreadable. */
function versionOf(path: string): string {
  try {
    // Most users have no such file, and an exception for each of their calls would cost more than all other checks.
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (!found) return isBelowFile(path) ? 'unreadable: ENOTDIR' : ABSENT;
    const { dev, ino, size, mtimeNs, ctimeNs } = found;
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return `unreadable: ${codeOf(error)}`;
  }
}

/** Whether what should be a folder above a path is a file. */
function isBelowFile(path: string): boolean {
  const folder = dirname(path);
  const found = statSync(folder, { throwIfNoEntry: false });
  return found ? !found.isDirectory() : folder !== path && isBelowFile(folder);
}
