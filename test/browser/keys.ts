import type { Page } from 'playwright-core';
import { motionEnds } from './chromium.ts';

/** One stop of the Tab key. */
export interface Stop {
  /** What it is and how it is called, as far as that is enough to tell it from others. */
  what: string;
  /** Whether it shows that it has the focus. */
  hasRing: boolean;
  isInSight: boolean;
  /** Of the whole page, not of what is scrolled into sight. */
  box: { left: number; top: number; right: number; bottom: number };
}

/** More stops than any screen has. */
const MOST = 120;

/** Goes through the page with the Tab key, all around, and tells of the stops in the order in which the document has them. */
export async function walk(page: Page): Promise<Stop[]> {
  // Boxes of a dialog that is still sliding in would be compared with those of one that stands.
  await motionEnds(page);
  const stops: (Stop & { key: string })[] = [];
  await page.evaluate(() => {
    for (const one of document.querySelectorAll<HTMLElement>('[data-stop]')) delete one.dataset.stop;
  });
  const seen = new Set<string>();
  for (let presses = 0; presses < MOST; presses += 1) {
    await page.keyboard.press('Tab');
    const stop = await here(page);
    if (stop === null) continue;
    if (seen.has(stop.key)) return inOrder(stops, await keysInOrder(page));
    seen.add(stop.key);
    stops.push(stop);
  }
  throw new Error(`The Tab key does not come back in ${MOST} steps.`);
}

function keysInOrder(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('[data-stop]')].map(({ dataset }) => dataset.stop ?? ''),
  );
}

/** The key goes around from where it began: the round is cut open where the document begins. */
function inOrder<One extends { key: string }>(round: readonly One[], keys: readonly string[]): One[] {
  const first = Math.max(
    0,
    round.findIndex(({ key }) => key === keys[0]),
  );
  return [...round.slice(first), ...round.slice(0, first)];
}

/** What has the focus; null for the page as a whole and what the browser itself puts at the ends of a dialog. */
function here(page: Page): Promise<(Stop & { key: string }) | null> {
  return page.evaluate(() => {
    const at = document.activeElement;
    if (!(at instanceof HTMLElement) || at === document.body || at.hasAttribute('data-focus-guard')) return null;
    at.dataset.stop ??= String(performance.now());
    // What is drawn instead of the browser's own boxes and switches is beside them.
    const drawn = [at, at.nextElementSibling, at.closest('label')].filter((one) => one instanceof HTMLElement);
    const hasRing = drawn.some((one) => {
      const { outlineStyle, outlineWidth, opacity } = getComputedStyle(one);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1 && opacity !== '0';
    });
    const { left, top, right, bottom } = at.getBoundingClientRect();
    let down = 0;
    for (let around: Element | null = at; around; around = around.parentElement) {
      // What sticks to its place is not scrolled.
      if (getComputedStyle(around).position === 'sticky') break;
      if (around !== at) down += around.scrollTop;
    }
    const label = at instanceof HTMLInputElement ? at.labels?.[0]?.textContent : at.textContent;
    const name = at.getAttribute('aria-label') ?? label?.trim().slice(0, 40) ?? '';
    return {
      key: at.dataset.stop ?? '',
      what: `${at.getAttribute('role') ?? at.tagName.toLowerCase()} ${name}`,
      hasRing,
      isInSight: bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
      box: { left, top: top + down, right, bottom: bottom + down },
    };
  });
}

/** Whatever can be pressed, typed into or chosen inside an element and that the Tab key has not come to. */
export function missed(page: Page, inside: string): Promise<string[]> {
  return page.evaluate((selector) => {
    const all = [
      ...document.querySelectorAll<HTMLElement>(`${selector} :is(a[href], button, input, select, textarea, summary)`),
    ];
    const isDisabled = (one: HTMLElement) => one.matches(':disabled');
    // One radio of a group stands for all of them, and a grid for what is in it: arrows lead on from there.
    const isReachedByArrows = (one: HTMLElement) => one.matches('[type=radio], [role=gridcell] *');
    return all
      .filter((one) => one.checkVisibility() && !isDisabled(one) && !isReachedByArrows(one) && !one.dataset.stop)
      .map((one) => `${one.tagName.toLowerCase()} ${one.getAttribute('aria-label') ?? one.textContent}`);
  }, inside);
}

/** Stops that lie before the one that the Tab key came from: higher up, or to the left in the same line. */
export function outOfOrder(stops: readonly Stop[]): string[] {
  return stops.flatMap((stop, place) => {
    const before = stops[place - 1];
    if (!before) return [];
    const isAbove = stop.box.bottom <= before.box.top + 1;
    const isInLine = stop.box.top < before.box.bottom - 1 && stop.box.bottom > before.box.top + 1;
    // What holds the one before, or is held by it, is neither before nor after.
    const isLeft = isInLine && stop.box.right <= before.box.left + 1;
    return isAbove || isLeft ? [`${stop.what} after ${before.what}`] : [];
  });
}
