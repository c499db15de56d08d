import { app } from 'electron';

/** Milliseconds that closing may take, answers to proxies under way included, before the application ends without it. */
const GRACE = 10_000;

/** Closes everything once, in order, when the application is asked to quit, and then lets it go. */
export function quitCleanly(closers: (() => void | Promise<void>)[]): void {
  let closing = false;
  app.on('will-quit', (event) => {
    if (closing) return;
    closing = true;
    event.preventDefault();
    const grace = new Promise<void>((resolve) => setTimeout(resolve, GRACE));
    // Electron ignores a second quit until the event of the first has returned, and everything may be closed before that.
    void Promise.race([closeAll(closers), grace]).then(() => setImmediate(() => app.quit()));
  });
}

async function closeAll(closers: (() => void | Promise<void>)[]): Promise<void> {
  for (const close of closers) {
    try {
      await close();
    } catch (error) {
      console.error('Could not close cleanly:', error);
    }
  }
}
