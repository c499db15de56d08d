import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningApplication, startApplication, whyNotHere } from './application.ts';
import { TrayOverDbus } from './tray-over-dbus.ts';

const reason = whyNotHere(process.env);
const SQL = '/api/2.0/mcp/sql';
const OVERRIDE = '/api/warehouses/v1/default-warehouse-overrides/me';
/** The application looks around every half minute. */
const A_LOOK = { timeout: 60_000 };

/** Whatever changes around the application: nothing here is asked again by itself within five minutes. */
describe.skipIf(reason)('the running application', { timeout: 120_000 }, () => {
  let application: RunningApplication;

  beforeAll(async () => {
    const servers = [
      { name: 'mine', profile: 'ana', kind: 'sql', path: SQL },
      { name: 'agents', profile: 'agent', kind: 'sql', path: SQL },
    ];
    application = await startApplication({
      flags: ['--hidden'],
      prepare: async (home) => {
        const folder = join(home, '.config', 'causeway');
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, 'servers.json'), JSON.stringify({ servers }));
      },
    });
  });
  afterAll(() => application?.close());

  /** What the workspace has been asked so far. */
  const seen = () => {
    const { requests } = application.workspace;
    return {
      override: requests.count({ path: OVERRIDE }),
      servers: requests.count({ path: SQL, method: 'POST' }),
      tokens: requests.count({ grantType: 'client_credentials' }),
    };
  };
  /** Notes each connection that is made from now on; gives how many there were. */
  const countConnections = async () => {
    const { electron } = application;
    await electron.evaluate(() => {
      const net = process.getBuiltinModule('node:net');
      let made = 0;
      Object.assign(globalThis, { connectionsMade: () => made });
      net.connect = new Proxy(net.connect, {
        apply: (connect, self, given) => {
          made += 1;
          return Reflect.apply(connect, self, given);
        },
      });
    });
    return () => electron.evaluate((): unknown => Reflect.get(globalThis, 'connectionsMade')());
  };

  it('knows the tools of its servers at the start', async () => {
    // The icon is registered a moment after the window is there.
    const tray = await vi.waitFor(() => TrayOverDbus.find(), { timeout: 20_000 });
    const running = async () => (await tray.labels()).filter((label) => / — running, \d tools$/.test(label)).length;
    await expect.poll(running, { timeout: 60_000 }).toBe(2);
  });

  it('renews connections, probes the servers and reads the warehouse after sleep', async () => {
    const before = seen();
    const connections = await countConnections();
    await application.electron.evaluate(({ powerMonitor }) => void powerMonitor.emit('suspend'));
    expect(await connections()).toBe(0);
    await application.electron.evaluate(({ powerMonitor }) => void powerMonitor.emit('resume'));
    await expect.poll(() => seen().override).toBeGreaterThan(before.override);
    await expect.poll(() => seen().servers, { timeout: 10_000 }).toBeGreaterThan(before.servers);
    expect(await connections()).toBeGreaterThan(0);
    // Nothing says that the token has ended.
    expect(seen().tokens).toBe(before.tokens);
  });

  it('probes the servers and reads the warehouse in another network', async () => {
    const before = seen();
    await application.electron.evaluate(() => {
      const family = 'IPv4' as const;
      const there = { address: '192.0.2.7', netmask: '255.255.255.0', family, mac: '', internal: false, cidr: null };
      process.getBuiltinModule('node:os').networkInterfaces = () => ({ wlan0: [there] });
    });
    await expect.poll(() => seen().override, A_LOOK).toBeGreaterThan(before.override);
    await expect.poll(() => seen().servers, A_LOOK).toBeGreaterThan(before.servers);
  });

  it('finds tokens that have expired meanwhile after the clock was set', async () => {
    const before = seen();
    application.workspace.faults.expireAccessTokens();
    await application.electron.evaluate(() => {
      const { now } = Date;
      Date.now = () => now() + 2 * 60 * 60_000;
    });
    await expect.poll(() => seen().override, A_LOOK).toBeGreaterThan(before.override);
    await expect.poll(() => seen().tokens, A_LOOK).toBeGreaterThan(before.tokens);
    await expect.poll(() => seen().servers, A_LOOK).toBeGreaterThan(before.servers);
  });

  it('brings the window up to date when the screen is unlocked', async () => {
    await application.startAgain('causeway://open/warehouse');
    const page = await application.window();
    await page.getByRole('button', { name: 'Change warehouse' }).waitFor();
    await application.electron.evaluate(({ powerMonitor }) => void powerMonitor.emit('lock-screen'));
    const shared = application.workspace.state.warehouses.find(({ name }) => name === 'Shared analytics')?.id ?? '';
    const userId = application.workspace.users[0]?.id ?? '';
    application.workspace.state.overrides.set(userId, { userId, type: 'CUSTOM', warehouseId: shared });
    await application.electron.evaluate(({ powerMonitor }) => void powerMonitor.emit('unlock-screen'));
    await page.getByRole('heading', { name: 'Your queries run on Shared analytics' }).waitFor({ timeout: 10_000 });
  });
});
