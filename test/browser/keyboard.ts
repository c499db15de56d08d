import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { missed, outOfOrder, walk } from './keys.ts';
import { useWindow } from './shown-window.ts';

/** The window for tests that use the keyboard. */
export function useKeyboard() {
  const window = useWindow();
  const { shown, button } = window;

  const press = async (...keys: string[]) => {
    for (const key of keys) await shown.page.keyboard.press(key);
  };
  const type = (text: string) => shown.page.keyboard.type(text);
  const role = (...wanted: Parameters<typeof shown.page.getByRole>) => shown.page.getByRole(...wanted);
  const dialog = () => role('dialog');
  /** One dialog may still leave while another one comes. */
  const closed = () => expect.poll(() => dialog().count()).toBe(0);
  const hasFocus = (one: Locator) => one.evaluate((element) => element === document.activeElement);
  /** What has the focus, if it is not what it should be. */
  const focused = () => shown.page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120) ?? '');
  const getsFocus = (one: Locator) =>
    expect.poll(async () => ((await hasFocus(one)) ? 'here' : focused()), { message: `focus on ${one}` }).toBe('here');
  /** Goes to something with the Tab key alone. */
  async function reach(one: Locator): Promise<void> {
    await one.waitFor();
    for (let presses = 0; presses < 100 && !(await hasFocus(one)); presses += 1) await press('Tab');
    expect(await hasFocus(one), `focus on ${one}`).toBe(true);
  }
  /** Takes an action from the menu beside the main one of the Warehouse screen, and waits for the dialog that it opens. */
  async function more(name: string, opened?: string): Promise<void> {
    await reach(button('More actions'));
    await press('Enter');
    const item = role('menuitem', { name, exact: true });
    await item.waitFor();
    for (let presses = 0; presses < 12 && !(await hasFocus(item)); presses += 1) await press('ArrowDown');
    await getsFocus(item);
    await press('Enter');
    await item.waitFor({ state: 'detached' });
    if (opened !== undefined) await role('dialog', { name: opened }).waitFor();
  }
  async function go(screen: string): Promise<void> {
    if (screen === 'Accounts') {
      await reach(role('button', { name: /^Account: / }));
      await press('Enter');
      await inMenu('Manage accounts');
    } else {
      await reach(role('link', { name: screen, exact: true }));
      await press('Enter');
    }
    await getsFocus(role('heading', { level: 1 }));
  }
  /** Chooses an item of the open menu with the arrow keys. */
  async function inMenu(item: string): Promise<void> {
    const wanted = role('menuitem', { name: item });
    await wanted.waitFor();
    for (let presses = 0; presses < 20 && !(await hasFocus(wanted)); presses += 1) await press('ArrowDown');
    await getsFocus(wanted);
    await press('Enter');
  }
  /** Chooses from the menu of an account. */
  async function choose(account: string, item: string): Promise<void> {
    await reach(role('button', { name: `More actions for ${account}` }));
    await press('Enter');
    await inMenu(item);
  }

  /** Every stop of the Tab key shows itself, in the order in which things stand, and nothing is left out. */
  async function isWhole(inside: 'body' | '[role=dialog]'): Promise<void> {
    const stops = await walk(shown.page);
    expect(stops.filter(({ hasRing }) => !hasRing).map(({ what }) => what)).toEqual([]);
    expect(stops.filter(({ isInSight }) => !isInSight).map(({ what }) => what)).toEqual([]);
    expect(outOfOrder(stops)).toEqual([]);
    expect(await missed(shown.page, inside)).toEqual([]);
  }

  /** Nothing in the dialog is still on its way. */
  const isFilled = () =>
    expect.poll(() => dialog().locator('[aria-busy=true], .mantine-Skeleton-root').count()).toBe(0);

  /** A dialog takes the focus, keeps it, gives it back to what opened it, and Escape closes it. */
  async function opens(opener: Locator, name: string | RegExp, key = 'Enter'): Promise<void> {
    await reach(opener);
    await press(key);
    await role('dialog', { name }).waitFor();
    await expect.poll(() => dialog().evaluate((one) => one.contains(document.activeElement))).toBe(true);
    await isFilled();
    await isWhole('[role=dialog]');
    await press('Escape');
    await closed();
    await getsFocus(opener);
  }

  return {
    ...window,
    press,
    type,
    role,
    dialog,
    closed,
    getsFocus,
    reach,
    isWhole,
    isFilled,
    /** The same as in `useWindow`, and more, without a mouse. */
    byKeys: { go, more, choose, opens },
  };
}
