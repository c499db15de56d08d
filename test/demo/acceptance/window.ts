import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { _electron, type Page } from 'playwright-core';
import { electronFlags, findElectron } from '../../../main/desktop/electron-binary.ts';
import { findChromium, launchChromium } from '../../browser/chromium.ts';
import { serveWindow } from '../../browser/window-server.ts';
import { whyNotHere } from '../../desktop/application.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

export interface WindowOpener {
  /** `the application` or `the window in Chromium`. */
  what: string;
  open(env: Record<string, string>): Promise<{ page: Page; close(): Promise<void> }>;
}

/** The application where it runs on this computer, else its window in Chromium; a sentence where there is neither. */
export function findWindow(env: NodeJS.ProcessEnv): WindowOpener | string {
  const noApplication = whyNotHere(env);
  if (noApplication === undefined) return { what: 'the application', open: openApplication };
  if (findChromium(env)) return { what: 'the window in Chromium', open: openInChromium };
  return `There is no Electron and no Chromium to show the window: ${noApplication}`;
}

async function openApplication(env: Record<string, string>) {
  await endFirstRun(env);
  const executablePath = findElectron(process.env) ?? '';
  const folder = `--user-data-dir=${join(env.HOME ?? '', 'electron')}`;
  const electron = await _electron.launch({ executablePath, args: [...electronFlags(), folder, ROOT], env });
  const page = electron.windows()[0] ?? (await electron.waitForEvent('window'));
  return { page, close: () => electron.close() };
}

async function openInChromium(env: Record<string, string>) {
  const server = await serveWindow(env);
  const browser = await launchChromium();
  const page = await browser.newPage();
  await page.goto(server.url);
  return {
    page,
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}

/** Notes that the first run is over, as it is for a user who opens the application again. */
async function endFirstRun(env: Record<string, string>): Promise<void> {
  const folder = join(env.CAUSEWAY_HOME ?? '', 'config');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'settings.json'), '{"firstRun":null}');
}
