import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CausewayError } from '../platform/errors.ts';
import { homeFolder } from '../platform/paths.ts';

/** Where the hub of the running application listens, and what a peer must know to be let in. */
export interface Rendezvous {
  address: string;
  secret: string;
  pid: number;
}

/** The longest path that a Unix socket may have on every system, in bytes (macOS: 104 with its end). */
const MAX_SOCKET_PATH = 100;

/**
 * The folder of the rendezvous file. It depends on the home folder alone: AI clients give the processes that they spawn
 * almost nothing of the environment, and both sides must look in the same place.
 */
export function hubFolder(env: NodeJS.ProcessEnv): string {
  return env.CAUSEWAY_HOME ? join(env.CAUSEWAY_HOME, 'hub') : join(homeFolder(env), '.causeway');
}

const fileIn = (folder: string) => join(folder, 'hub.json');

/** Reads the rendezvous file, quickly: undefined where there is none, or where anybody else could have written it. */
export function readRendezvous(folder: string): Rendezvous | undefined {
  try {
    const file = fileIn(folder);
    if (process.platform !== 'win32') {
      const { uid, mode } = lstatSync(file);
      if (uid !== process.getuid?.() || (mode & 0o077) !== 0) return undefined;
    }
    const { address, secret, pid }: Partial<Rendezvous> = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof address !== 'string' || typeof secret !== 'string' || typeof pid !== 'number') return undefined;
    return { address, secret, pid };
  } catch {
    // No application is running, or its file is damaged: the proxy works alone.
    return undefined;
  }
}

/**
 * Chooses a fresh address and secret. The folder is made for this user alone.
 * @throws {CausewayError} `hub_foreign` when the folder belongs to somebody else or is a link
 */
export async function prepareRendezvous(folder: string): Promise<Rendezvous> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (process.platform !== 'win32') {
    const found = await lstat(folder);
    if (!found.isDirectory() || found.uid !== process.getuid?.()) {
      throw new CausewayError('hub_foreign', `${folder} is not a folder of yours.`, {
        remedy: 'Remove it, or let CAUSEWAY_HOME name another place.',
      });
    }
    await chmod(folder, 0o700);
  }
  return { address: await freshAddress(folder), secret: randomBytes(32).toString('base64url'), pid: process.pid };
}

/** Publishes the rendezvous, once the hub listens: the file appears whole, and only its owner can read it. */
export async function publishRendezvous(folder: string, rendezvous: Rendezvous): Promise<void> {
  const draft = join(folder, `hub.${process.pid}.tmp`);
  await writeFile(draft, JSON.stringify(rendezvous), { mode: 0o600 });
  await rename(draft, fileIn(folder));
}

/** Takes the file away, unless another hub has replaced it meanwhile. */
export async function withdrawRendezvous(folder: string, rendezvous: Rendezvous): Promise<void> {
  if (readRendezvous(folder)?.secret === rendezvous.secret) await rm(fileIn(folder), { force: true });
  if (process.platform !== 'win32') await rm(rendezvous.address, { force: true });
}

async function freshAddress(folder: string): Promise<string> {
  const name = randomBytes(8).toString('hex');
  if (process.platform === 'win32') return `\\\\.\\pipe\\causeway-${name}`;
  const inFolder = join(folder, `${name}.sock`);
  if (Buffer.byteLength(inFolder) <= MAX_SOCKET_PATH) return inFolder;
  return join(await mkdtemp(join(tmpdir(), 'causeway-')), 'hub.sock');
}
