import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CausewayError } from '../platform/errors.ts';
import { codeOf, fileError } from '../platform/file-errors.ts';
import { withLock } from '../platform/lock.ts';
import { makeFolder } from '../platform/replace-file.ts';
import { identityOf } from './record.ts';

/** A client's lock that has not changed for so long counts as left behind, in milliseconds (Cline `settingsLock.ts`). */
const STALE_MS = 10_000;
const PAUSE_MS = 50;
/** How long to wait for another process's lock. */
const LOCK_TIMEOUT_MS = 15_000;

export interface FileLockOptions {
  /** The folder of Causeway's own locks. */
  locks: string;
  /** Also takes `<file>.lock`, the client's own lock. */
  folder?: boolean;
}

/** Runs `work` while neither another Causeway process nor the client, if it uses a lock, writes that file. */
export async function withFileLock<T>(path: string, options: FileLockOptions, work: () => Promise<T>): Promise<T> {
  const name = createHash('sha256')
    .update(await identityOf(path))
    .digest('hex')
    .slice(0, 16);
  return withLock(join(options.locks, `client-file-${name}`), () =>
    options.folder ? withClientLock(`${path}.lock`, work) : work(),
  );
}

/**
 * Holds a lock that is a folder with the owner's mark inside: only a folder that was empty, or untouched for long, is ever
 * taken from someone. A client that is not there yet has nothing to lock.
 */
async function withClientLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const mark = join(lock, `owner-${process.pid}-${randomUUID()}`);
  const began = performance.now();
  const watch: Watch = { changedAt: 0, since: began };
  while (!(await taken(lock, watch))) {
    if (performance.now() - began > LOCK_TIMEOUT_MS) {
      throw new CausewayError('timeout', `${lock} is locked by the client.`, {
        remedy: 'Nothing was changed. Wait until the client is done, or close it, and try again.',
      });
    }
    await sleep(PAUSE_MS);
  }
  try {
    await writeFile(mark, String(process.pid)).catch((error: unknown) => {
      throw fileError(mark, error);
    });
    return await work();
  } finally {
    // If it cannot be removed, it soon counts as stale. The work's own outcome is reported instead.
    await rm(lock, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** When a lock last changed, as seen by this process. */
interface Watch {
  /** By the system's clock, which may have been set since. */
  changedAt: number;
  /** When this process first saw that, by its own clock. */
  since: number;
}

async function taken(lock: string, watch: Watch): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') {
      // The lock is then tried again: another process may be faster.
      await makeFolder(dirname(lock));
      return false;
    }
    if (code !== 'EEXIST') throw fileError(lock, error);
  }
  if (await isStale(lock, watch)) {
    await rm(lock, { recursive: true, force: true }).catch((error: unknown) => {
      throw fileError(lock, error);
    });
  }
  return false;
}

async function isStale(lock: string, watch: Watch): Promise<boolean> {
  try {
    const names = await readdir(lock);
    const times = await Promise.all(
      [lock, ...names.map((name) => join(lock, name))].map(async (it) => (await stat(it)).mtimeMs),
    );
    const changedAt = Math.max(...times);
    if (changedAt !== watch.changedAt) Object.assign(watch, { changedAt, since: performance.now() });
    // After the clock was set back, an older lock has a time in the future.
    return Date.now() - changedAt > STALE_MS || performance.now() - watch.since > STALE_MS;
  } catch {
    return false;
  }
}
