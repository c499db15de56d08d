import { CausewayError } from '../../platform/errors.ts';
import type { Secret } from '../../platform/secret.ts';

/** Keeps secrets under names. A name is no secret; it may be shown by the operating system's keychain application. */
export interface SecretStore {
  /** Whether other processes of this user see what is stored, as far as is known now. */
  readonly shared: boolean;
  /** Why what is stored could not be read the last time; undefined where it could. */
  readonly unreadable?: CausewayError | undefined;
  get(name: string): Promise<Secret | undefined>;
  /**
   * @param options `isRenewal` says that what is stored under the name is of no use to anybody any more, so that the value
   * must not be kept for this process alone
   */
  set(name: string, value: Secret, options?: { isRenewal?: boolean }): Promise<void>;
  /** Removes every trace of the name; nothing happens if there is none. */
  delete(name: string): Promise<void>;
}

/** What a store for secrets is opened with. */
export interface StoreOptions {
  env: NodeJS.ProcessEnv;
  /** What groups these secrets in the keychain, such as `Causeway`. */
  service: string;
  /** Called once, with a message that the keychain cannot be used. */
  onNotice: (message: string) => void;
}

/** Where secrets stay between two uses. Each is loaded when it is opened: a proxy needs one of them. */
const KINDS = new Map<string, (options: StoreOptions) => Promise<SecretStore>>([
  [
    'keychain',
    async ({ env, service, onNotice }) => {
      const [{ openKeychain }, { keychainOrMemory }] = await Promise.all([
        import('./session-bus.ts').then(({ loadKeychain }) => loadKeychain(env)),
        import('./keychain-or-memory.ts'),
      ]);
      return keychainOrMemory(
        () => openKeychain(service),
        onNotice,
        () => performance.now(),
      );
    },
  ],
  ['memory', async () => (await import('./memory-store.ts')).memoryStore()],
  [
    'encrypted-file',
    async ({ env, service }) => (await import('./encrypted-file.ts')).encryptedFileStore(env, service),
  ],
]);

/** Opens one kind of store. @throws {CausewayError} `usage` for a kind that there is not */
export async function openStoreOf(kind: string, options: StoreOptions): Promise<SecretStore> {
  const open = KINDS.get(kind);
  if (!open) {
    throw new CausewayError('usage', `CAUSEWAY_TOKEN_STORE is "${kind}".`, {
      remedy: 'It can be keychain, memory or encrypted-file.',
    });
  }
  return open(options);
}
