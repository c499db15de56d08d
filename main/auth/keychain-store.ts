import { setTimeout as sleep } from 'node:timers/promises';
import { AsyncEntry, findCredentialsAsync } from 'keytar';
import { CausewayError } from '../platform/errors.ts';
import { Secret } from '../platform/secret.ts';
import type { SecretStore } from './secret-store.ts';
import { type PlainStore, splitStore } from './split-store.ts';

/** How long the keychain may take, in milliseconds: the person may have to unlock it first. */
const PATIENCE_MS = 30_000;
/** A keychain that several processes write to refuses now and then; pauses before trying again, in milliseconds. */
const WRITE_PAUSES_MS = [25, 50, 100, 200];
/** Windows keeps at most 2560 bytes for one name, as UTF-16. */
const WINDOWS_LIMIT = 1200;

/**
 * The operating system's keychain: Keychain on macOS, Credential Manager on Windows, the Secret Service on Linux. On Linux
 * never the kernel's key ring, which the library would fall back to: it forgets at the end of the session without a word.
 * @throws {CausewayError} from each call: `keychain_unavailable` where there is none, `keychain_locked` where it does not open
 */
export function openKeychain(service: string): SecretStore {
  const entry = (name: string) => new AsyncEntry(service, name, { linux: { store: 'secret-service' } });
  const plain: PlainStore = {
    get: (name) => patiently(() => entry(name).getPassword()),
    async set(name, text) {
      for (const pause of WRITE_PAUSES_MS) {
        try {
          return await patiently(() => entry(name).setPassword(text));
        } catch {
          await sleep(pause);
        }
      }
      return patiently(() => entry(name).setPassword(text));
    },
    delete: (name) => patiently(() => entry(name).deletePassword()),
    names: () => patiently(async () => (await findCredentialsAsync(service)).map(({ account }) => account)),
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

/** Calls that the keychain has not answered yet, and those of them that were given up. */
const calls = { open: 0, overdue: 0 };
let exitIsWatched = false;

/**
 * Waits for the keychain, but not for ever: while it asks for its password, nobody may be there. A call cannot be taken
 * back, so no other one follows until it is answered; and since an open call keeps Node from ending (its threads are
 * waited for), the process then ends itself by force.
 */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  if (calls.overdue > 0) throw locked('it still waits to be unlocked');
  watchExit();
  let timer: NodeJS.Timeout | undefined;
  let isOverdue = false;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isOverdue = true;
      calls.overdue += 1;
      reject(locked('it waits to be unlocked'));
    }, PATIENCE_MS);
  });
  calls.open += 1;
  // Where there is no keychain at all the library throws before it gives a promise.
  const answer = (async () => work())().finally(() => {
    clearTimeout(timer);
    calls.open -= 1;
    if (isOverdue) calls.overdue -= 1;
  });
  try {
    return await Promise.race([answer, late]);
  } catch (cause) {
    if (cause instanceof CausewayError) throw cause;
    const said = cause instanceof Error ? cause.message : String(cause);
    if (!/d-?bus|no secret service|ServiceUnknown/i.test(said)) throw locked(said, cause);
    const message =
      process.platform !== 'linux' || process.env.DBUS_SESSION_BUS_ADDRESS
        ? 'This computer has no keychain that answers.'
        : 'The keychain cannot be reached from here: DBUS_SESSION_BUS_ADDRESS is not set, and there is no session bus at $XDG_RUNTIME_DIR/bus or /run/user/UID/bus.';
    throw new CausewayError('keychain_unavailable', message, { cause });
  }
}

function locked(reason: string, cause?: unknown): CausewayError {
  return new CausewayError('keychain_locked', `The keychain of this computer cannot be used (${reason}).`, { cause });
}

function watchExit(): void {
  if (exitIsWatched) return;
  exitIsWatched = true;
  process.once('exit', () => {
    if (calls.open > 0) process.kill(process.pid, 'SIGKILL');
  });
}
