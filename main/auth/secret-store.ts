import { CausewayError } from '../platform/errors.ts';
import type { Secret } from '../platform/secret.ts';

/** Where secrets stay between two uses. */
type StoreKind = 'keychain' | 'memory' | 'encrypted-file';

/** Keeps secrets under names. A name is no secret; it may be shown by the operating system's keychain application. */
export interface SecretStore {
  /** Whether other processes of this person see what is stored, as far as is known now. */
  readonly shared: boolean;
  get(name: string): Promise<Secret | undefined>;
  set(name: string, value: Secret): Promise<void>;
  /** Removes every trace of the name; nothing happens if there is none. */
  delete(name: string): Promise<void>;
}

export interface StoreOptions {
  env: NodeJS.ProcessEnv;
  /** What groups these secrets in the keychain, such as `Causeway`. */
  service: string;
  /** Told in words, once, that the keychain cannot be used. */
  onNotice: (message: string) => void;
}

/**
 * Opens the store that `CAUSEWAY_TOKEN_STORE` names: `keychain` (with the process's memory where there is none), `memory`,
 * or `encrypted-file`. Where it names none, the one that the person has chosen in the settings, the keychain by default;
 * when that changes, it is followed at once.
 * @throws {CausewayError} `usage` for any other word
 */
export async function openSecretStore(options: StoreOptions): Promise<SecretStore> {
  const named = options.env.CAUSEWAY_TOKEN_STORE;
  if (named) return openStoreOf(named, options);
  const { chosenStore } = await import('./chosen-store.ts');
  return chosenStore(options);
}

/** Opens one kind of store. @throws {CausewayError} `usage` for a kind that there is not */
export async function openStoreOf(kind: string, { env, service, onNotice }: StoreOptions): Promise<SecretStore> {
  switch (kind as StoreKind) {
    case 'keychain': {
      const [{ openKeychain }, { keychainOrMemory }] = await Promise.all([
        import('./keychain-store.ts'),
        import('./keychain-or-memory.ts'),
      ]);
      return keychainOrMemory(
        () => openKeychain(service),
        onNotice,
        () => performance.now(),
      );
    }
    case 'memory':
      return (await import('./memory-store.ts')).memoryStore();
    case 'encrypted-file':
      return (await import('./encrypted-file-store.ts')).encryptedFileStore(env, service);
    default:
      throw new CausewayError('usage', `CAUSEWAY_TOKEN_STORE is "${kind}".`, {
        remedy: 'It can be keychain, memory or encrypted-file.',
      });
  }
}
