import { describe, expect, it } from 'vitest';
import { runDemo } from '../demo/running-demo.ts';
import { findChromium, launchChromium } from './chromium.ts';

describe.skipIf(!findChromium(process.env))('npm run demo -- --browser', () => {
  it('the demo shows the window, signed in, to any browser, and leaves nothing behind', async () => {
    const demo = await runDemo('browser', 'Serving the window');
    const browser = await launchChromium();
    const page = await browser.newPage();
    await page.goto(demo.last.url ?? '');
    await page.getByRole('heading', { name: 'Your queries run on Starter Warehouse' }).waitFor();
    await browser.close();
    expect(await demo.interrupt()).toEqual({ code: 0, left: [] });
  });
});
