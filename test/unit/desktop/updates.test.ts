import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { updateCommand, watchInstalledVersion } from '../../../main/desktop/updates/package-type.ts';
import {
  afterUpdateEvent,
  type UpdateEvent,
  UpdateService,
  type UpdateSource,
  updateBlocker,
  updatesAtStart,
} from '../../../main/desktop/updates/updates.ts';
import { VERSION } from '../../../main/platform/version.ts';
import type { UpdateState } from '../../../preload/contract.ts';
import { plainSettings } from '../../plain-desktop.ts';

const problem = { code: 'unavailable', message: 'No.', remedy: null } as const;
const STATES = {
  off: { status: 'off' },
  'not-possible-here': { status: 'not-possible-here', reason: 'development' },
  idle: { status: 'idle', checkedAt: 1 },
  checking: { status: 'checking' },
  available: { status: 'available', version: '2.0.0' },
  downloading: { status: 'downloading', version: '2.0.0', percent: 40 },
  ready: { status: 'ready', version: '2.0.0' },
  failed: { status: 'failed', problem },
} satisfies Record<UpdateState['status'], UpdateState>;
const EVENTS = {
  on: { kind: 'switched-on' },
  off: { kind: 'switched-off' },
  looking: { kind: 'looking' },
  none: { kind: 'none-found', at: 9 },
  found: { kind: 'found', version: '3.0.0' },
  percent: { kind: 'downloading', percent: 99.9 },
  downloaded: { kind: 'downloaded' },
  failed: { kind: 'failed', problem },
} satisfies Record<string, UpdateEvent>;

/** What each event makes of each state. What is not listed changes nothing. */
const TABLE: Partial<Record<UpdateState['status'], Partial<Record<keyof typeof EVENTS, UpdateState>>>> = {
  off: { on: { status: 'idle', checkedAt: null }, looking: STATES.checking },
  idle: { off: STATES.off, looking: STATES.checking },
  checking: {
    none: { status: 'idle', checkedAt: 9 },
    found: { status: 'available', version: '3.0.0' },
    failed: STATES.failed,
  },
  available: { looking: STATES.checking, percent: { status: 'downloading', version: '2.0.0', percent: 99 } },
  downloading: {
    percent: { status: 'downloading', version: '2.0.0', percent: 99 },
    downloaded: STATES.ready,
    failed: STATES.failed,
  },
  failed: { off: STATES.off, looking: STATES.checking },
};

describe('the state of updates', () => {
  const cases = Object.values(STATES).flatMap((state) =>
    Object.entries(EVENTS).map(([name, event]) => {
      const changes: Record<string, UpdateState> = TABLE[state.status] ?? {};
      return { from: state.status, name, state, event, expected: changes[name] ?? state };
    }),
  );

  it.each(cases)('is $expected.status from $from after $name', ({ state, event, expected }) => {
    expect(afterUpdateEvent(state, event)).toEqual(expected);
  });

  it('is off, idle or impossible at the start', () => {
    expect(updatesAtStart(null, true)).toEqual({ status: 'idle', checkedAt: null });
    expect(updatesAtStart(null, false)).toEqual({ status: 'off' });
    expect(updatesAtStart('package-manager', true)).toEqual({ status: 'not-possible-here', reason: 'package-manager' });
  });

  it('names the command that updates an installed package', async () => {
    const resources = await mkdtemp(join(tmpdir(), 'causeway-package-type-'));
    await using _removed = { [Symbol.asyncDispose]: () => rm(resources, { recursive: true, force: true }) };
    expect(updateCommand(resources)).toBeUndefined();
    for (const [type, command] of [
      ['deb', 'sudo apt install ./causeway_*.deb'],
      ['rpm', 'sudo rpm --upgrade causeway-*.rpm'],
      ['tar.gz', undefined],
    ] as const) {
      await writeFile(join(resources, 'package-type'), type);
      expect(updateCommand(resources)).toBe(command);
    }
    expect(updatesAtStart('package-manager', true, 'sudo apt')).toMatchObject({ command: 'sudo apt' });
  });

  it('reports the version that is installed over the running one, once', async () => {
    const resources = await mkdtemp(join(tmpdir(), 'causeway-package-version-'));
    await using _removed = { [Symbol.asyncDispose]: () => rm(resources, { recursive: true, force: true }) };
    const install = (version: string) => writeFile(join(resources, 'package-version'), version);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const reported: string[] = [];
    const end = watchInstalledVersion(resources, '1.0.0', (version) => void reported.push(version));
    /** The file is read in real time. */
    const look = async () => {
      await vi.advanceTimersByTimeAsync(10_000);
      await readFile(join(resources, 'package-version')).catch(() => undefined);
    };
    await look();
    await install('1.0.0');
    await look();
    await install('1.1.0\n');
    await look();
    await expect.poll(() => reported).toEqual(['1.1.0']);
    await look();
    await rm(join(resources, 'package-version'));
    await look();
    await install('1.0.0');
    await look();
    await expect.poll(() => reported).toEqual(['1.1.0', '1.0.0']);
    end();
    await install('1.2.0');
    await look();
    expect(reported).toEqual(['1.1.0', '1.0.0']);
  });

  it.each([
    [false, 'darwin', {}, 'development'],
    [true, 'darwin', {}, null],
    [true, 'win32', {}, null],
    [true, 'linux', {}, 'package-manager'],
    [true, 'linux', { APPIMAGE: '/home/ana/Causeway.AppImage' }, null],
  ] as const)('is impossible or not, with packaged %s, on %s, with %j: %s', (packaged, platform, env, blocker) => {
    expect(updateBlocker(packaged, platform, env)).toBe(blocker);
  });
});

describe('updates', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'causeway-updates-'));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await rm(home, { recursive: true, force: true });
  });

  function updatesWith(source: Partial<UpdateSource>, blocker: 'development' | null = null) {
    const settings = plainSettings({ CAUSEWAY_HOME: home });
    const shown: string[] = [];
    const openSource = vi.fn(async () => ({
      look: async () => null,
      download: async () => {},
      install: () => {},
      ...source,
    }));
    const show = ({ status }: UpdateState) => void shown.push(status);
    const updates = new UpdateService({ blocker, settings, openSource, show, now: () => 7 });
    return { updates, settings, shown, openSource };
  }

  it('load nothing before the first check, and nothing at all in development', async () => {
    const { updates, openSource } = updatesWith({});
    updates.start();
    expect(openSource).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(openSource).toHaveBeenCalledOnce();
    updates.close();

    const developed = updatesWith({}, 'development');
    developed.updates.start();
    await developed.updates.check();
    await vi.advanceTimersByTimeAsync(24 * 60 * 60_000);
    expect(developed.openSource).not.toHaveBeenCalled();
    expect(developed.updates.state.status).toBe('not-possible-here');
  });

  it('are found, downloaded and then wait for the user', async () => {
    const install = vi.fn();
    const download: UpdateSource['download'] = async (onPercent) => onPercent(50);
    const { updates, shown } = updatesWith({ look: async () => '2.0.0', download, install });
    updates.start();
    await updates.check();
    expect(shown).toEqual(['idle', 'checking', 'available', 'downloading', 'downloading', 'ready']);
    expect(updates.state).toEqual({ status: 'ready', version: '2.0.0' });
    const order: string[] = [];
    install.mockImplementation(() => order.push('installed'));
    await updates.install(async () => void order.push('closed'));
    expect(order).toEqual(['closed', 'installed']);
  });

  it('are only announced if the user does not want automatic downloads', async () => {
    const { updates, settings } = updatesWith({ look: async () => '2.0.0' });
    settings.change({ automaticUpdates: false });
    await updates.check();
    expect(updates.state).toEqual({ status: 'available', version: '2.0.0' });
    await updates.download();
    expect(updates.state.status).toBe('ready');
  });

  it('are checked for repeatedly, until that is turned off', async () => {
    const look = vi.fn(async () => null);
    const { updates, settings } = updatesWith({ look });
    updates.start();
    await vi.advanceTimersByTimeAsync(25 * 60 * 60_000);
    expect(look).toHaveBeenCalledTimes(3);
    settings.change({ automaticUpdates: false });
    await vi.advanceTimersByTimeAsync(48 * 60 * 60_000);
    expect(look).toHaveBeenCalledTimes(3);
    expect(updates.state).toEqual({ status: 'off' });
    settings.change({ automaticUpdates: true });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(look).toHaveBeenCalledTimes(4);
    updates.close();
  });

  it('that a package manager has installed only need a restart', async () => {
    const install = vi.fn();
    let report = (_version: string): void => undefined;
    const settings = plainSettings({ CAUSEWAY_HOME: home });
    const updates = new UpdateService({
      blocker: 'package-manager',
      command: 'sudo apt',
      settings,
      openSource: async () => ({ look: async () => null, download: async () => {}, install }),
      watchInstalled: (listener) => {
        report = listener;
        return () => {
          report = () => undefined;
        };
      },
      show: () => {},
    });
    updates.start();
    report('99.0.0');
    expect(updates.state).toEqual({ status: 'ready', version: '99.0.0' });
    await updates.check();
    expect(updates.state.status).toBe('ready');
    await updates.install(async () => expect(install).not.toHaveBeenCalled());
    expect(install).toHaveBeenCalledOnce();
    report(VERSION);
    expect(updates.state).toMatchObject({ status: 'not-possible-here', command: 'sudo apt' });
    updates.close();
    report('99.0.0');
    expect(updates.state.status).toBe('not-possible-here');
  });

  it('explain what went wrong, and are tried again on request', async () => {
    const offline = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const look = vi.fn<UpdateSource['look']>().mockRejectedValueOnce(offline).mockResolvedValue(null);
    const { updates } = updatesWith({ look });
    const report = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    await updates.check();
    report.mockRestore();
    expect(updates.state).toMatchObject({
      status: 'failed',
      problem: { remedy: 'Check your internet connection, then try again.' },
    });
    await updates.check();
    expect(updates.state).toEqual({ status: 'idle', checkedAt: 7 });
  });
});
