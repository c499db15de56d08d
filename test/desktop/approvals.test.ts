import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { ProxyProcess } from '../integration/proxy/proxy-process.ts';
import { type RunningApplication, startApplication, whyNotHere } from './application.ts';
import { takePicture } from './screen.ts';
import { TrayOverDbus } from './tray-over-dbus.ts';

const reason = whyNotHere(process.env);
if (reason) console.warn(`The tests of waiting calls are skipped. ${reason}`);

describe.skipIf(reason)('the window with the calls that wait', () => {
  let application: RunningApplication | undefined;
  let client: ProxyProcess | undefined;
  afterEach(async () => {
    await client?.close();
    await application?.close();
  });

  /** Every tool is asked about. */
  async function askFirst(home: string): Promise<void> {
    const folder = join(home, '.config', 'causeway');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'permissions.json'), JSON.stringify({ version: 1, all: { newTools: 'ask' } }));
  }

  async function start(): Promise<RunningApplication> {
    application = await startApplication({ flags: ['--hidden'], prepare: askFirst });
    client = new ProxyProcess(['--path', '/api/2.0/mcp/sql'], application.env);
    await client.open({ clientInfo: { name: 'claude-code', version: '1' } });
    // Until it has found the application, it would ask nobody.
    await expect
      .poll(async () => (await TrayOverDbus.find()).labels(), { timeout: 20_000 })
      .toContain('1 client connected');
    return application;
  }
  const call = (id: number, query: string, name = 'execute_sql') => {
    const answered = client?.request(id, 'tools/call', { name, arguments: { query } });
    answered?.catch(() => undefined);
    return answered;
  };
  const bounds = ({ electron }: RunningApplication) =>
    electron.evaluate(({ BrowserWindow, screen }) => {
      const [window] = BrowserWindow.getAllWindows();
      const { workArea } = screen.getPrimaryDisplay();
      return (
        window && {
          at: window.getBounds(),
          workArea,
          isOnTop: window.isAlwaysOnTop(),
          hasFocus: window.isFocused(),
          isVisible: window.isVisible(),
        }
      );
    });
  const isShown = async (running: RunningApplication) => (await bounds(running))?.isVisible ?? false;

  it('comes without the focus, in its place, shows one call at a time, and goes when none waits', async () => {
    const running = await start();
    const first = call(1, 'SELECT 1', 'execute_sql_read_only');
    const page: Page = await running.window();
    await page.getByRole('heading', { name: 'Claude Code wants to use execute_sql_read_only' }).waitFor();
    await expect.poll(() => isShown(running)).toBe(true);
    const place = await bounds(running);
    expect(place).toMatchObject({ isOnTop: true, at: { width: 520, height: 400 } });
    const { at, workArea } = place ?? { at: { x: 0, width: 0 }, workArea: { x: 0, width: 0 } };
    expect(at.x + at.width).toBeLessThanOrEqual(workArea.x + workArea.width);
    const second = call(2, 'DROP TABLE orders');
    await page.getByText('1 of 2').waitFor();
    await takePicture('approvals-two-wait');
    const allow = page.getByRole('button', { name: 'Allow once', exact: true });
    await expect.poll(() => allow.isEnabled()).toBe(true);
    await allow.dblclick();
    expect(JSON.stringify((await first)?.result)).toContain('statement_id');
    await page.getByText('1 of 1').waitFor();
    await takePicture('approvals-after-double-click');
    await sleep(1_000);
    expect(running.workspace.statements.map(({ query }) => query)).toEqual(['SELECT 1']);
    expect((await bounds(running))?.at).toEqual(at);
    await page.keyboard.press('Escape');
    expect(JSON.stringify((await second)?.result)).toContain('The user refused this call');
    await expect.poll(() => isShown(running)).toBe(false);
  }, 60_000);

  it('is answered by keyboard alone once the shortcut has brought it to the front', async () => {
    const running = await start();
    const answered = call(1, 'DROP TABLE orders');
    const page: Page = await running.window();
    await page.getByText('DROP TABLE orders', { exact: true }).waitFor();
    const isRegistered = () =>
      running.electron.evaluate(({ globalShortcut }) => globalShortcut.isRegistered('CommandOrControl+Alt+Shift+A'));
    await expect.poll(isRegistered).toBe(true);
    const hold = page.getByRole('button', { name: 'Hold: allow once' });
    await expect.poll(() => hold.evaluate((button) => button === document.activeElement)).toBe(true);
    await takePicture('approvals-keyboard-before');
    await page.keyboard.down('Enter');
    await sleep(300);
    await takePicture('approvals-keyboard-held');
    await sleep(500);
    await page.keyboard.up('Enter');
    expect(JSON.stringify((await answered)?.result)).toContain('statement_id');
    await expect.poll(isRegistered).toBe(false);
  }, 60_000);
});
