import { CausewayError } from '../../platform/errors.ts';
import { acquireLock, type Lock } from '../../platform/lock.ts';
import type { SecretStore } from './secret-store.ts';

/** Secrets of one kind, with the store that they are in and the one that they go to. */
export interface MovedSecrets {
  from: SecretStore;
  to: SecretStore;
  names: readonly string[];
}

/**
 * Puts secrets into another store. They are copied, then `switchOver` makes everybody use the new store, and only then the
 * old ones are removed: whatever fails or is killed on the way, each secret is where it is looked for.
 * @param lockFolders held meanwhile, so that no token is renewed in between
 * @throws {CausewayError} `keychain_unavailable` if the new store would forget; what `switchOver` throws
 */
export async function moveSecrets(
  groups: readonly MovedSecrets[],
  lockFolders: readonly string[],
  switchOver: () => Promise<void>,
): Promise<void> {
  const locks: Lock[] = [];
  try {
    // Always in the same order, so that two moves at the same time wait for each other.
    for (const folder of [...lockFolders].sort()) locks.push(await acquireLock(folder));
    for (const group of groups) await copy(group);
    await switchOver();
    for (const { from, names } of groups) for (const name of names) await from.delete(name);
  } finally {
    await Promise.all(locks.map((lock) => lock.release()));
  }
}

async function copy({ from, to, names }: MovedSecrets): Promise<void> {
  for (const name of names) {
    const secret = await from.get(name);
    if (secret) await to.set(name, secret);
    if (to.shared) continue;
    throw new CausewayError('keychain_unavailable', 'No usable keychain was found.', {
      remedy: 'Unlock or install one, then try again. Nothing was changed.',
    });
  }
}
