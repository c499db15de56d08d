/**
 * Calls at once, and then at most once in each pause, the last time after the last call: whoever is told of many changes
 * is told of the end of them.
 */
export function throttled(call: () => void, pauseMillis: number): { (): void; stop(): void } {
  let pause: NodeJS.Timeout | undefined;
  let isStale = false;
  const run = () => {
    isStale = false;
    pause = setTimeout(() => {
      pause = undefined;
      if (isStale) run();
    }, pauseMillis);
    pause.unref();
    call();
  };
  const ask = () => {
    if (pause) isStale = true;
    else run();
  };
  return Object.assign(ask, { stop: () => clearTimeout(pause) });
}
