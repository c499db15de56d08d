import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CausewayError } from '../platform/errors.ts';
import { fileError } from '../platform/file-errors.ts';
import { signInContext } from '../platform/paths.ts';
import { makeFolder, writeWholeFile } from '../platform/replace-file.ts';
import { contentOf, type Rendezvous, readRendezvous, rendezvousFile, untrustedReason } from './rendezvous.ts';

/** The longest path of a Unix socket that works on every system, in bytes (macOS: 104 with the final NUL). */
const MAX_SOCKET_PATH = 100;

/** How folders begin that are made for a socket in the system's temporary folder. */
const TEMPORARY = 'causeway-';

/**
 * Chooses a fresh address and secret. The folder is created for this user alone. `env` tells where the system keeps sockets,
 * for a folder whose path is too long for one.
 * @throws {CausewayError} `hub_foreign` when the folder belongs to another user or is a link
 */
export async function prepareRendezvous(folder: string, env: NodeJS.ProcessEnv = process.env): Promise<Rendezvous> {
  await makeFolder(folder, 0o700);
  if (process.platform !== 'win32') {
    const found = await lstat(folder);
    if (!found.isDirectory() || found.uid !== process.getuid?.()) {
      throw new CausewayError('hub_foreign', `${folder} is not a folder that you own.`, {
        remedy: 'Remove it, or set CAUSEWAY_HOME to another folder.',
      });
    }
    await chmod(folder, 0o700).catch((error: unknown) => {
      throw fileError(folder, error);
    });
  }
  const address = await freshAddress(folder, env);
  return { address, secret: randomBytes(32).toString('base64url'), pid: process.pid, context: signInContext(env) };
}

/** Publishes the rendezvous, once the hub listens: the file appears whole, and only its owner can read it. */
export async function publishRendezvous(folder: string, rendezvous: Rendezvous): Promise<void> {
  await writeWholeFile(rendezvousFile(folder), contentOf(rendezvous), { mode: 0o600, asNew: true });
}

/** Removes the file, unless another hub has replaced it meanwhile, and the socket with its folder. */
export async function withdrawRendezvous(folder: string, rendezvous: Rendezvous): Promise<void> {
  if (readRendezvous(folder)?.secret === rendezvous.secret) await rm(rendezvousFile(folder), { force: true });
  if (process.platform === 'win32') return;
  await rm(rendezvous.address, { force: true });
  const parent = dirname(rendezvous.address);
  // Only a folder that was made for this socket is removed, and only if nothing else is in it.
  if (parent.startsWith(join(tmpdir(), TEMPORARY))) await rmdir(parent).catch(() => {});
}

async function freshAddress(folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const name = randomBytes(16).toString('hex');
  if (process.platform === 'win32') return `\\\\.\\pipe\\causeway-${name}`;
  const inFolder = join(folder, `${name}.sock`);
  if (fits(inFolder)) return inFolder;
  const ofSystem = join(env.XDG_RUNTIME_DIR || '/', `causeway-${name}.sock`);
  if (env.XDG_RUNTIME_DIR && fits(ofSystem) && isOurs(env.XDG_RUNTIME_DIR)) return ofSystem;
  // mkdtemp makes a new folder with mode 0700, or fails.
  const made = await mkdtemp(join(tmpdir(), TEMPORARY)).catch((error: unknown) => {
    throw fileError(tmpdir(), error);
  });
  return join(made, 'hub.sock');
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_SOCKET_PATH;
}

function isOurs(folder: string): boolean {
  try {
    return untrustedReason(folder, 'folder') === undefined;
  } catch {
    // The variable names a folder that is not there.
    return false;
  }
}
