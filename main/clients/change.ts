import { CausewayError } from '../platform/errors.ts';
import { ownMember } from '../platform/own-member.ts';
import { ChangedMeanwhile, readBytes, removeFile, removeLeftOver, replaceFile } from '../platform/replace-file.ts';
import type { SettingsFile } from '../platform/settings.ts';
import { type Backup, keepBackup, readBackup } from './backups.ts';
import type { ClientFacts } from './client.ts';
import { differenceOf } from './difference.ts';
import type { UndoHint } from './editors/editor.ts';
import { excerptOf, type JsonOddities } from './editors/excerpt.ts';
import { editorOf, editTarget, layoutIn } from './editors.ts';
import { type Entry, isOurs } from './entry.ts';
import { withFileLock } from './file-lock.ts';
import {
  type FileRecord,
  identityOf,
  knownOf,
  recordedFile,
  remember,
  type WrittenRecord,
  writtenAs,
} from './record.ts';
import { checkStarts, correctionOf } from './server-entry.ts';

/** How long a change is retried while another process changes the file. */
const RETRY_TIMEOUT_MS = 10_000;

/** The wanted state of one file's entries by name. An undefined entry is to be removed. */
export type Wanted = Map<string, Entry | undefined>;

/** A file's bytes before and after a change, and what to remember about it. */
export interface Planned {
  before: Buffer | undefined;
  after: Buffer;
  record: FileRecord;
  /** Names of entries that are not ours and were left alone. */
  inUse: string[];
  /** Whether an entry that is not ours is replaced. */
  replaces: boolean;
  /** What the user should know about the text, as sentences. */
  warnings: string[];
}

/** The content of a file that is not there. */
export const NOTHING = Buffer.alloc(0);

/** Whether a plan changes the file. */
export function changes({ before = NOTHING, after }: Planned): boolean {
  return !before.equals(after);
}

export interface PlanOptions {
  known: FileRecord | undefined;
  /** Replaces an entry of the same name that is not ours. */
  replace?: boolean | undefined;
  /** The folder of the project whose file it is. */
  project?: string | undefined;
}

/**
 * Plans the new content of a file. The text and the record together decide who owns an entry. Writes nothing.
 * @param before what the file holds
 * @throws {CausewayError} `invalid_file`, `conflict`
 */
export function plan(
  client: ClientFacts,
  file: string,
  before: Buffer | undefined,
  wanted: Wanted,
  options: PlanOptions,
): Planned {
  const { known, replace = false, project } = options;
  const editor = editorOf(client.format);
  const record: FileRecord = {
    ...known,
    client: client.id,
    path: file,
    ...(project === undefined ? {} : { project }),
    entries: { ...known?.entries },
    initial: { ...known?.initial },
    ...(known?.meta ? { meta: { ...known.meta } } : {}),
  };
  delete record.previous;
  const excerpt = excerptOf(client, before ?? NOTHING, editTarget(client, file));
  let { text } = excerpt;
  const target = editTarget(layoutIn(client, file, excerpt), file, excerpt);
  const older = target.key.length === client.key.length ? undefined : editTarget(client, file, excerpt);
  let undoHint: UndoHint | undefined = known?.remnant;
  const inUse: string[] = [];
  let replaces = false;
  if (before === undefined) record.created = true;
  for (const [name, entry] of wanted) {
    const written = writtenAs(known, name);
    // Otherwise, an entry from before the client moved its entries would take effect again when the newer one is removed.
    if (older && isOurs(editor.read(text, older).get(name), written))
      text = editor.remove(text, older, name, undefined);
    const entries = editor.read(text, target);
    const present = entries.get(name);
    const others = Object.keys(record.entries).some((other) => entries.has(other));
    const mine = present !== undefined && isOurs(present, written);
    const began = ownMember(record.initial, name);
    delete record.entries[name];
    delete record.initial?.[name];
    delete record.meta?.[name];
    if (!entry) {
      if (mine) text = editor.remove(text, target, name, undoHint);
      continue;
    }
    if (present !== undefined && !mine && !replace) {
      inUse.push(name);
      continue;
    }
    if (present !== undefined && !mine) {
      text = editor.remove(text, target, name, undefined);
      replaces = true;
    }
    const correction = mine ? correctionOf(client, entry, name, present, known) : entry;
    if (mine) checkStarts(client, file, name, present, correction);
    const edited = editor.put(text, target, name, correction);
    if (edited.undoHint && !others) undoHint = edited.undoHint;
    text = edited.text;
    record.entries[name] = entry.fixed;
    if (entry.meta) record.meta = { ...record.meta, [name]: entry.meta };
    if (record.initial) record.initial[name] = { ...(mine ? began : {}), ...entry.initial };
  }
  if (undoHint) record.remnant = undoHint;
  const { bytes: after, oddities } = excerpt.restore(text, new Set(wanted.keys()));
  return { before, after, record, inUse, replaces, warnings: describeOddities(oddities, client) };
}

export interface ChangeOptions extends Omit<PlanOptions, 'known'> {
  env: NodeJS.ProcessEnv;
  /** Where Causeway's locks are. */
  locks: string;
  record: SettingsFile<WrittenRecord>;
  now(): number;
}

/** What was done to a file. */
export interface Changed extends Planned {
  written: boolean;
  backup: Backup | undefined;
  /** The whole record after it. */
  remembered: WrittenRecord;
}

/**
 * Changes a file: under a lock, from a fresh reading, in one step, retried if another process changed it meanwhile; the file as
 * it was before our first change, and before an entry that is not ours was replaced, is kept.
 * @throws {CausewayError} `invalid_file`, `file_not_writable`, `timeout`, `conflict`
 */
export async function change(
  client: ClientFacts,
  file: string,
  wanted: Wanted,
  { env, locks, record, now, ...planning }: ChangeOptions,
): Promise<Changed> {
  return withFileLock(file, { locks, folder: client.lock === 'folder' }, async () => {
    await removeLeftOver(file);
    const recorded = await recordedFile(client, file);
    const known = knownOf(record.read(), recorded, client);
    try {
      const began = performance.now();
      for (let attempt = 1; performance.now() - began < RETRY_TIMEOUT_MS; attempt += 1) {
        const planned = plan(client, file, await readBytes(file), wanted, { ...planning, known });
        const written = changes(planned);
        const keeps = written && (!known || planned.replaces) && attempt === 1;
        const backup = keeps ? await keepBackup(env, file, client.id, planned.before, now(), known) : undefined;
        // The record is written before the file: a process killed in between must not leave an entry of unknown ownership.
        const entries = { ...known?.entries, ...planned.record.entries };
        if (written) await remember(record, recorded, { ...planned.record, entries, previous: known?.entries });
        if (written && !(await write(file, planned))) continue;
        return { ...planned, written, backup, remembered: await remember(record, recorded, planned.record) };
      }
      throw neverAtRest(client, file);
    } catch (error) {
      await remember(record, recorded, known).catch(() => undefined);
      throw error;
    }
  });
}

/** Writes the file. Returns false if another process has changed it meanwhile. */
async function write(file: string, { before, after, record }: Planned): Promise<boolean> {
  try {
    // Removes the target of a link, not the link: that was there before us.
    if (before && after.length === 0 && record.created) await removeFile(await identityOf(file), before);
    else await replaceFile(file, after, before);
    return true;
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return false;
    throw error;
  }
}

function neverAtRest({ name }: ClientFacts, file: string): CausewayError {
  return new CausewayError('conflict', `Another program keeps changing ${file}.`, {
    remedy: `Nothing was written. Quit ${name}, then try again.`,
  });
}

/** What a JSON text contains that the client's own parser refuses, as sentences. It is not changed. */
function describeOddities(oddities: JsonOddities | undefined, { accepts, name }: ClientFacts): string[] {
  if (!accepts || !oddities) return [];
  const found: [boolean, boolean, string][] = [
    [oddities.byteOrderMark, accepts.byteOrderMark, 'a byte order mark'],
    [oddities.comments, accepts.comments, 'comments'],
    [oddities.trailingCommas, accepts.trailingCommas, 'a comma after the last item'],
  ];
  return found.flatMap(([present, accepted, what]) =>
    present && !accepted ? [`The file has ${what}. ${name} does not accept that and may ignore the whole file.`] : [],
  );
}

/** The result of restoring a backup. */
export interface Restored {
  file: string;
  result: 'restored' | 'unchanged' | 'would restore';
  /** The backup of the file's previous content. */
  kept: string | undefined;
  /** The difference, as a unified diff; left out if there is none. */
  diff?: string;
}

export interface RestoreOptions {
  env: NodeJS.ProcessEnv;
  clients: readonly ClientFacts[];
  locks: string;
  record: SettingsFile<WrittenRecord>;
  now(): number;
  dryRun: boolean;
}

/**
 * Restores a backup; the current content is kept as another backup.
 * @throws {CausewayError} `not_found`, `file_not_writable`, `invalid_file`, `timeout`
 */
export async function restoreBackup(id: string, options: RestoreOptions): Promise<Restored> {
  const { env, clients, locks, record, now, dryRun } = options;
  const { backup, bytes, record: then } = await readBackup(env, id);
  const { file } = backup;
  const client = clients.find((one) => one.id === backup.client);
  const look = async () => {
    const present = await readBytes(file);
    const same = present === undefined ? bytes === undefined : bytes?.equals(present) === true;
    return { present, same, ...(same ? {} : { diff: differenceOf(file, present ?? NOTHING, bytes ?? NOTHING) }) };
  };
  if (dryRun) {
    const { same, present: _, ...rest } = await look();
    return { file, kept: undefined, ...rest, result: same ? 'unchanged' : 'would restore' };
  }
  return withFileLock(file, { locks, folder: client?.lock === 'folder' }, async () => {
    const { same, present, ...rest } = await look();
    const recorded = client && (await recordedFile(client, file));
    const known = client && recorded && knownOf(record.read(), recorded, client);
    const kept = same ? undefined : await keepBackup(env, file, backup.client, present, now(), known);
    if (bytes && !same) await replaceFile(file, bytes, present);
    else if (!bytes && present) await removeFile(file, present);
    if (recorded) await remember(record, recorded, then);
    return { file, kept: kept?.id, ...rest, result: same ? 'unchanged' : 'restored' };
  });
}
