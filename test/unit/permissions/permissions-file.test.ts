import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parsePermissions } from '../../../main/permissions/permissions.ts';
import { PermissionsFile } from '../../../main/permissions/permissions-file.ts';
import { permissionsOfServer } from '../../../main/permissions/server-permissions.ts';

const NOBODY = 65_534;

async function open() {
  const home = await mkdtemp(join(tmpdir(), 'causeway-permissions-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const file = new PermissionsFile({ CAUSEWAY_HOME: home });
  await mkdir(dirname(file.path), { recursive: true });
  /** What a call of a tool hears, or `allow`. */
  const call = async () => {
    await file.refresh();
    const decision = permissionsOfServer(file, 'https://x.example/api/2.0/mcp/sql').decide(
      'drop',
      undefined,
      undefined,
    );
    if (!('error' in decision)) return decision.do;
    return `${decision.error.message} ${decision.error.remedy}`.replaceAll(file.path, 'PERMISSIONS');
  };
  return { home, path: file.path, folder: dirname(file.path), file, call };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Runs what a user without the rights of an administrator runs, whoever runs the tests. */
async function withoutPrivileges<T>(run: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  return run().finally(() => {
    if (isRoot) process.seteuid?.(0);
  });
}

it.each([
  ['that breaks off', '{\n  "version": 1,', 'line 2, column 16: property name expected'],
  ['that does not close', '{"version":1', 'line 1, column 13: close brace expected'],
  ['that is empty', '', 'line 1, column 1: value expected'],
  ['after a byte order mark', '\uFEFFno', 'line 1, column 1: invalid symbol'],
  ['of another version', '{\n "version": 2}', 'line 2, column 2: version: Invalid input: expected 1'],
  [
    'with an unknown member',
    '{"version":1,\n"servers":{"x":{"of":[]}}}',
    'line 2, column 17: servers.x.of: "of" is not supported by this version',
  ],
  ['in UTF-16', Buffer.from('\uFEFF{}', 'utf16le'), 'line 1, column 1: the file is UTF-16, not UTF-8'],
])('a permissions file %s forbids every tool and names line and column', async (_, content, reason) => {
  const { path, call } = await open();
  await writeFile(path, content);
  expect(await call()).toBe(
    `The permissions in PERMISSIONS cannot be read (${reason}). Correct the file, or delete it to remove all restrictions. Until then, no tool may be called.`,
  );
});

it('a permissions file of 31 MB forbids every tool unread', async () => {
  const { path, call } = await open();
  await writeFile(path, '{"version":1}');
  await truncate(path, 31 * 1024 * 1024);
  expect(await call()).toBe(
    'The permissions in PERMISSIONS cannot be read (it has 31 MiB, and a file of Causeway may have 1 MiB). ' +
      'Rename it to start again without it, or restore it from a copy. Until then, no tool may be called.',
  );
});

it('permissions whose folder is gone, as with a disk, forbid every tool until they are there again', async () => {
  const { home, path, folder, call } = await open();
  expect(await call()).toBe('allow');
  await writeFile(path, '{"version":1,"all":{"newTools":"on"}}');
  expect(await call()).toBe('allow');
  const away = join(home, 'away');
  await rename(folder, away);
  const lost =
    'The permissions in PERMISSIONS cannot be read (its folder is gone). Connect the disk that it is on, or restore it. To begin without it, restart Causeway. Until then, no tool may be called.';
  expect(await call()).toBe(lost);
  // What makes the folder anew, such as other settings, is not the user's word about permissions.
  await mkdir(folder);
  expect(await call()).toBe(lost);
  await rename(join(away, 'permissions.json'), path);
  expect(await call()).toBe('allow');
  await rm(path);
  expect(await call()).toBe('allow');
  await rm(folder, { recursive: true });
  expect(await call()).toBe('allow');
});

const LINK_REMEDY = 'Restore the file or folder that the link points to, or remove the link.';

it
  .skipIf(process.platform === 'win32')
  .each<[name: string, make: (opened: Opened) => Promise<unknown>, reason: string, remedy: string]>([
    ['is a folder', ({ path }) => mkdir(path), 'it is a folder, not a file', 'Move it out of the way.'],
    [
      'is a FIFO',
      ({ path }) => promisify(execFile)('mkfifo', [path]),
      'it is a device or a pipe, not a file',
      'Move it out of the way.',
    ],
    [
      'is a link to itself',
      ({ path }) => symlink(path, path),
      'it is a symbolic link that points to itself',
      'Fix or remove the link.',
    ],
    [
      'is a link to nothing',
      ({ path, home }) => symlink(join(home, 'none.json'), path),
      'a symbolic link in its path points to nothing',
      LINK_REMEDY,
    ],
    [
      'is in a folder that is a link to nothing',
      ({ folder, home }) => rm(folder, { recursive: true }).then(() => symlink(join(home, 'none'), folder)),
      'a symbolic link in its path points to nothing',
      LINK_REMEDY,
    ],
    [
      'has a file in place of its folder',
      ({ folder }) => rm(folder, { recursive: true }).then(() => writeFile(folder, '')),
      'it cannot exist: part of its path is a file',
      'Move that file out of the way.',
    ],
  ])('a permissions file that %s forbids every tool and names the remedy', async (_, make, reason, remedy) => {
  const opened = await open();
  await make(opened);
  expect(await opened.call()).toBe(
    `The permissions in PERMISSIONS cannot be read (${reason}). ${remedy} Until then, no tool may be called.`,
  );
});

it.skipIf(process.platform === 'win32')(
  'a permissions file without read permission forbids every tool until it has it',
  async () => {
    const { home, path, folder, call } = await open();
    await writeFile(path, '{"version":1}');
    for (const each of [home, dirname(folder), folder]) await chmod(each, 0o755);
    await chmod(path, 0o000);
    expect(await withoutPrivileges(call)).toBe(
      'The permissions in PERMISSIONS cannot be read (it cannot be read or written: permission denied). Check the owner and the permissions of the file and its folder. Until then, no tool may be called.',
    );
    await chmod(path, 0o644);
    expect(await withoutPrivileges(call)).toBe('allow');
  },
);

it.runIf(process.geteuid?.() === 0)(
  'a permissions file is read again once the system lets it, although it is the same',
  async () => {
    const { home, path, folder, call } = await open();
    await writeFile(path, '{"version":1}', { mode: 0o600 });
    for (const each of [home, dirname(folder), folder]) await chmod(each, 0o755);
    expect(await withoutPrivileges(call)).toContain('permission denied');
    expect(await call()).toBe('allow');
  },
);

it('a missing permissions file, or a missing folder of it, forbids nothing', async () => {
  const { folder, call } = await open();
  expect(await call()).toBe('allow');
  await rm(folder, { recursive: true });
  expect(await call()).toBe('allow');
});

it('a permissions file that a link leads to is read', async () => {
  const { home, path, call } = await open();
  await writeFile(join(home, 'elsewhere.json'), '{"version":1,"all":{"readOnly":true}}');
  await symlink(join(home, 'elsewhere.json'), path);
  expect(await call()).toBe('block');
});

const OLD = '{"version":1,"all":{"readOnly":true}}';
const READ_ONLY = 'block';

/** A home whose permissions file has its old name. */
async function openOld(content = OLD) {
  const opened = await open();
  const old = join(opened.folder, 'rules.json');
  await writeFile(old, content);
  return { ...opened, old, oldText: () => readFile(old, 'utf8'), newText: () => readFile(opened.path, 'utf8') };
}

describe('permissions in a file with the old name, rules.json,', () => {
  it('hold, and are only read', async () => {
    const { call, oldText, newText } = await openOld();
    expect(await call()).toBe(READ_ONLY);
    expect(await oldText()).toBe(OLD);
    await expect(newText()).rejects.toThrow('ENOENT');
  });

  it('forbid every tool if they are damaged, under that name', async () => {
    const { call, old } = await openOld('{"version":2}');
    expect(await call()).toContain(`The permissions in ${old} cannot be read (line 1`);
  });

  it('are moved as they are, and leave what an older version refuses to read', async () => {
    const { call, file, newText, oldText } = await openOld();
    await file.move();
    expect(await newText()).toBe(OLD);
    expect(await call()).toBe(READ_ONLY);
    await expect(parsePermissions('OLD', Buffer.from(await oldText()))).rejects.toThrow(
      'cannot be read (line 3, column 3: moved to permissions.json; restart the AI client: ',
    );
    await file.move();
    expect(await newText()).toBe(OLD);
  });

  it('are moved by the first change, which keeps them', async () => {
    const { file, newText, oldText } = await openOld();
    await file.change((now) => ({ ...now, all: { ...now.all, newTools: 'off' } }));
    expect(JSON.parse(await newText())).toEqual({ version: 1, all: { readOnly: true, newTools: 'off' } });
    expect(await oldText()).toContain('moved to permissions.json');
  });

  it('are moved once by two at the same time, and no change is lost', async () => {
    const { home, file, newText } = await openOld();
    const other = new PermissionsFile({ CAUSEWAY_HOME: home });
    await Promise.all([
      file.move(),
      file.change((now) => ({ ...now, all: { ...now.all, newTools: 'ask' } })),
      other.change((now) => ({ ...now, servers: { 'https://x.example/api/2.0/mcp/sql': { off: ['drop'] } } })),
      other.move(),
    ]);
    expect(JSON.parse(await newText())).toEqual({
      version: 1,
      all: { readOnly: true, newTools: 'ask' },
      servers: { 'https://x.example/api/2.0/mcp/sql': { off: ['drop'] } },
    });
  });

  it('are moved after a process has ended between the two writes', async () => {
    const { path, call, file, oldText } = await openOld();
    await writeFile(path, OLD);
    expect(await call()).toBe(READ_ONLY);
    await file.move();
    expect(await oldText()).toContain('moved to permissions.json');
    expect(await call()).toBe(READ_ONLY);
  });

  it('forbid every tool beside others under the new name, and no change decides which count', async () => {
    const { path, old, call, file, newText, oldText } = await openOld();
    await writeFile(path, '{"version":1}');
    expect(await call()).toBe(
      `The permissions in PERMISSIONS cannot be read (different permissions are in ${old}, its old name). Delete the file that you do not want. Until then, no tool may be called.`,
    );
    await expect(file.change((now) => ({ ...now, all: { newTools: 'ask' } }))).rejects.toThrow(
      'different permissions are in',
    );
    await expect(file.move()).rejects.toThrow('different permissions are in');
    expect([await newText(), await oldText()]).toEqual(['{"version":1}', OLD]);
    await rm(old);
    expect(await call()).toBe('allow');
  });

  it('are no longer there once the file with the new name is deleted', async () => {
    const { path, call, file } = await openOld();
    await file.move();
    await rm(path);
    expect(await call()).toBe('allow');
  });

  it.skipIf(process.platform === 'win32')('go on holding in a folder that cannot be written', async () => {
    const { home, folder, call, file, old, oldText, newText } = await openOld();
    for (const each of [home, dirname(folder), folder]) await chmod(each, 0o755);
    await chmod(old, 0o644);
    await chmod(folder, 0o555);
    await withoutPrivileges(async () => {
      await expect(file.move()).rejects.toThrow();
      expect(await call()).toBe(READ_ONLY);
    });
    await chmod(folder, 0o755);
    expect(await oldText()).toBe(OLD);
    await expect(newText()).rejects.toThrow('ENOENT');
  });
});
