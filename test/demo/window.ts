import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openSystemBrowser } from '../../main/auth/oauth/open-browser.ts';
import { electronFlags, findElectron, NO_ELECTRON } from '../../main/desktop/electron-binary.ts';
import { serveWindow } from '../browser/window-server.ts';
import type { Account } from './account.ts';
import { openStage } from './stage.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

/** Brings what the window is made of up to date. */
export async function buildWindow(account: Account): Promise<void> {
  account.begin('Building the application');
  const builder = join(ROOT, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  await run(process.execPath, [builder, 'build', '--logLevel', 'error'], { cwd: ROOT });
  account.done('The application is built');
}

/** `npm run demo -- --app`: the application itself, in its own home folder, until it is quit or the demo interrupted. */
export async function demonstrateApplication(account: Account, interrupted: AbortSignal): Promise<void> {
  const electron = findElectron(process.env);
  if (electron === undefined) throw new Error(NO_ELECTRON);
  const stage = await openStage(account);
  try {
    account.begin('Opening the application');
    const folder = `--user-data-dir=${join(stage.home, 'electron')}`;
    const application = spawn(electron, [...electronFlags(), folder, ROOT], { env: stage.env, stdio: 'ignore' });
    const ended = once(application, 'exit');
    await once(application, 'spawn');
    account.done('Causeway is open, and has its icon in the tray. Quit it there, or press Ctrl-C here');
    interrupted.addEventListener('abort', () => application.kill(), { once: true });
    const [code] = await ended;
    if (code !== 0 && !interrupted.aborted) throw new Error(`The application ended with ${code}.`);
  } finally {
    await stage.close();
  }
}

/** `npm run demo -- --browser`: the same window in the user's browser, until the demo is interrupted. */
export async function demonstrateInBrowser(account: Account, interrupted: AbortSignal): Promise<void> {
  const stage = await openStage(account);
  try {
    account.begin('Serving the window');
    const openInBrowser = (address: string) => openSystemBrowser(address, process.env);
    const server = await serveWindow(stage.env, { openInBrowser });
    try {
      await openInBrowser(server.url).catch(() =>
        account.tell('No browser could be opened: open that address yourself.'),
      );
      account.done(`The window is at ${server.url}. Press Ctrl-C here to end it`, { url: server.url });
      if (!interrupted.aborted) await once(interrupted, 'abort');
    } finally {
      await server.close();
    }
  } finally {
    await stage.close();
  }
}
