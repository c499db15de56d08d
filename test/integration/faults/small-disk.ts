import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Why no disk can be mounted here; undefined if one can. */
export const NO_SMALL_DISK: string | undefined =
  process.platform === 'linux' && process.getuid?.() === 0
    ? undefined
    : 'a small disk is mounted by root on Linux only';

/** Its own disk that can be filled and made read-only, for tests that run as root on Linux. */
export interface SmallDisk extends AsyncDisposable {
  folder: string;
  /** Takes up what room there is: from then on a file can be made, but nothing can be written to it. */
  fill(): Promise<void>;
  /** Gives the room back. */
  empty(): Promise<void>;
  setReadOnly(readOnly: boolean): Promise<void>;
}

/** @throws where `NO_SMALL_DISK` says why */
export async function smallDisk(kilobytes = 256): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-disk-'));
  await run('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'causeway-test', folder]);
  const ballast = join(folder, 'ballast');
  return {
    folder,
    async fill() {
      const isFull = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOSPC';
      for (const size of [64 * 1024, 4096, 1]) {
        for (let full = false; !full; ) {
          await writeFile(ballast, Buffer.alloc(size), { flag: 'a' }).catch((error: unknown) => {
            if (!isFull(error)) throw error;
            full = true;
          });
        }
      }
    },
    empty: () => rm(ballast, { force: true }),
    async setReadOnly(readOnly) {
      await run('mount', ['-o', `remount,${readOnly ? 'ro' : 'rw'}`, folder]);
    },
    async [Symbol.asyncDispose]() {
      await run('umount', ['-l', folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
