import { constants, type FileHandle, open, realpath } from 'node:fs/promises';
import { fileError } from './file-errors.ts';
import { isDevice, writePieces } from './replace-file.ts';

/** A file that can be read while it is written. If the process is killed, what was written stays. */
export interface GrowingFile {
  /** Appends the whole text, or nothing. @throws {CausewayError} `file_not_writable` */
  append(text: string): Promise<void>;
  /** Resolves when what was appended so far outlasts a power cut. @throws {CausewayError} `file_not_writable` */
  sync(): Promise<void>;
  /** @throws {CausewayError} `file_not_writable` */
  close(): Promise<void>;
}

/**
 * Replaces a file by one with this beginning, in an existing folder, and keeps it open for more. Anything that is not a file,
 * such as `/dev/stdout`, is written to as it is.
 * @throws {CausewayError} `file_not_writable`, `invalid_file`; the file is then as it was
 */
export async function startGrowingFile(path: string, beginning: string): Promise<GrowingFile> {
  let handle: FileHandle;
  let size: number | undefined;
  try {
    if (await isDevice(path)) {
      handle = await open(path, 'w');
      await handle.writeFile(beginning);
    } else {
      await writePieces(path, only(beginning));
      // Not through a link that another process puts there meanwhile.
      const flags = constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
      handle = await open(await realpath(path), flags);
      size = Buffer.byteLength(beginning);
    }
  } catch (error) {
    throw fileError(path, error);
  }
  return growing(path, handle, size);
}

/**
 * Opens an existing file for more, with all that it holds. A last line that a killed process has left unfinished is cut off.
 * @throws {CausewayError} `file_not_writable`
 */
export async function continueGrowingFile(path: string): Promise<GrowingFile> {
  try {
    const handle = await open(await realpath(path), constants.O_RDWR | constants.O_APPEND);
    const size = await endOfLastLine(handle, (await handle.stat()).size);
    await handle.truncate(size);
    return growing(path, handle, size);
  } catch (error) {
    throw fileError(path, error);
  }
}

const LOOK_BACK_BYTES = 64 * 1024;

async function endOfLastLine(handle: FileHandle, size: number): Promise<number> {
  const from = Math.max(0, size - LOOK_BACK_BYTES);
  const end = Buffer.alloc(size - from);
  await handle.read(end, 0, end.length, from);
  return from + end.lastIndexOf(0x0a) + 1;
}

/** `size` is that of a file; undefined for what cannot be cut, such as a pipe. */
function growing(path: string, handle: FileHandle, begun: number | undefined): GrowingFile {
  let size = begun;
  const add = async (text: string) => {
    try {
      await handle.writeFile(text);
      if (size !== undefined) size += Buffer.byteLength(text);
    } catch (error) {
      // A disk that is full has taken a part of it.
      if (size !== undefined) await handle.truncate(size).catch(() => undefined);
      throw fileError(path, error, 'Its previous contents are unchanged.');
    }
  };
  let last: Promise<void> = Promise.resolve();
  return {
    append(text) {
      // One at a time, because each begins where the previous one ended.
      const added = last.then(() => add(text));
      last = added.catch(() => undefined);
      return added;
    },
    async sync() {
      await last;
      if (size === undefined) return;
      await handle.datasync().catch((error: unknown) => {
        throw fileError(path, error);
      });
    },
    async close() {
      await last;
      await handle.close().catch((error: unknown) => {
        throw fileError(path, error, 'Its previous contents are unchanged.');
      });
    },
  };
}

async function* only(text: string): AsyncGenerator<string> {
  yield text;
}
