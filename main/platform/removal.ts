import { existsSync, lstatSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CausewayError } from './errors.ts';
import { stateFolder } from './paths.ts';

/** How often a watching process looks, in milliseconds. */
const LOOK_MS = 2_000;
/** How long a program may be missing, in milliseconds, before it counts as removed: an upgrade replaces it. */
const UPGRADE_MS = 3_000;
const LOOK_AGAIN_MS = 100;
/** After this time, in milliseconds, every process that a mark was meant for has seen it. */
const MARK_LIFE_MS = 60_000;

/** What this process watches, if it does. */
interface Watched {
  env: NodeJS.ProcessEnv;
  /** The file that this process was started from. */
  program: string;
}

let watched: Watched | undefined;
let removed: CausewayError | undefined;

const REMOVED = () =>
  new CausewayError('unavailable', 'Causeway was removed from this computer while this process was running.', {
    remedy: 'Nothing was run. Remove its entry from the AI client and restart the client, or install Causeway again.',
  });

/**
 * The mark that tells running processes of a user that Causeway was removed for them. Not in the user's folders, of which
 * nothing may be left, and not at a place that the environment names, for clients pass on little of it. The system clears it away.
 */
function markOf(env: NodeJS.ProcessEnv): string {
  const key = keyOf(stateFolder(env));
  const folder = process.platform === 'win32' ? tmpdir() : '/tmp';
  return join(folder, `causeway-removed-${process.getuid?.() ?? userInfo().username}-${key}`);
}

/** A short key for a path (FNV-1a): node:crypto would double what a proxy loads at its start. */
function keyOf(path: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(path)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return `${hash.toString(16)}-${Buffer.byteLength(path)}`;
}

/** Leaves the mark that ends the user's running proxies. What cannot be left does not stop a removal. */
export function markRemoval(env: NodeJS.ProcessEnv): void {
  try {
    rmSync(markOf(env), { force: true });
    writeFileSync(markOf(env), '', { flag: 'wx', mode: 0o600 });
  } catch {
    // A process whose program is removed as well still ends.
  }
}

/** Whether the user has removed Causeway since this process began. Another user's mark does not count. */
export function isMarked(env: NodeJS.ProcessEnv): boolean {
  const found = lstatSync(markOf(env), { throwIfNoEntry: false });
  if (!found?.isFile() || (process.getuid && found.uid !== process.getuid())) return false;
  if (found.mtimeMs > performance.timeOrigin) return true;
  if (Date.now() - found.mtimeMs > MARK_LIFE_MS) rmSync(markOf(env), { force: true });
  return false;
}

/**
 * From now on this process writes nothing once Causeway is removed: `program` is gone, or `causeway uninstall` has left its mark.
 * Resolves then, with the reason.
 */
export function watchRemoval(env: NodeJS.ProcessEnv, program: string): Promise<CausewayError> {
  watched = { env, program };
  return new Promise((resolve) => {
    const timer = setInterval(async () => {
      const reason = await reasonNotToWrite().catch(() => undefined);
      if (!reason) return;
      clearInterval(timer);
      resolve(reason);
    }, LOOK_MS);
    timer.unref();
  });
}

/** Called before each write. @throws {CausewayError} `unavailable` if Causeway was removed */
export async function checkNotRemoved(): Promise<void> {
  const reason = await reasonNotToWrite();
  if (reason) throw reason;
}

async function reasonNotToWrite(): Promise<CausewayError | undefined> {
  if (!watched || removed) return removed;
  const { env, program } = watched;
  if (isMarked(env)) removed = REMOVED();
  const until = performance.now() + UPGRADE_MS;
  while (!removed && !existsSync(program)) {
    if (performance.now() > until) removed = REMOVED();
    else await sleep(LOOK_AGAIN_MS);
  }
  return removed;
}
