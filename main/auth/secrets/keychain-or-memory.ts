import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asCausewayError, CausewayError, sentences } from '../../platform/errors.ts';
import type { Secret } from '../../platform/secret.ts';
import { inOneLine } from '../../words/failure.ts';
import type { SecretStore } from './secret-store.ts';

/** The pause after a keychain could not be used, in milliseconds: each attempt may ask the user to unlock it. */
const PAUSE_MS = 60_000;
/** The same if there is none, which asks nobody anything: it is back as soon as the user has logged in to the desktop again. */
const ABSENT_PAUSE_MS = 250;
/** How long a keychain may take before its user is told that it waits for them, in milliseconds. */
const TOLD_AFTER_MS = 2_000;

/**
 * The keychain if it can be used, the process's memory if it cannot (no desktop session, locked). It is tried again
 * after a while, so a keychain that is unlocked later is used from then on. Never a file in plain text.
 *
 * What the keychain holds is not renewed in memory alone: other processes would continue with what it holds, and a refresh
 * token that is used twice ends the sign-in of all.
 * @throws {CausewayError} from `set` of a renewal, where the keychain holds the name and cannot be written to
 */
export function keychainOrMemory(
  open: () => SecretStore,
  onNotice: (message: string) => void,
  now: () => number,
): SecretStore {
  const memory = memoryStore();
  let opened: SecretStore | undefined;
  let shared = true;
  let unreadable: CausewayError | undefined;
  let noticeSent = false;
  let failedAt = Number.NEGATIVE_INFINITY;
  /** How many calls wait for a user who may have to unlock the keychain. */
  let awaiting = 0;
  const held = new Set<string>();

  async function attempt<T>(
    use: 'read' | 'write' | 'replace',
    work: (keychain: SecretStore) => Promise<T>,
  ): Promise<{ done: true; value: T } | { done: false }> {
    // A clock that was set back does not make the pause longer.
    const pauseMs = isAbsent(unreadable) ? ABSENT_PAUSE_MS : PAUSE_MS;
    if (Math.abs(now() - failedAt) < pauseMs) return { done: false };
    try {
      opened ??= open();
      const value = await toldIfLate(work(opened));
      shared = true;
      unreadable = undefined;
      failedAt = Number.NEGATIVE_INFINITY;
      return { done: true, value };
    } catch (error) {
      shared = false;
      unreadable = asCausewayError(error);
      failedAt = now();
      // A keychain that does not exist never held anything. Only storing is worth a notice then.
      const nothingMissed = use === 'replace' || (use === 'read' && isAbsent(error));
      if (!noticeSent && !nothingMissed) {
        noticeSent = true;
        onNotice(
          use === 'read'
            ? sentences(inOneLine(error), 'Its sign-ins are used once it is unlocked.')
            : sentences(
                inOneLine(error),
                'The sign-in lasts only until this program ends.',
                'To keep it, unlock or install a keychain, or keep sign-ins in an encrypted file: causeway login --store encrypted-file.',
              ),
        );
      }
      return { done: false };
    }
  }

  /** Says that the keychain waits for its user if it takes long. */
  async function toldIfLate<T>(call: Promise<T>): Promise<T> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      awaiting += 1;
      if (awaiting === 1) onNotice(`${WAITS_FOR_KEYCHAIN} Your system asks for its password in a window of its own.`);
    }, TOLD_AFTER_MS);
    try {
      return await call;
    } finally {
      clearTimeout(timer);
      if (isLate) awaiting -= 1;
    }
  }

  return {
    get shared() {
      return shared;
    },
    get unreadable() {
      return unreadable;
    },
    get isAwaited() {
      return awaiting > 0;
    },
    async get(name) {
      const kept = await memory.get(name);
      if (kept) return kept;
      const tried = await attempt('read', (keychain) => keychain.get(name));
      if (!tried.done) return undefined;
      if (tried.value) held.add(name);
      else held.delete(name);
      return tried.value;
    },
    async set(name, value, { isRenewal = false } = {}) {
      const isHeld = isRenewal && held.has(name);
      const { done } = await attempt(isHeld ? 'replace' : 'write', (keychain) => keychain.set(name, value));
      if (done) {
        held.add(name);
        await memory.delete(name);
        return;
      }
      if (isHeld && unreadable) throw unreadable;
      await memory.set(name, value);
    },
    forget: (name) => void memory.delete(name),
    async delete(name) {
      await memory.delete(name);
      const { done } = await attempt('read', (keychain) => keychain.delete(name));
      if (done) held.delete(name);
    },
  };
}

/** What is said while a keychain waits for its user. */
const WAITS_FOR_KEYCHAIN = 'Waiting for you to unlock the keychain.';

function isAbsent(error: unknown): boolean {
  return error instanceof CausewayError && error.code === 'keychain_unavailable';
}

/** Keeps secrets for as long as the process lives. */
export function memoryStore(): SecretStore {
  const secrets = new Map<string, Secret>();
  return {
    shared: false,
    get: async (name) => secrets.get(name),
    set: async (name, value) => {
      secrets.set(name, value);
    },
    delete: async (name) => {
      secrets.delete(name);
    },
  };
}

/**
 * The address of this user's session bus if the environment does not name it: some AI clients pass on a dozen
 * variables and no `DBUS_SESSION_BUS_ADDRESS`. It is the socket `bus` in the user's runtime folder, which
 * `XDG_RUNTIME_DIR` names, or else `/run/user/UID` (systemd's pam_systemd(8), XDG Base Directory Specification). Only a socket
 * that is the user's own counts, in a folder that no one else may write to: whoever answers there receives secrets.
 * @returns undefined if the environment names one, and if there is none
 */
export function conventionalSessionBus(
  env: NodeJS.ProcessEnv,
  { uid = process.getuid?.(), runFolder = '/run/user' }: { uid?: number | undefined; runFolder?: string } = {},
): string | undefined {
  if (uid === undefined || env.DBUS_SESSION_BUS_ADDRESS) return undefined;
  const folders = [env.XDG_RUNTIME_DIR, join(runFolder, String(uid))].filter((folder) => folder?.startsWith('/'));
  const socket = folders.map((folder) => join(folder ?? '', 'bus')).find((path) => isOwnSocket(path, uid));
  return socket && `unix:path=${escapeAddress(socket)}`;
}

function isOwnSocket(path: string, uid: number): boolean {
  try {
    const [socket, folder] = [lstatSync(path), lstatSync(dirname(path))];
    const isPrivate = folder.isDirectory() && folder.uid === uid && (folder.mode & 0o022) === 0;
    return socket.isSocket() && socket.uid === uid && isPrivate;
  } catch {
    return false;
  }
}

/** D-Bus Specification › Server Addresses: other characters are written as `%` and two digits. */
function escapeAddress(path: string): string {
  return Array.from(Buffer.from(path), (byte) => {
    const letter = String.fromCharCode(byte);
    return /[\w./\\*-]/.test(letter) ? letter : `%${byte.toString(16).padStart(2, '0')}`;
  }).join('');
}

/**
 * Loads the keychain if it can be reached. Its library reads the process's own environment, when it is first used.
 * @throws {CausewayError} `keychain_unavailable` if the library's native module is not installed
 */
export async function loadKeychain(env: NodeJS.ProcessEnv): Promise<typeof import('./keychain.ts')> {
  const address = process.platform === 'linux' ? conventionalSessionBus(env) : undefined;
  if (address !== undefined && !process.env.DBUS_SESSION_BUS_ADDRESS) process.env.DBUS_SESSION_BUS_ADDRESS = address;
  return import('./keychain.ts').catch((cause: unknown) => {
    throw new CausewayError('keychain_unavailable', "The keychain's native module is not installed with Causeway.", {
      cause,
    });
  });
}
