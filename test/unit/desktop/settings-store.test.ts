import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../preload/contract/setting-facts.ts';
import { plainSettings } from '../../plain-desktop.ts';

let home: string;
let file: string;
const open = (more: Parameters<typeof plainSettings>[1] = {}) => plainSettings({ CAUSEWAY_HOME: home }, more);
const stored = async () => JSON.parse(await readFile(file, 'utf8'));

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'causeway-settings-'));
  file = join(home, 'config', 'settings.json');
  await mkdir(join(home, 'config'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

describe('the settings', () => {
  it('have their defaults at first', () => {
    const settings = open();
    expect(settings.current).toEqual(DEFAULT_SETTINGS);
    expect(settings.problem).toBeNull();
  });

  it('are restored at the next start, and listeners are notified of each change', () => {
    const settings = open();
    const heard = vi.fn();
    const end = settings.onChange(heard);
    settings.change({ appearance: 'dark', keepServersWarm: false });
    end();
    settings.change({ notifications: false });
    expect(heard).toHaveBeenCalledTimes(1);
    expect(heard).toHaveBeenCalledWith(
      { ...DEFAULT_SETTINGS, appearance: 'dark', keepServersWarm: false },
      DEFAULT_SETTINGS,
    );
    expect(open().current).toEqual({ ...settings.current, appearance: 'dark', keepServersWarm: false });
  });

  it('keep what a newer version has stored', async () => {
    await writeFile(file, JSON.stringify({ appearance: 'dark', somethingNew: { deep: 1 } }));
    const settings = open();
    settings.change({ logLevel: 'debug' });
    expect(await stored()).toMatchObject({ appearance: 'dark', logLevel: 'debug', somethingNew: { deep: 1 } });
    expect(settings.problem).toBeNull();
  });

  it.each([
    ['is no JSON', '{"appearance": "da', 'da'],
    ['holds an invalid value', '{"appearance": "purple"}', 'purple'],
    ['holds a value of another type', '{"notifications": "yes"}', 'yes'],
  ])('in a file that %s are set aside and named, and the defaults apply', async (_name, damaged, kept) => {
    await writeFile(file, damaged);
    const settings = open({ now: () => new Date('2026-01-02T03:04:05.678Z') });
    const aside = join(home, 'config', 'settings.damaged-2026-01-02T03-04-05-678Z.json');
    expect(settings.current).toEqual(DEFAULT_SETTINGS);
    expect(settings.problem?.remedy).toContain(aside);
    expect(await readFile(aside, 'utf8')).toContain(kept);
    settings.change({ appearance: 'light' });
    expect(open()).toMatchObject({ problem: null, current: { appearance: 'light' } });
  });

  it('apply to one run if there is no file, and say why at each change', async () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await mkdir(file);
    const settings = open();
    report.mockRestore();
    expect(settings.current).toEqual(DEFAULT_SETTINGS);
    expect(settings.problem).toMatchObject({ code: 'file_not_writable' });
    expect(() => settings.change({ appearance: 'dark' })).toThrow(/could not be saved in .*settings\.json/);
    expect(settings.current.appearance).toBe('system');
  });

  it('take over, once, what the previous version kept elsewhere', async () => {
    const oldFile = join(home, 'desktop.json');
    const windowBounds = { x: 1, y: 2, width: 800, height: 600 };
    await writeFile(oldFile, JSON.stringify({ profile: 'ana', windowBounds }));
    expect(open({ oldFile })).toMatchObject({ profile: 'ana', windowBounds });
    await writeFile(oldFile, JSON.stringify({ profile: 'ben' }));
    expect(open({ oldFile })).toMatchObject({ profile: 'ana', windowBounds });
  });

  it('remember the window, and ignore an invalid position', async () => {
    await writeFile(file, '{"windowBounds": {"x": "left"}, "appearance": "dark"}');
    const settings = open();
    expect(settings).toMatchObject({ windowBounds: undefined, problem: null, current: { appearance: 'dark' } });
    settings.remember({ windowBounds: { x: 0, y: 0, width: 400, height: 500 } });
    expect(open().windowBounds).toEqual({ x: 0, y: 0, width: 400, height: 500 });
    expect(await readdir(join(home, 'config'))).toEqual(['settings.json']);
  });
});
