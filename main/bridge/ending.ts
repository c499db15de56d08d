/** Something under way that ends when a signal says so. */
export interface Ending {
  /** Ends it at once. */
  end(): void;
  /** Its place among the others; kept by them, and negative outside. */
  place: number;
}

/**
 * All that ends with one signal, behind one listener: a listener for each would cost as much as reading a small answer,
 * and Node 20 warns of more than ten. An array, because the tables that a Set leaves behind as it changes keep whatever
 * was in them alive until the old heap is swept.
 */
class Endings {
  readonly #all: Ending[] = [];

  add(ending: Ending): void {
    if (ending.place < 0) ending.place = this.#all.push(ending) - 1;
  }

  remove(ending: Ending): void {
    if (ending.place < 0) return;
    const last = this.#all.pop();
    if (last && last !== ending) {
      this.#all[ending.place] = last;
      last.place = ending.place;
    }
    ending.place = -1;
  }

  end(): void {
    for (const ending of [...this.#all]) ending.end();
  }
}

const known = new WeakMap<AbortSignal, Endings>();

/** Those that end with this signal. */
export function endingWith(signal: AbortSignal): Pick<Endings, 'add' | 'remove'> {
  const before = known.get(signal);
  if (before) return before;
  const endings = new Endings();
  known.set(signal, endings);
  signal.addEventListener('abort', () => endings.end(), { once: true });
  return endings;
}
