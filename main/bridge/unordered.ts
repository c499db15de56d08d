/**
 * Things in no order, each of which knows its place. An array, because the tables that a Set or a Map leaves behind as it
 * changes keep whatever was in them alive until the old heap is swept.
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

  /** As they are now: who is called may add and remove. */
  all(): T[] {
    return [...this.#all];
  }
}
