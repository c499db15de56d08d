/**
 * `npm run contact-sheet -- FOLDER [TEST FILES]`: runs the browser tests for their pictures alone, and puts these together:
 * every screen, dialog, empty, loading and failure state that the tests come to, in light and dark, 640 and 1600 wide, and with
 * large text; and the pages that the browser shows at the end of a sign-in.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { launchChromium } from './chromium.ts';
import { SHEET_LOOKS } from './looks.ts';

/** As many pictures as one sheet can hold and still be looked at. */
const PER_SHEET = 24;
const COLUMNS = 4;

const [folder, ...files] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder for the pictures: npm run contact-sheet -- FOLDER');
const screens = join(resolve(folder), 'screens');
await mkdir(screens, { recursive: true });
const runs = [
  take('test/browser/vitest.config.ts', files.length > 0 ? files : ['test/browser']),
  ...(files.length > 0 ? [] : [take('test/vitest.config.ts', ['test/integration/auth/chromium.test.ts'])]),
];
await putTogether();
// Some pictures may be missing.
if (runs.some((status) => status !== 0)) process.exitCode = 1;

function take(config: string, tests: readonly string[]): number | null {
  const { status } = spawnSync('npx', ['vitest', 'run', '--config', config, ...tests], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, CAUSEWAY_SCREENS: screens, CAUSEWAY_SHEET: '1' },
  });
  return status;
}

async function putTogether(): Promise<void> {
  const names = (await readdir(screens)).filter((name) => name.endsWith('.png')).sort();
  const browser = await launchChromium();
  const page = await browser.newPage({ viewport: { width: 1800, height: 1000 } });
  for (const { called } of SHEET_LOOKS) {
    const ofLook = names.filter((name) => name.endsWith(`-${called}.png`));
    for (let from = 0; from < ofLook.length; from += PER_SHEET) {
      await page.setContent(await sheet(ofLook.slice(from, from + PER_SHEET), called));
      const path = join(resolve(folder ?? ''), `${called}-${from / PER_SHEET + 1}.png`);
      await page.screenshot({ path, fullPage: true });
      console.log(path);
    }
  }
  await browser.close();
}

async function sheet(names: readonly string[], called: string): Promise<string> {
  const figures = names.map(async (name) => {
    const picture = (await readFile(join(screens, name))).toString('base64');
    const caption = name.slice(0, -`-${called}.png`.length);
    return `<figure><img src="data:image/png;base64,${picture}"><figcaption>${caption}</figcaption></figure>`;
  });
  return `<style>
    body { display: grid; grid-template-columns: repeat(${COLUMNS}, 1fr); gap: 16px; margin: 16px; font: 14px sans-serif; background: #888 }
    figure { margin: 0 } img { width: 100% }
  </style>${(await Promise.all(figures)).join('')}`;
}
