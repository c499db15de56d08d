/** Something in flight that ends when a signal is aborted. */
export interface Ending {
  /** Ends it at once. */
  end(): void;
}

const known = new WeakMap<AbortSignal, Set<Ending>>();

/**
 * Everything that ends with this signal, behind one listener. A listener for each costs as much as reading a small answer,
 * and Node 20 warns of more than ten.
 */
export function endingWith(signal: AbortSignal): Set<Ending> {
  const before = known.get(signal);
  if (before) return before;
  const endings = new Set<Ending>();
  known.set(signal, endings);
  const endAll = () => {
    for (const ending of [...endings]) ending.end();
  };
  signal.addEventListener('abort', endAll, { once: true });
  return endings;
}
