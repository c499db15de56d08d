import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import { foreignText } from '../../platform/foreign-text.ts';
import { checkNotRemoved } from '../../platform/removal.ts';
import { Secret } from '../../platform/secret.ts';
import { callKeychain, callsGivenUp, giveUpCalls, type KeychainCall } from './keychain-calls.ts';
import type { SecretStore } from './secret-store.ts';

/** How long the keychain may take, in milliseconds: the user may have to unlock it first. */
const KEYCHAIN_TIMEOUT_MS = 30_000;
/** The pauses before writing is tried again, in milliseconds. Now and then, a keychain refuses when several processes write. */
const WRITE_PAUSES_MS = [25, 50, 100, 200];
/** What the library reports if no keychain answers. It uses two D-Bus libraries, which have different messages. */
const NOT_THERE = /d-?bus|no secret service|ServiceUnknown|Failed to connect to address/i;
/** Windows keeps at most 2560 bytes for one name, as UTF-16. */
const WINDOWS_LIMIT = 1200;

const Password = z
  .string()
  .nullish()
  .transform((text) => text ?? null);
const Names = z.array(z.string());

/**
 * The operating system's keychain: Keychain on macOS, Credential Manager on Windows, the Secret Service on Linux.
 * @throws {CausewayError} from each call: `keychain_unavailable` if there is none, `keychain_locked` if it does not open
 */
export function openKeychain(service: string): SecretStore {
  const plain: PlainStore = {
    get: async (name) => Password.parse(await withTimeout({ does: 'get', service, name })),
    async set(name, text) {
      await checkNotRemoved();
      for (const pause of WRITE_PAUSES_MS) {
        try {
          await withTimeout({ does: 'set', service, name, text });
          return;
        } catch {
          await sleep(pause);
        }
      }
      await withTimeout({ does: 'set', service, name, text });
    },
    delete: (name) => withTimeout({ does: 'delete', service, name }),
    names: () => accountsOf(service),
  };
  const sized = process.platform === 'win32' ? splitStore(plain, WINDOWS_LIMIT) : plain;
  return {
    shared: true,
    get: async (name) => {
      const text = await sized.get(name);
      return text === null ? undefined : new Secret(text);
    },
    set: (name, value) => sized.set(name, value.reveal()),
    delete: async (name) => {
      await sized.delete(name);
    },
  };
}

/** The names of all secrets of a service in the keychain. @throws {CausewayError} as the calls of `openKeychain` */
export async function keychainNames(service: string): Promise<string[]> {
  return (await accountsOf(service)).filter((name) => !PART.test(name));
}

/** How the Secret Service reports an item that another process has deleted after it was found. */
const ITEM_GONE = /Object does not exist at path .*\/collection\//;
const LISTING_ATTEMPTS = 5;

/** The names of all items of a service, including parts. */
async function accountsOf(service: string): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return Names.parse(await withTimeout({ does: 'names', service }));
    } catch (error) {
      const cause = error instanceof CausewayError ? error.cause : undefined;
      if (attempt === LISTING_ATTEMPTS || !(cause instanceof Error && ITEM_GONE.test(cause.message))) throw error;
    }
  }
}

/** The calls that the keychain has not answered yet, and how many of them were given up. */
const calls = { open: 0, overdue: 0 };
let exitIsWatched = false;

/** How many calls may have been given up and not come back, before no other one is made: each holds a thread. */
const MAX_GIVEN_UP = 3;

/**
 * Waits for the keychain, but not for ever: while it asks for its password, nobody may be there. A call that was given up goes on
 * in its thread; where it has none, no other one follows until it is answered. Since an open call keeps Node from ending (its
 * threads are waited for), the process then ends in another way.
 */
async function withTimeout(call: KeychainCall): Promise<unknown> {
  if (calls.overdue > 0 || callsGivenUp() >= MAX_GIVEN_UP) throw locked('it is still locked');
  watchExit();
  let timer: NodeJS.Timeout | undefined;
  let isOverdue = false;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      if (!giveUpCalls()) {
        isOverdue = true;
        calls.overdue += 1;
      }
      reject(locked('it does not answer, and may be locked'));
    }, KEYCHAIN_TIMEOUT_MS);
  });
  calls.open += 1;
  // If there is no keychain at all, the library throws instead of returning a promise.
  const answer = callKeychain(call).finally(() => {
    clearTimeout(timer);
    calls.open -= 1;
    if (isOverdue) calls.overdue -= 1;
  });
  try {
    return await Promise.race([answer, late]);
  } catch (cause) {
    if (cause instanceof CausewayError) throw cause;
    const said = cause instanceof Error ? cause.message : String(cause);
    if (!NOT_THERE.test(said)) throw locked(reasonIn(said), cause);
    const message =
      process.platform !== 'linux' || process.env.DBUS_SESSION_BUS_ADDRESS
        ? 'No keychain on this computer responds.'
        : 'The keychain cannot be reached from here: DBUS_SESSION_BUS_ADDRESS is not set, and there is no session bus at $XDG_RUNTIME_DIR/bus or /run/user/UID/bus.';
    throw new CausewayError('keychain_unavailable', message, { cause });
  }
}

function locked(reason: string, cause?: unknown): CausewayError {
  return new CausewayError('keychain_locked', `The keychain cannot be used (${reason}).`, { cause });
}

/** What the keychains of all systems report if their user does not open them. */
const NOT_UNLOCKED = /dismissed|cancell?ed|user interaction is not allowed|no password|locked/i;

/** Why the keychain gives nothing, from the library's message. */
function reasonIn(message: string): string {
  return NOT_UNLOCKED.test(message) ? 'it was not unlocked' : foreignText(message, { maxLength: 200 });
}

function watchExit(): void {
  if (exitIsWatched) return;
  exitIsWatched = true;
  process.once('exit', (code) => {
    if (calls.open > 0 || callsGivenUp() > 0) endAtOnce(code);
  });
}

/**
 * Ends the process with an exit code although one of its threads does not return: another program takes its place, and ends.
 * Where that cannot be done, the process ends by force.
 */
function endAtOnce(code: number): void {
  try {
    if (!process.versions.electron) process.execve?.('/bin/sh', ['sh', '-c', `exit ${code}`], {});
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}

/** A keychain's own calls. */
export interface PlainStore {
  get(name: string): Promise<string | null>;
  set(name: string, text: string): Promise<void>;
  delete(name: string): Promise<unknown>;
  /** All names. */
  names(): Promise<string[]>;
}

/** The end of a part's name. */
const PART = / #[0-9a-f]+\.\d+$/;
/** A head that points to parts: their number, and the write that they belong to. */
const HEAD = /^parts:(\d+):([0-9a-f]+)$/;

/**
 * Keeps texts longer than the platform's limit in several parts. The parts are written under new names first and the
 * head, which says where they are, last: a crash at any point leaves the old text or the new one.
 * @param limit in UTF-16 units
 */
export function splitStore(inner: PlainStore, limit: number): PlainStore {
  const partName = (name: string, writing: string, index: number) => `${name} #${writing}.${index}`;

  async function read(name: string): Promise<string | null> {
    const head = await inner.get(name);
    const [, count, writing = ''] = (head && HEAD.exec(head)) || [];
    if (count === undefined) return head;
    const names = Array.from({ length: Number(count) }, (_, index) => partName(name, writing, index));
    const parts = await Promise.all(names.map((part) => inner.get(part)));
    return parts.includes(null) ? null : parts.join('');
  }

  async function removeParts(name: string, kept?: string): Promise<void> {
    const old = (await inner.names()).filter(
      (other) => other.startsWith(`${name} #`) && !(kept && other.startsWith(`${name} #${kept}.`)),
    );
    await Promise.all(old.map((other) => inner.delete(other)));
  }

  return {
    // Another process may have replaced the parts after the head was read. The new head is there then.
    get: async (name) => (await read(name)) ?? (await read(name)),
    async set(name, text) {
      const writing = text.length > limit ? randomBytes(4).toString('hex') : undefined;
      if (writing === undefined) {
        await inner.set(name, text);
      } else {
        const count = Math.ceil(text.length / limit);
        for (let index = 0; index < count; index += 1) {
          await inner.set(partName(name, writing, index), text.slice(index * limit, (index + 1) * limit));
        }
        await inner.set(name, `parts:${count}:${writing}`);
      }
      await removeParts(name, writing);
    },
    async delete(name) {
      await inner.delete(name);
      await removeParts(name);
    },
    names: async () => (await inner.names()).filter((name) => !PART.test(name)),
  };
}
