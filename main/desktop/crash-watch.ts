import { app, BrowserWindow } from 'electron';
import type { FailedAction } from '../../preload/contract.ts';
import { endSessionBehind } from '../hub/session-scope.ts';
import { argumentsAfterCrash, crashesIn, withCrash } from './crash.ts';
import { relaunch } from './quit.ts';

/** Restarts the application after a crash, unless it keeps crashing. The proxies work alone meanwhile. */
export function restartAfterCrash(): void {
  let ending = false;
  const restart = (what: string) => (error: unknown) => {
    // An error that one client causes ends only that client's session.
    if (ending || endSessionBehind(error)) return;
    ending = true;
    console.error(what, error);
    const args = argumentsAfterCrash(process.argv.slice(1), Date.now(), BrowserWindow.getAllWindows().length > 0);
    if (args) relaunch(args);
    else console.error('Causeway keeps failing and is not started again.');
    app.exit(1);
  };
  process.on('uncaughtException', restart('Causeway failed:'));
  process.on('unhandledRejection', restart('Causeway failed with an unhandled rejection:'));
  app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
    // Chromium restarts these on its own.
    if (reason !== 'clean-exit') console.warn(`A process of Causeway ended (${type}, ${reason}, ${exitCode}).`);
  });
}

/** The message at a start that follows a crash; null at any other start. */
export function wordsAfterCrash(args: readonly string[], logFolder: string): FailedAction | null {
  if (crashesIn(args).length === 0) return null;
  return {
    title: 'Causeway stopped unexpectedly and was started again',
    problem: {
      code: 'internal',
      message: 'Your settings are safe, and your AI clients keep working.',
      remedy: `If it happens again, open Diagnostics. The log is in ${logFolder}.`,
    },
  };
}

/** Shown in the window after its page has crashed. */
export const WINDOW_BROKE: FailedAction = {
  title: 'The window stopped working and was reopened',
  problem: {
    code: 'internal',
    message: 'Text that you were typing may be lost. Everything else keeps working.',
    remedy: 'If it happens again, open Diagnostics.',
  },
};

/** Reloads the page when its process crashes. A window that keeps crashing is closed; the tray stays. */
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
