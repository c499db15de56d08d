import { type BigIntStats, closeSync, constants, fstatSync, openSync, promises, readSync, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { codeOf, FileError, fileError } from './file-errors.ts';
import { retryWhileHeld } from './held-file.ts';

const MIB = 1024 * 1024;

/** How large a file may be, by what it is. A larger one is refused before any of it is read. */
export const FILE_LIMITS = {
  own: {
    bytes: MIB,
    of: 'a file of Causeway',
    repair: 'Rename it to start again without it, or restore it from a copy.',
  },
  profiles: {
    bytes: MIB,
    of: 'a Databricks configuration file',
    repair: 'Remove what is not a profile, or name another file with DATABRICKS_CONFIG_FILE.',
  },
  project: {
    bytes: 4 * MIB,
    of: "a project's file with MCP servers",
    repair: 'Remove what does not belong in it, or leave this project out.',
  },
  client: {
    bytes: 256 * MIB,
    of: "an AI client's file",
    repair: 'Let the client clear its history, or move the file out of the way.',
  },
  managed: {
    bytes: 4 * MIB,
    of: "a file that decides about an AI client's servers",
    repair: 'Make it smaller, or ask your administrator to.',
  },
  given: {
    bytes: 64 * MIB,
    of: 'a file that a command or a screen is given',
    repair: 'Split it into smaller files.',
  },
} as const satisfies Record<string, { bytes: number; of: string; repair: string }>;

/** What a file is, which decides how large it may be. */
export type FileKind = keyof typeof FILE_LIMITS;

/** The error for a file that is larger than its kind may be. */
export class FileTooLarge extends FileError {}

/** A file's bytes, and what tells them from those of another time without reading. */
export interface FileVersion {
  bytes: Buffer;
  version: string;
}

/** Up to which size an open file is read at once: that takes less time than handing each step to another thread and back. */
const AT_HAND_BYTES = 64 * 1024;
/** How often a file that changes while it is read is read again. */
const MAX_READINGS = 5;
/** The least room that is made for a file, because the size of some is not known beforehand. */
const LEAST_ROOM_BYTES = 4 * 1024;

/** What a command is given may be a pipe. Of any other, one without a writer would be waited for without end. */
function flagsFor(kind: FileKind): number {
  return kind === 'given' ? constants.O_RDONLY : constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
}

function isReadable(kind: FileKind, found: BigIntStats): boolean {
  if (found.isFile()) return true;
  return kind === 'given' ? !found.isDirectory() : kind === 'profiles' && found.isCharacterDevice();
}

/**
 * Reads a whole file, as `readFile` of Node does and with its errors, but never more than the limit of its kind.
 * @throws {FileTooLarge} `invalid_file`
 * @throws {FileError} `invalid_file` if it is a folder, or a pipe where none is expected
 */
export async function readBounded(path: string, kind: FileKind): Promise<Buffer> {
  return (await readVersion(path, kind)).bytes;
}

/** A file's bytes and version. If it changes meanwhile, it is read again. */
async function readVersion(path: string, kind: FileKind): Promise<FileVersion> {
  // By way of `node:fs`: a proxy needs no promises to begin, and loading them takes a millisecond.
  const handle = await retryWhileHeld(() => promises.open(path, flagsFor(kind)));
  try {
    for (let reading = 1; ; reading += 1) {
      const found = await statOf(handle);
      const reader = new Reader(path, kind, found);
      const isAtHand = found.isFile() && found.size <= AT_HAND_BYTES;
      while (!reader.isDone) reader.take(isAtHand ? readNow(handle.fd, reader) : await read(handle, reader));
      const version = versionOf(isAtHand ? fstatSync(handle.fd, { bigint: true }) : await statOf(handle));
      const isSame = version === versionOf(found) || !found.isFile();
      if (isSame || reading === MAX_READINGS) return { bytes: reader.bytes, version };
    }
  } finally {
    await handle.close();
  }
}

/** Like `readBounded`, for callers that cannot wait. */
export function readBoundedSync(path: string, kind: FileKind): Buffer {
  const file = openSync(path, flagsFor(kind));
  try {
    const reader = new Reader(path, kind, fstatSync(file, { bigint: true }));
    while (!reader.isDone) reader.take(readNow(file, reader));
    return reader.bytes;
  } finally {
    closeSync(file);
  }
}

/** A text that differs for each version of a file. */
function versionOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

/**
 * A file's bytes, nothing if there is none.
 * @throws {CausewayError} `invalid_file` if it is a folder, a pipe or too large, `file_not_writable` if it may not be read
 */
export async function readBytes(path: string, kind: FileKind): Promise<Buffer | undefined> {
  return (await findVersion(path, kind))?.bytes;
}

/** Like `readBytes`, with the file's version. @throws {CausewayError} as `readBytes` */
export async function findVersion(path: string, kind: FileKind): Promise<FileVersion | undefined> {
  try {
    return await readVersion(path, kind);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw fileError(path, error);
  }
}

/** The version of a file without reading it; undefined if there is none. @throws what the system says about the file */
export function currentVersion(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && versionOf(found);
}

/** The error for what is no file. */
export function notAFile(path: string, found: { isDirectory(): boolean }): FileError {
  const problem = `is a ${found.isDirectory() ? 'folder' : 'device or a pipe'}, not a file`;
  return new FileError('invalid_file', path, { problem, repair: 'Move it out of the way.' });
}

function statOf(handle: FileHandle): Promise<BigIntStats> {
  return handle.stat({ bigint: true });
}

function readNow(file: number, { room, position }: Reader): number {
  return readSync(file, room, 0, room.length, position);
}

async function read(handle: FileHandle, { room, position }: Reader): Promise<number> {
  return (await handle.read(room, 0, room.length, position)).bytesRead;
}

/** What was read of one file so far, and the room for what comes next. */
class Reader {
  readonly #path: string;
  readonly #kind: FileKind;
  /** Whether it can be read from any position. */
  readonly #isFile: boolean;
  #buffer: Buffer;
  #length = 0;
  isDone = false;

  constructor(path: string, kind: FileKind, found: BigIntStats) {
    this.#path = path;
    this.#kind = kind;
    this.#isFile = found.isFile();
    if (!isReadable(kind, found)) throw notAFile(path, found);
    this.#check(Number(found.size));
    // One byte more than expected tells that there is nothing more.
    this.#buffer = Buffer.allocUnsafe(Math.max(Number(found.size) + 1, LEAST_ROOM_BYTES));
  }

  get position(): number | null {
    return this.#isFile ? this.#length : null;
  }

  get room(): Buffer {
    return this.#buffer.subarray(this.#length);
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  take(count: number): void {
    this.#length += count;
    this.#check(this.#length);
    this.isDone = count === 0;
    if (this.#length < this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(this.#buffer.length * 2);
    this.#buffer.copy(larger);
    this.#buffer = larger;
  }

  #check(size: number): void {
    const { bytes: limit, of, repair } = FILE_LIMITS[this.#kind];
    if (size <= limit) return;
    const has = `has ${inMib(size)} MiB, and ${of} may have ${inMib(limit)} MiB`;
    throw new FileTooLarge('invalid_file', this.#path, { problem: has, repair });
  }
}

function inMib(bytes: number): string {
  return String(Math.ceil((bytes / MIB) * 10) / 10);
}
