import type { SecretStore } from './secret-store.ts';
import { openStoreOf, type StoreOptions } from './secret-store.ts';

/**
 * Opens the store that `CAUSEWAY_TOKEN_STORE` names: `keychain` (with the process's memory where there is none), `memory`,
 * or `encrypted-file`. Where it names none, the one that the user has chosen in the settings, the keychain by default;
 * when that changes, it is followed at once.
 * @throws {CausewayError} `usage` for any other word
 */
export async function openSecretStore(options: StoreOptions): Promise<SecretStore> {
  const named = options.env.CAUSEWAY_TOKEN_STORE;
  if (named) return openStoreOf(named, options);
  const { chosenStore } = await import('./stored-kind.ts');
  return chosenStore(options);
}
