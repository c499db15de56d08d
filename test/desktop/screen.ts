import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where pictures of the screen go: the folder that `CAUSEWAY_SCREENS` names; none are taken if it names none. */
const FOLDER = process.env.CAUSEWAY_SCREENS;

/** The accent color: the badge's in `resources/icon.svg`, and the window's. */
const ACCENT = [0x12, 0x74, 0x8a];

/** How far down the screen the panel reaches, in pixels. */
const PANEL_HEIGHT = 32;

/** Milliseconds for fades to end and the panel to draw, so that pictures are of things at rest. Nothing is asserted on it. */
const SETTLING = 500;

const PICTURE_TIMEOUT_MS = 10_000;

/** Takes a picture of the whole screen, panel included. */
export async function takePicture(name: string): Promise<void> {
  if (!FOLDER) return;
  await new Promise((resolve) => setTimeout(resolve, SETTLING));
  await mkdir(FOLDER, { recursive: true });
  await run('import', ['-window', 'root', join(FOLDER, `${name}.png`)]);
}

/** Where the tray icon's badge is seen in the panel at the top of the screen; undefined if it is not. */
export async function findBadge(): Promise<{ x: number; y: number } | undefined> {
  return findAccent(await picture(['-window', 'root', '-crop', `0x${PANEL_HEIGHT}+0+0`]));
}

/** Whether a window of that title is on the screen and has drawn something in the accent color. */
export async function isDrawn(title: string): Promise<boolean> {
  return findAccent(await picture(['-window', title]).catch(() => Buffer.alloc(0))) !== undefined;
}

async function picture(what: string[]): Promise<Buffer> {
  const { stdout } = await run('import', [...what, '-depth', '8', 'ppm:-'], {
    encoding: 'buffer',
    maxBuffer: 16 * 1024 * 1024,
    // It waits forever for a window that goes while it is looked at.
    timeout: PICTURE_TIMEOUT_MS,
  });
  return stdout;
}

function findAccent(image: Buffer): { x: number; y: number } | undefined {
  const [header = '', width] = /^P6\s+(\d+)\s+\d+\s+255\s/.exec(image.toString('latin1', 0, 64)) ?? [];
  const pixels = image.subarray(header.length);
  for (let at = 0; at < pixels.length; at += 3) {
    if (ACCENT.every((value, channel) => pixels[at + channel] === value)) {
      return { x: (at / 3) % Number(width), y: Math.floor(at / 3 / Number(width)) };
    }
  }
  return undefined;
}

/** Presses a mouse button (1 left, 3 right) at a place on the screen. False if there is nothing here to do it with. */
export async function press(button: 1 | 3, { x, y }: { x: number; y: number }): Promise<boolean> {
  try {
    await run('xdotool', ['mousemove', String(x), String(y), 'click', String(button)]);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Whether there is something here that types and presses as a user does. */
export function hasHands(): Promise<boolean> {
  return run('xdotool', ['version']).then(
    () => true,
    () => false,
  );
}

/** How often a dialog is typed into before that is given up. */
const MOST_ATTEMPTS = 5;
/** How often, and after how many milliseconds, it is looked whether the dialog has gone. */
const LOOKS = 20;
const LOOK_MS = 100;

/**
 * Types a path into the file dialog of that title (in GTK's, Ctrl+L leads to where one is typed) and ends it with Return:
 * again where the dialog was not ready yet for what was typed.
 */
export async function typePath(title: string, path: string): Promise<void> {
  await run('xdotool', ['search', '--sync', '--onlyvisible', '--name', `^${title}$`]);
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const window = await windowOf(title);
    if (window === undefined) return;
    // It may go away at any of these.
    await type(window, path).catch(() => undefined);
    for (let look = 1; look <= LOOKS && (await windowOf(title)) !== undefined; look += 1) await pause(LOOK_MS);
  }
  if ((await windowOf(title)) !== undefined) throw new Error(`The dialog "${title}" does not take ${path}.`);
}

/** Whether a window of that title is on the screen, whatever it has drawn. */
export async function isShown(title: string): Promise<boolean> {
  return (await windowOf(title)) !== undefined;
}

async function windowOf(title: string): Promise<string | undefined> {
  const found = run('xdotool', ['search', '--onlyvisible', '--name', `^${title}$`]);
  const printed = await found.then(
    ({ stdout }) => stdout,
    () => '',
  );
  return printed.trim().split('\n')[0] || undefined;
}

async function type(window: string, path: string): Promise<void> {
  await run('xdotool', ['windowactivate', '--sync', window]);
  for (const keys of ['ctrl+l', 'ctrl+a']) await run('xdotool', ['key', '--clearmodifiers', keys]);
  await run('xdotool', ['type', '--clearmodifiers', '--delay', '30', path]);
  await run('xdotool', ['key', '--clearmodifiers', 'Return']);
}

export async function pressKey(key: string): Promise<void> {
  await run('xdotool', ['key', key]);
}
