import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CausewayError } from '../platform/errors.ts';
import { isProcessAlive } from '../platform/process-alive.ts';
import { makeFolder } from '../platform/replace-file.ts';
import { digestOf } from './renewal-journal.ts';
import type { TokenRecord } from './secrets/token-record.ts';

const NAME = /^renewed-([0-9a-f]{16})-(\d+)-([0-9a-f]{8})$/;

/**
 * Tells other processes that the stored sign-in was renewed here and that the new one could not be stored, as on a full
 * disk: whoever used the stored refresh token a second time would end the sign-in for all. The mark is the name of an empty
 * file, for which a full disk still has room. It counts as long as this process lives.
 */
export class UnkeptRenewal {
  readonly #folder: string;
  readonly #owner = `${process.pid}-${randomBytes(4).toString('hex')}`;
  /** The digest in this process's mark. */
  #marked: string | undefined;

  /** @param folder the profile's own */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Marks what is stored as renewed. Never throws: without the mark, others do what they would have done. */
  async mark(stored: TokenRecord): Promise<void> {
    const digest = digestOf(stored);
    if (this.#marked === digest) return;
    try {
      await this.clear();
      await makeFolder(this.#folder, 0o700);
      await writeFile(join(this.#folder, `renewed-${digest}-${this.#owner}`), '', {
        flag: 'wx',
        mode: 0o600,
      });
      this.#marked = digest;
    } catch {
      // Such as a read-only disk, which takes no lock either.
    }
  }

  /** Removes this process's mark, and those of processes that have ended. */
  async clear(): Promise<void> {
    this.#marked = undefined;
    await Promise.all(
      (await this.#marks()).filter(({ isOver, owner }) => isOver || owner === this.#owner).map(this.#remove),
    );
  }

  /** @throws {CausewayError} `file_not_writable` if another process that still runs has renewed what is stored */
  async refuseSecondUse(stored: TokenRecord): Promise<void> {
    const digest = digestOf(stored);
    const other = (await this.#marks()).find(
      (mark) => mark.digest === digest && mark.owner !== this.#owner && !mark.isOver,
    );
    if (!other) return;
    throw new CausewayError(
      'file_not_writable',
      `Another Causeway process (${other.pid}) renewed the sign-in and could not store it.`,
      { remedy: 'Free some space on the disk, or fix what that process reported. Then try again.' },
    );
  }

  async #marks() {
    const names = await readdir(this.#folder).catch(() => []);
    return names.flatMap((name) => {
      const [, digest = '', pid = '', nonce] = NAME.exec(name) ?? [];
      if (nonce === undefined) return [];
      return [{ name, digest, pid, owner: `${pid}-${nonce}`, isOver: !isProcessAlive(Number(pid)) }];
    });
  }

  readonly #remove = ({ name }: { name: string }) =>
    rm(join(this.#folder, name), { force: true }).catch(() => undefined);
}
