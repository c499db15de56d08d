import { type RunningApplication, startApplication } from '../../desktop/application.ts';
import { TrayOverDbus } from '../../desktop/tray-over-dbus.ts';
import { quantile } from '../clock.ts';
import { type Share, sharesOf } from './idle.ts';

/** Milliseconds until a closed window has left nothing behind that goes by itself. */
const CLOSED_MS = 45_000;

declare global {
  /** When the page first showed an answer, and when the window came into sight, in milliseconds since 1970. */
  var answeredAt: number | undefined;
  var shownAt: number | undefined;
}

/**
 * Milliseconds from the wish to open the window until it is in sight and shows the answer: the first time, and then (p50).
 * Also the memory (MiB) 45 seconds after the last window is closed, with what Playwright needs in it. The wish is an event that opens it as the tray does, but needs no program to be sent by.
 */
export async function measureWindowOpens(rounds: number): Promise<{ first: number; again: number; closed: Share[] }> {
  const application = await startApplication({ flags: ['--hidden'] });
  try {
    await application.electron.context().addInitScript(noteTheAnswer);
    await application.electron.evaluate(({ app }) => {
      app.on('browser-window-created', (_event, window) => {
        window.on('show', () => {
          globalThis.shownAt = Date.now();
        });
      });
    });
    await untilTrayKnows();
    const first = await openOnce(application);
    const again: number[] = [];
    for (let round = 0; round < rounds; round += 1) again.push(await openOnce(application));
    await new Promise((resolve) => setTimeout(resolve, CLOSED_MS));
    const closed = await sharesOf(application.electron.process().pid ?? 0);
    return { first, again: quantile(again, 0.5), closed };
  } finally {
    await application.close();
  }
}

/** Until the workspace has answered: the tray has been there for a while when a user clicks it. */
async function untilTrayKnows(): Promise<void> {
  const known = async () => (await TrayOverDbus.find()).labels();
  while (!(await known().catch((): string[] => [])).includes('Starter Warehouse — stopped')) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function openOnce({ electron, window }: RunningApplication): Promise<number> {
  const asked = await electron.evaluate(({ app }) => {
    globalThis.shownAt = undefined;
    const now = Date.now();
    app.emit('activate');
    return now;
  });
  const page = await window();
  await page.waitForFunction(() => globalThis.answeredAt !== undefined);
  const answered = await page.evaluate(() => globalThis.answeredAt);
  const shown = await electron.evaluate(() => globalThis.shownAt);
  await page.close();
  return Math.max(answered ?? Number.NaN, shown ?? Number.NaN) - asked;
}

/** Runs in the page, before its own scripts: notes when the answer has been painted. */
function noteTheAnswer(): void {
  const look = () => {
    if (document.querySelector('h1')?.textContent?.startsWith('Your queries run on') !== true) return;
    observer.disconnect();
    requestAnimationFrame(() =>
      setTimeout(() => {
        globalThis.answeredAt = Date.now();
      }),
    );
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { childList: true, subtree: true, characterData: true });
}
