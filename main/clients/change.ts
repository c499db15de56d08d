import { isDeepStrictEqual } from 'node:util';
import { CausewayError } from '../platform/errors.ts';
import { ChangedMeanwhile, readBytes, removeFile, removeLeftOver, replaceFile } from '../platform/replace-file.ts';
import type { Settings } from '../platform/settings.ts';
import { type Backup, keepBackup } from './backups.ts';
import type { ClientFacts } from './client.ts';
import { describeText } from './describe-text.ts';
import { type Remnant, splitMark, type Target, unreadable } from './editors/editor.ts';
import { editorOf } from './editors.ts';
import { type Entry, isOurs } from './entry.ts';
import { withFileLock } from './file-lock.ts';
import { layoutIn, targetOf } from './layout.ts';
import type { FileRecord, WrittenRecord } from './record.ts';

/** For how long a change is begun anew because somebody else changed the file meanwhile, in milliseconds. */
const PATIENCE_MS = 10_000;

/** What is to become of one file's entries: an entry, or nothing, by name. */
export type Wanted = Map<string, Entry | undefined>;

/** A text before and after, and what is to be remembered of it. */
export interface Planned {
  before: Buffer | undefined;
  after: string;
  record: FileRecord;
  /** What the person should know about the text, as sentences. */
  warnings: string[];
}

/** Whether a plan comes to anything. */
export function changes({ before, after }: Planned): boolean {
  return (before?.toString('utf8') ?? '') !== after;
}

/** A file's text; empty where there is none. @throws {CausewayError} `invalid_file` */
export function decode(bytes: Buffer | undefined, target: Target): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes ?? Buffer.alloc(0));
  } catch (cause) {
    throw unreadable(target, 'it is not UTF-8 text', undefined, cause);
  }
}

/** Works out what a file becomes. Writes nothing. @throws {CausewayError} `invalid_file`, `file_not_writable` */
export async function plan(
  client: ClientFacts,
  file: string,
  wanted: Wanted,
  known: FileRecord | undefined,
): Promise<Planned> {
  const editor = editorOf(client.format);
  const before = await readBytes(file);
  const record: FileRecord = { ...known, client: client.id, entries: { ...known?.entries } };
  let text = decode(before, targetOf(client, file));
  const target = targetOf(layoutIn(client, file, text), file);
  const older = target.key.length === client.key.length ? undefined : targetOf(client, file);
  let remnant: Remnant | undefined = known?.remnant;
  if (before === undefined) record.created = true;
  for (const [name, entry] of wanted) {
    // What was written before the client moved its entries would come back to life when the newer one goes.
    if (older && isOurs(editor.read(text, older).get(name))) text = editor.remove(text, older, name, undefined);
    if (entry) {
      const present = editor.read(text, target);
      const others = Object.keys(record.entries).some((other) => present.has(other));
      const edited = editor.put(text, target, name, entry);
      if (edited.remnant && !others) remnant = edited.remnant;
      text = edited.text;
      record.entries[name] = entry.fixed;
    } else {
      text = editor.remove(text, target, name, remnant);
      delete record.entries[name];
    }
  }
  if (remnant) record.remnant = remnant;
  const warnings = describeText(splitMark(text), client);
  return { before, after: text, record, warnings };
}

export interface ChangeOptions {
  env: NodeJS.ProcessEnv;
  /** Where Causeway's locks are. */
  locks: string;
  record: Settings<WrittenRecord>;
  now(): number;
}

/** What was done to a file. */
export interface Changed extends Planned {
  written: boolean;
  backup: Backup | undefined;
}

/**
 * Changes a file: under a lock, from a fresh reading, in one step, anew if somebody else changed it meanwhile; the file as
 * it was before our first change is kept.
 * @throws {CausewayError} `invalid_file`, `file_not_writable`, `timeout`, `conflict`
 */
export async function change(
  client: ClientFacts,
  file: string,
  wanted: Wanted,
  { env, locks, record, now }: ChangeOptions,
): Promise<Changed> {
  return withFileLock(file, { locks, folder: client.lock === 'folder' }, async () => {
    await removeLeftOver(file);
    const known = record.read().files[file];
    try {
      const began = performance.now();
      for (let attempt = 1; performance.now() - began < PATIENCE_MS; attempt += 1) {
        const planned = await plan(client, file, wanted, known);
        const written = changes(planned);
        const backup =
          written && !known && attempt === 1
            ? await keepBackup(env, file, client.id, planned.before, now())
            : undefined;
        // Before the file: a process that is killed in between must not leave an entry of which nobody knows what stood there.
        await remember(record, file, { ...planned.record, entries: { ...known?.entries, ...planned.record.entries } });
        if (written && !(await write(file, planned))) continue;
        await remember(record, file, planned.record);
        return { ...planned, written, backup };
      }
      throw neverAtRest(client, file);
    } catch (error) {
      await remember(record, file, known).catch(() => undefined);
      throw error;
    }
  });
}

/** Whether it could be written: not if somebody else changed the file meanwhile. */
async function write(file: string, { before, after, record }: Planned): Promise<boolean> {
  try {
    if (before && after === '' && record.created) await removeFile(file, before);
    else await replaceFile(file, Buffer.from(after), before);
    return true;
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return false;
    throw error;
  }
}

async function remember(record: Settings<WrittenRecord>, file: string, known: FileRecord | undefined): Promise<void> {
  await record.change((now) => {
    const { [file]: present, ...others } = now.files;
    const next = known && Object.keys(known.entries).length > 0 ? known : undefined;
    if (isDeepStrictEqual(present, next)) return now;
    return { files: next ? { ...others, [file]: next } : others };
  });
}

function neverAtRest({ name }: ClientFacts, file: string): CausewayError {
  return new CausewayError(
    'conflict',
    `${file} was changed by somebody else each time that it was about to be written.`,
    {
      remedy: `Nothing was written. Quit ${name} and try again.`,
    },
  );
}
