import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Launcher, launcherFor, shippedLauncher } from '../../../main/clients/launcher.ts';
import { nodeBeside } from '../../../main/desktop/open-clients.ts';

const run = promisify(execFile);

async function scratch(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'causeway-launcher-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('paths without spaces are written as they are, and nothing is created', async () => {
  const running = { execPath: '/opt/node/bin/node', script: '/opt/causeway/causeway.js' };
  const launcher = launcherFor(running, { HOME: '/home/ana' });
  expect(launcher).toMatchObject({ command: running.execPath, prefix: [running.script] });
  await launcher.prepare();
});

test('a script in a folder with spaces starts through a link without spaces', async () => {
  const folder = await scratch();
  const env = { HOME: folder, CAUSEWAY_HOME: join(folder, 'state') };
  const install = async (name: string, says: string) => {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'causeway.js'), `console.log(${JSON.stringify(says)}, process.argv.slice(2))`);
    return launcherFor({ execPath: process.execPath, script: join(folder, name, 'causeway.js') }, env);
  };
  const launcher = await install('Program Files', 'first');
  await launcher.prepare();
  await launcher.prepare();
  const words = [launcher.command, ...launcher.prefix, 'proxy'];
  expect(words.join('')).not.toMatch(/\s/);
  // As a client that splits at spaces would start it.
  const { stdout } = await run(words[0] ?? '', words.slice(1));
  expect(stdout).toBe("first [ 'proxy' ]\n");
});

test('the Node for an application that npm did not start is an existing one, by its full path', async () => {
  const folder = await scratch();
  const script = join(folder, 'out', 'cli', 'causeway.js');
  const place = async (...parts: string[]) => {
    const path = join(folder, ...parts);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '');
    return path;
  };
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const inPath = await place('somewhere', name);
  const env = { PATH: ['relative', join(folder, 'nothing'), dirname(inPath)].join(delimiter) };
  expect(nodeBeside(script, env)).toBe(inPath);
  const npms = await place('npm', name);
  expect(nodeBeside(script, { ...env, npm_node_execpath: npms })).toBe(npms);
  expect(nodeBeside(script, { ...env, npm_node_execpath: join(folder, 'gone') })).toBe(inPath);
  // npm may run on a Node that is too old for Causeway.
  const own = await place('node_modules', 'node', 'bin', name);
  expect(nodeBeside(script, { ...env, npm_node_execpath: npms })).toBe(own);
});

test('a link has a place even if the home folder contains a space', () => {
  const env = { HOME: '/Users/ana maria', ProgramData: '/ProgramData' };
  const { command } = launcherFor({ execPath: '/Applications/My Apps/causeway', script: undefined }, env);
  expect(command).toMatch(/^\/ProgramData\/Causeway-[0-9a-f]{8}\/bin\/causeway$/);
});

describe('the packaged executable', () => {
  /** An executable in its own folder that says which version it is, and what its neighbour says. */
  async function installed(folder: string, version: string): Promise<string> {
    const bin = join(folder, 'resources', 'bin');
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, 'keychain.txt'), `keychain of ${version}`);
    await writeFile(
      join(bin, 'causeway'),
      `#!/bin/sh\necho ${version} "$(cat "$(dirname "$0")/keychain.txt")" "$@"\n`,
      {
        mode: 0o755,
      },
    );
    return join(bin, 'causeway');
  }
  const says = async ({ command }: Launcher) => (await run(command, ['proxy'])).stdout.trim();

  test('is reached by a path without spaces that stays the same when an update moves it', async () => {
    const folder = await scratch();
    const env = { HOME: folder, CAUSEWAY_HOME: join(folder, 'state') };
    const first = shippedLauncher(await installed(join(folder, 'Causeway 1.0'), '1.0'), env);
    await first.prepare();
    expect(first.command).not.toMatch(/\s/);
    expect(await says(first)).toBe('1.0 keychain of 1.0 proxy');
    const second = shippedLauncher(await installed(join(folder, 'Causeway 2.0'), '2.0'), env);
    await rm(join(folder, 'Causeway 1.0'), { recursive: true });
    await second.keepCurrent();
    expect(second.command).toBe(first.command);
    expect(await says(first)).toBe('2.0 keychain of 2.0 proxy');
    // As the same executable finds itself, which is behind the link.
    const again = launcherFor(
      { execPath: join(folder, 'Causeway 2.0', 'resources', 'bin', 'causeway'), script: undefined },
      env,
    );
    expect(again.command).toBe(first.command);
  });

  test.each(['/tmp-like/.mount_CausewXYZ', '/AppTranslocation/1B2C'])(
    'is copied from a folder that does not last: %s',
    async (passing) => {
      const folder = await scratch();
      const env = { HOME: folder, CAUSEWAY_HOME: join(folder, 'state') };
      const first = shippedLauncher(await installed(join(folder, `${passing}-1`), '1.0'), env);
      await first.prepare();
      const { ino } = await stat(first.command);
      await first.prepare();
      expect((await stat(first.command)).ino).toBe(ino);
      await rm(join(folder, `${passing}-1`), { recursive: true });
      expect(await says(first)).toBe('1.0 keychain of 1.0 proxy');
      const second = shippedLauncher(await installed(join(folder, `${passing}-2`), '2.0'), env);
      await second.keepCurrent();
      expect(await says(first)).toBe('2.0 keychain of 2.0 proxy');
      // And from there to an installation that lasts.
      const third = shippedLauncher(await installed(join(folder, 'opt'), '3.0'), env);
      await third.keepCurrent();
      expect(await says(first)).toBe('3.0 keychain of 3.0 proxy');
      expect(await readdir(dirname(dirname(first.command)))).toEqual(['bin']);
    },
  );

  test('creates nothing when a program starts without entries in clients', async () => {
    const folder = await scratch();
    const env = { HOME: folder, CAUSEWAY_HOME: join(folder, 'state') };
    await shippedLauncher(await installed(join(folder, 'opt'), '1.0'), env).keepCurrent();
    await expect(stat(join(folder, 'state'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
