/**
 * `npm run pictures -- [FOLDER]`: makes the pictures of the README from the built application, on an embedded workspace:
 * five screens in light and dark, and the first run as an animation. Into `resources/readme/`, unless a folder is named.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { inOneLine } from '../../main/words/failure.ts';
import { type RunningApplication, startApplication, whyNotHere } from '../desktop/application.ts';
import { openCamera } from './camera.ts';
import { photographFirstRun } from './first-run.ts';
import { photographScreens } from './screens.ts';

const run = promisify(execFile);

/** What the window's content measures in the pictures. */
const SIZE = { width: 1080, height: 720 };
/** Pixels for each of the window; as many in the animation would make it too large. */
const SCALE = { screens: 2, firstRun: 1.25 };
/** Of every step in the animation but the last, which is shown for longer. */
const STEP_MS = 1_800;
const LAST_STEP_MS = 3_500;

const target = resolve(process.argv[2] ?? join(import.meta.dirname, '..', '..', 'resources', 'readme'));
const frames = await mkdtemp(join(tmpdir(), 'causeway-pictures-'));

async function whyNoPictures(): Promise<string | undefined> {
  const reason = whyNotHere(process.env);
  if (reason) return reason;
  for (const tool of ['cwebp', 'img2webp']) {
    const isThere = await run(tool, ['-version']).then(
      () => true,
      () => false,
    );
    if (!isThere) return `There is no ${tool} here: install the tools of WebP (the package webp in Debian).`;
  }
  return undefined;
}

async function makePictures(): Promise<void> {
  await mkdir(target, { recursive: true });
  const screens = await inApplication(false, (application) =>
    photographScreens(application, openCamera(frames, SCALE.screens)),
  );
  for (const name of screens) await run('cwebp', ['-quiet', '-q', '82', '-m', '6', frame(name), '-o', picture(name)]);
  const steps = await inApplication(true, (application) =>
    photographFirstRun(application, openCamera(frames, SCALE.firstRun)),
  );
  const shown = steps.flatMap((name, at) => [
    '-d',
    String(at === steps.length - 1 ? LAST_STEP_MS : STEP_MS),
    frame(name),
  ]);
  await run('img2webp', [
    '-loop',
    '0',
    '-min_size',
    '-lossy',
    '-q',
    '85',
    '-m',
    '6',
    ...shown,
    '-o',
    picture('first-run'),
  ]);
  for (const name of [...screens, 'first-run']) console.log(picture(name));
}

const frame = (name: string) => join(frames, `${name}.png`);
const picture = (name: string) => join(target, `${name}.webp`);

async function inApplication(
  isFresh: boolean,
  photograph: (application: RunningApplication) => Promise<string[]>,
): Promise<string[]> {
  const application = await startApplication({ fresh: isFresh });
  try {
    const page = await application.window();
    await application.electron.evaluate(({ nativeTheme }) => {
      nativeTheme.themeSource = 'light';
    });
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setDeviceMetricsOverride', { ...SIZE, deviceScaleFactor: 1, mobile: false });
    await page.waitForFunction(({ width }) => innerWidth === width, SIZE);
    return await photograph(application);
  } finally {
    await application.close();
  }
}

try {
  const reason = await whyNoPictures();
  if (reason) {
    console.error(reason);
    process.exitCode = 1;
  } else {
    await makePictures();
  }
} catch (error) {
  console.error(inOneLine(error));
  process.exitCode = 1;
} finally {
  await rm(frames, { recursive: true, force: true });
}
