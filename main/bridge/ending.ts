import { Unordered } from './unordered.ts';

/** Something under way that ends when a signal says so. */
export interface Ending {
  /** Ends it at once. */
  end(): void;
  /** Its place among the others; kept by them, and negative outside. */
  place: number;
}

const known = new WeakMap<AbortSignal, Unordered<Ending>>();

/**
 * All that ends with this signal, behind one listener: a listener for each would cost as much as reading a small answer,
 * and Node 20 warns of more than ten.
 */
export function endingWith(signal: AbortSignal): Pick<Unordered<Ending>, 'add' | 'remove'> {
  const before = known.get(signal);
  if (before) return before;
  const endings = new Unordered<Ending>();
  known.set(signal, endings);
  const endAll = () => {
    for (const ending of endings.all()) ending.end();
  };
  signal.addEventListener('abort', endAll, { once: true });
  return endings;
}
