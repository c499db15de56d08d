import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type Conf from 'conf';
import type { Options } from 'conf';
import { z } from 'zod';
import { type CallFilter, callFilter } from '../../../preload/contract/activity.ts';
import { firstRun } from '../../../preload/contract/first-run.ts';
import { type Settings, type SettingsChange, someSettings } from '../../../preload/contract/settings.ts';
import type { FirstRunState, Problem } from '../../../preload/contract.ts';
import { checkChange, effectiveSettings } from '../../app/settings.ts';
import { systemPolicy } from '../../permissions/policy/system-policy.ts';
import { readBoundedSync } from '../../platform/bounded-file.ts';
import { CausewayError } from '../../platform/errors.ts';
import { configFolder, SETTINGS_NAME } from '../../platform/paths.ts';
import { writeWholeFileSync } from '../../platform/replace-file.ts';
import { type Bounds, boundsSchema } from '../window/window-bounds.ts';

/** What the application remembers itself. An invalid value is dropped: no user chose it. */
const remembered = {
  profile: z.string().optional().catch(undefined),
  /** Null once the first run is over. */
  firstRun: firstRun.nullable().optional().catch(undefined),
  windowBounds: boundsSchema.optional().catch(undefined),
  callFilter: callFilter.optional().catch(undefined),
  /** What the user was notified of. */
  told: z.array(z.string()).optional().catch(undefined),
};

/** What a newer version has stored stays in the file. */
const storedSchema = z.looseObject({ ...someSettings.shape, ...remembered });
type Stored = z.output<typeof storedSchema>;

type Remembered = Pick<Partial<Stored>, keyof typeof remembered>;

type StoreOptions = Pick<Options<Record<string, unknown>>, 'accessPropertiesByDotNotation' | 'clearInvalidConfig'> & {
  cwd: string;
};

/**
 * The store, for reading only: its own write takes a file that a full disk has truncated for a complete one. For the same
 * reason it has no migrations, which it would write itself.
 */
type StoreFile = Readonly<Pick<Conf<Record<string, unknown>>, 'store' | 'path'>>;

export interface SettingsStoreOptions {
  env: NodeJS.ProcessEnv;
  /** `electron-store` in the application, the `conf` that it extends in plain Node. */
  openFile(name: string, options: StoreOptions): StoreFile;
  /** Where versions before 0.1.0 kept the open profile and the window's place. */
  oldFile?: string;
  now?: () => Date;
}

/**
 * The user's settings and what the application remembers. A damaged file is renamed, and the defaults are used; if the
 * folder is not writable, settings last for this run.
 */
export class SettingsStore {
  /** The file's path. */
  readonly path: string;
  /** Why the settings of the file are not used; null if they are. */
  readonly problem: Problem | null;
  readonly #file: StoreFile | undefined;
  readonly #listeners = new Set<(now: Settings, before: Settings) => void>();
  #stored: Stored;

  constructor(options: SettingsStoreOptions) {
    this.path = join(configFolder(options.env), `${SETTINGS_NAME}.json`);
    const opened = open(options, this.path);
    this.#file = opened.file;
    this.#stored = opened.stored;
    this.problem = opened.problem;
  }

  get current(): Settings {
    return effectiveSettings(this.#stored, systemPolicy().current);
  }

  /** What the settings would be after a change. */
  after({ set, reset }: SettingsChange): Settings {
    const names: readonly string[] = reset;
    const kept = Object.entries(this.#stored).filter(([name]) => !names.includes(name));
    return effectiveSettings({ ...Object.fromEntries(kept), ...set }, systemPolicy().current);
  }

  get profile(): string | undefined {
    return this.#stored.profile;
  }

  /** The first run where the user left it, null once it is over; undefined if there was none yet. */
  get firstRun(): FirstRunState | null | undefined {
    return this.#stored.firstRun;
  }

  get callFilter(): CallFilter | undefined {
    return this.#stored.callFilter;
  }

  /** The keys of notifications that were shown and are not resolved. */
  get notified(): readonly string[] | undefined {
    return this.#stored.told;
  }

  get windowBounds(): Bounds | undefined {
    return this.#stored.windowBounds;
  }

  /** @returns a function that ends the subscription */
  onChange(listener: (now: Settings, before: Settings) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Stores a change; the listeners apply it.
   * @param reset the settings that are to be as if the user had chosen nothing
   * @throws {CausewayError} `file_not_writable`, `managed`
   */
  change(set: Partial<Settings>, reset: (keyof Settings)[] = []): void {
    const before = this.current;
    checkChange({ set, reset }, before, systemPolicy().current);
    this.#store({ ...Object.fromEntries(reset.map((name) => [name, undefined])), ...set });
    for (const listener of this.#listeners) listener(this.current, before);
  }

  /** Has the listeners show the settings again. */
  refresh(): void {
    for (const listener of this.#listeners) listener(this.current, this.current);
  }

  /** Stores what the application remembers. If that fails, it is lost at the end of this run. */
  remember(change: Remembered): void {
    if (change.profile !== undefined && change.profile === this.profile) return;
    try {
      this.#store(change);
    } catch (error) {
      console.warn('Window state could not be stored:', error);
    }
  }

  #store(change: { [Name in keyof Stored]?: Stored[Name] | undefined }): void {
    const all = Object.entries({ ...this.#stored, ...change });
    const next = storedSchema.parse(Object.fromEntries(all.filter(([, value]) => value !== undefined)));
    try {
      if (!this.#file) throw new Error('There is no settings file.');
      write(this.#file.path, next);
    } catch (cause) {
      const why = cause instanceof CausewayError ? cause : undefined;
      throw new CausewayError(
        'file_not_writable',
        `The settings could not be saved${why ? `: ${why.message}` : ` in ${this.path}.`}`,
        {
          cause,
          remedy: why?.remedy ?? 'Check that you can read and write this file, then restart Causeway.',
        },
      );
    }
    this.#stored = next;
  }
}

function open(options: SettingsStoreOptions, path: string) {
  const openFile = () => {
    const file = options.openFile(SETTINGS_NAME, {
      cwd: configFolder(options.env),
      accessPropertiesByDotNotation: false,
      clearInvalidConfig: false,
    });
    return { file, stored: storedSchema.parse(file.store), problem: null };
  };
  const empty = storedSchema.parse({});
  try {
    importOldFile(options.oldFile, path);
    return openFile();
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) {
      console.error('The settings cannot be used:', error);
      return { file: undefined, stored: empty, problem: unusable(path) };
    }
  }
  const aside = path.replace(
    /\.json$/,
    `.damaged-${(options.now?.() ?? new Date()).toISOString().replaceAll(/[:.]/g, '-')}.json`,
  );
  try {
    renameSync(path, aside);
    return { ...openFile(), problem: damaged(aside) };
  } catch (error) {
    console.error('The damaged settings cannot be set aside:', error);
    return { file: undefined, stored: empty, problem: unusable(path) };
  }
}

function write(path: string, stored: Stored): void {
  writeWholeFileSync(path, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
}

/** Imports what versions before 0.1.0 remembered, once: only if there is no settings file yet. */
function importOldFile(oldFile: string | undefined, path: string): void {
  if (oldFile === undefined || !existsSync(oldFile) || existsSync(path)) return;
  const old = z.object(remembered).safeParse(contentOf(oldFile));
  if (old.success) write(path, old.data);
}

function contentOf(file: string): unknown {
  try {
    return JSON.parse(readBoundedSync(file, 'own').toString('utf8'));
  } catch {
    // What cannot be read was only remembered, not chosen.
    return {};
  }
}

function damaged(aside: string): Problem {
  return {
    code: 'invalid_file',
    message: 'The settings file was damaged. Causeway uses the default settings.',
    remedy: `Choose your settings again below. The damaged file is now ${aside}. You can delete it.`,
  };
}

function unusable(path: string): Problem {
  return {
    code: 'file_not_writable',
    message: `The settings in ${path} cannot be read or changed. Causeway uses the default settings.`,
    remedy: 'Check that it is a file you can read and write, then restart Causeway.',
  };
}
