import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { autostartEntry, autostartFile, isSwitchedOn, windowsLoginItem } from '../../../main/platform/autostart.ts';

describe('starting at login on Linux', () => {
  let home: string;
  const file = () => join(home, '.config', 'autostart', 'causeway.desktop');
  const item = () => autostartFile({ HOME: home }, ['/opt/Causeway/causeway']);

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'causeway-autostart-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  it('is a file in the autostart folder that hides the window', async () => {
    expect(await item().isOn()).toBe(false);
    await item().set(true);
    expect(await readFile(file(), 'utf8')).toContain('\nExec="/opt/Causeway/causeway" "--hidden"\n');
    expect(await item().isOn()).toBe(true);
    await item().set(false);
    expect(await item().isOn()).toBe(false);
    await item().set(false);
  });

  it('reports what could not be written', async () => {
    await mkdir(dirname(dirname(file())));
    await writeFile(dirname(file()), 'a file in the way');
    await expect(item().set(true)).rejects.toMatchObject({ code: 'file_not_writable' });
  });

  it('is in the folder that XDG_CONFIG_HOME names', async () => {
    await autostartFile({ HOME: '/nowhere', XDG_CONFIG_HOME: join(home, 'xdg') }, ['causeway']).set(true);
    expect(await readFile(join(home, 'xdg', 'autostart', 'causeway.desktop'), 'utf8')).toContain('Name=Causeway');
  });

  it.each([
    [['/opt/My Apps/causeway'], 'Exec="/opt/My Apps/causeway" "--hidden"'],
    [['/opt/100%/a"b$c`d\\e'], 'Exec="/opt/100%%/a\\\\"b\\\\$c\\\\`d\\\\\\\\e" "--hidden"'],
    [['/usr/bin/electron', '/srv/app'], 'Exec="/usr/bin/electron" "/srv/app" "--hidden"'],
  ])('accepts any path: %j', (command, line) => {
    expect(autostartEntry(command).split('\n')).toContain(line);
  });

  it('is off if the desktop has turned it off', () => {
    const entry = autostartEntry(['causeway']);
    expect(isSwitchedOn(entry)).toBe(true);
    expect(isSwitchedOn(`${entry}Hidden=true\n`)).toBe(false);
    expect(isSwitchedOn(entry.replace('enabled=true', 'enabled=false'))).toBe(false);
    expect(isSwitchedOn('')).toBe(false);
  });
});

describe('starting at login on Windows', () => {
  it('is written with quotes, because Electron adds none', () => {
    expect(windowsLoginItem(['C:\\Users\\Zoë Müller\\Causeway.exe'])).toEqual({
      path: '"C:\\Users\\Zoë Müller\\Causeway.exe"',
      args: ['--hidden'],
    });
    expect(windowsLoginItem(['C:\\electron.exe', 'D:\\my app']).args).toEqual(['"D:\\my app"', '--hidden']);
  });
});
