import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { defaultValue, lockedValue } from '../../permissions/policy/policy.ts';
import { currentPolicy } from '../../permissions/policy/system-policy.ts';
import { asCausewayError, CausewayError } from '../../platform/errors.ts';
import { readStored } from '../../platform/json.ts';
import { configFolder, SETTINGS_NAME } from '../../platform/paths.ts';
import { Secret } from '../../platform/secret.ts';
import { keychainOrMemory, loadKeychain, memoryStore } from './keychain-or-memory.ts';
import type { SecretStore } from './secret-store.ts';

/** The options of a store for secrets. */
export interface StoreOptions {
  env: NodeJS.ProcessEnv;
  /** The keychain's service name for these secrets, such as `Causeway`. */
  service: string;
  /** Called once, with a message that the keychain cannot be used. */
  onNotice: (message: string) => void;
}

/** Where secrets stay between two uses. The keychain and the encrypted file are loaded when they are opened. */
const KINDS = new Map<string, (options: StoreOptions) => Promise<SecretStore>>([
  [
    'keychain',
    async ({ env, service, onNotice }) => {
      const loaded = await loadKeychain(env).catch(asCausewayError);
      return keychainOrMemory(
        () => {
          if (loaded instanceof CausewayError) throw loaded;
          return loaded.openKeychain(service);
        },
        onNotice,
        () => performance.now(),
      );
    },
  ],
  ['memory', async () => memoryStore()],
  [
    'encrypted-file',
    async ({ env, service }) => (await import('./encrypted-file.ts')).encryptedFileStore(env, service),
  ],
]);

/** Opens one kind of store. @throws {CausewayError} `usage` for an unknown kind */
export async function openStoreOf(kind: string, options: StoreOptions): Promise<SecretStore> {
  const open = KINDS.get(kind);
  if (!open) {
    throw new CausewayError('usage', `CAUSEWAY_TOKEN_STORE is "${kind}".`, {
      remedy: 'It must be keychain, memory or encrypted-file.',
    });
  }
  return open(options);
}

/**
 * Opens the store that `CAUSEWAY_TOKEN_STORE` names: `keychain` (with the process's memory if there is none), `memory`,
 * or `encrypted-file`. Where it names none, the one that the user has chosen in the settings, the keychain by default;
 * when that changes, it is followed at once. What the organization has decided goes before all of these.
 * @throws {CausewayError} `usage` for any other word
 */
export async function openSecretStore(options: StoreOptions): Promise<SecretStore> {
  const { CAUSEWAY_TOKEN_STORE: named } = options.env;
  const isManaged = lockedValue(await currentPolicy(), 'tokenStore') !== undefined;
  return named && !isManaged ? openStoreOf(named, options) : chosenStore(options);
}

/** The one line of the user's settings that is read here; whatever else the file holds, or fails to, is the desktop's. */
const settings = z.object({ tokenStore: z.enum(['keychain', 'encrypted-file']) });

/** A store that a user can choose. */
export type ChosenKind = z.output<typeof settings>['tokenStore'];

/** The store that the user has chosen. The choice is read at each use, because another process may change it at any time. */
async function chosenStore(options: StoreOptions): Promise<SecretStore> {
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
    get isAwaited() {
      return current.isAwaited ?? false;
    },
    get: async (name) => (await open()).get(name),
    set: async (name, value, how) => (await open()).set(name, value, how),
    prepare: async (name) => (await open()).prepare?.(name),
    forget: (name) => current.forget?.(name),
    delete: async (name) => (await open()).delete(name),
  };
}

/** Where secrets are kept: by the organization's decision, or else by the user's. @throws {CausewayError} `managed` */
export async function chosenKind(env: NodeJS.ProcessEnv): Promise<ChosenKind> {
  const policy = await currentPolicy();
  const managed = lockedValue(policy, 'tokenStore');
  if (managed) return managed;
  // Where nothing was chosen, or the file is damaged, which the desktop tells, the default counts.
  const stored = await readStored(join(configFolder(env), `${SETTINGS_NAME}.json`), settings);
  return stored?.tokenStore ?? defaultValue(policy, 'tokenStore') ?? 'keychain';
}

/**
 * Writes, reads and removes something where sign-ins are kept.
 * @returns the kind of place
 * @throws {CausewayError} `keychain_unavailable`, `keychain_locked`, `invalid_file`, `usage`
 */
export async function checkStore(env: NodeJS.ProcessEnv): Promise<string> {
  const isManaged = lockedValue(await currentPolicy(), 'tokenStore') !== undefined;
  const kind = (!isManaged && env.CAUSEWAY_TOKEN_STORE) || (await chosenKind(env));
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
  if (!same) throw new Error('A stored value was different when it was read back.');
  return kind;
}
