import { setTimeout as sleep } from 'node:timers/promises';
import { AsyncEntry, findCredentialsAsync } from 'keytar';
import { CausewayError } from '../platform/errors.ts';
import { Secret } from '../platform/secret.ts';
import type { SecretStore } from './secret-store.ts';
import { type PlainStore, splitStore } from './split-store.ts';

/** How long the keychain may take, in milliseconds: the person may have to unlock it first. */
const PATIENCE_MS = 60_000;
/** A keychain that several processes write to refuses now and then; pauses before trying again, in milliseconds. */
const WRITE_PAUSES_MS = [25, 50, 100, 200];
/** Windows keeps at most 2560 bytes for one name, as UTF-16. */
const WINDOWS_LIMIT = 1200;

/**
 * The operating system's keychain: Keychain on macOS, Credential Manager on Windows, the Secret Service on Linux. On Linux
 * never the kernel's key ring, which the library would fall back to: it forgets at the end of the session without a word.
 * @throws {CausewayError} from each call: `keychain_unavailable`
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

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
    timer.unref();
  });
  try {
    return await Promise.race([work(), late]);
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    const reason = /d-?bus/i.test(said) ? 'no Secret Service answers' : said;
    throw new CausewayError('keychain_unavailable', `The keychain of this computer cannot be used (${reason}).`, {
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
}
