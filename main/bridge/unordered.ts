/**
 * A collection without order, in which each element knows its index. It is an array because the tables that a changing Set
 * or Map leaves behind keep their elements alive until a major garbage collection.
 */
export class Unordered<T extends { place: number }> {
  readonly #all: T[] = [];

  get size(): number {
    return this.#all.length;
  }

  add(one: T): void {
    if (one.place < 0) one.place = this.#all.push(one) - 1;
  }

  remove(one: T): void {
    if (one.place < 0) return;
    const last = this.#all.pop();
    if (last && last !== one) {
      this.#all[one.place] = last;
      last.place = one.place;
    }
    one.place = -1;
  }

  /** A copy of the elements, so that a loop over it may add and remove. */
  all(): T[] {
    return [...this.#all];
  }
}
