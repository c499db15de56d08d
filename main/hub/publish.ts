import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CausewayError } from '../platform/errors.ts';
import { type Rendezvous, readRendezvous, rendezvousFile } from './rendezvous.ts';

/** The longest path that a Unix socket may have on every system, in bytes (macOS: 104 with its end). */
const MAX_SOCKET_PATH = 100;

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
  await rename(draft, rendezvousFile(folder));
}

/** Takes the file away, unless another hub has replaced it meanwhile. */
export async function withdrawRendezvous(folder: string, rendezvous: Rendezvous): Promise<void> {
  if (readRendezvous(folder)?.secret === rendezvous.secret) await rm(rendezvousFile(folder), { force: true });
  if (process.platform !== 'win32') await rm(rendezvous.address, { force: true });
}

async function freshAddress(folder: string): Promise<string> {
  const name = randomBytes(8).toString('hex');
  if (process.platform === 'win32') return `\\\\.\\pipe\\causeway-${name}`;
  const inFolder = join(folder, `${name}.sock`);
  if (Buffer.byteLength(inFolder) <= MAX_SOCKET_PATH) return inFolder;
  return join(await mkdtemp(join(tmpdir(), 'causeway-')), 'hub.sock');
}
