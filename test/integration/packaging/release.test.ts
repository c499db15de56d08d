import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { releasedChangelog } from '../../../resources/release/changelog.ts';
import { writeChecksums } from '../../../resources/release/checksums.ts';
import { release } from '../../../resources/release/release.ts';
import { compareVersions, newestTagged, versionFor } from '../../../resources/release/version.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..', '..');
const DATE = '2026-11-24';
const CHANGELOG = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A bridge.\n';

describe('versions', () => {
  it.each([
    ['0.1.0', '0.1.1'],
    ['0.9.0', '0.10.0'],
    ['1.0.0-beta.2', '1.0.0-beta.10'],
    ['1.0.0-beta.10', '1.0.0'],
    ['1.9.9', '2.0.0-rc.1'],
  ])('%s comes before %s', (a, b) => {
    expect(compareVersions(a, b)).toBeLessThan(0);
    expect(compareVersions(b, a)).toBeGreaterThan(0);
    expect(compareVersions(a, a)).toBe(0);
  });

  it('are incremented by their parts, and anything else is refused', () => {
    expect(['major', 'minor', 'patch', '3.0.0'].map((asked) => versionFor(asked, '1.2.3'))).toEqual([
      '2.0.0',
      '1.3.0',
      '1.2.4',
      '3.0.0',
    ]);
    for (const wrong of ['', 'v1.2.3', '1.2', '01.2.3', 'next']) expect(() => versionFor(wrong, '1.2.3')).toThrow();
    expect(newestTagged(['v0.9.0', 'v0.10.0', 'nightly', 'v1'])).toBe('0.10.0');
  });
});

describe('the changelog of a release', () => {
  const options = { version: '0.2.0', date: DATE, subjects: ['Add a tray', 'Fix the tray', 'Wait for the tray'] };

  it('is the text that was written, under its version and date', () => {
    const older = '## [0.1.0] - 2026-01-01\n\n### Added\n\n- A first one.\n';
    const { text, notes } = releasedChangelog(`${CHANGELOG}\n${older}`, options);
    expect(notes).toBe('### Added\n\n- A bridge.');
    expect(text).toBe(`# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - ${DATE}\n\n${notes}\n\n${older}`);
  });

  it('is generated from the commits if nothing was written', () => {
    const { notes } = releasedChangelog('# Changelog\n\n## [Unreleased]\n', options);
    expect(notes).toBe(
      '### Added\n\n- Add a tray.\n\n### Fixed\n\n- Fix the tray.\n\n### Changed\n\n- Wait for the tray.',
    );
  });
});

describe('a release', () => {
  let folder: string;
  const git = async (...args: string[]) => (await run('git', args, { cwd: folder })).stdout.trim();
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  const make = (asked: string, build = async () => {}) => release({ folder, asked, date: DATE, build });
  /** All that a refusal must leave as it was. */
  const state = async () => [await git('log', '--format=%H'), await git('tag'), await git('status', '--porcelain')];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-release-test-'));
    await git('init', '--quiet');
    for (const [name, value] of Object.entries({
      'user.name': 'Ana',
      'user.email': 'ana@localhost',
      'commit.gpgsign': 'false',
    })) {
      await git('config', name, value);
    }
    const own = { name: 'causeway', version: '0.1.0' };
    const packages = { '': own, 'node_modules/other': { version: '0.1.0' } };
    await writeFile(
      join(folder, 'package.json'),
      `${JSON.stringify({ ...own, private: true, type: 'module' }, null, 2)}\n`,
    );
    await writeFile(join(folder, 'package-lock.json'), `${JSON.stringify({ ...own, packages }, null, 2)}\n`);
    await writeFile(join(folder, 'CHANGELOG.md'), CHANGELOG);
    await git('add', '.');
    await git('commit', '--quiet', '--message', 'Begin');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('writes version and changelog, commits and tags', async () => {
    const seen: string[] = [];
    const build = async () => void seen.push(JSON.parse(await read('package.json')).version);
    expect(await make('minor', build)).toBe('0.2.0');
    expect(seen).toEqual(['0.2.0']);
    const lockfile = JSON.parse(await read('package-lock.json'));
    expect([lockfile.version, lockfile.packages[''].version]).toEqual(['0.2.0', '0.2.0']);
    expect(lockfile.packages['node_modules/other'].version).toBe('0.1.0');
    expect(await read('CHANGELOG.md')).toContain(`## [0.2.0] - ${DATE}\n\n### Added\n\n- A bridge.`);
    expect(await git('log', '-1', '--format=%s')).toBe('Release 0.2.0');
    expect(await git('tag', '--points-at', 'HEAD')).toBe('v0.2.0');
    expect(await git('status', '--porcelain')).toBe('');
  });

  it('can be the first one of the version in package.json', async () => {
    expect(await make('0.1.0')).toBe('0.1.0');
    expect(await git('tag')).toBe('v0.1.0');
  });

  it('says in one line that changes are not committed, as a dry run too', async () => {
    // The script releases the project that it is part of.
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
    await cp(join(ROOT, 'resources'), join(folder, 'resources'), { recursive: true });
    for (const options of [[], ['--dry-run']]) {
      const script = join(folder, 'resources', 'release', 'main.ts');
      const { status, stderr } = spawnSync(process.execPath, [script, 'patch', ...options], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: 'There are changes that are not committed. Commit or stash them, then try again.\n',
      });
    }
  });

  it('is refused with uncommitted changes, an existing tag, or a version that is not newer', async () => {
    await make('0.3.0');
    const before = await state();
    await expect(make('0.3.0')).rejects.toThrow('v0.3.0 has been released');
    await expect(make('0.2.9')).rejects.toThrow('0.2.9 is not newer than 0.3.0');
    await expect(make('0.3.0-beta.1')).rejects.toThrow('not newer');
    expect(await state()).toEqual(before);
    await writeFile(join(folder, 'CHANGELOG.md'), `${CHANGELOG}\n`);
    await expect(make('0.4.0')).rejects.toThrow('not committed');
  });

  it('leaves everything unchanged if the build fails', async () => {
    const before = await state();
    const broken = () => Promise.reject(new Error('The build failed.'));
    await expect(make('0.2.0', broken)).rejects.toThrow('The build failed.');
    expect(await state()).toEqual(before);
    expect(await read('CHANGELOG.md')).toBe(CHANGELOG);
  });
});

it('the checksums of a release pass sha256sum', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-sums-'));
  await using _removed = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
  await writeFile(join(folder, 'a'), 'abc');
  const text = await readFile(await writeChecksums(folder), 'utf8');
  expect(text).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n');
  expect(await readFile(await writeChecksums(folder), 'utf8')).toBe(text);
});
