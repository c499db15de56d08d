import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CausewayError } from './errors.ts';

/** The largest file that is read, in bytes: past this it is hardly a configuration file. */
const LARGEST = 64 * 1024 * 1024;
/** How often a rename is tried on Windows, where a virus scanner or another program may have the file open, and the pauses in milliseconds. */
const RENAME_PAUSES_MS = [20, 100, 400];

/**
 * A file's bytes, nothing where there is none.
 * @throws {CausewayError} `invalid_file` where it is a folder or too large, `file_not_writable` where it may not be read
 */
export async function readBytes(path: string): Promise<Buffer | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw notAFile(path, found.isDirectory() ? 'a folder' : 'not a file');
    if (found.size > LARGEST) throw notAFile(path, `${Math.round(found.size / 1024 / 1024)} MB large`);
    return await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw explain(path, error);
  }
}

/** For a file that was changed by somebody else while it was being edited. */
export class ChangedMeanwhile extends Error {}

/**
 * Puts new bytes in a file's place in one step, so that whoever reads it, or whatever is killed, sees the old or the new
 * ones whole. Links are followed, the owner kept, and the mode unless another one is given. `expected` is what the file
 * must still hold.
 *
 * (Not write-file-atomic: it takes a write that a full disk cut short for a whole one and renames the stump.)
 * @throws {ChangedMeanwhile} if the file no longer holds what was expected, or not what was just written
 * @throws {CausewayError} `file_not_writable`, `invalid_file`
 */
export async function replaceFile(
  path: string,
  bytes: Buffer,
  expected: Buffer | undefined,
  wantedMode?: number,
): Promise<void> {
  let temporary: string | undefined;
  try {
    const { target, mode: modeSoFar, owner } = await placeOf(path);
    const mode = wantedMode ?? modeSoFar;
    if (!expected) await mkdir(dirname(target), { recursive: true });
    temporary = `${target}.causeway-${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(bytes);
      if (owner) await ownedBy(handle, owner);
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (!same(await readBytes(path), expected)) throw new ChangedMeanwhile();
    await renamePatiently(temporary, target);
  } catch (error) {
    if (temporary !== undefined) await rm(temporary, { force: true }).catch(() => undefined);
    if (error instanceof ChangedMeanwhile) throw error;
    throw explain(path, error);
  }
  // Read back: a program that wrote at the same moment may have undone it.
  if (!same(await readBytes(path), bytes)) throw new ChangedMeanwhile();
}

/** Removes what processes that were killed while they wrote that file left beside it. Only for who holds its lock. */
export async function removeLeftOver(path: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const names = await readdir(dirname(target)).catch(() => []);
  const ours = names.filter((name) => name.startsWith(`${basename(target)}.causeway-`) && name.endsWith('.tmp'));
  await Promise.all(ours.map((name) => rm(join(dirname(target), name), { force: true }).catch(() => undefined)));
}

/** Removes a file that holds what is expected. @throws {ChangedMeanwhile} @throws {CausewayError} `file_not_writable` */
export async function removeFile(path: string, expected: Buffer): Promise<void> {
  if (!same(await readBytes(path), expected)) throw new ChangedMeanwhile();
  await rm(path).catch((error: unknown) => {
    throw explain(path, error);
  });
}

interface Place {
  target: string;
  mode: number;
  owner: { uid: number; gid: number } | undefined;
}

async function placeOf(path: string): Promise<Place> {
  try {
    const target = await realpath(path);
    const { mode, uid, gid } = await stat(target);
    // A rename would replace it all the same, against the wish that it stay.
    if ((mode & 0o222) === 0) throw notWritable(path, 'is read-only', 'Make it writable and try again.');
    return { target, mode: mode & 0o7777, owner: process.getuid ? { uid, gid } : undefined };
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return { target: path, mode: 0o600, owner: undefined };
  }
}

/** Somebody else's file stays theirs where we may see to that; where we may not, it becomes ours. */
async function ownedBy(handle: FileHandle, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  try {
    await handle.chown(uid, gid);
  } catch (error) {
    if (!['EPERM', 'EINVAL', 'ENOSYS'].includes(codeOf(error) ?? '')) throw error;
  }
}

async function renamePatiently(from: string, to: string): Promise<void> {
  const pauses = process.platform === 'win32' ? RENAME_PAUSES_MS : [];
  for (const pause of pauses) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (!['EPERM', 'EACCES', 'EBUSY'].includes(codeOf(error) ?? '')) throw error;
      await sleep(pause);
    }
  }
  await rename(from, to);
}

function same(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}

const EXPLANATIONS: Record<string, [problem: string, remedy: string]> = {
  ENOSPC: ['cannot be written: the disk is full', 'Make room and try again.'],
  EDQUOT: ['cannot be written: your quota is used up', 'Make room and try again.'],
  EFBIG: ['cannot be written: it would be larger than the system allows', 'Make room and try again.'],
  EACCES: ['may not be read or written', 'Check who owns the file and its folder, and their permissions.'],
  EPERM: ['may not be changed', 'Check who owns the file and its folder, and their permissions.'],
  EROFS: ['is on a disk that cannot be written to', 'Move it to another disk.'],
  EISDIR: ['is a folder', 'Move the folder out of the way.'],
  ENOTDIR: ['cannot exist: a part of its path is a file', 'Move that file out of the way.'],
  ELOOP: ['is a symbolic link that leads nowhere', 'Correct or remove the link.'],
  EBUSY: ['is in use', 'Close the program that uses it and try again.'],
};

/** A system's error in words, with the remedy; any other as it is. */
export function explain(path: string, error: unknown): unknown {
  const [problem, remedy] = EXPLANATIONS[codeOf(error) ?? ''] ?? [];
  return problem && remedy ? notWritable(path, problem, remedy, error) : error;
}

function notWritable(path: string, problem: string, remedy: string, cause?: unknown): CausewayError {
  return new CausewayError('file_not_writable', `${path} ${problem}.`, {
    cause,
    remedy: `Nothing was changed. ${remedy}`,
  });
}

function notAFile(path: string, what: string): CausewayError {
  return new CausewayError('invalid_file', `${path} is ${what}, not a configuration file.`, {
    remedy: 'Nothing was changed. Move it out of the way.',
  });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
