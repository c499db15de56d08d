import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { claim } from '../../../main/clients/own-folder.ts';

async function scratch() {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-own-folder-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return { shared: join(folder, 'shared'), record: join(folder, 'state', 'record') };
}

test('a folder that we created is recognized', async () => {
  const { shared, record } = await scratch();
  await claim(shared, record);
  await claim(shared, record);
});

test('a folder that someone else created first is refused', async () => {
  const { shared, record } = await scratch();
  await mkdir(shared);
  await expect(claim(shared, record)).rejects.toMatchObject({ code: 'file_not_writable' });
});

test('a folder that someone else created in place of ours is refused', async () => {
  const { shared, record } = await scratch();
  await claim(shared, record);
  await rename(shared, `${shared} moved`);
  await mkdir(shared);
  await expect(claim(shared, record)).rejects.toMatchObject({ code: 'file_not_writable' });
});
