import { setTimeout as sleep } from 'node:timers/promises';
import { currentVersion } from '../platform/bounded-file.ts';
import { CausewayError } from '../platform/errors.ts';
import { noteEvent } from '../platform/noted-events.ts';
import { removeLeftOver } from '../platform/replace-file.ts';
import type { SettingsFile } from '../platform/settings.ts';
import { type Backup, readBackup } from './backups.ts';
import type { ClientFacts } from './client.ts';
import { withFileLock } from './file-lock.ts';
import type { ClientFile, ClientFiles } from './files.ts';
import type { Plan, Wanted } from './plan.ts';
import { knownOf, recordedFile, remember, type WrittenRecord } from './record.ts';

/** How long a change is retried while another process changes the file. */
const RETRY_TIMEOUT_MS = 10_000;
/** How long the next change of a file that keeps changing is waited for, so that the time until the one after it is there, in milliseconds. */
const NEXT_CHANGE_MS = 2_500;
const LOOK_MS = 20;

export interface ChangeOptions {
  env: NodeJS.ProcessEnv;
  /** What reads and writes the file. */
  files: ClientFiles;
  /** Where Causeway's locks are. */
  locks: string;
  record: SettingsFile<WrittenRecord>;
  now(): number;
  /** Replaces an entry of the same name that is not ours. */
  replace?: boolean | undefined;
}

/** What was done to a file. */
export interface Changed extends Plan {
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
  file: ClientFile,
  wanted: Wanted,
  { env, files, locks, record, now, replace }: ChangeOptions,
): Promise<Changed> {
  const { path } = file;
  return withFileLock(path, { locks, folder: client.lock === 'folder' }, async () => {
    await removeLeftOver(path);
    const recorded = await recordedFile(client, path);
    const known = knownOf(record.read(), recorded, client);
    const finished = async (planned: Plan, backup: Backup | undefined): Promise<Changed> => ({
      ...planned,
      backup,
      remembered: await remember(record, recorded, planned.record),
    });
    let backup: Backup | undefined;
    try {
      const began = performance.now();
      for (let attempt = 1; performance.now() - began < RETRY_TIMEOUT_MS; attempt += 1) {
        const planned = await files.plan(client, file, wanted, { replace, known, keeps: true });
        const { change: writing } = planned;
        if (!writing) return await finished(planned, backup);
        if (!backup && (!known || planned.replaces)) {
          backup = await files.backUp(client, file, { env, at: now(), known });
        }
        // The record is written before the file: a process killed in between must not leave an entry of unknown ownership.
        const entries = { ...known?.entries, ...planned.record.entries };
        await remember(record, recorded, { ...planned.record, entries, previous: known?.entries });
        const removes = writing.isEmpty && planned.record.created === true;
        if (await files.write(file, removes)) return await finished(planned, backup);
        if (attempt > 1) await nextChange(path);
      }
      throw neverAtRest(client, path);
    } catch (error) {
      await remember(record, recorded, known).catch(() => undefined);
      throw error;
    } finally {
      await files.forget(file);
    }
  });
}

/** Resolves as soon as a file has changed once more, or after a while. */
async function nextChange(path: string): Promise<void> {
  const [before, began] = [currentVersion(path), performance.now()];
  while (currentVersion(path) === before && performance.now() - began < NEXT_CHANGE_MS) await sleep(LOOK_MS);
}

function neverAtRest({ name }: ClientFacts, file: string): CausewayError {
  return new CausewayError('conflict', `Another program keeps changing ${file}.`, {
    remedy: `Nothing was written. Quit ${name}, then try again.`,
  });
}

/** The result of restoring a backup. */
export interface Restored {
  file: string;
  result: 'restored' | 'unchanged' | 'would-restore';
  /** The backup of the file's previous content. */
  kept: string | undefined;
  /** The difference, as a unified diff; left out if there is none. */
  diff?: string;
}

export interface RestoreOptions extends Omit<ChangeOptions, 'replace'> {
  clients: readonly ClientFacts[];
  dryRun: boolean;
}

/**
 * Restores a backup; the current content is kept as another backup.
 * @throws {CausewayError} `not_found`, `file_not_writable`, `invalid_file`, `timeout`
 */
export async function restoreBackup(id: string, options: RestoreOptions): Promise<Restored> {
  const { env, files, clients, locks, record, now, dryRun } = options;
  const { backup, record: then } = await readBackup(env, id);
  const { file } = backup;
  const client = clients.find((one) => one.id === backup.client);
  if (dryRun) {
    const { isSame, diff } = await files.putBack(id, { env, at: now(), known: undefined, dryRun });
    return {
      file,
      kept: undefined,
      ...(diff === undefined ? {} : { diff }),
      result: isSame ? 'unchanged' : 'would-restore',
    };
  }
  return withFileLock(file, { locks, folder: client?.lock === 'folder' }, async () => {
    const recorded = client && (await recordedFile(client, file));
    const known = client && recorded && knownOf(record.read(), recorded, client);
    const { isSame, diff, kept } = await files.putBack(id, { env, at: now(), known, dryRun });
    if (recorded) await remember(record, recorded, then);
    if (!isSame) noteEvent(env, 'entry-change', { client: backup.client, file, restored: id });
    return { file, kept: kept?.id, ...(diff === undefined ? {} : { diff }), result: isSame ? 'unchanged' : 'restored' };
  });
}
