import { describe, expect, it } from 'vitest';
import { useWindow, whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('the window in front of a system material', () => {
  const { shown } = useWindow();
  const backgroundOf = (selector: string) =>
    shown.page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).backgroundColor);

  it.each(['vibrancy', 'mica'])('leaves its sidebar clear for %s, and its content readable', async (material) => {
    await shown.page.goto(`${shown.server.url}index.html?material=${material}`);
    await shown.page.getByRole('heading', { level: 1 }).first().waitFor();
    expect(await backgroundOf('body')).toBe('rgba(0, 0, 0, 0)');
    expect(await backgroundOf('aside')).toBe('rgba(0, 0, 0, 0)');
    expect(await backgroundOf('main')).not.toBe('rgba(0, 0, 0, 0)');
  });

  it('leaves room for the window buttons on macOS', async () => {
    await shown.page.goto(`${shown.server.url}index.html?material=vibrancy`);
    await shown.page.getByRole('heading', { level: 1 }).first().waitFor();
    const top = await shown.page
      .locator('aside')
      .getByRole('button')
      .filter({ visible: true })
      .nth(1)
      .evaluate((element) => element.getBoundingClientRect().top);
    expect(top).toBeGreaterThanOrEqual(40);
    const region = await shown.page.locator('aside').evaluate((side) => getComputedStyle(side).paddingTop);
    expect(Number.parseFloat(region)).toBeGreaterThanOrEqual(40);
  });

  it('has the page’s own background elsewhere', async () => {
    expect(await backgroundOf('body')).not.toBe('rgba(0, 0, 0, 0)');
  });
});
