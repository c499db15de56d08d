import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startGrowingFile } from '../../main/platform/growing-file.ts';
import { withLock } from '../../main/platform/lock.ts';
import { replaceFile, writePieces, writeWholeFile, writeWholeFileSync } from '../../main/platform/replace-file.ts';
import { inOneLine } from '../../main/words/failure.ts';
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
  ['expected bytes', (file, text) => replaceFile(file, Buffer.from(text), Buffer.from('old'), { kind: 'own' })],
  ['whatever bytes', (file, text) => writeWholeFile(file, text)],
  ['at once', async (file, text) => writeWholeFileSync(file, text)],
  ['pieces', (file, text) => writePieces(file, only(text))],
];

/** libuv's `UV_FS_O_EXLOCK`: no one else may open, replace or remove the file. */
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
  test(`a file that another program holds stays unchanged, which is reported, and is replaced afterwards (${form})`, async () => {
    const file = join(folder, 'file.json');
    await writeFile(file, 'old');
    const other = await holder(file, 60_000);
    const outcome = await write(file, 'new').then(() => 'replaced', inOneLine);
    assert.match(
      outcome,
      /file\.json (cannot be changed: operation not permitted|cannot be read or written: permission denied|is in use)\. Nothing was changed\. /,
    );
    assert.deepEqual(await readdir(folder), ['file.json']);
    await kill(other);
    assert.equal(await readFile(file, 'utf8'), 'old');
    await write(file, 'new');
    assert.equal(await readFile(file, 'utf8'), 'new');
  });

  test(`a file that another program holds briefly is replaced (${form})`, async () => {
    const file = join(folder, 'file.json');
    await writeFile(file, 'old');
    await holder(file, 150);
    await write(file, 'new');
    assert.equal(await readFile(file, 'utf8'), 'new');
    assert.deepEqual(await readdir(folder), ['file.json']);
  });
}

test('a file that grows can be read meanwhile, and replaces the previous one', async () => {
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

test('what a killed process left beside a file is removed by the next write', async () => {
  const file = join(folder, 'file');
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const left = `${file}.causeway-${pid}-0123456789ab.tmp`;
  await writeFile(left, 'half');
  await utimes(left, 0, 0);
  await writeWholeFile(file, 'new');
  assert.deepEqual(await readdir(folder), ['file']);
});

for (const [form, write] of FORMS) {
  test(`a file with the read-only attribute stays unchanged, which is reported (${form})`, async () => {
    const file = join(folder, 'file.json');
    await writeFile(file, 'old');
    await chmod(file, 0o444);
    assert.match(
      await write(file, 'new').then(() => 'replaced', inOneLine),
      /file\.json is read-only\. Nothing was changed\. Make it writable/,
    );
    assert.equal(await readFile(file, 'utf8'), 'old');
    assert.deepEqual(await readdir(folder), ['file.json']);
    await chmod(file, 0o666);
    await write(file, 'new');
    assert.equal(await readFile(file, 'utf8'), 'new');
  });

  test(`a file whose path is longer than 260 characters is replaced (${form})`, async () => {
    const deep = join(folder, ...Array.from({ length: 6 }, () => 'längerer Name '.repeat(4).trim()));
    await mkdir(deep, { recursive: true });
    const file = join(deep, 'file.json');
    assert.ok(file.length > 300);
    await writeFile(file, 'old');
    await write(file, 'new');
    assert.equal(await readFile(file, 'utf8'), 'new');
    assert.deepEqual(await readdir(deep), ['file.json']);
  });

  test(`a file in a folder that is a junction, as OneDrive's may be, is replaced where it is (${form})`, async (context) => {
    const junction = join(stage.home, 'OneDrive');
    try {
      await symlink(folder, junction, 'junction');
    } catch {
      return context.skip('this system has no junctions');
    }
    await writeFile(join(folder, 'file.json'), 'old');
    await write(join(junction, 'file.json'), 'new');
    assert.equal(await readFile(join(folder, 'file.json'), 'utf8'), 'new');
    assert.ok((await lstat(junction)).isSymbolicLink());
  });
}

test('everything works if the folders of applications have paths longer than 260 characters', async () => {
  const deep = (name: string) => join(stage.folder, name, ...Array.from({ length: 6 }, () => 'x'.repeat(50)));
  Object.assign(stage.env, { APPDATA: deep('Roaming'), LOCALAPPDATA: deep('Local') });
  await stage.file(join(stage.home, '.databrickscfg'), '[work]\nhost = https://acme.cloud.databricks.com\ntoken = x\n');
  const entries = await stage.file(join(deep('Roaming'), 'Code', 'User', 'mcp.json'), '{}\n');
  for (const args of [
    ['servers', 'add', '--path', '/api/2.0/mcp/sql', '--no-check', '--profile', 'work'],
    ['clients', 'add', 'vscode'],
  ]) {
    const { code, stderr } = await stage.causeway(...args);
    assert.equal(code, 0, stderr);
  }
  assert.match(await readFile(entries, 'utf8'), /proxy/);
  assert.equal((await stage.causeway('uninstall', '--yes', '--force')).code, 0);
  assert.ok(!(await readFile(entries, 'utf8')).includes('proxy'));
});
