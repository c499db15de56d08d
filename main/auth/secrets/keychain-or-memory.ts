import { asCausewayError, CausewayError, inOneLine, sentences } from '../../platform/errors.ts';
import { memoryStore } from './memory-store.ts';
import type { SecretStore } from './secret-store.ts';

/** How long a keychain that could not be used is left alone, in milliseconds: each try may ask the user to unlock it. */
const PAUSE_MS = 60_000;

/**
 * The keychain where it can be used, the process's memory where it cannot (no desktop session, locked). It is tried anew
 * after a while, so a keychain that is unlocked later is used from then on. Never a file in plain text.
 *
 * What the keychain holds is not renewed in memory alone: other processes would go on with what it holds, and a refresh
 * token that is used twice ends the sign-in of all.
 * @throws {CausewayError} from `set` of a renewal, where the keychain holds the name and cannot be written to
 */
export function keychainOrMemory(
  open: () => SecretStore,
  onNotice: (message: string) => void,
  now: () => number,
): SecretStore {
  const memory = memoryStore();
  let opened: SecretStore | undefined;
  let shared = true;
  let unreadable: CausewayError | undefined;
  let noticeSent = false;
  let failedAt = Number.NEGATIVE_INFINITY;
  const held = new Set<string>();

  async function attempt<T>(
    use: 'read' | 'write' | 'replace',
    work: (keychain: SecretStore) => Promise<T>,
  ): Promise<{ done: true; value: T } | { done: false }> {
    // A clock that was set back does not make the pause longer.
    if (Math.abs(now() - failedAt) < PAUSE_MS) return { done: false };
    try {
      opened ??= open();
      const value = await work(opened);
      shared = true;
      unreadable = undefined;
      return { done: true, value };
    } catch (error) {
      shared = false;
      unreadable = asCausewayError(error);
      failedAt = now();
      // Where there is no keychain nothing was ever kept in it: only what is to be kept now is worth a word.
      const nothingMissed = use === 'replace' || (use === 'read' && isAbsent(error));
      if (!noticeSent && !nothingMissed) {
        noticeSent = true;
        onNotice(
          sentences(
            inOneLine(error),
            'Signing in lasts only until this program ends.',
            'To keep it, unlock or install a keychain, or allow an encrypted file with CAUSEWAY_TOKEN_STORE=encrypted-file.',
          ),
        );
      }
      return { done: false };
    }
  }

  return {
    get shared() {
      return shared;
    },
    get unreadable() {
      return unreadable;
    },
    async get(name) {
      const kept = await memory.get(name);
      if (kept) return kept;
      const tried = await attempt('read', (keychain) => keychain.get(name));
      if (!tried.done) return undefined;
      if (tried.value) held.add(name);
      else held.delete(name);
      return tried.value;
    },
    async set(name, value, { isRenewal = false } = {}) {
      const isHeld = isRenewal && held.has(name);
      const { done } = await attempt(isHeld ? 'replace' : 'write', (keychain) => keychain.set(name, value));
      if (done) {
        held.add(name);
        await memory.delete(name);
        return;
      }
      if (isHeld && unreadable) throw unreadable;
      await memory.set(name, value);
    },
    async delete(name) {
      await memory.delete(name);
      const { done } = await attempt('read', (keychain) => keychain.delete(name));
      if (done) held.delete(name);
    },
  };
}

function isAbsent(error: unknown): boolean {
  return error instanceof CausewayError && error.code === 'keychain_unavailable';
}
