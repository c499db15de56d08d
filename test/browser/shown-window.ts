import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { openServers, withServer } from '../../main/clients/servers.ts';
import { environment, ProxyProcess } from '../integration/proxy/proxy-process.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';
import {
  accessibilityFindings,
  competingButtons,
  findChromium,
  footersOutOfSight,
  launchChromium,
  motionEnds,
  NO_CHROMIUM,
  scrolledSideways,
  textsCutOff,
} from './chromium.ts';
import { LOOKS, type Look, SHEET_LOOKS, SIZES } from './looks.ts';
import { serveWindow, type WindowServer } from './window-server.ts';

/** Why the window cannot be shown here, in one line; undefined if it can. */
export const whyNotHere = findChromium(process.env) ? undefined : NO_CHROMIUM;
if (whyNotHere) console.warn(`The browser tests are skipped. ${whyNotHere}`);

/** Where pictures go: the folder that `CAUSEWAY_SCREENS` names; none are taken if it names none. */
const SCREENS = process.env.CAUSEWAY_SCREENS;
/** Whether `inspect` is to look in fewer sizes, where time is short. */
const BRIEF = process.env.CAUSEWAY_BRIEF !== undefined;
/** Whether only pictures are wanted, for the contact sheet. */
const FOR_SHEET = process.env.CAUSEWAY_SHEET !== undefined;
/** Where the application keeps what it has, and what a proxy has to know to go through it. */
const ownPlaces = (folder: string) => ({
  CAUSEWAY_HOME: join(folder, 'causeway'),
  CAUSEWAY_TOKEN_STORE: 'encrypted-file',
});

/** The server that *Add SQL* adds in the embedded workspace, which offers the newer one. */
export const ADDED_SQL = '/ai-gateway/mcp-services/system.ai.dbsql';

/**
 * The window in Chromium, on its own workspace for each test of the `describe` that calls this. What the page
 * reports as an error fails the test.
 */
export function useWindow() {
  let browser: Browser;
  let home: string;
  let workspace: EmbeddedWorkspace;
  let server: WindowServer;
  let page: Page;
  const trouble: string[] = [];
  const proxies: ProxyProcess[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'causeway-window-'));
    workspace = await startWorkspace({ home });
    await open(home);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await showPage(task.name);
    await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
    await page.close();
    await server.close();
    await workspace.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    expect(trouble.splice(0)).toEqual([]);
  });

  async function open(folder: string, isFirstRun = false): Promise<void> {
    server = await serveWindow({ HOME: folder, ...ownPlaces(folder), PATH: '/usr/bin:/bin' }, { isFirstRun });
    page = await browser.newPage({ viewport: { width: SIZES.usual[0], height: SIZES.usual[1] } });
    page.on('console', (message) => {
      if (message.type() === 'error') trouble.push(message.text());
    });
    page.on('pageerror', (error) => trouble.push(error.message));
    await page.goto(server.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }

  /** What was on the page when the test failed: the error alone tells only what was not. */
  async function showPage(name: string): Promise<void> {
    const body = page.locator('body').ariaSnapshot({ timeout: 5_000 });
    console.error(`When “${name}” failed, ${page.url()} showed:\n${await body.catch(String)}`);
  }

  /** @param isFirstRun whether the first run shows, if it is not over yet */
  async function reopenIn(folder: string, isFirstRun = false): Promise<void> {
    await page.close();
    await server.close();
    await open(folder, isFirstRun);
  }

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const choose = async (name: string) => {
    await button('Change warehouse').click();
    await page.getByRole('radio', { name: new RegExp(`^${name}`) }).check();
    await button('Use this warehouse').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  /** Takes an action from the menu beside the main one of the Warehouse screen. */
  const more = async (name: string) => {
    await button('More actions').click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  /** Waits for the reason why the shown warehouse is in effect. */
  const reason = (words: string) =>
    page.getByRole('region', { name: 'Effective warehouse' }).getByText(words, { exact: true }).waitFor();
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
   * Looks at the page in all sizes and both color schemes: nothing for axe to find, nothing that scrolls sideways, no text
   * cut off, the last buttons in sight, and one primary button.
   */
  async function inspect(name: string): Promise<void> {
    const looks = FOR_SHEET ? SHEET_LOOKS : LOOKS;
    for (const look of BRIEF ? looks.filter(({ isBrief }) => isBrief) : looks) await lookAt(name, look);
  }

  async function lookAt(name: string, { size: [width, height], scheme, text, called }: Look): Promise<void> {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height });
    await page.evaluate((percent) => document.documentElement.style.setProperty('font-size', percent), text);
    await motionEnds(page);
    const what = `${name}-${called}`;
    if (SCREENS) {
      await mkdir(SCREENS, { recursive: true });
      await page.screenshot({ path: join(SCREENS, `${what}.png`) });
    }
    if (FOR_SHEET) return;
    expect(await accessibilityFindings(page), what).toEqual([]);
    expect(await scrolledSideways(page), what).toEqual([]);
    expect(await textsCutOff(page), what).toEqual([]);
    expect(await footersOutOfSight(page), what).toEqual([]);
    expect(await competingButtons(page), what).toEqual([]);
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

  const go = async (screen: string) => {
    if (screen === 'Accounts') return fromSwitcher('menuitem', 'Manage accounts');
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen, exact: true }).click();
  };

  /** The button that shows the open account, and opens the menu with the others. */
  const switcher = () => page.getByRole('button', { name: /^Account: / });
  const fromSwitcher = async (role: 'menuitem' | 'menuitemradio', name: string) => {
    await switcher().click();
    await page.getByRole(role, { name, exact: true }).click();
    await page.getByRole('menu').waitFor({ state: 'detached' });
  };
  const chooseProfile = (name: string) => fromSwitcher('menuitemradio', name);
  /** The profile that the side bar shows. */
  const shownProfile = async () => /Account: (\S+)/.exec(await switcher().ariaSnapshot())?.[1];

  /** The user's list of servers, as another program sees it. */
  const openList = () => openServers({ CAUSEWAY_HOME: join(home, 'causeway') });

  /** Puts a server into the list as another program does. */
  async function giveServer(name: string, path: string, profile = 'ana'): Promise<void> {
    const servers = await openList();
    await servers.change((now) => withServer(now, { name, profile, kind: 'other', path }));
  }

  /** Lets what the page asks for wait, before it is heard or with its answer, until the function that it gives is called. */
  async function hold(what: 'request' | 'answer', ...requests: string[]): Promise<() => void> {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (const request of requests) {
      await page.route(`**/${request}`, async (route) => {
        const response = what === 'answer' ? await route.fetch() : undefined;
        await held;
        await (response ? route.fulfill({ response }) : route.continue());
      });
    }
    return release;
  }

  /** In place of one that a test has closed. */
  async function startWorkspaceAgain(): Promise<void> {
    workspace = await startWorkspace();
  }

  /** An AI client that connects through `causeway proxy`, and through the application from there. */
  async function connect(name: string, path = '/api/2.0/mcp/sql'): Promise<ProxyProcess> {
    const env = environment(home, ownPlaces(home));
    const proxy = new ProxyProcess(['--profile', 'ana', '--path', path], env);
    proxies.push(proxy);
    const clientInfo = { name, version: '1.2' };
    await proxy.request('open', 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    proxy.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return proxy;
  }

  /** Counts clicks from now on, until the page is loaded again; gives the function that tells how many there were. */
  async function countClicks(): Promise<() => Promise<number>> {
    await page.evaluate(() => {
      const counter = { clicks: 0 };
      Object.assign(window, { counter });
      // A click on a label is passed on to its field, as another one: what is pressed counts.
      addEventListener('pointerdown', () => (counter.clicks += 1), { capture: true });
    });
    return () => page.evaluate(() => Number(Reflect.get(window, 'counter').clicks));
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
    more,
    reason,
    answer,
    focused,
    tabTo,
    overrideOf,
    inspect,
    allow,
    go,
    chooseProfile,
    shownProfile,
    reopenIn,
    hold,
    openList,
    giveServer,
    startWorkspaceAgain,
    connect,
    countClicks,
  };
}
