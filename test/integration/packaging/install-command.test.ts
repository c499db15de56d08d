import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { chosenFolder, isLauncher, launcherText, pathAdvice } from '../../../resources/command/launcher.ts';

const MAIN = fileURLToPath(new URL('../../../resources/command/main.ts', import.meta.url));
/** As a shell finds it. */
const COMMAND = 'causeway';

test.runIf(process.platform !== 'win32')(
  'npm run install:command puts a command on the PATH that runs on the Node beside it, and its counterpart removes it',
  async () => {
    const home = await mkdtemp(join(tmpdir(), "causeway command's "));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const folder = join(home, '.local', 'bin');
    const file = join(folder, 'causeway');
    // A computer whose own Node is too old.
    await mkdir(join(home, 'old'));
    await writeFile(join(home, 'old', 'node'), '#!/bin/sh\necho v20.20.2\n', { mode: 0o755 });
    const env = { HOME: home, PATH: `${join(home, 'old')}:${folder}:/usr/bin:/bin` };
    const run = (action: string, more = {}) =>
      promisify(execFile)(process.execPath, [MAIN, action], { env: { ...env, ...more } });
    expect((await run('install')).stdout).toContain(`${file} starts the command of`);
    const started = spawnSync(COMMAND, ['--version'], { env, encoding: 'utf8' });
    expect([started.status, started.stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+/)]);
    expect(spawnSync(COMMAND, ['servers', 'no such'], { env }).status).toBe(2);
    expect((await run('install', { PATH: '/usr/bin', SHELL: '/bin/zsh' })).stdout).toContain(
      `Add this line to ~/.zprofile, and open a new terminal: export PATH="${folder}:$PATH"`,
    );
    expect((await run('uninstall')).stdout).toBe(`Removed ${file}.\n`);
    expect((await run('uninstall')).stdout).toBe('There is no command of this checkout to remove.\n');

    await writeFile(file, '#!/bin/sh\necho another program\n');
    await expect(run('install')).rejects.toMatchObject({ stderr: expect.stringContaining('is another program') });
    expect((await run('uninstall')).stdout).toContain('is another program. It was left as it is.');
    expect(await readFile(file, 'utf8')).toContain('echo another program');
    const other = launcherText('linux', { node: '/elsewhere/node', script: '/elsewhere/causeway.js' });
    await writeFile(file, other);
    expect((await run('uninstall')).stdout).toContain('starts another checkout. It was left as it is.');
    await run('install');
    expect(await readFile(file, 'utf8')).not.toContain('/elsewhere/');
  },
);

test('the command goes to a folder of the user that is on the PATH, on each system', () => {
  const windows = { USERPROFILE: 'C:\\Users\\Ana', LOCALAPPDATA: 'C:\\Users\\Ana\\AppData\\Local' };
  const apps = 'C:\\Users\\Ana\\AppData\\Local\\Microsoft\\WindowsApps';
  const onWindows = (path: string) =>
    chosenFolder({ platform: 'win32', home: 'C:\\Users\\Ana', env: { ...windows, Path: path } });
  expect(onWindows(`C:\\Windows;"${apps.toUpperCase()}\\"`)).toEqual({ folder: apps, isOnPath: true });
  expect(onWindows('C:\\Windows')).toEqual({ folder: 'C:\\Users\\Ana\\.local\\bin', isOnPath: false });
  const onMac = (path: string) => chosenFolder({ platform: 'darwin', home: '/Users/ana', env: { PATH: path } });
  expect(onMac('/usr/bin:/Users/ana/bin/')).toEqual({ folder: '/Users/ana/bin', isOnPath: true });
  expect(onMac('/usr/bin')).toEqual({ folder: '/Users/ana/.local/bin', isOnPath: false });
});

test('the script quotes its paths, and the advice names the file of the shell', () => {
  const paths = { node: "/home/o'ana/node", script: '/a b/$(causeway).js' };
  const posix = launcherText('linux', paths);
  expect(posix).toContain(`exec '/home/o'\\''ana/node' '/a b/$(causeway).js' "$@"\n`);
  const cmd = launcherText('win32', { node: 'C:\\100% Ana\\node.exe', script: 'C:\\causeway.js' });
  expect(cmd).toContain('\r\n"C:\\100%% Ana\\node.exe" "C:\\causeway.js" %*\r\n');
  expect([isLauncher(posix), isLauncher(cmd), isLauncher('#!/bin/sh\n')]).toEqual([true, true, false]);
  const advice = (platform: NodeJS.Platform, SHELL?: string) =>
    pathAdvice({ platform, home: '/h', env: { SHELL } }, '/h/bin');
  expect(advice('darwin', '/bin/bash')).toContain('~/.bash_profile');
  expect(advice('linux', '/bin/bash')).toContain('~/.profile');
  expect(advice('linux', '/usr/bin/fish')).toBe('Run this once: fish_add_path "/h/bin"');
  expect(advice('win32')).toContain('Edit environment variables for your account');
});
