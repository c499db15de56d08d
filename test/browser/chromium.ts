import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const USUAL_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:/Program Files/Google/Chrome/Application/chrome.exe',
];

export const NO_CHROMIUM = 'There is no Chromium here: install one, or let CHROMIUM_PATH name it.';

export function findChromium(env: NodeJS.ProcessEnv): string | undefined {
  return [env.CHROMIUM_PATH, ...USUAL_PLACES].find((path) => path !== undefined && existsSync(path));
}

export function launchChromium(): Promise<Browser> {
  const root = process.platform === 'linux' && process.getuid?.() === 0;
  return chromium.launch({
    executablePath: findChromium(process.env) ?? '',
    args: root ? ['--no-sandbox'] : [],
  });
}

/** Waits until nothing moves or fades any longer, such as a dialog that has just been opened. */
export async function motionEnds(page: Page): Promise<void> {
  await page.evaluate(async () => {
    // A change of colors has begun by the second frame.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    // What turns while it waits never ends.
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

/** What axe finds wrong on the page as it is now: rule and place of each finding. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** What has to be scrolled sideways, besides what is meant to be: long lines in their own box. */
export function scrolledSideways(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('*')]
      .filter((element) => {
        const scrolls = ['auto', 'scroll'].includes(getComputedStyle(element).overflowX);
        const isTooWide = element.scrollWidth > element.clientWidth + 1;
        return element === document.documentElement ? isTooWide : scrolls && isTooWide && !element.matches('section');
      })
      .map(({ tagName, className, scrollWidth, clientWidth }) => {
        return `scrolls sideways: ${tagName} ${className} by ${scrollWidth - clientWidth}`;
      }),
  );
}

/** Dialogs and pages whose last buttons have to be scrolled to. */
export function footersOutOfSight(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('[role=dialog] [data-footer], [data-footer=page]')]
      .filter((footer) => {
        const { top, bottom } = footer.getBoundingClientRect();
        return top < 0 || bottom > innerHeight + 1;
      })
      .map(({ textContent }) => `out of sight: ${textContent}`),
  );
}

/** The primary buttons that compete with one another: a page or a dialog has one. A call that waits for an answer has its own. */
export function competingButtons(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const place = document.querySelector('[role=dialog]') ?? document.querySelector('main');
    const primary = [...(place?.querySelectorAll<HTMLElement>('button[data-variant=filled]') ?? [])].filter(
      (button) => button.checkVisibility() && !button.closest('article'),
    );
    return primary.length > 1 ? [`several primary buttons: ${primary.map((one) => one.textContent).join(', ')}`] : [];
  });
}

/** Texts of which a part is hidden with no way to see it: no ellipsis (whose text is whole in its title), no scrolling. */
export function textsCutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const cut = (element: Element) => {
      const { overflowX, overflowY, textOverflow, clipPath, webkitLineClamp } = getComputedStyle(element);
      // A pixel each is lost to rounding.
      const beside =
        overflowX !== 'visible' && textOverflow !== 'ellipsis' && element.scrollWidth > element.clientWidth + 1;
      const below = overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 1;
      const scrolls = (overflow: string) => overflow === 'auto' || overflow === 'scroll';
      return (
        clipPath === 'none' &&
        webkitLineClamp === 'none' &&
        ((beside && !scrolls(overflowX)) || (below && !scrolls(overflowY)))
      );
    };
    /** Where a text ends within its row: what clips it there, such as the lines that it may have, is looked at by itself. */
    const shownIn = (row: Element, text: Node) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      let { top, bottom } = range.getBoundingClientRect();
      for (let around = text.parentElement; around && around !== row; around = around.parentElement) {
        if (getComputedStyle(around).overflowY === 'visible') continue;
        const box = around.getBoundingClientRect();
        top = Math.max(top, box.top);
        bottom = Math.min(bottom, box.bottom);
      }
      return { top, bottom };
    };
    // The row of a virtual table ends at its height, and shows nothing beyond it (`contain: paint`), above or below.
    const beyondRow = (row: Element) => {
      const box = row.getBoundingClientRect();
      const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        const around = text.parentElement;
        if (!text.textContent?.trim() || !around || getComputedStyle(around).clipPath !== 'none') continue;
        const { top, bottom } = shownIn(row, text);
        if (bottom > top && (top < box.top - 1 || bottom > box.bottom + 1)) return true;
      }
      return false;
    };
    const rows = [...document.querySelectorAll('[role=row]')].filter(beyondRow);
    return [
      ...rows,
      ...document.querySelectorAll('button, a, label, p, span, h1, h2, dt, dd, [role=gridcell], [role=columnheader]'),
    ]
      .filter((element) => element.checkVisibility() && element.textContent?.trim())
      .filter((element) => rows.includes(element) || cut(element))
      .map((element) => `cut off: ${element.textContent?.trim().slice(0, 60)}`);
  });
}

declare global {
  interface Window {
    readonly axe: typeof axe;
  }
}
