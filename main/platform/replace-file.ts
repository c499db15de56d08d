import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { access, constants, type FileHandle, mkdir, open, realpath, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { currentVersion, type FileKind, findVersion, notAFile } from './bounded-file.ts';
import { codeOf, fileError, notWritable } from './file-errors.ts';
import { checkNotRemoved } from './removal.ts';
import { removeTemporary, renameWithRetry, renameWithRetrySync, temporaryName } from './temporary-file.ts';

/** The maximum length of a chain of links, as on Linux. */
const MAX_LINKS = 40;
/** How many bytes a stream collects before they are written. */
const CHUNK_BYTES = 64 * 1024;
const OWNER_ONLY = 0o600;

/** Thrown for a file that another process changed while it was being edited. */
export class ChangedMeanwhile extends Error {}

export interface WriteOptions {
  /** The file's permissions; by default its current ones, or its owner only for a new file. */
  mode?: number | undefined;
  /** Replaces anything at the path, even a link, and makes this user the owner. */
  asNew?: boolean;
}

/**
 * Puts new bytes in a file's place in one step, so that every reader, even after a crash, sees the old or the new
 * ones whole. Links are followed, even to a file that does not exist yet; the owner is kept, and the mode unless another one
 * is given. `expected` is what the file must still hold.
 *
 * (Not write-file-atomic, nor atomically: they take a write that a full disk cut short for a whole one and rename the stump.)
 * @throws {ChangedMeanwhile} if the file no longer holds what was expected, or not what was just written
 * @throws {CausewayError} `file_not_writable`, `invalid_file`
 */
export async function replaceFile(
  path: string,
  bytes: Buffer,
  expected: Buffer | undefined,
  { kind, mode }: { kind: FileKind; mode?: number },
): Promise<void> {
  const check = async () => {
    const found = await findVersion(path, kind);
    if (!same(found?.bytes, expected)) throw new ChangedMeanwhile();
    return found?.version;
  };
  await putInPlace(path, { mode, makesFolder: true, write: (handle) => handle.writeFile(bytes), check });
  // The file is read back, because a program that wrote at the same moment may have replaced it.
  if (!same((await findVersion(path, kind))?.bytes, bytes)) throw new ChangedMeanwhile();
}

/**
 * The same for our own file, whatever it holds now. Its folder is created if it is missing.
 * @throws {CausewayError} `file_not_writable`, `invalid_file`
 */
export async function writeWholeFile(
  path: string,
  content: Buffer | string,
  options: WriteOptions = {},
): Promise<void> {
  await putInPlace(path, { ...options, makesFolder: true, write: (handle) => handle.writeFile(content) });
}

/**
 * The same for a file that grows piece by piece and no faster than the disk takes it, in a folder that is there. What is no
 * file, such as `/dev/stdout` or a named pipe, is written to as it is.
 * @throws {CausewayError} `file_not_writable`, `invalid_file`, and whatever the pieces fail with
 */
export async function writePieces(path: string, pieces: AsyncIterable<string>, signal?: AbortSignal): Promise<void> {
  let source: { error: unknown } | undefined;
  const noted = inChunks(pieces, (error) => {
    source = { error };
  });
  const write = async (handle: FileHandle) => {
    for await (const chunk of noted) {
      signal?.throwIfAborted();
      await handle.writeFile(chunk);
    }
  };
  try {
    if (!(await isDevice(path))) return await putInPlace(path, { mode: OWNER_ONLY, makesFolder: false, write });
    const handle = await open(path, 'w');
    await write(handle).finally(() => handle.close());
  } catch (error) {
    // A server's or a network's error is not the file's.
    throw source ? source.error : fileError(path, error);
  }
}

/** Like `writeWholeFile`, for callers that must finish before the process ends. @throws {CausewayError} `file_not_writable`, `invalid_file` */
export function writeWholeFileSync(path: string, content: string, { mode }: Pick<WriteOptions, 'mode'> = {}): void {
  let temporary: string | undefined;
  try {
    const place = placeOf(path);
    if (!place.existing) makeFolderSync(dirname(place.target), folderMode(mode));
    temporary = temporaryName(place.target);
    const handle = openSync(temporary, 'wx', OWNER_ONLY);
    try {
      // A buffer is written completely, or the call fails.
      writeFileSync(handle, Buffer.from(content));
      if (place.existing) keepOwner(() => fchownSync(handle, place.existing?.uid ?? 0, place.existing?.gid ?? 0));
      fchmodSync(handle, mode ?? place.mode);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameWithRetrySync(temporary, place.target);
  } catch (error) {
    if (temporary !== undefined) rmSync(temporary, { force: true });
    throw fileError(path, error);
  }
}

/** Checks whether permissions allow replacing a file. @throws {CausewayError} `file_not_writable`, `invalid_file` */
export async function checkWritable(path: string): Promise<void> {
  try {
    let folder = dirname(placeOf(path).target);
    // Missing folders would be created.
    while (!lookAt(folder) && dirname(folder) !== folder) folder = dirname(folder);
    await access(folder, constants.W_OK);
  } catch (error) {
    throw fileError(path, error);
  }
}

/** Creates a folder and those above it, if they are missing. @throws {CausewayError} `file_not_writable`, `unavailable` if Causeway was removed */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  await checkNotRemoved();
  await mkdir(folder, { recursive: true, ...(mode !== undefined && { mode }) }).catch((error: unknown) => {
    throw fileError(folder, whyNotMade(folder, error));
  });
}

/** Removes temporary files of processes that were killed while they wrote that file. Only for the holder of its lock. */
export async function removeLeftOver(path: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  await removeTemporary(target, { all: true });
}

/** Removes a file that holds what is expected. @throws {ChangedMeanwhile} @throws {CausewayError} `file_not_writable` */
export async function removeFile(path: string, expected: Buffer, kind: FileKind): Promise<void> {
  if (!same((await findVersion(path, kind))?.bytes, expected)) throw new ChangedMeanwhile();
  await rm(path).catch((error: unknown) => {
    throw fileError(path, error);
  });
}

interface Writing extends WriteOptions {
  makesFolder: boolean;
  write(handle: FileHandle): Promise<void>;
  /**
   * Called when the new bytes are on disk and the old file is still in place. Returns the version that the old one must still
   * have in the moment in which it is replaced; nothing if there is no file.
   */
  check?(): Promise<string | undefined>;
}

async function putInPlace(path: string, { mode, asNew = false, makesFolder, write, check }: Writing): Promise<void> {
  await checkNotRemoved();
  let temporary: string | undefined;
  try {
    const place: Place = asNew ? { target: resolve(path), mode: OWNER_ONLY, existing: undefined } : placeOf(path);
    const { target, existing } = place;
    if (!existing && makesFolder) await makeFolder(dirname(target), folderMode(mode));
    await removeTemporary(target);
    const name = temporaryName(target);
    const handle = await open(name, 'wx', OWNER_ONLY);
    temporary = name;
    try {
      await write(handle);
      if (existing) await handle.chown(existing.uid, existing.gid).catch(unlessNotAllowed);
      await handle.chmod(mode ?? place.mode);
      await handle.sync().catch(unlessUnsupported);
    } finally {
      await handle.close();
    }
    if (check) {
      const version = await check();
      // Comparing a large file takes a while, and this does not.
      if (currentVersion(path) !== version) throw new ChangedMeanwhile();
    }
    await renameWithRetry(temporary, target);
    await syncFolder(dirname(target));
  } catch (error) {
    if (temporary !== undefined) await rm(temporary, { force: true }).catch(() => undefined);
    if (error instanceof ChangedMeanwhile) throw error;
    throw fileError(path, error);
  }
}

interface Place {
  target: string;
  mode: number;
  existing: { uid: number; gid: number } | undefined;
}

/** The place that a path leads to, through links whose target may not exist yet. */
function placeOf(path: string): Place {
  let target = resolve(path);
  for (let links = 0; links <= MAX_LINKS; links += 1) {
    const found = lookAt(target);
    if (found?.isSymbolicLink()) {
      // The meaning of `..` in a link depends on the folder that really contains the link.
      target = resolve(realpathSync(dirname(target)), readlinkSync(target));
      continue;
    }
    if (!found) {
      if (links > 0 && !lookAt(dirname(target))) {
        throw notWritable(
          path,
          `is a link to ${target}, whose folder does not exist`,
          'Create that folder, or remove the link.',
        );
      }
      return { target, mode: OWNER_ONLY, existing: undefined };
    }
    if (!found.isFile()) throw notAFile(path, found);
    // A rename would replace it although it is meant to stay.
    if ((found.mode & 0o222) === 0) throw notWritable(path, 'is read-only', 'Make it writable and try again.');
    return { target, mode: found.mode & 0o7777, existing: found };
  }
  throw Object.assign(new Error(`${path}: too many links`), { code: 'ELOOP' });
}

function lookAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** A folder for files that only one user can read is also readable by that user only. */
function folderMode(mode: number | undefined): number | undefined {
  return mode === OWNER_ONLY ? 0o700 : undefined;
}

function makeFolderSync(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder, { recursive: true, ...(mode !== undefined && { mode }) });
  } catch (error) {
    throw fileError(folder, whyNotMade(folder, error));
  }
}

/** Of a read-only disk, Node says that the folder does not exist: the first one that is missing gets the system's own answer. */
function whyNotMade(folder: string, error: unknown): unknown {
  if (codeOf(error) !== 'ENOENT') return error;
  let missing = resolve(folder);
  while (!lookAt(dirname(missing)) && dirname(missing) !== missing) missing = dirname(missing);
  try {
    mkdirSync(missing);
    return error;
  } catch (actual) {
    return actual;
  }
}

/** Some network and user-space file systems do not support fsync. */
function unlessUnsupported(error: unknown): void {
  if (!['EINVAL', 'ENOSYS', 'ENOTSUP'].includes(codeOf(error) ?? '')) throw error;
}

/** Another user's file stays theirs where we have the permission; otherwise it becomes ours. */
function unlessNotAllowed(error: unknown): void {
  if (!['EPERM', 'EINVAL', 'ENOSYS'].includes(codeOf(error) ?? '')) throw error;
}

function keepOwner(change: () => void): void {
  try {
    change();
  } catch (error) {
    unlessNotAllowed(error);
  }
}

/** So that the new name, too, outlasts a power cut. Where a folder cannot be synchronised, as on Windows, the system sees to it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close().catch(() => undefined);
}

/** Whether a path leads to something other than a file that can be written to. */
export async function isDevice(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

async function* inChunks(pieces: AsyncIterable<string>, onError: (error: unknown) => void): AsyncGenerator<string> {
  let gathered = '';
  try {
    for await (const piece of pieces) {
      gathered += piece;
      if (gathered.length < CHUNK_BYTES) continue;
      yield gathered;
      gathered = '';
    }
  } catch (error) {
    onError(error);
    throw error;
  }
  if (gathered !== '') yield gathered;
}

function same(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}
