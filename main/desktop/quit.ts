import { app } from 'electron';
import { argumentsOfNextStart } from './crash.ts';

/**
 * Closes everything before the application quits. A second instance that starts meanwhile makes it restart after it has
 * quit. Returns a function that says whether it is closing.
 */
export function quitCleanly(close: () => Promise<void>): () => boolean {
  let closing: Promise<void> | undefined;
  let closed = false;
  let startAgain = false;
  app.on('will-quit', (event) => {
    if (closed) return;
    event.preventDefault();
    // Electron ignores a second quit until the event of the first has returned, and everything may be closed before that.
    closing ??= close().then(() => {
      closed = true;
      // Each call would start one more.
      if (startAgain) relaunch(argumentsOfNextStart(process.argv.slice(1)));
      setImmediate(() => app.quit());
    });
  });
  app.on('second-instance', () => {
    if (closing) startAgain = true;
  });
  return () => closing !== undefined;
}

/** Starts the application again once it has ended. */
export function relaunch(args: string[]): void {
  // An AppImage's own program is in a folder that goes with it.
  const program = process.env.APPIMAGE ? { execPath: process.env.APPIMAGE } : {};
  app.relaunch({ args, ...program });
}
