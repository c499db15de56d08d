import { afterEach, describe, expect, it } from 'vitest';
import { SCREEN_TITLES } from '../../renderer/shared/screen.ts';
import { type RunningApplication, startApplication, whyNotHere } from './application.ts';

const reason = whyNotHere(process.env);

/** Links lead to a screen; what is no such link leads to the window, and changes nothing in it. */
describe.skipIf(reason)('a link into the application', { timeout: 120_000 }, () => {
  let application: RunningApplication | undefined;
  afterEach(() => application?.close());
  const start = async (...flags: string[]) => {
    application = await startApplication({ flags });
    return application;
  };
  const FIRST = 'Your queries run on Starter Warehouse';

  it('leads to each of the screens, wherever the window is', async () => {
    const { window, startAgain } = await start();
    const page = await window();
    const title = () => page.getByRole('heading', { level: 1 }).textContent();
    await expect.poll(title, { timeout: 20_000 }).toBe(FIRST);
    for (const [screen, name] of Object.entries(SCREEN_TITLES).reverse()) {
      expect(await startAgain(`causeway://open/${screen}`)).toBe(0);
      await expect.poll(() => page.evaluate(() => location.hash)).toBe(`#${screen}`);
      await page.getByRole('main', { name, exact: true }).waitFor();
    }
  });

  it('opens the window there if none is open', async () => {
    const { window } = await start('--hidden', 'causeway://open/diagnostics');
    await (await window()).getByRole('heading', { name: 'Diagnostics', level: 1 }).waitFor();
  });

  it.each(['causeway://open/nowhere', 'causeway://settings', 'causeway:quit', 'causeway://open/settings?do=it'])(
    'opens the window at its first screen if it leads nowhere: %s',
    async (link) => {
      const { window, electron } = await start('--hidden', link);
      await (await window()).getByRole('heading', { name: FIRST, level: 1 }).waitFor();
      expect(electron.windows()).toHaveLength(1);
    },
  );
});
