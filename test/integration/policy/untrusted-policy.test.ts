import { execFile } from 'node:child_process';
import { chmod, mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { fileSource } from '../../../main/permissions/policy/sources.ts';
import { callAgain, callSql, MANAGED, managedHome, oneWorkspace } from './managed-home.ts';

const run = promisify(execFile);

describe('a policy that cannot be trusted forbids everything if', () => {
  const refused = async (change: (policy: Awaited<ReturnType<typeof managedHome>>['policy']) => Promise<unknown>) => {
    const home = await managedHome(oneWorkspace);
    await change(home.policy);
    const { stderr, code } = await home.run('whoami', '--profile', 'ana');
    expect(code).toBe(1);
    expect(stderr).toMatch(MANAGED);
    expect(stderr).toContain('Ask your administrator');
    expect(stderr).toContain(home.policy.folder);
    return { ...home, stderr };
  };

  test('others can write to the file', async () => {
    const { stderr } = await refused(({ file }) => chmod(file, 0o666));
    expect(stderr).toContain('can be written by others (its mode is 666)');
  });

  test('others can write to its folder', async () => {
    const { stderr } = await refused(({ folder }) => chmod(folder, 0o777));
    expect(stderr).toContain('can be written by others');
  });

  test('the file is a symbolic link', async () => {
    const { stderr } = await refused(async ({ file, parent }) => {
      await rename(file, join(parent, 'mine.json'));
      await symlink(join(parent, 'mine.json'), file);
    });
    expect(stderr).toContain('is a symbolic link');
  });

  test('the folder is a symbolic link', async () => {
    const { stderr } = await refused(async ({ folder, parent }) => {
      await rename(folder, join(parent, 'moved'));
      await symlink(join(parent, 'moved'), folder);
    });
    expect(stderr).toContain('is not a real folder');
  });

  test('the file belongs to someone else', async () => {
    const { file } = (await managedHome(oneWorkspace)).policy;
    const source = fileSource(file, (process.getuid?.() ?? 0) + 1);
    await expect(source.read()).rejects.toThrow(/belongs to user \d+, not to \d+/);
  });

  test('it is a folder', async () => {
    const { stderr } = await refused(async ({ file }) => {
      await rm(file);
      await mkdir(file, { mode: 0o755 });
    });
    expect(stderr).toContain('is not a file');
  });

  test('it is a pipe, without waiting for it', async () => {
    const { stderr } = await refused(async ({ file }) => {
      await rm(file);
      await run('mkfifo', ['-m', '644', file]);
    });
    expect(stderr).toContain('is not a file');
  });

  test('it is endless', async () => {
    const { stderr } = await refused(({ file }) => truncate(file, 2 ** 40));
    expect(stderr).toContain('has 1099511627776 bytes, more than the 1048576 of a policy');
  });

  test('it is nested deeper than can be read', async () => {
    await refused(({ file }) => writeFile(file, `{"version":1,"rules":${'['.repeat(200_000)}`));
  });

  test('it is not UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"version":1,\n"organization":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}'),
    ]);
    expect((await refused(({ file }) => writeFile(file, bytes))).stderr).toContain('line 2');
  });

  test('it is not JSON', async () => {
    const { stderr } = await refused(({ file }) => writeFile(file, '{\n  "version": 1,\n  "workspaces": oops\n}'));
    expect(stderr).toMatch(/line 3, column 17/);
  });

  test('it has a key that this version does not know', async () => {
    const { stderr } = await refused(({ file }) => writeFile(file, '{\n  "version": 1,\n  "allowNothing": true\n}'));
    expect(stderr).toContain('line 3, column 3: allowNothing: "allowNothing" is not supported by this version');
  });

  test('a value has the wrong type, for a proxy, the permissions and the client files', async () => {
    const {
      proxy,
      run: causeway,
      env,
    } = await refused(({ file }) =>
      writeFile(file, '{ "version": 1, "readOnly": { "value": "yes", "locked": true } }'),
    );
    expect(await proxy().finish()).toBe(2);
    expect((await causeway('servers', 'add', 'sql', '--profile', 'ana')).code).toBe(1);
    await mkdir(join(String(env.HOME), '.cursor'));
    expect((await causeway('clients', 'add', 'cursor')).stderr).not.toBe('');
    expect((await causeway('policy', 'show')).code).toBe(1);
  });

  test('a session is open', async () => {
    const { policy, proxy } = await managedHome(() => ({}));
    const session = proxy();
    await callSql(session, 'SELECT 1');
    await writeFile(policy.file, '{');
    expect(await callAgain(session, 'SELECT 1')).toMatch(MANAGED);
  });
});
