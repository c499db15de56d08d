import { readBytes, removeFile, replaceFile } from '../platform/replace-file.ts';
import type { SettingsFile } from '../platform/settings.ts';
import { keepBackup, readBackup } from './backups.ts';
import { differenceOf } from './change.ts';
import type { ClientFacts } from './client.ts';
import { withFileLock } from './file-lock.ts';
import { knownOf, recordedFile, remember, type WrittenRecord } from './record.ts';

/** What came of putting a backup back. */
export interface Restored {
  file: string;
  result: 'restored' | 'unchanged' | 'would restore';
  /** The backup of what the file held until now. */
  kept: string | undefined;
  /** The difference, as a unified diff; left out where there is none. */
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
 * Puts a backup's bytes back; what is there now is kept as another backup.
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
    const text = (of: Buffer | undefined) => of?.toString('utf8') ?? '';
    return { present, same, ...(same ? {} : { diff: differenceOf(file, text(present), text(bytes)) }) };
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
