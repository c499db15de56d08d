import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { shippedLauncher } from '../../main/clients/launcher.ts';
import { inOneLine } from '../../main/platform/errors.ts';
import { startGrowingFile } from '../../main/platform/growing-file.ts';
import { withLock } from '../../main/platform/lock.ts';
import { replaceFile, writePieces, writeWholeFile, writeWholeFileSync } from '../../main/platform/replace-file.ts';
import { kill, setStage } from './stage.ts';

const LOCK_WORKER = fileURLToPath(new URL('../integration/platform/lock-worker.ts', import.meta.url));

const stage = setStage();
let folder: string;

beforeEach(async () => {
  folder = join(stage.home, 'Meine Dateien');
  await mkdir(folder);
});

async function* only(text: string): AsyncGenerator<string> {
  yield text;
}

const FORMS: [string, (file: string, text: string) => Promise<void>][] = [
  ['expected bytes', (file, text) => replaceFile(file, Buffer.from(text), Buffer.from('old'))],
  ['whatever bytes', (file, text) => writeWholeFile(file, text)],
  ['at once', async (file, text) => writeWholeFileSync(file, text)],
  ['pieces', (file, text) => writePieces(file, only(text))],
];

/** libuv's `UV_FS_O_EXLOCK`: nobody else may open, replace or remove the file. */
const EXCLUSIVE = 0x10000000;

/** Another program that has a file open for itself alone; it lets go after so many milliseconds. */
async function holder(file: string, ms: number) {
  const child = stage.program([
    '-e',
    `require('fs').openSync(process.argv[1], require('fs').constants.O_RDWR | ${EXCLUSIVE}); console.log('open'); setTimeout(() => process.exit(), ${ms})`,
    file,
  ]);
  await once(child.stdout, 'data');
  return child;
}

for (const [form, write] of FORMS) {
  test(`a file that another program holds stays as it was and that is told, and is replaced afterwards (${form})`, async () => {
    const file = join(folder, 'file.json');
    await writeFile(file, 'old');
    const other = await holder(file, 60_000);
    const outcome = await write(file, 'new').then(() => 'replaced', inOneLine);
    assert.match(
      outcome,
      /file\.json (may not be changed|may not be read or written|is in use)\. Nothing was changed\. /,
    );
    assert.deepEqual(await readdir(folder), ['file.json']);
    await kill(other);
    assert.equal(await readFile(file, 'utf8'), 'old');
    await write(file, 'new');
    assert.equal(await readFile(file, 'utf8'), 'new');
  });

  test(`a file that another program holds for a moment is replaced (${form})`, async () => {
    const file = join(folder, 'file.json');
    await writeFile(file, 'old');
    await holder(file, 150);
    await write(file, 'new');
    assert.equal(await readFile(file, 'utf8'), 'new');
    assert.deepEqual(await readdir(folder), ['file.json']);
  });
}

test('a file that grows can be read meanwhile, and replaces the one before it', async () => {
  const file = join(folder, 'results.csv');
  await writeFile(file, 'old');
  const growing = await startGrowingFile(file, 'head\n');
  await growing.append('line\n');
  assert.equal(await readFile(file, 'utf8'), 'head\nline\n');
  await growing.close();
});

test('a lock is held by one process at a time', async () => {
  const [locks, journal] = [join(folder, 'lock'), join(folder, 'journal')];
  const workers = Array.from({ length: 5 }, () => stage.program([LOCK_WORKER, locks, journal]));
  await Promise.all(workers.map((each) => once(each.stdout, 'data')));
  const closed = workers.map((each) => once(each, 'close'));
  for (const each of workers) each.stdin.write('go\n');
  await Promise.all(closed);
  const words = (await readFile(journal, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[1]?.trim());
  assert.deepEqual(words, Array.from({ length: 5 }, () => ['in', 'out']).flat());
});

test('a lock whose holder was killed is free at once', async () => {
  const locks = join(folder, 'lock');
  const worker = stage.program([LOCK_WORKER, locks, join(folder, 'journal'), 'keep']);
  await once(worker.stdout, 'data');
  const held = once(worker.stdout, 'data');
  worker.stdin.write('go\n');
  await held;
  await kill(worker);
  const began = performance.now();
  await withLock(locks, async () => undefined);
  // Not the ten seconds after which an unknown holder counts as gone.
  assert.ok(performance.now() - began < 8_000);
});

test('what a killed process left beside a file is gone after the next write', async () => {
  const file = join(folder, 'file');
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const left = `${file}.causeway-${pid}-0123456789ab.tmp`;
  await writeFile(left, 'half');
  await utimes(left, 0, 0);
  await writeWholeFile(file, 'new');
  assert.deepEqual(await readdir(folder), ['file']);
});

test('the executable is reached through a junction that an update leads elsewhere', async (context) => {
  await mkdir(join(folder, 'target'));
  try {
    await symlink(join(folder, 'target'), join(folder, 'junction'), 'junction');
  } catch {
    // Wine has none.
    return context.skip('this system has no junctions');
  }
  const env = { HOME: folder, USERPROFILE: folder, CAUSEWAY_HOME: join(folder, 'state') };
  for (const version of ['1', '2']) {
    const place = join(folder, `Causeway ${version}`);
    await mkdir(place);
    await writeFile(join(place, 'causeway.exe'), version);
    const launcher = shippedLauncher(join(place, 'causeway.exe'), env);
    await launcher.prepare();
    assert.equal(await readFile(launcher.command, 'utf8'), version);
  }
});
