import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CausewayError } from './errors.ts';

/**
 * Writes a file that only its owner may read, piece by piece and no faster than the disk takes it. It appears whole or not
 * at all: what is under way has another name.
 * @throws {CausewayError} `file_not_writable`, and whatever the pieces fail with
 */
export async function writeWholeFile(file: string, pieces: AsyncIterable<string>, signal?: AbortSignal): Promise<void> {
  const partial = `${file}.partial`;
  try {
    await pipeline(Readable.from(pieces), createWriteStream(partial, { mode: 0o600 }), { ...(signal && { signal }) });
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new CausewayError('file_not_writable', `${file} could not be written: ${error.message}.`, {
      cause: error,
      remedy: 'Choose another place, or make room there.',
    });
  }
}
