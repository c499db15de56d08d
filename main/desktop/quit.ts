import { app } from 'electron';

/** Closes everything when the application is asked to quit, and then lets it go. */
export function quitCleanly(close: () => Promise<void>): void {
  let closed = false;
  app.on('will-quit', (event) => {
    if (closed) return;
    event.preventDefault();
    // Electron ignores a second quit until the event of the first has returned, and everything may be closed before that.
    void close().then(() => {
      closed = true;
      setImmediate(() => app.quit());
    });
  });
}
