import { setTimeout as sleep } from 'node:timers/promises';
import { currentVersion, type FileKind, findVersion, readBytes } from '../platform/bounded-file.ts';
import { CausewayError } from '../platform/errors.ts';
import { propertyListAsJson } from '../platform/property-list.ts';
import { ChangedMeanwhile, removeFile, replaceFile } from '../platform/replace-file.ts';
import { type Backup, type BackupOptions, backedUpBytes, keepBackup, readBackup } from './backups.ts';
import type { ClientFacts, ManagedFile } from './client.ts';
import type { LocatedFile } from './detect.ts';
import { differenceOf } from './difference.ts';
import { excerptOf, holdEntriesSize } from './editors/excerpt.ts';
import { editorOf, editTarget, hasNewerLayout, laidOut } from './editors.ts';
import { NOTHING, type Plan, type PlanOptions, plan, type Wanted } from './plan.ts';
import { identityOf } from './record.ts';

/** A client's file, as it is found. */
export type ClientFile = Pick<LocatedFile, 'path' | 'project'>;

/** What a client's file says about its servers. */
export interface FileContent {
  exists: boolean;
  entries: Map<string, unknown>;
  /** Whether they stand where newer versions of the client keep them. */
  hasNewerLayout: boolean;
}

/** What an administrator's file says about a client's servers. */
export interface ManagedContent {
  /** What stands under the file's key; left out if it has no such key. */
  servers?: Map<string, unknown>;
  /** What stands under the names of lists of servers. */
  values: Map<string, unknown>;
}

/** What putting a backup back does, or would do. */
export interface PutBack {
  isSame: boolean;
  /** The difference, as a unified diff. */
  diff?: string;
  /** The backup of what was there. */
  kept?: Backup;
}

/**
 * All that is done with the content of clients' files, which may be large or hostile: no other module sees their bytes. What goes in
 * and comes out is small and plain data, so that a thread of its own can do it (`files-thread.ts`).
 */
export interface ClientFiles {
  /** Reads a client's entries. @throws {CausewayError} `invalid_file`, `file_not_writable` */
  read(client: ClientFacts, file: ClientFile): Promise<FileContent>;
  /**
   * Reads a file by which an administrator decides about a client's servers; undefined if there is none. What is not valid in the
   * user's own file is as good as not there: the client reports it.
   * @throws {CausewayError} `invalid_file`, `file_not_writable`
   */
  readManaged(file: ManagedFile): Promise<ManagedContent | undefined>;
  /**
   * Plans a change of a file, and writes nothing. With `keeps`, the file's content stays at hand for `backUp` and `write`.
   * @throws {CausewayError} `invalid_file`, `conflict`, `file_not_writable`
   */
  plan(client: ClientFacts, file: ClientFile, wanted: Wanted, options: FilePlanOptions): Promise<Plan>;
  /** Keeps the content that the last plan began with. @throws {CausewayError} `file_not_writable` */
  backUp(client: ClientFacts, file: ClientFile, options: BackupOptions): Promise<Backup>;
  /**
   * Writes what was last planned, or removes the file if nothing is left in it. Returns false if another process has changed it
   * since. @throws {CausewayError} `file_not_writable`, `invalid_file`
   */
  write(file: ClientFile, removes: boolean): Promise<boolean>;
  /** Forgets what was planned for a file. */
  forget(file: ClientFile): Promise<void>;
  /**
   * Puts a backup in a file's place, after keeping what is there.
   * @throws {CausewayError} `not_found`, `file_not_writable`, `invalid_file`
   */
  putBack(id: string, options: BackupOptions & { dryRun: boolean }): Promise<PutBack>;
}

export interface FilePlanOptions extends Omit<PlanOptions, 'project'> {
  keeps?: boolean;
}

/** How often a file that is not valid is read again, because its program may just be writing it, and the pause in milliseconds. */
const MORE_READINGS = 4;
const READING_PAUSE_MS = 50;

interface Kept {
  before: Buffer | undefined;
  after: Buffer;
}

/** The same in this thread. */
export class LocalFiles implements ClientFiles {
  readonly #kept = new Map<string, Kept>();

  read(client: ClientFacts, file: ClientFile): Promise<FileContent> {
    return reading(file, (bytes) => contentOf(client, file.path, bytes));
  }

  async readManaged(file: ManagedFile): Promise<ManagedContent | undefined> {
    const bytes = await readBytes(file.path, 'managed');
    if (bytes === undefined) return undefined;
    return managedContent(file, (file.isPropertyList ? await propertyListAsJson(file.path) : bytes).toString('utf8'));
  }

  plan(client: ClientFacts, file: ClientFile, wanted: Wanted, { keeps, ...options }: FilePlanOptions): Promise<Plan> {
    return reading(file, (before) => {
      const { after, ...planned } = plan(client, file.path, before, wanted, { ...options, project: file.project });
      if (keeps) this.#kept.set(file.path, { before, after });
      return planned;
    });
  }

  async backUp({ id }: ClientFacts, { path }: ClientFile, options: BackupOptions): Promise<Backup> {
    return keepBackup(path, id, this.#keptOf(path).before, options);
  }

  async write({ path, project }: ClientFile, removes: boolean): Promise<boolean> {
    const { before, after } = this.#keptOf(path);
    const kind = kindOf({ project });
    try {
      // Removes the target of a link, not the link: that was there before us.
      if (before && removes) await removeFile(await identityOf(path), before, kind);
      else await replaceFile(path, after, before, { kind });
      return true;
    } catch (error) {
      if (error instanceof ChangedMeanwhile) return false;
      throw error;
    }
  }

  async forget({ path }: ClientFile): Promise<void> {
    this.#kept.delete(path);
  }

  async putBack(id: string, { dryRun, ...options }: BackupOptions & { dryRun: boolean }): Promise<PutBack> {
    const { env } = options;
    const { backup } = await readBackup(env, id);
    const { file } = backup;
    const bytes = await backedUpBytes(env, backup);
    const present = await readBytes(file, 'client');
    const isSame = present === undefined ? bytes === undefined : bytes?.equals(present) === true;
    if (isSame) return { isSame };
    const diff = differenceOf(file, present ?? NOTHING, bytes ?? NOTHING);
    if (dryRun) return { isSame, diff };
    const kept = await keepBackup(file, backup.client, present, options);
    if (bytes) await replaceFile(file, bytes, present, { kind: 'client' });
    else if (present) await removeFile(file, present, 'client');
    return { isSame, diff, kept };
  }

  #keptOf(path: string): Kept {
    const kept = this.#kept.get(path);
    if (kept) return kept;
    throw new CausewayError('internal', `No change of ${path} was planned.`);
  }
}

/** A client's entries in its file's content. @throws {CausewayError} `invalid_file` */
function contentOf(client: ClientFacts, path: string, bytes: Buffer | undefined): FileContent {
  const excerpt = excerptOf(client, bytes ?? NOTHING, editTarget(client, path));
  const isNewer = hasNewerLayout(client, path, excerpt);
  const target = editTarget(laidOut(client, isNewer), path, excerpt);
  const entries = editorOf(client.format).read(excerpt.text, target);
  holdEntriesSize(entries, target);
  return { exists: bytes !== undefined, entries, hasNewerLayout: isNewer };
}

/** The names under which Claude Code's settings list servers, and how they count. */
const LISTS = ['allowedMcpServers', 'deniedMcpServers', 'allowManagedMcpServersOnly'];

function managedContent({ path, format, key, decides, isOwn }: ManagedFile, fileText: string): ManagedContent {
  // That it is there decides.
  if (decides === 'all') return { values: new Map() };
  const text = fileText.trim() === '' && format === 'json' ? '{}' : fileText;
  const read = (...keys: string[]) => editorOf(format).read(text, { file: path, key: keys });
  try {
    const all = read();
    const values = new Map([...all].filter(([name]) => LISTS.includes(name)));
    if (isOwn || !all.has(key)) return { values };
    return { servers: read(key), values };
  } catch (error) {
    if (isOwn) return { values: new Map() };
    throw error;
  }
}

function kindOf({ project }: Pick<ClientFile, 'project'>): FileKind {
  return project === undefined ? 'client' : 'project';
}

/** Works on a file's bytes. One that its program is just writing in place may look damaged, and is read again. */
async function reading<T>(file: ClientFile, work: (bytes: Buffer | undefined) => T): Promise<T> {
  for (let more = MORE_READINGS; ; more -= 1) {
    const found = await findVersion(file.path, kindOf(file));
    try {
      return work(found?.bytes);
    } catch (error) {
      const isDamaged = error instanceof CausewayError && error.code === 'invalid_file';
      if (!isDamaged || more === 0) throw error;
      await sleep(READING_PAUSE_MS);
      if (currentVersion(file.path) === found?.version) throw error;
    }
  }
}
