import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { whyNotHere } from './application.ts';
import { isDrawn } from './screen.ts';
import { TrayOverDbus } from './tray-over-dbus.ts';

const PROGRAM = join(import.meta.dirname, '..', 'dev', 'main.ts');

describe.skipIf(whyNotHere(process.env))('npm run dev', () => {
  it('opens the application, signed in, with a window from Vite, and leaves nothing behind', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-dev-test-'));
    const development = spawn(process.execPath, [PROGRAM], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(development, 'exit');
    await expect.poll(TrayOverDbus.find, { timeout: 40_000 }).toBeDefined();
    const tray = await TrayOverDbus.find();
    await expect.poll(() => tray.labels()).toContain('demo · ana@example.com');
    await expect.poll(() => isDrawn('Causeway'), { timeout: 40_000 }).toBe(true);
    development.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true, force: true });
  }, 120_000);
});
