/** Time, as everything that waits for long takes it: tests have one of their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, so many milliseconds later. Gives the function that takes it back. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** The computer's own. What waits keeps no process alive. */
export const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
