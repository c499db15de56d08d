import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readBytes } from '../../platform/bounded-file.ts';
import { CausewayError } from '../../platform/errors.ts';
import { continueGrowingFile, type GrowingFile, startGrowingFile } from '../../platform/growing-file.ts';
import { stateFolder } from '../../platform/paths.ts';
import { makeFolder } from '../../platform/replace-file.ts';
import { utf8Text } from '../../platform/utf8.ts';
import { type Journal, type JournalHead, type JournalRun, journalLine, readJournal, runLines } from './journal.ts';
import type { PlannedChange } from './plan.ts';

/** How many journals are kept: the newest. */
const KEPT = 30;
const EXTENSION = '.jsonl';
/** How many changes are announced at a time, each time with one write that outlasts a power cut. */
const ANNOUNCED = 50;

/** The folder of the journals. Only its owner can read it. */
export function journalFolder(env: NodeJS.ProcessEnv): string {
  return join(stateFolder(env), 'override-journals');
}

const pathOf = (env: NodeJS.ProcessEnv, id: string) => join(journalFolder(env), `${id}${EXTENSION}`);

/** The ids of all journals, the newest first. */
export async function journalIds(env: NodeJS.ProcessEnv): Promise<string[]> {
  const names = await readdir(journalFolder(env)).catch(() => []);
  const ids = names.filter((name) => name.endsWith(EXTENSION)).map((name) => name.slice(0, -EXTENSION.length));
  return ids.sort().reverse();
}

/**
 * The journal that a text means: its id, the path of its file, or `last` for the newest that undoes no other. An undo that was
 * stopped is thereby continued, not undone.
 * @throws {CausewayError} `not_found`, and `invalid_file` with the line
 */
export async function openJournal(env: NodeJS.ProcessEnv, text: string): Promise<Journal> {
  if (text === 'last') return lastJournal(env);
  const isPath = /[/\\]|\.jsonl$/.test(text);
  const path = isPath ? text : pathOf(env, text);
  const bytes = await readBytes(path, 'given');
  if (bytes) return readJournal(utf8Text(path, bytes), path);
  throw noJournal(`There is no journal "${text}".`);
}

async function lastJournal(env: NodeJS.ProcessEnv): Promise<Journal> {
  for (const id of await journalIds(env)) {
    const journal = await openJournal(env, id);
    if (journal.kind !== 'undo') return journal;
  }
  throw noJournal('There is no journal.');
}

function noJournal(message: string): CausewayError {
  const remedy = '`causeway warehouse journals` lists the journals.';
  return new CausewayError('not_found', message, { remedy });
}

/** A journal that is written while changes are made. */
export interface OpenJournal {
  id: string;
  path: string;
  /** Resolves when the journal says that this change may be made from here on. @throws {CausewayError} `file_not_writable` */
  begin(change: PlannedChange): Promise<void>;
  /** Marks the change as made. @throws {CausewayError} `file_not_writable` */
  done(change: PlannedChange): Promise<void>;
  /** @throws {CausewayError} `file_not_writable` */
  close(left: number): Promise<void>;
}

/** What a journal is begun with. */
export interface JournalBeginning extends Omit<JournalHead, 'id'> {
  admin: JournalRun['admin'];
  profile: string;
  changes: readonly PlannedChange[];
}

/**
 * Writes down what is about to be changed, before anything is: in a new journal, or in that of an import which was stopped and
 * is run again. The caller holds the lock of the journals.
 * @throws {CausewayError} `file_not_writable`
 */
export async function beginJournal(env: NodeJS.ProcessEnv, beginning: JournalBeginning): Promise<OpenJournal> {
  const { admin, profile, changes, ...head } = beginning;
  const at = new Date().toISOString();
  const earlier = await unfinished(env, head);
  const first = (earlier?.changes.length ?? 0) + 1;
  const lines = runLines({ at, admin, profile, changes: changes.length }, changes, first);
  if (earlier) {
    const path = pathOf(env, earlier.id);
    const file = await continueGrowingFile(path);
    await file.append(lines);
    await file.sync();
    return marking(earlier.id, path, { file, changes, first });
  }
  const id = `${at.replaceAll(/[-:.Z]/g, '').replace('T', '-')}-${randomBytes(2).toString('hex')}`;
  const path = pathOf(env, id);
  await makeFolder(journalFolder(env), 0o700);
  await removeOldest(env);
  const file = await startGrowingFile(path, `${journalLine({ is: 'journal', version: 1, id, ...head })}${lines}`);
  return marking(id, path, { file, changes, first });
}

/** The newest journal of the same changes, if not all of them were made. */
async function unfinished(
  env: NodeJS.ProcessEnv,
  { kind, host, source, sha256 }: Omit<JournalHead, 'id'>,
): Promise<Journal | undefined> {
  if (sha256 === null && kind !== 'undo') return undefined;
  for (const id of await journalIds(env)) {
    // One that is damaged cannot be continued.
    const journal = await openJournal(env, id).catch(() => undefined);
    if (journal?.kind !== kind || journal.host !== host || journal.sha256 !== sha256) continue;
    if (kind === 'undo' && journal.source !== source) continue;
    return journal.isComplete ? undefined : journal;
  }
  return undefined;
}

async function removeOldest(env: NodeJS.ProcessEnv): Promise<void> {
  const ids = await journalIds(env);
  await Promise.all(ids.slice(KEPT - 1).map((id) => rm(pathOf(env, id), { force: true }).catch(() => undefined)));
}

function marking(
  id: string,
  path: string,
  { file, changes, first }: { file: GrowingFile; changes: readonly PlannedChange[]; first: number },
): OpenJournal {
  const numbers = new Map(changes.map((change, at) => [change, first + at]));
  const last = first + changes.length - 1;
  const numberOf = (change: PlannedChange) => numbers.get(change) ?? last;
  let announced = first - 1;
  let written: Promise<void> = Promise.resolve();
  const announce = async (from: number, to: number) => {
    await file.append(journalLine({ is: 'begun', from, to }));
    await file.sync();
  };
  return {
    id,
    path,
    begin: (change) => {
      const n = numberOf(change);
      if (n > announced) {
        const from = announced + 1;
        announced = Math.min(last, n + ANNOUNCED - 1);
        const to = announced;
        written = written.then(() => announce(from, to));
        written.catch(() => undefined);
      }
      return written;
    },
    done: (change) => file.append(journalLine({ is: 'done', n: numberOf(change), at: new Date().toISOString() })),
    close: async (left) => {
      try {
        await file.append(journalLine({ is: 'ended', at: new Date().toISOString(), left }));
        await file.sync();
      } finally {
        await file.close();
      }
    },
  };
}
