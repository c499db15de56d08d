import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningApplication, startApplication, whyNotHere } from './application.ts';
import { hasHands, pressKey } from './screen.ts';

const reason = whyNotHere(process.env);
if (reason) console.warn(`The tests of the application menu are skipped. ${reason}`);

describe.skipIf(reason)('the application menu', () => {
  let application: RunningApplication;
  beforeAll(async () => {
    application = await startApplication();
  });
  afterAll(() => application?.close());

  it('exists, hidden, with its menus', async () => {
    await application.window();
    const labels = await application.electron.evaluate(({ Menu }) =>
      Menu.getApplicationMenu()?.items.map(({ label }) => label),
    );
    expect(labels).toEqual(['File', 'Edit', 'View', 'Go', 'Window', 'Help']);
    const hides = await application.electron.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => window.autoHideMenuBar && !window.isMenuBarVisible()),
    );
    expect(hides).toEqual([true]);
  });

  it('opens screens from its entries, even if no window is open', async () => {
    const page = await application.window();
    const click = (label: string) =>
      application.electron.evaluate(({ Menu }, wanted) => {
        const menus = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []);
        menus?.find((item) => item.label === wanted)?.click();
      }, label);
    await click('Servers');
    await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor();
    await application.closeWindow();
    await click('Activity');
    const again = await application.window();
    await again.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
  });

  it('leads to the part of a screen that Help names, and shows no panel of the system', async () => {
    const page = await application.window();
    const click = (label: string) =>
      application.electron.evaluate(({ Menu }, wanted) => {
        const menus = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []);
        menus?.find((item) => item.label === wanted)?.click();
      }, label);
    const inSight = (name: string) =>
      expect
        .poll(() =>
          page
            .getByRole('heading', { level: 2, name, exact: true })
            .evaluate((heading) => heading.getBoundingClientRect().bottom < innerHeight)
            .catch(() => false),
        )
        .toBe(true);
    for (const round of [1, 2]) {
      await click('About Causeway');
      await inSight('About');
      await page.getByText(/^Causeway \d/).waitFor();
      await click('Support Report');
      await inSight('Support report');
      expect(application.electron.windows(), `round ${round}`).toHaveLength(1);
    }
    // A copy that is run from its sources cannot check: the settings say so.
    await click('Check for Updates…');
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await inSight('Updates');
  });

  it('opens a new window at the moment when the old one closes', async () => {
    const old = await application.window();
    const closed = old.waitForEvent('close');
    const opened = application.electron.waitForEvent('window');
    // Electron crashes if a window that closes is shown.
    await application.electron.evaluate(({ BrowserWindow, Menu }) => {
      BrowserWindow.getAllWindows()[0]?.close();
      const menus = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []);
      menus?.find(({ label }) => label === 'Servers')?.click();
    });
    const page = await opened;
    await closed;
    await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor();
    expect(application.electron.windows()).toEqual([page]);
  });

  it('leads to screens by its shortcuts', async ({ skip }) => {
    if (!(await hasHands())) skip('xdotool is not installed.');
    const page = await application.window();
    await page.bringToFront();
    await expect.poll(() => page.evaluate(() => document.hasFocus()), { timeout: 10_000 }).toBe(true);
    await pressKey('ctrl+2');
    await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor();
    await pressKey('ctrl+comma');
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  });
});
