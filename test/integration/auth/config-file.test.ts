import { execFile } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAuth } from '../../../main/auth/open.ts';
import { configFilePath } from '../../../main/platform/paths.ts';

import { type OwnHome, ownHome } from './own-home.ts';

const TEXT = '# mine\n[a]\nhost = https://a.example\ntoken = dapi-a\n';
let home: OwnHome;

beforeEach(async () => {
  home = await ownHome(TEXT);
});
afterEach(() => home.remove());

const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe('the configuration file', () => {
  test('is where the Databricks tools look for it', () => {
    expect(configFilePath({ HOME: '/h' })).toBe(join('/h', '.databrickscfg'));
    expect(configFilePath({ HOME: '/h', DATABRICKS_CONFIG_FILE: '/else/where' })).toBe('/else/where');
    expect(configFilePath({ HOME: '/h', DATABRICKS_CONFIG_FILE: '~/team/cfg' })).toBe(join('/h', 'team/cfg'));
  });

  test.skipIf(process.platform === 'win32')('is refused if it is a named pipe, without waiting for it', async () => {
    await rm(home.configFile);
    await promisify(execFile)('mkfifo', [home.configFile]);
    const auth = openAuth({ env: home.env });
    const refused = { code: 'invalid_file', remedy: expect.stringMatching(/^Check that it is a file/) };
    await expect(auth.profile('a')).rejects.toMatchObject(refused);
    await expect(auth.addProfile('b', 'https://b.example')).rejects.toMatchObject({ code: 'invalid_file' });
  });

  test('is changed in place, readable by its owner only, with the old one beside it', async () => {
    const auth = openAuth({ env: home.env });
    expect(await auth.addProfile('b', 'https://b.example/?o=12')).toEqual({
      name: 'b',
      host: 'https://b.example',
      method: 'oauth-user',
      workspaceId: '12',
    });
    expect(await home.readConfig()).toBe(`${TEXT}\n[b]\nhost = https://b.example\nworkspace_id = 12\n`);
    expect(await readFile(`${home.configFile}.bak`, 'utf8')).toBe(TEXT);
    expect([await mode(home.configFile), await mode(`${home.configFile}.bak`)]).toEqual(['600', '600']);
    expect(await auth.profile('b')).toMatchObject({ workspaceId: '12' });
  });

  test('is created if it does not exist', async () => {
    const env = { ...home.env, DATABRICKS_CONFIG_FILE: join(home.folder, 'new', 'cfg') };
    await openAuth({ env }).addProfile('first', 'a.example');
    expect(await readFile(env.DATABRICKS_CONFIG_FILE, 'utf8')).toBe(
      '[first]\nhost = https://a.example\n\n[__settings__]\ndefault_profile = first\n',
    );
    expect(await mode(env.DATABRICKS_CONFIG_FILE)).toBe('600');
  });

  test('remains a symbolic link', async () => {
    await mkdir(join(home.folder, 'dotfiles'));
    const target = join(home.folder, 'dotfiles', 'databrickscfg');
    const link = join(home.folder, 'link');
    await writeFile(target, TEXT);
    await symlink(target, link);
    await openAuth({ env: { ...home.env, DATABRICKS_CONFIG_FILE: link } }).addProfile('b', 'b.example');
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readFile(target, 'utf8')).toContain('[b]');
  });

  test('loses nothing if many processes change it at once', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
    await Promise.all(names.map((name) => openAuth({ env: home.env }).addProfile(name, `${name}.example`)));
    const listed = (await openAuth({ env: home.env }).profiles()).map(({ name }) => name);
    expect(listed.sort()).toEqual(['a', ...names].sort());
    expect(await home.readConfig()).toContain(TEXT);
  });

  test('stays complete if the disk is full, and says so', async () => {
    // The system lets this process write files of up to 1 KB: its writes are cut short there, as on a full disk.
    const long = `${TEXT}${'# a long comment\n'.repeat(200)}`;
    await writeFile(home.configFile, long);
    const module = new URL('../../../main/auth/open.ts', import.meta.url).href;
    const add = `import { openAuth } from ${JSON.stringify(module)};
      process.on('SIGXFSZ', () => {});
      await openAuth({ env: process.env }).addProfile('b', 'b.example').catch((error) => console.log(error.message));`;
    const limited = 'ulimit -f 2; exec "$0" "$@"';
    const node = [process.execPath, '--input-type=module', '-e', add];
    const { stdout } = await promisify(execFile)('sh', ['-c', limited, ...node], {
      // What Node compiles would be cut short too, and end the process.
      env: { ...home.env, NODE_DISABLE_COMPILE_CACHE: '1' },
    });
    expect(stdout).toMatch(/cannot be written/);
    expect(await home.readConfig()).toBe(long);
    expect((await readdir(home.folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('does not accept an account host, and says why', async () => {
    await expect(openAuth({ env: home.env }).addProfile('b', 'accounts.cloud.databricks.com')).rejects.toMatchObject({
      code: 'profile_unusable',
      message:
        'https://accounts.cloud.databricks.com: Its host is an account host, not a workspace. Use the address of a workspace.',
    });
    expect(await home.readConfig()).toBe(TEXT);
  });

  test('is named if it cannot be read', async () => {
    await expect(
      openAuth({ env: { ...home.env, DATABRICKS_CONFIG_FILE: home.folder } }).profiles(),
    ).rejects.toMatchObject({
      code: 'invalid_file',
      message: `The configuration file ${home.folder} cannot be read.`,
    });
  });

  test('means no profiles if it does not exist', async () => {
    const auth = openAuth({ env: { ...home.env, DATABRICKS_CONFIG_FILE: join(home.folder, 'none') } });
    expect(await auth.profiles()).toEqual([]);
  });
});
