/**
 * Throttles a function, with a leading and a trailing call: the first call runs at once, later ones at most once in each
 * interval, and the last one always runs.
 */
export function throttled(call: () => void, intervalMs: number): { (): void; stop(): void } {
  let pause: NodeJS.Timeout | undefined;
  let isStale = false;
  const run = () => {
    isStale = false;
    pause = setTimeout(() => {
      pause = undefined;
      if (isStale) run();
    }, intervalMs);
    pause.unref();
    call();
  };
  const request = () => {
    if (pause) isStale = true;
    else run();
  };
  return Object.assign(request, { stop: () => clearTimeout(pause) });
}
