import { createHash, randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { retryWhileHeld, retryWhileHeldSync } from './held-file.ts';
import { isProcessAlive } from './process-alive.ts';

/** The longest name that still fits with its suffix, in bytes; file systems allow 255. */
const MAX_NAME_BYTES = 190;
/** An older temporary file counts as left behind, even if a process has its number, in milliseconds. */
const ABANDONED_MS = 7 * 24 * 60 * 60_000;

/**
 * A name for what is made beside its place before it is moved there. Not to be foreseen, so that nobody can put a link or a
 * file of theirs in its way; with the process, so that what a killed process left is known.
 */
export function temporaryName(target: string): string {
  return join(dirname(target), `${temporaryPrefix(target)}${process.pid}-${randomBytes(6).toString('hex')}.tmp`);
}

function temporaryPrefix(target: string): string {
  const name = basename(target);
  const fits = Buffer.byteLength(name) <= MAX_NAME_BYTES;
  return `${fits ? name : createHash('sha256').update(name).digest('hex')}.causeway-`;
}

/** Removes files with such names that no process is writing; with `all`, even those that a process may be writing. */
export async function removeTemporary(target: string, { all = false } = {}): Promise<void> {
  for (const { path, pid } of await temporaryOnes(target)) {
    if (!(all || (await isAbandoned(path, pid)))) continue;
    await rm(path, { force: true, recursive: true }).catch(() => undefined);
  }
}

/** Whether a file with such a name exists. */
export async function hasTemporary(target: string): Promise<boolean> {
  return (await temporaryOnes(target)).length > 0;
}

async function temporaryOnes(target: string): Promise<{ path: string; pid: number }[]> {
  const prefix = temporaryPrefix(target);
  const names = await readdir(dirname(target)).catch(() => []);
  return names.flatMap((name) => {
    const pid = name.startsWith(prefix) ? /^(\d+)-[0-9a-f]{12}\.tmp$/.exec(name.slice(prefix.length))?.[1] : undefined;
    return pid === undefined ? [] : [{ path: join(dirname(target), name), pid: Number(pid) }];
  });
}

/** Whether no process writes that file anymore. A process in another container is invisible, but its writes show. */
async function isAbandoned(path: string, pid: number): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  const idleMs = found ? Date.now() - found.mtimeMs : 0;
  return idleMs > (isProcessAlive(pid) ? ABANDONED_MS : 60_000);
}

/** Renames a file. On Windows, it is retried for half a second while another program has the file open. */
export async function renameWithRetry(from: string, to: string): Promise<void> {
  await retryWhileHeld(() => rename(from, to));
}

/** Like `renameWithRetry`, for callers that must finish before the process ends. */
export function renameWithRetrySync(from: string, to: string): void {
  retryWhileHeldSync(() => renameSync(from, to));
}
