import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pageAt, scriptedBrowser } from '../integration/auth/scripted-browser.ts';
import { ProxyProcess } from '../integration/proxy/proxy-process.ts';
import { type RunningApplication, startApplication, whyNotHere } from './application.ts';
import { ShownNotifications, whyNoNotifications } from './notifications.ts';
import { takePicture } from './screen.ts';
import { TrayOverDbus } from './tray-over-dbus.ts';

const reason = whyNotHere(process.env) ?? (await whyNoNotifications());
if (reason) console.warn(`The tests of notifications are skipped. ${reason}`);

describe.skipIf(reason)('a notification of the application', () => {
  let application: RunningApplication | undefined;
  let notifications: ShownNotifications;
  beforeEach(async () => {
    notifications = await ShownNotifications.watch();
  });
  afterEach(async () => {
    await application?.close();
    application = undefined;
    await notifications.end();
  });

  /** Starts it in the tray alone, with what the user has set before. */
  const start = async (files: Record<string, unknown> = {}) => {
    application = await startApplication({
      flags: ['--hidden'],
      prepare: async (home) => {
        const folder = join(home, '.config', 'causeway');
        await mkdir(folder, { recursive: true });
        for (const [name, content] of Object.entries(files))
          await writeFile(join(folder, name), JSON.stringify(content));
      },
    });
    return application;
  };
  /** A warehouse that the user has chosen goes away. */
  const loseWarehouse = ({ workspace }: RunningApplication) => {
    const userId = workspace.users[0]?.id ?? '';
    workspace.state.overrides.set(userId, { userId, type: 'CUSTOM', warehouseId: '0000000000000bad' });
    return () => workspace.state.overrides.delete(userId);
  };
  const checkAgain = ({ electron }: RunningApplication) =>
    electron.evaluate(({ powerMonitor }) => void powerMonitor.emit('resume'));
  const labels = async () => (await TrayOverDbus.find()).labels();
  const problem = 'Your override needs attention';

  it('says once that the override dangles, leads to the warehouse, and goes away with the problem', async () => {
    const running = await start();
    await expect.poll(labels).toContain('Workspace default');
    const restore = loseWarehouse(running);
    await checkAgain(running);
    await expect.poll(() => notifications.titles()).toEqual([problem]);
    await takePicture('notification-override');
    await checkAgain(running);
    await checkAgain(running);
    const opened = running.electron.waitForEvent('window');
    await notifications.click();
    const page = await opened;
    await expect.poll(() => notifications.displayed()).toBe(0);
    await page.getByRole('heading', { level: 1, name: /Your queries run on/ }).waitFor();
    expect(await notifications.titles()).toEqual([problem]);
    restore();
    await checkAgain(running);
    await expect.poll(labels).toContain('Workspace default');
    await running.closeWindow();
    loseWarehouse(running);
    await checkAgain(running);
    await expect.poll(() => notifications.displayed()).toBe(1);
    restore();
    await checkAgain(running);
    await expect.poll(() => notifications.displayed()).toBe(0);
    expect(await notifications.titles()).toEqual([problem, problem]);
  }, 60_000);

  it('is not shown if its kind is off, or all are', async () => {
    for (const settings of [{ notifyOverride: false }, { notifications: false }]) {
      const running = await start({ 'settings.json': { firstRun: null, ...settings } });
      await expect.poll(labels).toContain('Workspace default');
      loseWarehouse(running);
      await checkAgain(running);
      await expect.poll(labels).toContain('Your override');
      expect(await notifications.titles()).toEqual([]);
      await running.close();
    }
    application = undefined;
  }, 120_000);

  it('signs in to a workspace that the user is signed out of', async () => {
    const running = await start({ 'settings.json': { firstRun: null, profile: 'oauth' } });
    const { electron, workspace } = running;
    await electron.evaluate(({ shell }) => {
      shell.openExternal = async (address) => {
        Object.assign(globalThis, { openedInBrowser: address });
      };
    });
    const opened = () => electron.evaluate(() => String(Reflect.get(globalThis, 'openedInBrowser') ?? ''));
    await expect.poll(() => notifications.titles()).toEqual(['Signed out of oauth']);
    await takePicture('notification-signed-out');
    workspace.approve({ as: 'ana@example.com' });
    await notifications.click();
    await expect.poll(async () => pageAt(await opened())).toContain(workspace.host);
    await scriptedBrowser().open(await opened());
    await expect.poll(labels).toContain('oauth · ana@example.com');
    await expect.poll(() => notifications.displayed()).toBe(0);
    expect(electron.windows()).toEqual([]);
    expect(await notifications.titles()).toEqual(['Signed out of oauth']);
  }, 60_000);

  it('asks about a call that waits, and goes away when it is answered', async () => {
    const running = await start({ 'permissions.json': { version: 1, all: { newTools: 'ask' } } });
    await expect.poll(labels).toContain('Workspace default');
    const client = new ProxyProcess(['--path', '/api/2.0/mcp/sql'], running.env);
    const clientInfo = { name: 'claude-code', version: '1' };
    await client.request(0, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const call = client.request(1, 'tools/call', { name: 'execute_sql', arguments: { query: 'SELECT 1' } });
    await expect
      .poll(() => notifications.sent())
      .toEqual([{ title: 'Claude Code wants to use execute_sql', body: expect.stringContaining('SELECT 1') }]);
    await takePicture('notification-call');
    await (await TrayOverDbus.find()).click('Block this call');
    await call;
    await expect.poll(() => notifications.displayed()).toBe(0);
    await client.close();
  }, 60_000);
});
