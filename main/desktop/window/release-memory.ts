import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How long after the window has closed, in milliseconds: a user who opens it again at once does not wait for this. */
const DELAY_MS = 2_000;

/**
 * Collects garbage once the window has been closed for a moment. V8 does so only when memory is asked for, and an
 * application in the tray asks for none: what the window needed in this process would stay.
 */
export function releaseMemoryLater(isStillClosed: () => boolean): void {
  setTimeout(() => {
    if (isStillClosed()) collectGarbage();
  }, DELAY_MS).unref();
}

/** Collects garbage now. This blocks the process for some tens of milliseconds. */
export function collectGarbage(): void {
  // V8 puts the function only into contexts that are made while the flag is set.
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect();
}
