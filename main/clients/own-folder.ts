import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readBounded } from '../platform/bounded-file.ts';
import { CausewayError } from '../platform/errors.ts';
import { codeOf, fileError } from '../platform/file-errors.ts';
import { stateFolder } from '../platform/paths.ts';
import { makeFolder, writeWholeFile } from '../platform/replace-file.ts';

/**
 * Makes a folder of which it is certain that no other user has made it. `base` is the part of its path that all users share.
 * @throws {CausewayError} `file_not_writable`
 */
export async function makeOwnFolder(folder: string, base: string | undefined, env: NodeJS.ProcessEnv): Promise<void> {
  // Node reports no owner on Windows: there, only the process that makes a folder knows whose it is.
  if (base !== undefined && process.getuid === undefined)
    await claim(base, join(stateFolder(env), 'folder-of-entries'));
  await makeFolder(folder, 0o700);
  const { uid } = await stat(folder);
  if (process.getuid !== undefined && process.getuid() !== uid) throw foreign(folder);
}

/** Makes a folder that is not there yet, or knows it again by its number in the file system, which Windows' gives to no other. */
export async function claim(folder: string, record: string): Promise<void> {
  const identity = async () => `${folder} ${(await stat(folder, { bigint: true })).ino}`;
  try {
    await mkdir(folder);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw fileError(folder, error);
    if ((await identity()) === String(await readBounded(record, 'own').catch(() => ''))) return;
    throw foreign(folder);
  }
  await writeWholeFile(record, await identity(), { mode: 0o600 });
}

function foreign(folder: string): CausewayError {
  return new CausewayError('file_not_writable', `${folder} may belong to another user.`, {
    remedy: 'Nothing was written, because entries would start programs from there. Remove the folder, then try again.',
  });
}
