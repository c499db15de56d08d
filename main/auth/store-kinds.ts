import { CausewayError } from '../platform/errors.ts';
import type { SecretStore } from './secret-store.ts';

/** What a store for secrets is opened with. */
export interface StoreOptions {
  env: NodeJS.ProcessEnv;
  /** What groups these secrets in the keychain, such as `Causeway`. */
  service: string;
  /** Told in words, once, that the keychain cannot be used. */
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
    async ({ env, service }) => (await import('./encrypted-file-store.ts')).encryptedFileStore(env, service),
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
