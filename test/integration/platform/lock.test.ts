import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { acquireLock, withLock } from '../../../main/platform/lock.ts';

const WORKER = fileURLToPath(new URL('lock-worker.ts', import.meta.url));
let folder: string;
let journal: string;
let lockFolder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-lock-'));
  journal = join(folder, 'journal');
  lockFolder = join(folder, 'lock');
  await writeFile(journal, '');
});
afterEach(() => rm(folder, { recursive: true }));

async function startWorker(...more: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [WORKER, lockFolder, journal, ...more], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

async function holdersAtOnce(): Promise<{ most: number; entered: number }> {
  const lines = (await readFile(journal, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  lines.sort(([a = ''], [b = '']) => (BigInt(a) < BigInt(b) ? -1 : 1));
  let now = 0;
  let most = 0;
  for (const [, word] of lines) {
    now += word === 'in' ? 1 : -1;
    most = Math.max(most, now);
  }
  return { most, entered: lines.filter(([, word]) => word === 'in').length };
}

describe('a lock among processes', () => {
  test('is acquired if its folder holds names that are not its numbers, including the last possible number', async () => {
    await mkdir(lockFolder);
    for (const name of ['9007199254740991', '9007199254740992', '1e300', 'Infinity', '-1', '0.5', 'x', ' '])
      await writeFile(join(lockFolder, name), '');
    const lock = await acquireLock(lockFolder);
    await lock.release();
  });

  test('has one holder, even when twelve processes find at once that its holder was killed', async () => {
    const victim = await startWorker('keep');
    const held = once(victim.stdout ?? victim, 'data');
    victim.stdin?.write('\n');
    await held;
    const workers = await Promise.all(Array.from({ length: 12 }, () => startWorker()));
    for (const worker of workers) worker.stdin?.write('\n');
    await writeFile(journal, '');
    victim.kill('SIGKILL');
    await Promise.all(workers.map((worker) => once(worker, 'exit')));
    expect(await holdersAtOnce()).toEqual({ most: 1, entered: 12 });
  });

  test('leaves only a few files, none of them locked', async () => {
    for (let round = 0; round < 30; round += 1) await withLock(lockFolder, async () => undefined);
    const files = await readdir(lockFolder);
    expect(files.length).toBeLessThan(12);
    const contents = await Promise.all(files.map((file) => readFile(join(lockFolder, file), 'utf8')));
    expect(new Set(contents.map((text) => text.trim()))).toEqual(new Set(['free']));
  });

  test('is released when the work fails', async () => {
    await expect(withLock(lockFolder, async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(withLock(lockFolder, async () => 'next')).resolves.toBe('next');
  });

  test('reports once that it waits, and stops waiting when it is aborted', async () => {
    const lock = await acquireLock(lockFolder);
    const stop = new AbortController();
    let waits = 0;
    const waiting = acquireLock(lockFolder, {
      signal: stop.signal,
      onWait: () => {
        waits += 1;
        setImmediate(() => stop.abort());
      },
    });
    await expect(waiting).rejects.toThrow(expect.objectContaining({ code: 'cancelled' }));
    expect(waits).toBe(1);
    await lock.release();
    await (await acquireLock(lockFolder)).release();
  });
});
