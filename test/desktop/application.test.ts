import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningApplication, startApplication, whyNotHere } from './application.ts';
import { findBadge, press, pressKey, takePicture } from './screen.ts';
import { TrayOverDbus } from './tray-over-dbus.ts';

const reason = whyNotHere(process.env);
if (reason) console.warn(`The desktop tests are skipped. ${reason}`);

describe.skipIf(reason)('the application on an embedded workspace', () => {
  let application: RunningApplication;
  let page: Page;
  let tray: TrayOverDbus;
  const violations: string[] = [];

  beforeAll(async () => {
    application = await startApplication();
    page = await application.window();
    page.on('console', (message) => {
      if (message.type() === 'error') violations.push(message.text());
    });
    page.on('pageerror', (error) => violations.push(error.message));
    await page.getByRole('button', { name: 'Change warehouse' }).waitFor();
    tray = await TrayOverDbus.find();
  });

  afterAll(() => application?.close());

  const myOverride = () => {
    const ana = application.workspace.users.find(({ userName }) => userName === 'ana@example.com');
    return application.workspace.state.overrides.get(ana?.id ?? '');
  };
  const idOf = (name: string) => application.workspace.state.warehouses.find((each) => each.name === name)?.id;
  const reasonIs = (words: string) =>
    page.getByRole('region', { name: 'Effective warehouse' }).getByText(words, { exact: true }).waitFor();
  const answer = () => page.getByRole('heading', { level: 1 }).textContent();

  it('opens on the warehouse that queries run on, and says why', async () => {
    expect(await answer()).toBe('Your queries run on Starter Warehouse');
    await reasonIs('Workspace default');
    await takePicture('window-light');
  });

  it('shows the same in the tray', async () => {
    await expect.poll(() => tray.labels()).toContain('Starter Warehouse — stopped');
    const labels = await tray.labels();
    expect(labels.slice(0, 4)).toEqual([
      'ana · ana@example.com',
      'Starter Warehouse — stopped',
      'Workspace default',
      'Switch warehouse',
    ]);
    expect(labels.slice(-8)).toEqual([
      'Start Starter Warehouse',
      'Add servers…',
      'No clients connected',
      'Open Causeway',
      'Settings',
      'Copy support report',
      'Check for updates',
      'Quit',
    ]);
    expect(labels).toContain('Shared analytics — running');
    expect(await tray.chosen()).toBe('Use workspace default');
  });

  it('switches the warehouse from the tray, and the window follows', async () => {
    // The icon, "Switch warehouse", the warehouse.
    expect(await tray.clicksTo('Data science — stopped')).toBe(3);
    expect(await tray.clicksTo('Open Causeway')).toBe(2);
    await tray.click('Data science — stopped');
    await reasonIs('Your override');
    expect(await answer()).toBe('Your queries run on Data science');
    expect(myOverride()).toMatchObject({ type: 'CUSTOM', warehouseId: idOf('Data science') });
    await expect.poll(() => tray.chosen()).toBe('Data science — stopped');
    await photographMenu('menu-switched');
    await tray.click('Use workspace default');
    await reasonIs('Workspace default');
    expect(myOverride()).toBeUndefined();
  });

  it('says what it could not do from the tray, and marks what is still chosen', async () => {
    const body = JSON.stringify({ error_code: 'PERMISSION_DENIED', message: 'Overrides are locked.' });
    const refuse = { kind: 'answer', status: 403, body } as const;
    const fault = application.workspace.faults.add({
      path: '/api/warehouses/v1/default-warehouse-overrides*',
      method: 'PATCH',
      effect: refuse,
      times: 'always',
    });
    await tray.click('Data science — stopped');
    await page.getByRole('alert').filter({ hasText: 'Could not switch to Data science.' }).waitFor();
    await expect.poll(() => tray.chosen()).toBe('Use workspace default');
    application.workspace.faults.remove(fault.id);
    await page.getByRole('button', { name: 'Dismiss' }).click();
  });

  it('starts the warehouse from the tray, and stops it once the user has confirmed', async () => {
    await tray.click('Start Starter Warehouse');
    await expect.poll(() => tray.labels()).toContain('Stop Starter Warehouse…');
    await application.electron.evaluate(({ dialog }) => {
      dialog.showMessageBox = async () => ({ response: 1, checkboxChecked: false });
    });
    await tray.click('Stop Starter Warehouse…');
    await expect
      .poll(() => application.workspace.state.warehouses.find(({ name }) => name === 'Starter Warehouse')?.state)
      .toMatch(/STOPP/);
    await expect.poll(() => tray.labels(), { timeout: 15_000 }).toContain('Start Starter Warehouse');
  });

  it('has its icon in the panel', async () => {
    await expect.poll(findBadge).toBeDefined();
  });

  it('sets an override that the workspace has, and the tray follows', async () => {
    await page.getByRole('button', { name: 'Change warehouse' }).click();
    await page.getByRole('textbox', { name: 'Search warehouses' }).fill('shared');
    await page.getByRole('radio', { name: /^Shared analytics/ }).check();
    await takePicture('choose-light');
    await page.getByRole('button', { name: 'Use this warehouse' }).click();
    await reasonIs('Your override');

    expect(await answer()).toBe('Your queries run on Shared analytics');
    expect(myOverride()).toMatchObject({ type: 'CUSTOM', warehouseId: idOf('Shared analytics') });
    await expect.poll(() => tray.labels()).toContain('Shared analytics — running');
  });

  it('shows dark colors if the system uses them', async () => {
    await application.electron.evaluate(({ nativeTheme }) => {
      nativeTheme.themeSource = 'dark';
    });
    await page.locator('[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
    await takePicture('window-dark');
    await photographMenu('menu-dark');
    await application.electron.evaluate(({ nativeTheme }) => {
      nativeTheme.themeSource = 'light';
    });
    await page.locator('[data-mantine-color-scheme="light"]').waitFor({ state: 'attached' });
    await photographMenu('menu-light');
  });

  it('clears the override after saying what will happen', async () => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Use workspace default' }).click();
    await page.getByText('Queries will run on Starter Warehouse, the workspace default.').waitFor();
    await page.getByRole('button', { name: 'Use workspace default', exact: true }).click();
    await reasonIs('Workspace default');
    expect(myOverride()).toBeUndefined();
  });

  it('gives the page only the contract, and does not let it navigate', async () => {
    const seen = await page.evaluate(async () => ({
      exposed: Object.keys(window.causeway).sort(),
      node: 'require' in window || 'process' in window,
      opened: window.open('https://example.com/') !== null,
      notifications: await Notification.requestPermission(),
      outside: await fetch('app://causeway/../main/index.js').then(({ status }) => status),
    }));
    expect(seen).toEqual({
      exposed: ['on', 'request'],
      node: false,
      opened: false,
      notifications: 'denied',
      outside: 404,
    });
    await page.evaluate(() => {
      location.href = 'https://example.com/';
    });
    expect(await answer()).toBe('Your queries run on Starter Warehouse');
    // A screen's own name may follow behind a #: the page is the same.
    expect(page.url().split('#', 1)).toEqual(['app://causeway/index.html']);
    expect(application.electron.windows()).toHaveLength(1);
  });

  it('answers an invalid request with a message, and no stack', async () => {
    const reply = await page.evaluate(() =>
      window.causeway.request.setOverride({ profile: 'nobody', wanted: { type: 'CUSTOM', warehouseId: 'x' } }),
    );
    expect(reply).toEqual({
      ok: false,
      problem: {
        code: 'conflict',
        message: 'The profile nobody is no longer open.',
        remedy: 'Select nobody again, then try again.',
      },
    });
  });

  it('is shown without breaking its own Content-Security-Policy', async () => {
    violations.length = 0;
    await page.reload();
    await page.getByRole('button', { name: 'Change warehouse' }).click();
    await page.getByRole('radio').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(violations).toEqual([]);
    // The theme's colors arrive in a style element: the nonce has admitted it.
    const accent = await page.evaluate(() =>
      getComputedStyle(document.documentElement).getPropertyValue('--mantine-color-accent-6'),
    );
    expect(accent).toBe('#12748a');
  });

  it('shows the AI clients that go through it, in the tray and in the window', async () => {
    const end = application.startProxy();
    await expect.poll(() => tray.labels(), { timeout: 20_000 }).toContain('1 client connected');
    await tray.click('Show activity');
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    await page.getByText('default profile · process').waitFor();
    await takePicture('activity');
    await end();
    await page.getByText('No clients connected').waitFor();
    await page.getByRole('link', { name: 'Warehouse' }).click();
  });

  it('says in the tray that contents of calls are being recorded while they are', async () => {
    const words = 'Recording requests and responses…';
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('switch', { name: 'Record request and response contents' }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Record contents', exact: true }).click();
    await expect.poll(() => tray.labels()).toContain(words);
    await page.getByRole('link', { name: 'Warehouse' }).click();
    await tray.click(words);
    await takePicture('activity-recording');
    await page.getByRole('button', { name: 'Stop and delete' }).click();
    await expect.poll(() => tray.labels()).not.toContain(words);
    await page.getByRole('link', { name: 'Warehouse' }).click();
  });

  it('keeps running in the tray when its window is closed, and opens again from there', async () => {
    await application.closeWindow();
    await tray.click('Open Causeway');
    page = await application.window();
    await page.getByRole('button', { name: 'Change warehouse' }).waitFor();
    expect(await answer()).toBe('Your queries run on Starter Warehouse');
  });

  it('shows the window when it is started a second time', async () => {
    await application.closeWindow();
    const opened = application.electron.waitForEvent('window');
    expect(await application.startAgain()).toBe(0);
    page = await opened;
    expect(application.electron.windows()).toHaveLength(1);
  });

  it('quits from the tray', async () => {
    const ended = new Promise((resolve) => application.electron.process().once('exit', resolve));
    await tray.click('Quit');
    expect(await ended).toBe(0);
  });
});

/** Opens the tray's menu as a user does, for a picture of it. */
async function photographMenu(name: string): Promise<void> {
  const badge = await findBadge();
  if (!process.env.CAUSEWAY_SCREENS || !badge || !(await press(3, badge))) return;
  await takePicture(name);
  await pressKey('Escape');
}
