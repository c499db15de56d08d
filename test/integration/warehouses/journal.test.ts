import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../../../main/cli/program.ts';
import { acquireLock } from '../../../main/platform/lock.ts';
import { stateFolder } from '../../../main/platform/paths.ts';
import { journalFolder } from '../../../main/warehouses/bulk/journal-file.ts';
import { fixtureUsers } from '../../workspace/fixture.ts';
import { largeWorld } from '../../workspace/large-world.ts';
import type { Override } from '../../workspace/model.ts';
import { CAUSEWAY, environment } from '../proxy/proxy-process.ts';
import { type CommandLine, openCommandLine, USERS, WAREHOUSES } from './harness.ts';

const { shared, science, finance } = WAREHOUSES;
const { ana, ben, chloe } = USERS;
const CHANGES = `user,type,warehouse\n${ana},NONE,\n${ben},CUSTOM,${science}\n${chloe},CUSTOM,${shared}\n`;
const OVERRIDES_PATH = '/api/warehouses/v1/default-warehouse-overrides/*';

let cli: CommandLine;
let folder: string;
let file: string;
beforeEach(async () => {
  cli = await openCommandLine();
  folder = await mkdtemp(join(tmpdir(), 'causeway-journal-'));
  file = join(folder, 'overrides.csv');
  await writeFile(file, CHANGES);
  cli.give('ana', shared);
  cli.give('chloe');
});
afterEach(async () => {
  await cli[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const held = () =>
  Object.fromEntries(
    [...cli.workspace.state.overrides.values()].map((one) => [one.userId, one.warehouseId ?? one.type]),
  );
const BEFORE = { [ana]: shared, [chloe]: 'LAST_SELECTED' };
const AFTER = { [ben]: science, [chloe]: shared };
const run = (...args: string[]) => cli.run('ana', 'warehouse', 'import', ...args);
const undo = (...args: string[]) => run('--undo', 'last', '--yes', ...args);
const journalFiles = async () => (await readdir(journalFolder(cli.env))).filter((name) => name.endsWith('.jsonl'));
const journalText = async () => {
  const [name = 'none'] = (await journalFiles()).sort().reverse();
  return readFile(join(journalFolder(cli.env), name), 'utf8');
};
const entries = async () =>
  (await journalText())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the journal of an import', () => {
  test('holds each state before and after, the time, the admin, the workspace and the hash of the file', async () => {
    const { stderr } = await run(file, '--yes');
    const all = await entries();
    expect(all).toMatchObject(
      [
        { is: 'journal', version: 1, kind: 'import', host: cli.workspace.host, source: file, sha256: /^[0-9a-f]{64}$/ },
        { is: 'run', at: /^\d{4}-.*Z$/, admin: { id: ana, userName: 'ana@example.com' }, profile: 'ana', changes: 3 },
        { is: 'change', n: 1, line: 2, userId: ana, before: { type: 'CUSTOM', warehouse_id: shared }, after: null },
        { is: 'change', n: 2, userId: ben, before: null, after: { type: 'CUSTOM', warehouse_id: science } },
        { is: 'change', n: 3, userId: chloe, before: { type: 'LAST_SELECTED' } },
        { is: 'begun', from: 1, to: 3 },
        { is: 'done' },
        { is: 'done' },
        { is: 'done' },
        { is: 'ended', left: 0 },
      ].map((entry) => expect.objectContaining(withPatterns(entry))),
    );
    expect(stderr).toContain(`To undo: causeway warehouse import --undo ${all[0].id}`);
  });

  test.skipIf(process.platform === 'win32')('can be read by its owner only', async () => {
    await run(file, '--yes');
    const [name = 'none'] = await journalFiles();
    expect((await stat(join(journalFolder(cli.env), name))).mode & 0o777).toBe(0o600);
    expect((await stat(journalFolder(cli.env))).mode & 0o777).toBe(0o700);
  });

  test('is there before the first change: where it cannot be written, nothing is changed', async () => {
    await mkdir(stateFolder(cli.env), { recursive: true });
    await writeFile(journalFolder(cli.env), 'in the way');
    const { code, stderr } = await run(file, '--yes');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('override-journals') });
    expect(held()).toEqual(BEFORE);
  });

  test('is not begun by a dry run, or where nothing changes', async () => {
    await run(file, '--dry-run');
    await writeFile(file, `user,type,warehouse\n${ben},NONE,\n`);
    await run(file, '--yes');
    await expect(journalFiles()).rejects.toThrow('ENOENT');
  });

  test('thirty of them are kept', async () => {
    for (let at = 0; at < 31; at += 1) {
      await writeFile(
        file,
        `user,type,warehouse\n${ben},${at % 2 ? 'NONE,' : `CUSTOM,${science}`}\n#`.replace('\n#', '\n'.repeat(at + 1)),
      );
      await run(file, '--yes');
    }
    expect(await journalFiles()).toHaveLength(30);
  });

  test('is listed, the newest first, with what came of it', async () => {
    await run(file, '--yes');
    await undo();
    const { stdout } = await cli.run('ana', 'warehouse', 'journals');
    const [first, second] = stdout.trimEnd().split('\n');
    expect(first).toMatch(
      /^\d{8}-\d{9}-\w{4} {2}undo of \d{8}-\d{9}-\w{4} {2}3 changed {2}in http.* as ana@example\.com$/,
    );
    expect(second).toContain(`${file}  3 changed  in ${cli.workspace.host}`);
    expect(await cli.json('ana', 'warehouse', 'journals', '--json')).toMatchObject({
      journals: [
        { kind: 'undo', changes: 3, made: 3, isComplete: true },
        { kind: 'import', source: file, made: 3 },
      ],
    });
  });

  test('is reported as damaged with the line, and the others are listed all the same', async () => {
    await run(file, '--yes');
    await writeFile(join(journalFolder(cli.env), '20200101-000000-dead.jsonl'), '{"is":"nothing"}\n');
    const { stdout, code } = await cli.run('ana', 'warehouse', 'journals');
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stdout).toContain('is not a journal of override changes: line 1 is not one of its.');
  });
});

test('an import waits for another one on this computer, and says so', async () => {
  const lock = await acquireLock(join(journalFolder(cli.env), 'lock'));
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdout.resume();
  let text = '';
  stderr.on('data', (chunk) => {
    text += chunk;
  });
  const args = ['warehouse', 'import', file, '--yes', '--profile', 'ana'];
  const code = runProgram(args, { stdin, stdout, stderr, env: cli.env });
  await expect.poll(() => text).toContain('Waiting for another import on this computer to end.');
  expect(held()).toEqual(BEFORE);
  await lock.release();
  expect(await code).toBe(0);
  expect(held()).toEqual(AFTER);
});

describe('an undo', () => {
  test('restores what was before, by id, by path or as the last one', async () => {
    await run(file, '--yes');
    expect(held()).toEqual(AFTER);
    const { code, stdout, stderr } = await undo();
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('3 done.') });
    expect(stdout).toContain('- line 3  ben@example.com  Data science → No override');
    expect(held()).toEqual(BEFORE);

    // The undo can be undone too.
    const [first = '', second = ''] = (await journalFiles()).sort();
    await run('--undo', second.replace('.jsonl', ''), '--yes');
    expect(held()).toEqual(AFTER);
    await run('--undo', join(journalFolder(cli.env), first), '--yes');
    expect(held()).toEqual(BEFORE);
  });

  test('run again changes nothing', async () => {
    await run(file, '--yes');
    await undo();
    expect((await undo()).stderr).toBe('0 changes, 3 unchanged.\n');
    expect(held()).toEqual(BEFORE);
  });

  test('leaves what somebody has changed since, says so, and ends with exit code 1', async () => {
    await run(file, '--yes');
    cli.give('ben', finance);
    const { code, stdout } = await undo();
    expect(code).toBe(1);
    expect(stdout).toContain(
      '! line 3  ben@example.com  Changed since: the import left Data science, and now it is Finance BI.',
    );
    expect(held()).toEqual({ ...BEFORE, [ben]: finance });
  });

  test('restores no warehouse that is gone meanwhile, and says so before', async () => {
    await run(file, '--yes');
    const { state } = cli.workspace;
    state.warehouses = state.warehouses.filter(({ id }) => id !== shared);
    const { code, stdout, stderr } = await undo();
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('1 invalid, 2 done.') });
    expect(stdout).toContain(`! line 2  ana@example.com  Warehouse "${shared}" does not exist.`);
    expect(held()).toEqual({ [chloe]: 'LAST_SELECTED' });
  });

  test('asks, and without a terminal needs --yes', async () => {
    await run(file, '--yes');
    const { code, stderr } = await run('--undo', 'last');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Run it again with --yes.') });
    expect((await run('--undo', 'last', '--dry-run', '--fail-on-change')).code).toBe(6);
    expect(held()).toEqual(AFTER);
  });

  test.each([
    ['that does not exist', ['--undo', 'nothing'], 4, 'There is no journal "nothing".'],
    ['where there is none', ['--undo', 'last'], 4, 'There is no journal.'],
    ['beside a file', ['x.csv', '--undo', 'last'], 2, 'Use either a file or --undo.'],
    ['and no file', [], 2, 'No file was named.'],
  ])('of a journal %s is refused', async (_what, args, code, said) => {
    expect(await run(...args)).toMatchObject({ code, stderr: expect.stringContaining(said) });
  });

  test('of another workspace is refused', async () => {
    await run(file, '--yes');
    const [name = ''] = await journalFiles();
    const path = join(folder, 'other.jsonl');
    await writeFile(path, (await journalText()).replace(cli.workspace.host, 'https://other.example.com'));
    expect(name).not.toBe('');
    const { code, stderr } = await run('--undo', path, '--yes');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('is of https://other.example.com') });
  });
});

describe('an import that is continued', () => {
  test('keeps the results of the first run, applies nothing twice, and one undo restores all', async () => {
    const fault = cli.workspace.faults.add({
      effect: { kind: 'answer', status: 400, body: '{"message":"bad day"}' },
      path: `/api/warehouses/v1/default-warehouse-overrides/${ben}`,
      times: 'always',
    });
    expect((await run(file, '--yes')).code).toBe(2);
    expect(held()).toEqual({ [chloe]: shared });
    cli.workspace.faults.remove(fault.id);
    await appendFile(join(journalFolder(cli.env), (await journalFiles())[0] ?? ''), '{"is":"done","n"');
    cli.workspace.requests.clear();

    expect((await run(file, '--yes')).code).toBe(0);
    expect(cli.workspace.requests.count({ method: 'PATCH' })).toBe(1);
    expect(held()).toEqual(AFTER);
    expect(await journalFiles()).toHaveLength(1);
    const results = (await readFile(`${file}.results.csv`, 'utf8')).trimEnd().split('\n');
    expect(results).toHaveLength(1 + 3 + 3);
    expect(results.filter((line) => line.includes(',failed,'))).toHaveLength(1);

    expect((await undo()).code).toBe(0);
    expect(held()).toEqual(BEFORE);
  });

  test('that the workspace keeps refusing ends soon, with what was done and how to go on', async () => {
    const { users } = cli.workspace.state;
    const [first] = users;
    if (!first) throw new Error('unreachable');
    const many = Array.from({ length: 40 }, (_, at) => ({
      ...first,
      id: `66${at}`,
      userName: `p${at}@example.com`,
      admin: false,
    }));
    cli.workspace.state.replace({ users: [...fixtureUsers(), ...many] });
    await writeFile(file, `user,warehouse\n${many.map(({ id }) => `${id},${shared}\n`).join('')}`);
    cli.workspace.faults.add({
      effect: { kind: 'rate-limit', retryAfter: '3600' },
      path: OVERRIDES_PATH,
      skip: 20,
      times: 'always',
    });
    const { code, stderr } = await run(file, '--yes');
    expect(code).toBe(5);
    expect(stderr).toMatch(/Stopped: The workspace keeps refusing requests\. It asks to wait 3600 s\./);
    expect(stderr).toMatch(/\d+ done, \d+ not-tried\./);
    expect(stderr).toContain('To undo: causeway warehouse import --undo');
    expect(cli.workspace.requests.count({ method: 'PATCH' })).toBeLessThan(30);
  });
});

/** `causeway warehouse …` in its own process. */
function start(...args: string[]): ChildProcess {
  const env = { ...environment(folder), ...cli.env };
  return spawn(process.execPath, [CAUSEWAY, 'warehouse', ...args, '--profile', 'ana'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Kills it once so many changes have arrived. */
async function killAfter(child: ChildProcess, changes: number): Promise<void> {
  const { requests } = cli.workspace;
  const ended = once(child, 'exit');
  await expect
    .poll(() => requests.count({ method: 'PATCH' }) + requests.count({ method: 'DELETE' }), {
      timeout: 60_000,
      interval: 5,
    })
    .toBeGreaterThan(changes);
  child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
}

const MANY = Number(process.env.CAUSEWAY_OVERRIDES ?? 600);

describe(`${MANY} overrides`, () => {
  test('are all as before after an import and its undo, each killed in the middle and run again', {
    timeout: 300_000,
  }, async () => {
    // A list of six hundred would come two by two.
    cli.without('smallPages');
    const large = largeWorld({ overrides: MANY + 1, warehouses: 40 });
    const { warehouses } = large;
    const users = large.users.slice(1);
    // An override of a warehouse that is gone could not be restored.
    const overrides = large.overrides.slice(1).filter((_, at) => (at + 1) % 101 !== 0);
    cli.workspace.state.replace({
      users: [...fixtureUsers(), ...users],
      warehouses,
      overrides: overrides.filter((_, at) => at % 3 !== 0),
    });
    const before = stateOf();
    const rows = users.map(({ id }, at) =>
      at % 4 === 0 ? `${id},NONE,\n` : `${id},CUSTOM,${warehouses[at % 7]?.id}\n`,
    );
    await writeFile(file, `user,type,warehouse\n${rows.join('')}`);

    cli.workspace.requests.clear();
    await killAfter(start('import', file, '--yes'), MANY / 3);
    expect((await run(file, '--yes', '--json')).code).toBe(0);
    const after = stateOf();
    expect(after).not.toEqual(before);
    expect(await journalFiles()).toHaveLength(1);

    cli.workspace.requests.clear();
    await killAfter(start('import', '--undo', 'last', '--yes'), MANY / 3);
    expect(stateOf()).not.toEqual(before);
    expect(stateOf()).not.toEqual(after);
    expect((await undo('--json')).code).toBe(0);
    expect(stateOf()).toEqual(before);
  });
});

function stateOf(): Override[] {
  return [...cli.workspace.state.overrides.values()].sort((a, b) => (a.userId < b.userId ? -1 : 1));
}

/** Regular expressions match texts. */
function withPatterns(entry: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [
      name,
      value instanceof RegExp ? expect.stringMatching(value) : value,
    ]),
  );
}
