import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';
import { accessibilityFindings, findChromium, launchChromium, NO_CHROMIUM } from './chromium.ts';
import { serveWindow, type WindowServer } from './window-server.ts';

const reason = findChromium(process.env) ? undefined : NO_CHROMIUM;
if (reason) console.warn(`The browser tests are skipped. ${reason}`);

/** Where pictures go: the folder that `CAUSEWAY_SCREENS` names; none are taken if it names none. */
const SCREENS = process.env.CAUSEWAY_SCREENS;
const SIZES = { usual: [880, 640], small: [640, 480], narrow: [320, 640] } as const;

describe.skipIf(reason)('the window in Chromium, on real services', () => {
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
    await rm(home, { recursive: true, force: true });
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

  /** Looks at the page in both colour schemes and all sizes: nothing for axe to find, nothing cut off at the side. */
  async function inspect(name: string): Promise<void> {
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      for (const [size, [width, height]] of Object.entries(SIZES)) {
        await page.setViewportSize({ width, height });
        await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
        expect(await accessibilityFindings(page), `${name}, ${scheme}, ${size}`).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        if (SCREENS) {
          await mkdir(SCREENS, { recursive: true });
          await page.screenshot({ path: join(SCREENS, `${name}-${size}-${scheme}.png`) });
        }
      }
    }
    await page.setViewportSize({ width: SIZES.usual[0], height: SIZES.usual[1] });
  }

  it('opens on the answer', async () => {
    expect(await answer()).toBe('Your queries run on Starter Warehouse');
    await inspect('answer');
  });

  it('holds the places of the answer while it is on its way, so that nothing jumps', async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/requests/causeway:getState', async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await page.getByText('Asking the workspace…').waitFor();
    await inspect('loading');
    const place = async () => ({
      why: await page.getByRole('heading', { name: 'Why' }).boundingBox(),
      lead: await page.getByText('Your queries run on').boundingBox(),
    });
    const before = await place();
    letGo();
    await button('Change…').waitFor();
    expect(await place()).toEqual(before);
  });

  it('chooses a warehouse with the keyboard alone', async () => {
    await tabTo('Change…');
    await page.keyboard.press('Enter');
    await page.getByRole('radio').first().waitFor();
    await page.keyboard.type('data');
    await page.keyboard.press('Enter');
    await page.getByText('because you chose it').waitFor();
    expect(await answer()).toBe('Your queries run on Data science');
    expect(overrideOf('ana@example.com')?.type).toBe('CUSTOM');
    await expect.poll(focused).toBe('Change…');
  });

  it('moves through the list with the arrow keys', async () => {
    await button('Change…').press('Enter');
    await page.getByRole('radio', { name: /^Shared analytics/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('radio', { name: /^Starter Warehouse/ }).isChecked()).toBe(true);
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('radio', { name: /^Data science/ }).isChecked()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(overrideOf('ana@example.com')).toBeUndefined();
  });

  it('shows the list of warehouses', async () => {
    await button('Change…').click();
    await page.getByRole('radio').first().waitFor();
    await inspect('choose');
    await page.getByRole('textbox', { name: 'Search warehouses' }).fill('nowhere');
    await page.getByText('No warehouse matches “nowhere”.').waitFor();
    expect(await button('Use this warehouse').isDisabled()).toBe(true);
  });

  it('warns before and after about a warehouse that the person may not use', async () => {
    await page.getByRole('combobox', { name: 'Profile' }).selectOption('ben');
    await page.getByText('Ben Okafor').waitFor();
    await button('Change…').click();
    await page.getByRole('radio', { name: /^Finance BI.*no permission to use/ }).check();
    await page.getByText('You do not have the CAN USE permission on Finance BI').waitFor();
    await button('Use this warehouse').click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('CAN USE');
    await inspect('cannot-use');
    await button('Choose another…').click();
    await page.getByRole('dialog', { name: 'Choose a warehouse' }).waitFor();
  });

  it('follows the last selected warehouse, having said what that means', async () => {
    await button('Use last selected…').click();
    await page.getByText('Only the workspace knows which one that is').waitFor();
    await inspect('last-selected-question');
    await button('Use last selected').click();
    await page.getByText('because you chose to follow your last pick').waitFor();
    expect(overrideOf('ana@example.com')?.type).toBe('LAST_SELECTED');
    expect(await answer()).toBe('Your queries run on The warehouse you last selected');
    await inspect('last-selected');
  });

  it('clears the override, having said what will happen', async () => {
    await choose('Data science');
    await inspect('override');
    await button('Clear override…').click();
    await page.getByText('Your queries will then run on Starter Warehouse, the workspace default.').waitFor();
    await inspect('clear-question');
    await button('Clear override').click();
    await page.getByText('because it is the workspace default').waitFor();
    expect(overrideOf('ana@example.com')).toBeUndefined();
  });

  it('starts and stops the warehouse, having said whose queries that ends, and follows its state', async () => {
    await button('Start').click();
    await button('Stop…').waitFor();
    await page.getByText(/^(Starting|Running) · /).waitFor();
    await button('Stop…').click();
    await page.getByText('Queries that run on Starter Warehouse, yours and those of others, are cut off.').waitFor();
    await inspect('stop-question');
    await button('Stop it').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText(/^(Stopping|Stopped) · /).waitFor();
  });

  it('says why a warehouse was not started, and offers to try again', async () => {
    const body = JSON.stringify({ error_code: 'PERMISSION_DENIED', message: 'You may not start it.' });
    workspace.faults.add({ path: '/api/2.0/sql/warehouses/*/start', effect: { kind: 'answer', status: 403, body } });
    await button('Start').click();
    await page.getByRole('alert').waitFor();
    await inspect('start-refused');
    await button('Try again').click();
    await button('Stop…').waitFor();
  });

  const checkNamed = (title: string) => page.getByRole('listitem').filter({ hasText: title });

  it('checks that the choice is recorded and resolves', async () => {
    await choose('Shared analytics');
    await button('Run checks').click();
    await checkNamed('Resolves').getByText('Passed').waitFor();
    expect(await checkNamed('Recorded').textContent()).toContain('Passed');
    expect(await checkNamed('End to end').textContent()).toContain('Not checked');
    await inspect('verified');
  });

  it('asks before the third check, naming what it would stop, and does it live', async () => {
    await choose('Shared analytics');
    await button('Check end to end…').click();
    const dialog = page.getByRole('dialog', { name: 'Check end to end?' });
    await dialog.getByText('Shared analytics', { exact: true }).waitFor();
    await inspect('end-to-end-question');
    await button('Stop and check').click();
    await button('Cancel').waitFor();
    await checkNamed('End to end')
      .getByText(/Stopping|Waiting|Sending/)
      .waitFor();
    await checkNamed('End to end').getByText('Passed').waitFor();
    await inspect('verified-end-to-end');
  });

  it('lets the checks be cancelled, and starts again what they had stopped', async () => {
    await choose('Shared analytics');
    workspace.faults.add({ path: '/api/2.0/mcp/sql', effect: { kind: 'stall', milliseconds: 60_000 }, times: 1 });
    await button('Check end to end…').click();
    await button('Stop and check').click();
    await checkNamed('End to end').getByText('Sending a query').waitFor();
    await inspect('verifying');
    await button('Cancel').click();
    await checkNamed('End to end').getByText('Cancelled', { exact: true }).waitFor();
    await checkNamed('End to end').getByText('Started again: Shared analytics').waitFor();
  });

  it('shows what the tray could not do, until it is dismissed', async () => {
    const problem = { code: 'permission_denied', message: 'You may not change it.', remedy: 'Ask an admin.' };
    server.model.showFailedAction({ title: 'Your override was not cleared', problem });
    await page.getByText('Your override was not cleared. You may not change it.').waitFor();
    await inspect('failed-action');
    await button('Dismiss').click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('keeps showing the answer when the workspace goes away, and says so', async () => {
    await workspace.close();
    await button('Check again').click();
    await page.getByRole('alert').waitFor();
    expect(await answer()).toBe('Your queries run on Starter Warehouse');
    await inspect('stale');
    workspace = await startWorkspace();
  });

  it('says what is wrong with a workspace that cannot be reached, and offers the way on', async () => {
    await appendFile(workspace.profileFile, '\n[elsewhere]\nhost = http://127.0.0.1:1\ntoken = dapi0\n');
    await reopenIn(home);
    await page.getByRole('combobox', { name: 'Profile' }).selectOption('elsewhere');
    await page.getByRole('heading', { name: 'The workspace cannot be reached' }).waitFor();
    await inspect('unreachable');
    await button('Try again').click();
    await page.getByRole('combobox', { name: 'Profile' }).selectOption('ana');
    await page.getByText('because it is the workspace default').waitFor();
  });

  it('lets a profile be chosen where none is the default', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-several-'));
    const profile = (name: string, token: string) => `[${name}]\nhost = ${workspace.host}\ntoken = ${token}\n`;
    const [ana, ben] = workspace.users.map(({ token }) => token);
    await writeFile(join(folder, '.databrickscfg'), profile('one', ana ?? '') + profile('two', ben ?? ''));
    await reopenIn(folder);
    await page.getByRole('heading', { name: 'Choose a profile' }).waitFor();
    await inspect('choose-profile');
    await button('Use two').click();
    await page.getByText('Ben Okafor').waitFor();
    await rm(folder, { recursive: true });
  });

  it('signs in in the browser', async () => {
    await page.getByRole('combobox', { name: 'Profile' }).selectOption('oauth');
    await button('Sign in').waitFor();
    await inspect('signed-out');
    await button('Sign in').click();
    await page.getByText('Waiting for the browser.').waitFor();
    await inspect('signing-in');
    const [address] = server.opened;
    const signInPage = await browser.newPage();
    await signInPage.goto(address ?? '');
    await signInPage.getByRole('button', { name: /allow/i }).click();
    await page.getByText('because it is the workspace default').waitFor();
    await signInPage.close();
  });

  it('lets a sign-in be cancelled, and begun again', async () => {
    await page.getByRole('combobox', { name: 'Profile' }).selectOption('oauth');
    await button('Sign in').click();
    await page.getByText('Waiting for the browser.').waitFor();
    await button('Cancel').click();
    await page.getByText('Signing in was cancelled.').waitFor();
    await inspect('sign-in-cancelled');
    await button('Sign in').click();
    await page.getByText('Waiting for the browser.').waitFor();
    await button('Cancel').click();
  });

  it('teaches what a profile is where there is none', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'causeway-empty-'));
    await reopenIn(empty);
    await page.getByRole('heading', { name: 'No workspace yet' }).waitFor();
    await inspect('unconfigured');
    await appendFile(
      join(empty, '.databrickscfg'),
      `[new]\nhost = ${workspace.host}\ntoken = ${workspace.users[1]?.token}\n`,
    );
    await button('Look again').click();
    await page.getByText('Ben Okafor').waitFor();
    await rm(empty, { recursive: true });
  });
});
