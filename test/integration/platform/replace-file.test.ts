import { spawnSync } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { acquireLock, withLock } from '../../../main/platform/lock.ts';
import { replaceFile, writePieces, writeWholeFile, writeWholeFileSync } from '../../../main/platform/replace-file.ts';
import { openSettings } from '../../../main/platform/settings.ts';
import { inOneLine } from '../../../main/words/failure.ts';
import { plainSettings } from '../../plain-desktop.ts';
import { NO_SMALL_DISK, type SmallDisk, smallDisk } from '../faults/small-disk.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-files-'));
  file = join(folder, 'file');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function* piecesOf(...pieces: string[]): AsyncGenerator<string> {
  yield* pieces;
}

/** Each form of the one way to replace a file. */
const FORMS: [string, (path: string, text: string) => Promise<void>][] = [
  [
    'expected bytes',
    async (path, text) =>
      replaceFile(path, Buffer.from(text), await readFile(path).catch(() => undefined), { kind: 'own' }),
  ],
  ['whatever bytes', (path, text) => writeWholeFile(path, text)],
  ['whatever bytes, at once', async (path, text) => writeWholeFileSync(path, text)],
  ['pieces', (path, text) => writePieces(path, piecesOf(text.slice(0, 3), text.slice(3)))],
];

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => inOneLine(error),
  );

describe.each(FORMS)('a file that is replaced (%s)', (_, write) => {
  test('has the new bytes and no file beside it, and is readable by its owner only if it is new', async () => {
    await write(file, 'first');
    await write(file, 'second');
    expect(await readFile(file, 'utf8')).toBe('second');
    expect(await readdir(folder)).toEqual(['file']);
    expect(await modeOf(file)).toBe(0o600);
  });

  test('is written through links that lead to it, including relative ones and chains', async () => {
    await mkdir(join(folder, 'dotfiles', 'deep'), { recursive: true });
    await writeFile(join(folder, 'dotfiles', 'real'), 'old');
    await symlink('../real', join(folder, 'dotfiles', 'deep', 'second'));
    await symlink('dotfiles/deep', join(folder, 'way'));
    await symlink('way/second', file);
    await write(file, 'new');
    expect(await readFile(join(folder, 'dotfiles', 'real'), 'utf8')).toBe('new');
    expect(await readlink(file)).toBe('way/second');
    expect((await lstat(join(folder, 'dotfiles', 'deep', 'second'))).isSymbolicLink()).toBe(true);
  });

  test('is created if a link points to nothing', async () => {
    await mkdir(join(folder, 'dotfiles'));
    await symlink('dotfiles/file', file);
    await write(file, 'new');
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect(await readFile(join(folder, 'dotfiles', 'file'), 'utf8')).toBe('new');
  });

  test('is refused with an explanation if a link leads into a missing folder or back to itself', async () => {
    await symlink('missing/file', file);
    expect(await failure(write(file, 'new'))).toBe(
      `${file} is a link to ${join(folder, 'missing', 'file')}, whose folder does not exist. Nothing was changed. Create that folder, or remove the link.`,
    );
    await symlink('loop', join(folder, 'loop'));
    expect(await failure(write(join(folder, 'loop'), 'new'))).toMatch(/is a symbolic link that points to itself/);
    expect((await readdir(folder)).sort()).toEqual(['file', 'loop']);
  });

  test('is refused with an explanation if it is a folder, read-only, or below a file', async () => {
    await mkdir(join(folder, 'a'));
    await writeFile(join(folder, 'b'), '', { mode: 0o400 });
    expect(await failure(write(join(folder, 'a'), 'new'))).toMatch(/a is a folder/);
    expect(await failure(write(join(folder, 'b'), 'new'))).toMatch(
      /b is read-only. Nothing was changed. Make it writable/,
    );
    expect(await failure(write(join(folder, 'b', 'c'), 'new'))).toMatch(/part of its path is a file/);
  });

  test('can have a name of 255 bytes', async () => {
    const long = join(folder, 'ü'.repeat(127));
    await write(long, 'new');
    expect(await readdir(folder)).toEqual(['ü'.repeat(127)]);
  });

  test('does not use a temporary name that already exists', async () => {
    const victim = join(folder, 'victim');
    await writeFile(victim, 'theirs');
    for (const name of ['file.partial', 'file.tmp', `file.${process.pid}.tmp`])
      await symlink(victim, join(folder, name));
    await write(file, 'new');
    expect(await readFile(victim, 'utf8')).toBe('theirs');
    expect((await readdir(folder)).length).toBe(5);
  });
});

test.runIf(process.platform !== 'win32')('a device or pipe is written to directly', async () => {
  const device = '/dev/null';
  await writePieces(device, piecesOf('gone'));
  expect((await stat(device)).isCharacterDevice()).toBe(true);
});

test('what a killed process left beside a file is removed by the next write', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const left = `${file}.causeway-${pid}-0123456789ab.tmp`;
  await writeFile(left, 'half');
  const { utimes } = await import('node:fs/promises');
  await utimes(left, new Date(0), new Date(Date.now() - 120_000));
  const busy = `${file}.causeway-${process.pid}-0123456789ab.tmp`;
  await writeFile(busy, 'of a write that goes on');
  await writeWholeFile(file, 'new');
  expect((await readdir(folder)).sort()).toEqual(['file', `file.causeway-${process.pid}-0123456789ab.tmp`]);
});

test('an export keeps its own error if its source fails, and leaves the file unchanged', async () => {
  await writeFile(file, 'old');
  const source = async function* () {
    yield 'x'.repeat(200_000);
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
  };
  expect(await failure(writePieces(file, source()))).toBe('connect ECONNREFUSED');
  expect(await readFile(file, 'utf8')).toBe('old');
  expect(await readdir(folder)).toEqual(['file']);
});

test('an export into a missing folder says so and does not create it', async () => {
  const path = join(folder, 'missing', 'file.csv');
  expect(await failure(writePieces(path, piecesOf('x')))).toBe(
    `${path} cannot be written: its folder does not exist. Nothing was changed. Create the folder, then try again.`,
  );
  expect(await readdir(folder)).toEqual([]);
});

test.skipIf(process.platform === 'win32')(
  'with too many files open, the message says so and the next write succeeds',
  async () => {
    await writeFile(file, 'old');
    const module = new URL('../../../main/platform/replace-file.ts', import.meta.url).href;
    const script = `
    import { closeSync, openSync } from 'node:fs';
    import { writeWholeFile } from ${JSON.stringify(module)};
    const held = [];
    try { for (;;) held.push(openSync('/dev/null')); } catch {}
    await writeWholeFile(process.argv[1], 'new').catch((error) => process.stdout.write(error.message));
    held.forEach(closeSync);
    await writeWholeFile(process.argv[1], 'newer');`;
    const node = [process.execPath, '--input-type=module', '-e', script, file];
    const { stdout } = spawnSync('sh', ['-c', 'ulimit -n 64; exec "$0" "$@"', ...node], { encoding: 'utf8' });
    expect(stdout).toBe(`${file} cannot be opened: this program has too many files open.`);
    expect(await readFile(file, 'utf8')).toBe('newer');
  },
);

describe.skipIf(NO_SMALL_DISK)(`on a disk that can be filled${NO_SMALL_DISK ? ` (${NO_SMALL_DISK})` : ''}`, () => {
  let disk: SmallDisk;
  beforeEach(async () => {
    disk = await smallDisk();
    file = join(disk.folder, 'file');
    await writeFile(file, 'old');
  });
  afterEach(() => disk[Symbol.asyncDispose]());

  test.each(FORMS)('a file stays complete while it is full, with nothing beside it (%s)', async (_, write) => {
    await disk.fill();
    const text = 'new'.repeat(10_000);
    expect(await failure(write(file, text))).toBe(
      `${file} cannot be written: the disk is full. Nothing was changed. Free up some space, then try again.`,
    );
    expect(await readFile(file, 'utf8')).toBe('old');
    expect((await readdir(disk.folder)).sort()).toEqual(['ballast', 'file']);
    await disk.empty();
    await write(file, text);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test.each(FORMS)('a file for which the last free bytes are not enough stays unchanged (%s)', async (_, write) => {
    await disk.fill();
    await disk.empty();
    // Room for a part of it, so that the write is cut short and not refused.
    const text = 'n'.repeat(300 * 1024);
    expect(await failure(write(file, text))).toMatch(/the disk is full/);
    expect(await readFile(file, 'utf8')).toBe('old');
  });

  test.each(FORMS)('writing a file on a read-only disk fails with an explanation (%s)', async (_, write) => {
    await disk.setReadOnly(true);
    expect(await failure(write(file, 'new'))).toBe(
      `${file} is on a read-only disk. Nothing was changed. Make the disk writable, or move the file to another one.`,
    );
    await disk.setReadOnly(false);
    await write(file, 'new');
  });

  test('a lock is held by one process at a time while it is full, and leaves nothing that others wait for', async () => {
    const locks = join(disk.folder, 'lock');
    await withLock(locks, async () => undefined);
    await disk.fill();
    const first = await acquireLock(locks);
    let second = false;
    const waiting = acquireLock(locks).then((lock) => {
      second = true;
      return lock;
    });
    expect(second).toBe(false);
    await first.release();
    await (await waiting).release();
    await disk.empty();
    const began = performance.now();
    await withLock(locks, async () => undefined);
    // Not the ten seconds after which an unknown holder counts as gone.
    expect(performance.now() - began).toBeLessThan(9_000);
    for (const name of await readdir(locks)) expect((await readFile(join(locks, name), 'utf8')).trim()).toBe('free');
  });

  test('taking a lock on a read-only disk fails with an explanation', async () => {
    await disk.setReadOnly(true);
    const locks = join(disk.folder, 'lock');
    expect(await failure(acquireLock(locks))).toMatch(/lock is on a read-only disk/);
  });

  test('settings stay unchanged while it is full, and reading them needs no space', async () => {
    const options = {
      folder: join(disk.folder, 'config'),
      name: 'things',
      schema: z.object({ things: z.array(z.string()) }),
      empty: { things: [] },
      lockFolder: join(disk.folder, 'locks', 'things'),
      damaged: 'set-aside' as const,
    };
    const settings = await openSettings(options);
    expect(await readdir(disk.folder)).toEqual(['file']);
    await settings.change(() => ({ things: ['one'] }));
    await disk.fill();
    expect(await failure(settings.change(() => ({ things: ['x'.repeat(9000)] })))).toMatch(
      /things\.json cannot be written: the disk is full/,
    );
    expect((await openSettings(options)).read()).toEqual({ things: ['one'] });
    await disk.empty();
    await settings.change(() => ({ things: ['two'] }));
    expect(settings.read()).toEqual({ things: ['two'] });
  });

  test("the application's settings stay unchanged while it is full", async () => {
    const env = { HOME: disk.folder, CAUSEWAY_HOME: disk.folder };
    plainSettings(env).change({ appearance: 'dark' });
    await disk.fill();
    const settings = plainSettings(env);
    expect(() => settings.change({ appearance: 'light' })).toThrow(/cannot be written: the disk is full/);
    expect(plainSettings(env).current.appearance).toBe('dark');
    await disk.empty();
    settings.change({ appearance: 'light' });
    expect(plainSettings(env).current.appearance).toBe('light');
  });
});

test.runIf(process.getuid?.() !== 0)(
  'writing a file into a folder without write permission fails with an explanation',
  async () => {
    await chmod(folder, 0o500);
    expect(await failure(writeWholeFile(file, 'new'))).toMatch(
      /cannot be read or written: permission denied. Nothing was changed. Check the owner/,
    );
    await chmod(folder, 0o700);
  },
);
