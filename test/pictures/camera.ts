import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Takes a picture of the page at rest, as `NAME.png`. */
export type TakePicture = (page: Page, name: string) => Promise<void>;

/**
 * @param folder where the pictures go
 * @param scale pixels of a picture for each of the window, for displays that have as many
 */
export function openCamera(folder: string, scale: number): TakePicture {
  return async (page, name) => {
    // Nothing is under the pointer there.
    await page.mouse.move(0, 0);
    await page.evaluate(async () => {
      await document.fonts.ready;
      // What turns while it waits never ends.
      const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
      await Promise.allSettled(ending.map(({ finished }) => finished));
    });
    // Playwright's own would take as many pixels as the display has.
    const session = await page.context().newCDPSession(page);
    const { cssVisualViewport } = await session.send('Page.getLayoutMetrics');
    const { clientWidth: width, clientHeight: height } = cssVisualViewport;
    const clip = { x: 0, y: 0, width, height, scale };
    const { data } = await session.send('Page.captureScreenshot', { format: 'png', clip });
    await session.detach();
    await writeFile(join(folder, `${name}.png`), data, 'base64');
  };
}
