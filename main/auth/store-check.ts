import { randomUUID } from 'node:crypto';
import { Secret } from '../platform/secret.ts';
import { chosenKind } from './chosen-store.ts';
import { loadKeychain } from './session-bus.ts';
import { openStoreOf } from './store-kinds.ts';

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
