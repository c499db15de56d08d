import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningApplication, startApplication, whyNotHere } from './application.ts';

const reason = whyNotHere(process.env);
if (reason) console.warn(`The tests of a running application's life are skipped. ${reason}`);

/** What the application survives, and how it is found again. */
describe.skipIf(reason)('the running application', () => {
  let application: RunningApplication | undefined;
  afterEach(async () => {
    await application?.close();
    application = undefined;
  });
  const start = async (prepare?: (home: string) => Promise<void>) => {
    application = await startApplication({ prepare });
    return application;
  };

  it('reloads its page after it crashes, and says so', async () => {
    const { electron, window } = await start();
    const page = await window();
    await page.getByRole('button', { name: 'Change warehouse' }).waitFor();
    await electron.evaluate(({ webContents }) => webContents.getAllWebContents()[0]?.forcefullyCrashRenderer());
    const shownText = () =>
      electron.evaluate(({ webContents }) => {
        const [contents] = webContents.getAllWebContents();
        if (!contents || contents.isCrashed() || contents.isLoading()) return '';
        const asked: Promise<string> = contents.executeJavaScript('document.body.innerText');
        return Promise.race([asked, new Promise<string>((resolve) => setTimeout(resolve, 1000, ''))]);
      });
    await expect.poll(shownText, { timeout: 30_000 }).toContain('The window stopped working and was reopened');
  });

  it('has no more processes than it needs once its window is closed', async () => {
    const { electron, window, closeWindow } = await start();
    const kinds = async () => {
      const all = await electron.evaluate(({ app }) => app.getAppMetrics().map(({ type }) => type));
      return [...new Set(all)].sort();
    };
    const page = await window();
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    expect(await kinds()).toContain('Tab');
    expect(await kinds()).not.toContain('Utility');
    await closeWindow();
    await expect.poll(kinds).not.toContain('Tab');
    expect(await electron.evaluate(({ app }) => app.commandLine.getSwitchValue('enable-features'))).toContain(
      'NetworkServiceInProcess2',
    );
  });

  it('follows a link from a second launch, and only to a screen', async () => {
    const { window, startAgain } = await start();
    const page = await window();
    expect(await startAgain('causeway://open/settings')).toBe(0);
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    expect(await startAgain('causeway://open/settings/../quit')).toBe(0);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Settings');
  });

  it('sets damaged settings aside, uses the defaults, and names the file', async () => {
    const { window } = await start(async (home) => {
      await mkdir(join(home, '.config', 'causeway'), { recursive: true });
      await writeFile(join(home, '.config', 'causeway', 'settings.json'), '{"appearance": "da');
    });
    const page = await window();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText(/The damaged file is now .*settings\.damaged-/).waitFor();
  });

  it('applies a setting at once, and at the next start', async () => {
    const { electron, window, home } = await start();
    const page = await window();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('combobox', { name: 'Theme' }).selectOption('Dark');
    await expect.poll(() => electron.evaluate(({ nativeTheme }) => nativeTheme.themeSource)).toBe('dark');
    await page.getByRole('switch', { name: 'Start at login' }).press('Space');
    const entry = join(home, '.config', 'autostart', 'causeway.desktop');
    await expect.poll(() => readFile(entry, 'utf8').catch(() => '')).toContain('--hidden');
    const settings = join(home, '.config', 'causeway', 'settings.json');
    expect(JSON.parse(await readFile(settings, 'utf8'))).toMatchObject({ appearance: 'dark' });
  });

  it('logs without secrets, and puts the report on the clipboard', async () => {
    const { electron, window, home, workspace } = await start();
    const page = await window();
    const token = workspace.users[0]?.token ?? 'none';
    await electron.evaluate((_electron, secret) => console.error(`It said: Bearer ${secret}`), token);
    await page.getByRole('link', { name: 'Diagnostics' }).click();
    await page.getByRole('button', { name: 'Run checks' }).click();
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Report copied').waitFor();
    const copied = await electron.evaluate(({ clipboard }) => clipboard.readText());
    expect(copied).toContain('It said: Bearer [redacted]');
    expect(copied).toContain('[pass] AI client connection');
    expect(copied).not.toContain(token);
    const log = await readFile(join(home, '.state', 'causeway', 'logs', 'main.log'), 'utf8');
    expect(log).toContain('It said: Bearer [redacted]');
    expect(log).not.toContain(token);
  });

  it('says after a crash that it was restarted', async () => {
    application = await startApplication({ flags: [`--crashed-at=${Date.now()}`] });
    const page = await application.window();
    await page.getByText('Causeway stopped unexpectedly and was started again').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('Causeway stopped unexpectedly').waitFor({ state: 'detached' });
  });

  it('restarts after a crash', async () => {
    const running = await start();
    const page = await running.window();
    await page.getByRole('button', { name: 'Change warehouse' }).waitFor();
    const note = join(running.home, 'started-again');
    const program = join(running.home, 'in-its-place');
    await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" > "${note}.part" && mv "${note}.part" "${note}"\n`, {
      mode: 0o755,
    });
    const ended = once(running.electron.process(), 'exit');
    await running.electron
      .evaluate(({ app }, execPath) => {
        // The new one would be out of this test's reach: another program is started in its place, by Electron itself.
        const { relaunch } = app;
        app.relaunch = (options) => relaunch.call(app, { ...options, execPath });
        setTimeout(() => {
          throw new Error('broken on purpose');
        });
      }, program)
      .catch(() => undefined);
    const [code] = await ended;
    expect(code).toBe(1);
    const given = () => readFile(note, 'utf8').catch(() => '');
    await expect.poll(given, { timeout: 10_000 }).toMatch(/--crashed-at=\d+\n$/);
    expect(await given()).not.toContain('--hidden');
    const log = await readFile(join(running.home, '.state', 'causeway', 'logs', 'main.log'), 'utf8');
    expect(log).toContain('broken on purpose');
  });
});
