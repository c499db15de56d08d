import { app, BrowserWindow } from 'electron';
import type { FailedAction } from '../../preload/contract.ts';
import { endSessionBehind } from '../hub/boundary.ts';
import { argumentsAfterCrash, crashesIn, withCrash } from './crash.ts';
import { relaunch } from './quit.ts';

/** Starts the application again when it breaks, unless it keeps breaking. The proxies go on alone meanwhile. */
export function restartAfterCrash(): void {
  let ending = false;
  const restart = (what: string) => (error: unknown) => {
    // What one client has brought about ends that client's session alone.
    if (ending || endSessionBehind(error)) return;
    ending = true;
    console.error(what, error);
    const args = argumentsAfterCrash(process.argv.slice(1), Date.now(), BrowserWindow.getAllWindows().length > 0);
    if (args) relaunch(args);
    else console.error('Causeway broke again and again: it is not started another time.');
    app.exit(1);
  };
  process.on('uncaughtException', restart('Causeway broke:'));
  process.on('unhandledRejection', restart('Causeway broke on a failure that nobody handled:'));
  app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
    // Chromium starts these again by itself.
    if (reason !== 'clean-exit') console.warn(`A process of Causeway ended (${type}, ${reason}, ${exitCode}).`);
  });
}

/** What to tell the person at a start that follows a crash. */
export function wordsAfterCrash(args: readonly string[], logFolder: string): FailedAction | null {
  if (crashesIn(args).length === 0) return null;
  return {
    title: 'Causeway stopped unexpectedly and was started again',
    problem: {
      code: 'internal',
      message: 'Nothing that you have set was lost, and your AI clients go on.',
      remedy: `If it happens again, look into Diagnostics. The log is in ${logFolder}.`,
    },
  };
}

/** Said in the window when its page has broken. */
export const WINDOW_BROKE: FailedAction = {
  title: 'This window broke and was opened again',
  problem: {
    code: 'internal',
    message: 'What you were typing may be lost; everything else goes on.',
    remedy: 'If it happens again, look into Diagnostics.',
  },
};

/** Shows the page again when its process breaks. A window that keeps breaking is closed: the tray lives on. */
export function reloadAfterCrash(window: BrowserWindow, crashes: number[], tell: () => void): void {
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit') return;
    console.error(`The window's process ended (${reason}, ${exitCode}).`);
    const now = withCrash(crashes, Date.now());
    crashes.splice(0, crashes.length, ...(now ?? []));
    if (now === undefined) return window.destroy();
    tell();
    window.webContents.reload();
  });
}
