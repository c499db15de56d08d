import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { launcherFor } from '../../../main/clients/launcher.ts';

const run = promisify(execFile);

async function scratch(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'causeway-launcher-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('paths without spaces are written as they are, and nothing is made', async () => {
  const launcher = launcherFor({ execPath: '/opt/causeway/causeway', script: undefined }, { HOME: '/home/ana' });
  expect(launcher).toMatchObject({ command: '/opt/causeway/causeway', prefix: [] });
  await launcher.prepare();
});

test('a script in a folder with spaces starts through a link without', async () => {
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

test('a home folder with a space on macOS and Windows still finds a place for the link', () => {
  const env = { HOME: '/Users/ana maria', PUBLIC: '/Users/Public' };
  const { command } = launcherFor({ execPath: '/Applications/My Apps/causeway', script: undefined }, env);
  expect(command).toMatch(/^\/Users\/Public\/Causeway\/[0-9a-f]{8}\/causeway$/);
});
