import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const USUAL_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:/Program Files/Google/Chrome/Application/chrome.exe',
];

export const NO_CHROMIUM = 'There is no Chromium here: install one, or let CHROMIUM_PATH name it.';

export function findChromium(env: NodeJS.ProcessEnv): string | undefined {
  return [env.CHROMIUM_PATH, ...USUAL_PLACES].find((path) => path !== undefined && existsSync(path));
}

export function launchChromium(): Promise<Browser> {
  const root = process.platform === 'linux' && process.getuid?.() === 0;
  return chromium.launch({
    executablePath: findChromium(process.env) ?? '',
    args: root ? ['--no-sandbox'] : [],
  });
}

/** What axe finds wrong on the page as it is now: rule and place of each finding. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

declare global {
  interface Window {
    readonly axe: typeof axe;
  }
}
