import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { configFolder, SETTINGS_NAME } from '../../platform/paths.ts';
import { Secret } from '../../platform/secret.ts';
import { openStoreOf, type SecretStore, type StoreOptions } from './secret-store.ts';
import { loadKeychain } from './session-bus.ts';

/** The one line of the user's settings that is read here; whatever else the file holds, or fails to, is the desktop's. */
const settings = z.object({ tokenStore: z.enum(['keychain', 'encrypted-file']) });

/** A place for secrets that a user can choose. */
export type ChosenKind = z.output<typeof settings>['tokenStore'];

/** The store that the user has chosen, looked up anew at each use: another process may change it at any time. */
export async function chosenStore(options: StoreOptions): Promise<SecretStore> {
  const opened = new Map<ChosenKind, Promise<SecretStore>>();
  const open = async () => {
    const kind = await chosenKind(options.env);
    const store = opened.get(kind) ?? openStoreOf(kind, options);
    opened.set(kind, store);
    current = await store;
    return current;
  };
  let current: SecretStore;
  await open();
  return {
    get shared() {
      return current.shared;
    },
    get unreadable() {
      return current.unreadable;
    },
    get: async (name) => (await open()).get(name),
    set: async (name, value, how) => (await open()).set(name, value, how),
    delete: async (name) => (await open()).delete(name),
  };
}

/** Where the user wants secrets to be kept. */
export async function chosenKind(env: NodeJS.ProcessEnv): Promise<ChosenKind> {
  try {
    return settings.parse(JSON.parse(await readFile(join(configFolder(env), `${SETTINGS_NAME}.json`), 'utf8')))
      .tokenStore;
  } catch {
    // Nothing was chosen, or the file is damaged, which the desktop tells.
    return 'keychain';
  }
}

/**
 * Writes, reads and removes something where sign-ins are kept.
 * @returns the kind of place
 * @throws {CausewayError} `keychain_unavailable`, `keychain_locked`, `invalid_file`, `usage`
 */
export async function checkStore(env: NodeJS.ProcessEnv): Promise<string> {
  const kind = env.CAUSEWAY_TOKEN_STORE || (await chosenKind(env));
  // The keychain itself, not the memory that stands in for it.
  const store =
    kind === 'keychain'
      ? (await loadKeychain(env)).openKeychain('Causeway check')
      : await openStoreOf(kind, { env, service: 'Causeway check', onNotice: () => {} });
  const name = `check ${process.pid}`;
  const value = new Secret(randomUUID());
  await store.set(name, value);
  const same = value.equals(await store.get(name));
  await store.delete(name);
  if (!same) throw new Error('What was stored came back changed.');
  return kind;
}
