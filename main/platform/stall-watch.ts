/** A time in which a process did one thing alone, so that all else waited. */
export interface Stall {
  /** When it ended, in milliseconds since 1970. */
  at: number;
  /** How long it lasted at least, in milliseconds. */
  ms: number;
}

/** How often it is looked, in milliseconds. A stall is seen as that much shorter at most. */
const LOOK_MS = 200;
/** A shorter delay is what opening a window or a garbage collection takes, in milliseconds. */
const LEAST_STALL_MS = 250;
/** A longer one is a computer that slept, in milliseconds. */
const MOST_STALL_MS = 60_000;

/**
 * Watches this thread for stalls: a timer that comes late was kept waiting. Does not keep the process alive. Returns the function that
 * ends it.
 *
 * (Not `monitorEventLoopDelay`: it loses the delay during which it is reset, and without that, all that are shorter than the longest.)
 */
export function watchStalls(onStall: (stall: Stall) => void): () => void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const ms = Math.round(now - last - LOOK_MS);
    last = now;
    if (ms >= LEAST_STALL_MS && ms <= MOST_STALL_MS) onStall({ at: Date.now(), ms });
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
