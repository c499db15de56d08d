import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';
import { accessibilityFindings, findChromium, launchChromium, NO_CHROMIUM, textsCutOff } from './chromium.ts';
import { serveWindow, type WindowServer } from './window-server.ts';

/** Why the window cannot be shown here, in one line; undefined if it can. */
export const whyNotHere = findChromium(process.env) ? undefined : NO_CHROMIUM;
if (whyNotHere) console.warn(`The browser tests are skipped. ${whyNotHere}`);

/** Where pictures go: the folder that `CAUSEWAY_SCREENS` names; none are taken if it names none. */
const SCREENS = process.env.CAUSEWAY_SCREENS;
/** Whether `inspect` is to look in fewer sizes, where time is short. */
const BRIEF = process.env.CAUSEWAY_BRIEF !== undefined;
const SIZES = { usual: [880, 640], small: [640, 480], narrow: [320, 640] } as const;
/** `zoomed` is the usual window at 200 %. */
const MORE_SIZES = { wide: [2560, 1440], zoomed: [440, 320] } as const;

/**
 * The window in Chromium, on a workspace of its own for each test of the `describe` that calls this. What the page
 * reports as an error fails the test.
 */
export function useWindow() {
  let browser: Browser;
  let home: string;
  let workspace: EmbeddedWorkspace;
  let server: WindowServer;
  let page: Page;
  const trouble: string[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'causeway-window-'));
    workspace = await startWorkspace({ home });
    await open(home);
  });
  afterEach(async () => {
    await page.close();
    await server.close();
    await workspace.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    expect(trouble.splice(0)).toEqual([]);
  });

  async function open(folder: string): Promise<void> {
    const own = { HOME: folder, CAUSEWAY_HOME: join(folder, 'causeway'), CAUSEWAY_TOKEN_STORE: 'encrypted-file' };
    server = await serveWindow({ ...own, PATH: '/usr/bin:/bin' });
    page = await browser.newPage({ viewport: { width: SIZES.usual[0], height: SIZES.usual[1] } });
    page.on('console', (message) => {
      if (message.type() === 'error') trouble.push(message.text());
    });
    page.on('pageerror', (error) => trouble.push(error.message));
    await page.goto(server.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }

  async function reopenIn(folder: string): Promise<void> {
    await page.close();
    await server.close();
    await open(folder);
  }

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const choose = async (name: string) => {
    await button('Change…').click();
    await page.getByRole('radio', { name: new RegExp(`^${name}`) }).check();
    await button('Use this warehouse').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  const tabTo = async (name: string) => {
    for (let presses = 0; presses < 20 && (await focused()) !== name; presses += 1) await page.keyboard.press('Tab');
    expect(await focused()).toBe(name);
  };
  const answer = () => page.getByRole('heading', { level: 1 }).textContent();
  const overrideOf = (userName: string) => {
    const user = workspace.users.find((each) => each.userName === userName);
    return workspace.state.overrides.get(user?.id ?? '');
  };

  /**
   * Looks at the page in all sizes, with letters twice as large, and in the dark: nothing for axe to find, nothing beyond
   * the side, no text cut off.
   */
  async function inspect(name: string): Promise<void> {
    const { usual } = SIZES;
    if (BRIEF) return lookBriefly(name);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    for (const [size, dimensions] of Object.entries(SIZES)) {
      await lookAt(`${name}-${size}-light`, dimensions, size !== 'small');
    }
    for (const [size, dimensions] of Object.entries(MORE_SIZES)) await lookAt(`${name}-${size}`, dimensions, false);
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
    await lookAt(`${name}-large-text`, usual, false);
    await page.evaluate(() => document.documentElement.style.removeProperty('font-size'));
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await lookAt(`${name}-narrow-dark`, SIZES.narrow, false);
    await lookAt(`${name}-usual-dark`, usual, true);
  }

  /** The narrowest width, and both colour schemes. */
  async function lookBriefly(name: string): Promise<void> {
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await lookAt(`${name}-narrow-light`, SIZES.narrow, false);
    await lookAt(`${name}-usual-light`, SIZES.usual, true);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await lookAt(`${name}-usual-dark`, SIZES.usual, true);
  }

  /** The sizes share their colours and almost all of their elements: axe need not see each. */
  async function lookAt(name: string, [width, height]: readonly [number, number], withAxe: boolean): Promise<void> {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
    if (SCREENS) {
      await mkdir(SCREENS, { recursive: true });
      await page.screenshot({ path: join(SCREENS, `${name}.png`) });
    }
    if (withAxe) expect(await accessibilityFindings(page), name).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(width);
    expect(await textsCutOff(page), name).toEqual([]);
  }

  const allow = async () => {
    await expect.poll(() => server.opened.length).toBeGreaterThan(0);
    const signInPage = await browser.newPage();
    await signInPage.goto(server.opened.at(-1) ?? '');
    await signInPage.getByRole('button', { name: /allow/i }).click();
    await signInPage
      .getByText(/signed in/i)
      .first()
      .waitFor();
    await signInPage.close();
  };

  const go = (screen: string) =>
    page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen, exact: true }).click();

  /** In place of one that a test has closed. */
  async function startWorkspaceAgain(): Promise<void> {
    workspace = await startWorkspace();
  }

  const shown = {
    get browser() {
      return browser;
    },
    get page() {
      return page;
    },
    get server() {
      return server;
    },
    get workspace() {
      return workspace;
    },
    get home() {
      return home;
    },
  };
  return {
    shown,
    button,
    choose,
    answer,
    focused,
    tabTo,
    overrideOf,
    inspect,
    allow,
    go,
    reopenIn,
    startWorkspaceAgain,
  };
}
