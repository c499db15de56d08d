import { randomBytes } from 'node:crypto';

/** A keychain's own calls, by name. */
export interface PlainStore {
  get(name: string): Promise<string | null>;
  set(name: string, text: string): Promise<void>;
  delete(name: string): Promise<unknown>;
  /** Every name that there is. */
  names(): Promise<string[]>;
}

/** How a head that points to parts looks: how many, and of which writing. */
const HEAD = /^parts:(\d+):([0-9a-f]+)$/;

/**
 * Keeps texts longer than the platform's limit in several parts. The parts are written under new names first and the
 * head, which says where they are, last: a crash at any point leaves the old text or the new one.
 * @param limit in UTF-16 units
 */
export function splitStore(inner: PlainStore, limit: number): PlainStore {
  const partName = (name: string, writing: string, index: number) => `${name} #${writing}.${index}`;

  async function read(name: string): Promise<string | null> {
    const head = await inner.get(name);
    const [, count, writing = ''] = (head && HEAD.exec(head)) || [];
    if (count === undefined) return head;
    const names = Array.from({ length: Number(count) }, (_, index) => partName(name, writing, index));
    const parts = await Promise.all(names.map((part) => inner.get(part)));
    return parts.includes(null) ? null : parts.join('');
  }

  async function removeParts(name: string, kept?: string): Promise<void> {
    const old = (await inner.names()).filter(
      (other) => other.startsWith(`${name} #`) && !(kept && other.startsWith(`${name} #${kept}.`)),
    );
    await Promise.all(old.map((other) => inner.delete(other)));
  }

  return {
    // Somebody may have replaced the parts between the head and them: then the new head is there.
    get: async (name) => (await read(name)) ?? (await read(name)),
    async set(name, text) {
      const writing = text.length > limit ? randomBytes(4).toString('hex') : undefined;
      if (writing === undefined) {
        await inner.set(name, text);
      } else {
        const count = Math.ceil(text.length / limit);
        for (let index = 0; index < count; index += 1) {
          await inner.set(partName(name, writing, index), text.slice(index * limit, (index + 1) * limit));
        }
        await inner.set(name, `parts:${count}:${writing}`);
      }
      await removeParts(name, writing);
    },
    async delete(name) {
      await inner.delete(name);
      await removeParts(name);
    },
    names: async () => (await inner.names()).filter((name) => !/ #[0-9a-f]+\.\d+$/.test(name)),
  };
}
