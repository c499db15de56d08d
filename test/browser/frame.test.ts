import { describe, expect, it } from 'vitest';
import { useWindow, whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('the frame around the screens', () => {
  const { shown, button, choose, more, inspect, go, chooseProfile, shownProfile, giveServer, overrideOf, reopenIn } =
    useWindow();

  const press = (keys: string) => shown.page.keyboard.press(keys);
  const account = (name: string) => shown.page.getByRole('button', { name: new RegExp(`^Account: ${name}`) });
  const heading = (name: string | RegExp) => shown.page.getByRole('heading', { level: 1, name });
  const dialog = (name: string) => shown.page.getByRole('dialog', { name });
  const palette = () => dialog('Command palette');
  const openPalette = async () => {
    await press('ControlOrMeta+k');
    await expect
      .poll(() =>
        palette()
          .getByRole('combobox')
          .evaluate((one) => one === document.activeElement),
      )
      .toBe(true);
  };
  const options = () => palette().getByRole('option');

  it('the account switcher shows the open account and leads to the others', async () => {
    await heading('Your queries run on Starter Warehouse').waitFor();
    const switcher = account('ana');
    await switcher.getByText('127.0.0.1').waitFor();
    expect(await switcher.textContent()).toMatch(/^AF/);
    await switcher.click();
    await shown.page.getByText('ana@example.com').waitFor();
    expect(await shown.page.getByRole('menuitemradio', { name: /^ana/ }).getAttribute('aria-checked')).toBe('true');
    await inspect('account-menu');
    await press('Escape');
    await chooseProfile('ben');
    await expect.poll(shownProfile).toBe('ben');
    await switcher.waitFor({ state: 'detached' });
  });

  it('the account switcher adds a workspace, and signs in', async () => {
    await chooseProfile('oauth');
    await account('oauth').getByText('Signed out').waitFor();
    await account('oauth').click();
    await shown.page.getByRole('menuitem', { name: 'Sign in' }).waitFor();
    await shown.page.getByRole('menuitem', { name: 'Add workspace…' }).click();
    await dialog('Add workspace').getByRole('textbox', { name: 'Workspace URL' }).waitFor();
    await inspect('add-workspace');
    await press('Escape');
    await dialog('Add workspace').waitFor({ state: 'detached' });
    await account('oauth').click();
    await shown.page.getByRole('menuitem', { name: 'Sign in' }).click();
    await expect.poll(() => shown.server.opened.length).toBe(1);
  });

  it('the sidebar counts servers, and warns about those that need attention', async () => {
    await giveServer('sql', '/api/2.0/mcp/sql');
    await giveServer('lost', '/api/2.0/mcp/genie/no-such-space');
    await expect.poll(() => descriptionOf('Servers')).toBe('2 servers, 1 needs attention');
    await inspect('side-bar');
  });

  const descriptionOf = (screen: string) =>
    shown.page
      .getByRole('link', { name: screen, exact: true })
      .evaluate((link) => document.getElementById(link.getAttribute('aria-describedby') ?? '')?.textContent);

  it('the palette finds a screen by a few letters, and Enter opens it', async () => {
    await openPalette();
    await options().first().waitFor();
    await inspect('palette');
    await shown.page.keyboard.type('diagn');
    expect(await options().first().textContent()).toContain('Diagnostics');
    await press('Enter');
    await heading('Diagnostics').waitFor();
    await palette().waitFor({ state: 'detached' });
  });

  it('the palette switches the warehouse, and a toast confirms it', async () => {
    await heading('Your queries run on Starter Warehouse').waitFor();
    await button('Search and commands').click();
    await palette().waitFor();
    await shown.page.keyboard.type('swi shared');
    await options().filter({ hasText: 'Switch to Shared analytics' }).waitFor();
    await press('Enter');
    await shown.page.getByText('New queries run on Shared analytics.').waitFor();
    await heading('Your queries run on Shared analytics').waitFor();
    expect(overrideOf('ana@example.com')?.type).toBe('CUSTOM');
    await inspect('toast');
  });

  const toasts = () => shown.page.locator('.mantine-Notification-root');

  it('a toast replaces an earlier one about the same, and two show at most', async () => {
    await choose('Data science');
    await choose('Shared analytics');
    await expect.poll(() => toasts().allTextContents()).toEqual(['New queries run on Shared analytics.']);
    await more('Copy ID');
    await more('Copy ID');
    await expect.poll(() => toasts().allTextContents()).toEqual(['New queries run on Shared analytics.', 'ID copied']);
    await choose('Data science');
    await expect.poll(() => toasts().allTextContents()).toEqual(['ID copied', 'New queries run on Data science.']);
    await more('Start');
    await expect
      .poll(() => toasts().allTextContents())
      .toEqual(['New queries run on Data science.', expect.stringMatching(/^Data science is starting/)]);
  });

  it('a toast does not stay over a dialog that is opened', async () => {
    await choose('Data science');
    await toasts().waitFor();
    await button('Change warehouse').click();
    await shown.page.getByRole('dialog').waitFor();
    expect(await toasts().isVisible()).toBe(false);
  });

  it('a command that fails says why, until the user dismisses it', async () => {
    await heading('Your queries run on Starter Warehouse').waitFor();
    const problem = { code: 'conflict', message: 'The override was changed meanwhile.', remedy: 'Try again.' };
    await shown.page.route('**/requests/causeway:setOverride', (route) =>
      route.fulfill({ json: { ok: false, problem } }),
    );
    await openPalette();
    await shown.page.keyboard.type('switch to shared');
    await options().filter({ hasText: 'Switch to Shared analytics' }).waitFor();
    await press('Enter');
    await shown.page.getByRole('alert').getByText('The override was changed meanwhile.').waitFor();
    await inspect('command-failed');
    await button('Dismiss').click();
    await shown.page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('the palette says if nothing matches, and arrow keys move through the matches', async () => {
    await openPalette();
    await shown.page.keyboard.type('xyzzyqw');
    await palette().getByText('No results for “xyzzyqw”').waitFor();
    await inspect('palette-nothing');
    await press('ControlOrMeta+a');
    await shown.page.keyboard.type('se');
    await expect.poll(() => options().count()).toBeGreaterThan(1);
    const selected = () => palette().locator('[role=option][aria-selected=true]').textContent();
    const first = await selected();
    await press('ArrowDown');
    await expect.poll(selected).not.toBe(first);
    await press('ArrowUp');
    await expect.poll(selected).toBe(first);
  });

  it('shortcuts open the screens, but not behind a dialog', async () => {
    await press('ControlOrMeta+2');
    await heading('Servers').waitFor();
    await press('ControlOrMeta+,');
    await heading('Settings').waitFor();
    await press('ControlOrMeta+/');
    await dialog('Keyboard shortcuts').getByText('Go to Servers').waitFor();
    expect(await dialog('Keyboard shortcuts').getByText('Go to Settings').count()).toBe(1);
    await inspect('shortcuts');
    await press('ControlOrMeta+2');
    await button('Close').last().click();
    await dialog('Keyboard shortcuts').waitFor({ state: 'detached' });
    await heading('Settings').waitFor();
  });

  it('the overrides are in the sidebar only for an admin', async () => {
    await shown.page.getByRole('link', { name: 'Overrides' }).waitFor();
    await chooseProfile('ben');
    await heading(/Your queries run on/).waitFor();
    await expect.poll(() => shown.page.getByRole('link', { name: 'Overrides' }).count()).toBe(0);
  });

  it('in a narrow window the sidebar shows icons, which keep their names', async () => {
    await shown.page.setViewportSize({ width: 640, height: 480 });
    await go('Settings');
    await heading('Settings').waitFor();
    const box = await shown.page.getByRole('navigation', { name: 'Screens' }).boundingBox();
    expect(box?.width).toBeLessThan(60);
    await reopenIn(shown.home);
  });
});
