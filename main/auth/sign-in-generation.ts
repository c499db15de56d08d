import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { readBounded } from '../platform/bounded-file.ts';
import { stateFolder } from '../platform/paths.ts';
import { writeWholeFile } from '../platform/replace-file.ts';
import { type Profile, signInKey } from './auth.ts';
import { type SignInIdentity, userKey } from './identity.ts';

/** How often a change by another process is looked for on behalf of those who wait for one, in milliseconds. */
const LOOK_EVERY_MS = 500;

/** A profile's folder for locks, outcomes and the generation of its sign-in. Its name is valid on any file system. */
export function signInFolder(env: NodeJS.ProcessEnv, profile: Pick<Profile, 'host' | 'name'>): string {
  const id = createHash('sha256').update(signInKey(profile)).digest('hex').slice(0, 24);
  return join(stateFolder(env), 'sign-in', id);
}

/**
 * Tells all processes that a profile's sign-in has been replaced or has ended. It is a small file whose times change before
 * and after each such change; renewing a token changes nothing. What it holds tells one user from another, and does not
 * name them.
 */
export class SignInGeneration {
  readonly #file: string;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  /** @param folder the profile's own */
  constructor(folder: string) {
    this.#file = join(folder, 'generation');
  }

  /** What changes with the generation. It costs one `stat`, a few microseconds. */
  stamp(): string {
    try {
      const found = statSync(this.#file, { throwIfNoEntry: false });
      return found ? `${found.ino} ${found.mtimeMs} ${found.ctimeMs}` : '';
    } catch (error) {
      return `unreadable ${String(error)}`;
    }
  }

  /** Whose answers may be shown: a key of the user who signed in last; empty if nobody has. */
  async user(): Promise<string> {
    return readBounded(this.#file, 'own').then(
      (bytes) => bytes.toString('utf8').trim(),
      () => '',
    );
  }

  /** Replaces the sign-in by one of this user. @throws {CausewayError} `file_not_writable`, and what the work throws */
  async replace<T>(identity: SignInIdentity, work: () => Promise<T>): Promise<T> {
    const before = await this.user();
    await writeWholeFile(this.#file, `${userKey(identity)}\n`, { mode: 0o600 });
    try {
      return await work();
    } catch (error) {
      await writeWholeFile(this.#file, before, { mode: 0o600 }).catch(() => undefined);
      throw error;
    } finally {
      await this.#touch();
    }
  }

  /** Ends the sign-in. */
  async end<T>(work: () => Promise<T>): Promise<T> {
    await this.#touch();
    return work().finally(() => this.#touch());
  }

  /** Calls back soon after each change, of any process. @returns a function that ends it */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    let seen = this.stamp();
    this.#timer ??= setInterval(() => {
      const stamp = this.stamp();
      if (stamp === seen) return;
      seen = stamp;
      for (const each of [...this.#listeners]) each();
    }, LOOK_EVERY_MS).unref();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Changes the file's times, for which a full disk has room. */
  async #touch(): Promise<void> {
    const now = (Date.now() + Math.random()) / 1000;
    const touched = await utimes(this.#file, now, now).then(
      () => true,
      () => false,
    );
    if (!touched) await writeWholeFile(this.#file, '', { mode: 0o600 }).catch(() => undefined);
  }
}
