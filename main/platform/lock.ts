import { open, readdir, readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CausewayError } from './errors.ts';
import { codeOf, fileError, isDiskFull, isOutOfFiles } from './file-errors.ts';
import { isProcessAlive } from './process-alive.ts';
import { makeFolder } from './replace-file.ts';

/**
 * A lock among processes, and its one promise: never two holders, not even when twenty processes find that the holder was
 * killed. (Locks that remove a stale file and make a new one break that promise at exactly that moment, and a refresh
 * token that is used twice ends the sign-in.)
 *
 * The lock is a folder of numbered files. Who creates the next number, which the file system lets one process do, holds
 * the lock; the highest number says who holds it, or that it is free. Numbers only grow, so an outdated view of the
 * folder cannot take the lock: it finds its number taken.
 */
export interface Lock {
  release(): Promise<void>;
}

export interface LockOptions {
  signal?: AbortSignal | undefined;
  /** Called once if another process holds the lock. */
  onWait?: () => void;
}

interface Owner {
  pid: number;
  /** The process-id namespace, within which `pid` means something: the same computer, the same container. */
  world: string;
}

/** How often the holder updates its heartbeat, in milliseconds. */
const HEARTBEAT_MS = 2_000;
/** A holder in another namespace counts as dead after this long without a heartbeat, in milliseconds. */
const SILENT_MS = 10_000;
/** The same for a holder whose process exists: it may be suspended, or its id may have been reused. */
const SILENT_BUT_RUNNING_MS = 60_000;
/** The longest pause between two checks. */
const MAX_PAUSE_MS = 250;
/** How many past numbers stay, so that a process with an outdated view still finds its number taken. */
const KEPT = 8;

const FREE = 'free';

/** Waits for the lock of that folder, makes the folder if need be, and takes it. @throws {CausewayError} `cancelled`, `file_not_writable` */
export async function acquireLock(folder: string, { signal, onWait }: LockOptions = {}): Promise<Lock> {
  const pidNamespace = await currentPidNamespace();
  const owner = JSON.stringify({ pid: process.pid, world: pidNamespace } satisfies Owner);
  await makeFolder(folder, 0o700);
  let watched = { what: '', silentMs: 0 };
  for (let round = 0, at = performance.now(); ; round += 1) {
    throwIfAborted(signal);
    const last = Math.max(0, ...(await numbers(folder)));
    const seen = last === 0 ? FREE : await look(join(folder, String(last)));
    const what = `${last} ${seen}`;
    // A computer that slept through the round has not been watching.
    const silentMs = what === watched.what ? watched.silentMs + Math.min(performance.now() - at, MAX_PAUSE_MS * 2) : 0;
    watched = { what, silentMs };
    at = performance.now();
    if (seen === FREE || isDead(seen, pidNamespace, silentMs)) {
      const acquired = await take(folder, last + 1, owner);
      if (acquired) return hold(folder, last + 1, acquired.isNamed ? owner.length : 0);
      continue;
    }
    if (round === 0) onWait?.();
    const pause = Math.min(MAX_PAUSE_MS, 20 * 1.2 ** round) * (0.5 + Math.random() / 2);
    await sleep(pause, undefined, signal ? { signal } : {}).catch(() => throwIfAborted(signal));
  }
}

/** Runs `work` while holding the lock of that folder. */
export async function withLock<T>(folder: string, work: () => Promise<T>, options?: LockOptions): Promise<T> {
  const lock = await acquireLock(folder, options);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

async function numbers(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw fileError(folder, error);
  });
  // A last number could have none after it, and would be waited for without end.
  return names.map(Number).filter((number) => Number.isInteger(number) && number < Number.MAX_SAFE_INTEGER);
}

/** The owner and heartbeat of the newest number, or that it is free. */
async function look(file: string): Promise<string> {
  try {
    const text = await readFile(file, 'utf8');
    return text.trim() === FREE ? FREE : `${(await stat(file)).mtimeMs} ${text}`;
  } catch (error) {
    // With too many files open, nothing can be said about the holder.
    if (isOutOfFiles(error)) throw fileError(file, error);
    return 'gone';
  }
}

function isDead(seen: string, pidNamespace: string, silentMs: number): boolean {
  const owner = readOwner(seen.slice(seen.indexOf(' ') + 1));
  if (owner?.world !== pidNamespace) return silentMs > SILENT_MS;
  return !isProcessAlive(owner.pid) || silentMs > SILENT_BUT_RUNNING_MS;
}

function readOwner(text: string): Owner | undefined {
  try {
    const owner: unknown = JSON.parse(text);
    if (typeof owner !== 'object' || !owner || !('pid' in owner) || !('world' in owner)) return undefined;
    return typeof owner.pid === 'number' && typeof owner.world === 'string'
      ? { pid: owner.pid, world: owner.world }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined if another process was first. On a full disk the lock file may stay empty and still hold the lock. */
async function take(folder: string, number: number, owner: string): Promise<{ isNamed: boolean } | undefined> {
  const file = join(folder, String(number));
  const isNamed = await nameIn(file, owner).catch(async (error: unknown) => {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw fileError(file, error);
  });
  if (isNamed === undefined) return undefined;
  // With so outdated a view that the number had come and gone, a higher one is there.
  const present = await numbers(folder);
  if (present.some((other) => other > number)) {
    await rm(file, { force: true });
    return undefined;
  }
  const old = present.filter((other) => other < number - KEPT);
  await Promise.all(old.map((other) => rm(join(folder, String(other)), { force: true }).catch(() => undefined)));
  return { isNamed };
}

/**
 * Makes the file with its owner's name. Where the disk has room for the file but not for the name, it stays empty: its times
 * show that the holder is alive. A file that cannot be held is removed, because every process would wait for it.
 */
async function nameIn(file: string, owner: string): Promise<boolean> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(owner);
    return true;
  } catch (error) {
    const isEmpty =
      isDiskFull(error) &&
      (await handle.truncate(0).then(
        () => true,
        () => false,
      ));
    if (isEmpty) return false;
    await rm(file, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    await handle.close().catch(() => undefined);
  }
}

function hold(folder: string, number: number, length: number): Lock {
  const file = join(folder, String(number));
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return {
    async release() {
      clearInterval(heartbeat);
      // As long as what it replaces, so that one write does it and a process that is killed here leaves one or the other.
      // With no room to mark the lock as free, the empty file is removed: the previous one was free.
      const released = length === 0 ? rm(file, { force: true }) : writeFile(file, FREE.padEnd(length), { flag: 'r+' });
      await released.catch(() => rm(file, { force: true }).catch(() => undefined));
    },
  };
}

let cachedPidNamespace: Promise<string> | undefined;

function currentPidNamespace(): Promise<string> {
  cachedPidNamespace ??= readlink('/proc/self/ns/pid').then(
    (namespace) => `${hostname()} ${namespace}`,
    () => hostname(),
  );
  return cachedPidNamespace;
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  const reason: unknown = signal.reason;
  throw reason instanceof CausewayError ? reason : new CausewayError('cancelled', 'Canceled.', { cause: reason });
}
