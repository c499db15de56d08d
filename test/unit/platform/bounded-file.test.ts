import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  FILE_LIMITS,
  type FileKind,
  readBounded,
  readBoundedSync,
  readBytes,
} from '../../../main/platform/bounded-file.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-bounded-'));
  file = join(folder, 'file');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const KINDS = Object.keys(FILE_LIMITS).filter((kind): kind is FileKind => kind in FILE_LIMITS);

describe.each(KINDS)('a file of the kind %s', (kind) => {
  const { bytes: limit, of, repair } = FILE_LIMITS[kind];

  test('is refused beyond its limit, with file, limit and remedy, however it is read', async () => {
    await writeFile(file, '');
    await truncate(file, limit + 1);
    const refusal = expect.objectContaining({
      code: 'invalid_file',
      message: expect.stringMatching(
        new RegExp(`^${file} has [\\d.]+ MiB, and ${of} may have ${limit / 1024 / 1024} MiB\\.$`),
      ),
      remedy: expect.stringContaining(repair),
    });
    await expect(readBounded(file, kind)).rejects.toEqual(refusal);
    await expect(readBytes(file, kind)).rejects.toEqual(refusal);
    expect(() => readBoundedSync(file, kind)).toThrow(refusal);
  });

  test('is read whole', async () => {
    for (const content of ['', 'x', 'y'.repeat(10_000)]) {
      await writeFile(file, content);
      expect(String(await readBounded(file, kind))).toBe(content);
      expect(String(readBoundedSync(file, kind))).toBe(content);
    }
  });
});

test('a file at its limit is read', async () => {
  await writeFile(file, '');
  await truncate(file, FILE_LIMITS.own.bytes);
  expect((await readBounded(file, 'own')).length).toBe(FILE_LIMITS.own.bytes);
});

test('a file that is not there is nothing, or the error of Node', async () => {
  expect(await readBytes(file, 'own')).toBeUndefined();
  await expect(readBounded(file, 'own')).rejects.toMatchObject({ code: 'ENOENT' });
  expect(() => readBoundedSync(file, 'own')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});

test('a folder is refused', async () => {
  await mkdir(file);
  await expect(readBounded(file, 'client')).rejects.toThrow(`${file} is a folder, not a file.`);
});

test.skipIf(process.platform === 'win32')(
  'a named pipe is refused at once, and nothing waits for its writer',
  async () => {
    await promisify(execFile)('mkfifo', [file]);
    await expect(readBounded(file, 'own')).rejects.toThrow(`${file} is a device or a pipe, not a file.`);
  },
);

test.skipIf(process.platform !== 'linux')('a device without an end is read no further than the limit', async () => {
  await expect(readBounded('/dev/zero', 'profiles')).rejects.toThrow('may have 1 MiB');
  await expect(readBounded('/dev/zero', 'own')).rejects.toThrow('is a device or a pipe');
  expect(await readBounded('/dev/null', 'profiles')).toHaveLength(0);
});
