import { execFile, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backedUpBytes, keepBackup, listBackups } from '../../../main/clients/backups.ts';
import { withFileLock } from '../../../main/clients/file-lock.ts';
import { launcherFor, shippedLauncher } from '../../../main/clients/launcher.ts';
import { prepareRendezvous, publishRendezvous } from '../../../main/hub/publish.ts';
import { rendezvousFile } from '../../../main/hub/rendezvous.ts';
import { startHub } from '../../../main/hub/server.ts';
import { startGrowingFile } from '../../../main/platform/growing-file.ts';
import { inOneLine } from '../../../main/words/failure.ts';
import { fixtureUsers } from '../../workspace/fixture.ts';
import { CAUSEWAY } from '../proxy/proxy-process.ts';
import { type CommandLine, openCommandLine, WAREHOUSES } from '../warehouses/harness.ts';
import { NO_SMALL_DISK, type SmallDisk, smallDisk } from './small-disk.ts';

const FULL = /cannot be written: the disk is full/;
const READ_ONLY = /is on a read-only disk/;
const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => inOneLine(error),
  );

/** The number of a process that has ended. */
const endedPid = () => spawnSync(process.execPath, ['-e', '']).pid;

let folder: string;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-writers-'));
  env = { HOME: folder, USERPROFILE: folder, CAUSEWAY_HOME: join(folder, 'causeway') };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a file that grows', () => {
  test('is created at once with its header, through links, and grows in the order of the calls', async () => {
    await mkdir(join(folder, 'real'));
    await symlink('real/file.csv', join(folder, 'file.csv'));
    const file = join(folder, 'file.csv');
    const growing = await startGrowingFile(file, 'head\n');
    expect(await readFile(file, 'utf8')).toBe('head\n');
    await Promise.all(Array.from({ length: 50 }, (_, index) => growing.append(`${index}\n`)));
    await growing.close();
    expect(await readFile(join(folder, 'real', 'file.csv'), 'utf8')).toBe(
      `head\n${Array.from({ length: 50 }, (_, index) => `${index}\n`).join('')}`,
    );
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect(await readdir(join(folder, 'real'))).toEqual(['file.csv']);
  });

  test.skipIf(process.platform === 'win32')('is written in place when it is a named pipe', async () => {
    const pipe = join(folder, 'pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    const read = readFile(pipe, 'utf8');
    const growing = await startGrowingFile(pipe, 'head\n');
    await growing.append('line\n');
    await growing.close();
    expect(await read).toBe('head\nline\n');
    expect((await lstat(pipe)).isFIFO()).toBe(true);
  });
});

describe('backups', () => {
  const at = Date.UTC(2026, 0, 2);

  test('of the same moment, as after a clock was set back, are two', async () => {
    const first = await keepBackup('/home/ana/mcp.json', 'cursor', Buffer.from('one'), { env, at, known: undefined });
    const second = await keepBackup('/home/ana/mcp.json', 'cursor', Buffer.from('two'), { env, at, known: undefined });
    expect(String(await backedUpBytes(env, first))).toBe('one');
    expect(String(await backedUpBytes(env, second))).toBe('two');
  });

  test('are removed if a killed process left them unfinished, and finished ones stay', async () => {
    const kept = await keepBackup('/home/ana/mcp.json', 'cursor', Buffer.from('one'), { env, at, known: undefined });
    const all = join(env.CAUSEWAY_HOME ?? '', 'state', 'client-backups');
    const left = join(all, '20260101-000000000-abcdef');
    await mkdir(left);
    await writeFile(join(left, 'mcp.json'), 'a secret of somebody else');
    await utimes(left, 0, 0);
    await utimes(join(all, kept.id), 0, 0);
    const other = await keepBackup('/home/ana/other.json', 'cursor', undefined, { env, at: at + 1, known: undefined });
    expect((await readdir(all)).sort()).toEqual([kept.id, other.id].sort());
  });
});

test('a launcher whose folder was being replaced when the process was killed is created again at the next start', async () => {
  const mounted = join(folder, '.mount_Causeway', 'app');
  await mkdir(mounted, { recursive: true });
  await writeFile(join(mounted, 'causeway'), 'program');
  const launcher = shippedLauncher(join(mounted, 'causeway'), env);
  await launcher.prepare();
  const place = join(launcher.command, '..');
  const aside = `${place}.causeway-${endedPid()}-0123456789ab.tmp`;
  await rename(place, aside);
  await utimes(aside, 0, 0);
  await launcher.keepCurrent();
  expect(await readFile(launcher.command, 'utf8')).toBe('program');
  expect(await readdir(join(place, '..'))).toEqual(['bin']);
});

describe('what the hub publishes', () => {
  test('replaces a link that another user created there, and what a killed hub left beside it', async () => {
    const hub = join(folder, 'hub');
    await mkdir(hub, { mode: 0o700 });
    await writeFile(join(folder, 'victim'), 'theirs');
    await symlink('../victim', rendezvousFile(hub));
    const left = `${rendezvousFile(hub)}.causeway-${endedPid()}-0123456789ab.tmp`;
    await writeFile(left, 'half');
    await utimes(left, 0, 0);
    await publishRendezvous(hub, await prepareRendezvous(hub, {}));
    expect(await readFile(join(folder, 'victim'), 'utf8')).toBe('theirs');
    expect((await lstat(rendezvousFile(hub))).isFile()).toBe(true);
    expect(await readdir(hub)).toEqual(['hub.json']);
  });
});

describe.skipIf(NO_SMALL_DISK)(`on a disk of its own${NO_SMALL_DISK ? ` (${NO_SMALL_DISK})` : ''}`, () => {
  let disk: SmallDisk;
  beforeEach(async () => {
    disk = await smallDisk();
    env = { HOME: disk.folder, USERPROFILE: disk.folder, CAUSEWAY_HOME: join(disk.folder, 'causeway') };
    await mkdir(join(disk.folder, 'causeway'));
  });
  afterEach(() => disk[Symbol.asyncDispose]());

  test('a growing file keeps only complete texts when the disk fills up, and continues with free space', async () => {
    const file = join(disk.folder, 'file.csv');
    const growing = await startGrowingFile(file, 'head\n');
    await growing.append('first\n');
    await disk.fill();
    // A part of it fits into the block that the file has.
    expect(await failure(growing.append(`${'x'.repeat(6000)}\n`))).toBe(
      `${file} cannot be written: the disk is full. Its previous contents are unchanged. Free up some space, then try again.`,
    );
    expect(await readFile(file, 'utf8')).toBe('head\nfirst\n');
    await disk.empty();
    await growing.append('second\n');
    await growing.close();
    expect(await readFile(file, 'utf8')).toBe('head\nfirst\nsecond\n');
  });

  /** What each writer does, and what it must have done once the disk takes it. */
  const WRITERS: Record<string, () => Promise<unknown>> = {
    'a backup': () =>
      keepBackup(join(disk.folder, 'mcp.json'), 'cursor', Buffer.alloc(5000), { env, at: 1, known: undefined }),
    "a client's lock": () =>
      withFileLock(
        join(disk.folder, 'client', 'mcp.json'),
        { locks: join(folder, 'locks'), folder: true },
        async () => 1,
      ),
    'a copy of the executable': async () => {
      const mounted = join(folder, '.mount_Causeway', 'app');
      await mkdir(mounted, { recursive: true });
      await writeFile(join(mounted, 'causeway'), Buffer.alloc(20_000));
      await shippedLauncher(join(mounted, 'causeway'), env).prepare();
    },
    'a link to a script': async () => {
      const program = join(folder, 'with space');
      await mkdir(program, { recursive: true });
      await launcherFor({ execPath: process.execPath, script: join(program, 'causeway.js') }, env).prepare();
    },
    'a hub': async () => {
      const hub = await startHub({
        folder: join(disk.folder, 'hub'),
        env: {},
        serve: () => Promise.reject(new Error('no bridge')),
      });
      await hub.close();
    },
  };

  const below = async () =>
    (await readdir(disk.folder, { recursive: true })).filter((name) =>
      /\.(tmp|new|old|lock)\b|client-backups\/./.test(name),
    );

  test.each(Object.entries(WRITERS))(
    '%s that does not fit on a full disk reports this, leaves nothing, and is written with free space',
    async (_, write) => {
      await disk.fill();
      const outcome = await failure(write());
      if (outcome !== 'no error') {
        expect(outcome).toMatch(FULL);
        expect(await below()).toEqual([]);
      }
      await disk.empty();
      expect(await failure(write())).toBe('no error');
    },
  );

  test.each(Object.entries(WRITERS))(
    '%s on a read-only disk reports this, and is written on a writable one',
    async (_, write) => {
      await disk.setReadOnly(true);
      expect(await failure(write())).toMatch(READ_ONLY);
      await disk.setReadOnly(false);
      expect(await failure(write())).toBe('no error');
    },
  );

  test('backups that were complete before stay complete on a full disk', async () => {
    const kept = await keepBackup('/home/ana/mcp.json', 'cursor', Buffer.from('one'), { env, at: 1, known: undefined });
    await disk.fill();
    await failure(keepBackup('/home/ana/mcp.json', 'cursor', Buffer.alloc(9000), { env, at: 1, known: undefined }));
    expect(await listBackups(env)).toEqual([kept]);
    expect(String(await backedUpBytes(env, kept))).toBe('one');
  });

  test('a copy of the executable that could not be replaced is still complete', async () => {
    const first = join(folder, '.mount_Causeway1', 'app');
    const second = join(folder, '.mount_Causeway2', 'app');
    for (const [place, size] of [
      [first, 1000],
      [second, 200_000],
    ] as const) {
      await mkdir(place, { recursive: true });
      await writeFile(join(place, 'causeway'), Buffer.alloc(size));
    }
    const launcher = shippedLauncher(join(first, 'causeway'), env);
    await launcher.prepare();
    await disk.fill();
    expect(await failure(shippedLauncher(join(second, 'causeway'), env).prepare())).toMatch(FULL);
    expect((await readFile(launcher.command)).length).toBe(1000);
    expect(await readlink(join(launcher.command, '..')).catch(() => 'a folder')).toBe('a folder');
  });
});

describe.skipIf(NO_SMALL_DISK)(`the results of an import${NO_SMALL_DISK ? ` (${NO_SMALL_DISK})` : ''}`, () => {
  const people = Array.from({ length: 150 }, (_, index) => ({
    id: String(9007199254741000000n + BigInt(index)),
    userName: `person-${index}@example.com`,
    displayName: `Person ${index}`,
    admin: false,
    groups: ['users'],
    active: true,
    servicePrincipal: false,
  }));
  let disk: SmallDisk;
  let cli: CommandLine;
  let results: string;
  beforeEach(async () => {
    disk = await smallDisk();
    results = join(disk.folder, 'results.csv');
    cli = await openCommandLine();
    cli.workspace.state.replace({ users: [...fixtureUsers(), ...people] });
    const lines = people.map(({ userName }) => `${userName},${WAREHOUSES.shared}\n`);
    await writeFile(join(folder, 'overrides.csv'), `user,warehouse\n${lines.join('')}`);
  });
  afterEach(async () => {
    await cli[Symbol.asyncDispose]();
    await disk[Symbol.asyncDispose]();
  });
  const importing = () =>
    cli.run('ana', 'warehouse', 'import', join(folder, 'overrides.csv'), '--yes', '--results', results);
  const changed = () => cli.workspace.state.overrides.size;

  test('are created before any change is made, so that a full or read-only disk costs nothing', async () => {
    await disk.fill();
    expect((await importing()).stderr).toContain(
      `causeway: ${results} cannot be written: the disk is full. Nothing was changed. Free up some space, then try again.`,
    );
    await disk.empty();
    await disk.setReadOnly(true);
    expect((await importing()).stderr).toMatch(READ_ONLY);
    expect(changed()).toBe(0);
  });

  test('stop the import with an explanation when the disk fills up, hold complete lines, and the next import continues', async () => {
    await disk.fill();
    const { size } = await stat(join(disk.folder, 'ballast'));
    await truncate(join(disk.folder, 'ballast'), size - 4096);
    const { code, stderr } = await importing();
    expect(code).not.toBe(0);
    expect(stderr).toMatch(
      /results\.csv cannot be written: the disk is full\. \d+ done, \d+ not-tried\. Its previous contents are unchanged\. Free up some space, then try again\. The same import continues where this one stopped\./,
    );
    expect(stderr).not.toContain('Nothing was changed');
    const done = changed();
    expect(done).toBeGreaterThan(10);
    expect(done).toBeLessThan(people.length);
    const lines = (await readFile(results, 'utf8')).split('\n');
    expect(lines.at(-1)).toBe('');
    expect(lines.slice(1, -1).every((line) => /^\d+,\d+,\S+,create,done,Shared analytics,\S+Z$/.test(line))).toBe(true);
    await disk.empty();
    expect((await importing()).code).toBe(0);
    expect(changed()).toBe(people.length);
  });
});

const FULL_DEVICE = '/dev/full';
test.skipIf(!existsSync(FULL_DEVICE)).each(['--help', 'clients list --all', 'clients list --all --json'])(
  'output that does not fit on a full disk is reported: causeway %s',
  (command) => {
    const output = openSync(FULL_DEVICE, 'w');
    const { status, stderr } = spawnSync(process.execPath, [CAUSEWAY, ...command.split(' ')], {
      env: { PATH: '/usr/bin:/bin', ...env },
      stdio: ['ignore', output, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(output);
    expect(stderr).toBe(
      'causeway: The output cannot be written: the disk is full. It is incomplete. Free up some space, then try again.\n',
    );
    expect(status).toBe(1);
  },
);
