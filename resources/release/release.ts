import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { releasedChangelog } from './changelog.ts';
import { compareVersions, newestTagged, versionFor } from './version.ts';

const run = promisify(execFile);
const Manifest = z.object({ version: z.string() });
const CHANGED = ['package.json', 'package-lock.json', 'CHANGELOG.md'];

export interface ReleaseOptions {
  /** The repository's folder. */
  folder: string;
  /** A version, or what of the present one is raised: `major`, `minor`, `patch`. */
  asked: string;
  /** The day, as `YYYY-MM-DD`. */
  date: string;
  /** Makes what is released, with the new version in place. If it fails, nothing is committed. */
  build(version: string, notes: string): Promise<void>;
}

/**
 * Gives the repository its next version: changelog, manifest and lockfile, a commit and a tag. Nothing is pushed.
 * @returns the version
 * @throws Error on a tree with changes, a tag that is there, a version that is not newer; then nothing was changed
 */
export async function release({ folder, asked, date, build }: ReleaseOptions): Promise<string> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: folder, maxBuffer: 2 ** 26 })).stdout.trim();
  const lines = (text: string) => text.split('\n').filter(Boolean);
  const { version: present } = Manifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
  const version = versionFor(asked, present);
  const tag = `v${version}`;
  const tags = lines(await git('tag', '--list', 'v*'));
  const last = newestTagged(tags);
  if ((await git('status', '--porcelain')) !== '') {
    throw new Error('There are changes that are not committed. Commit or stash them, then try again.');
  }
  if (tags.includes(tag)) throw new Error(`${tag} has been released: there is a tag of that name.`);
  if (last !== undefined && compareVersions(version, last) <= 0) {
    throw new Error(`${version} is not newer than ${last}, which was released last.`);
  }
  if (compareVersions(version, present) < 0) throw new Error(`${version} is older than ${present} in package.json.`);

  const range = last === undefined ? 'HEAD' : `v${last}..HEAD`;
  const subjects = lines(await git('log', '--format=%s', range));
  const changelog = join(folder, 'CHANGELOG.md');
  const { text, notes } = releasedChangelog(await readFile(changelog, 'utf8'), { version, date, subjects });
  try {
    await writeFile(changelog, text);
    await writeVersion(join(folder, 'package.json'), present, version);
    await writeVersion(join(folder, 'package-lock.json'), present, version);
    await build(version, notes);
    await git('add', ...CHANGED);
    await git('commit', '--message', `Release ${version}`);
  } catch (error) {
    await git('reset', '--quiet', '--', ...CHANGED);
    await git('checkout', '--', ...CHANGED);
    throw error;
  }
  await git('tag', '--annotate', tag, '--message', `Causeway ${version}`);
  return version;
}

/** The project's own version stands first in a manifest, and twice in a lockfile, before those of any package. */
async function writeVersion(file: string, present: string, version: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  const named = /^\s*"packages": \{$/m.test(text) ? 2 : 1;
  let left = named;
  const changed = text.replaceAll(/^(\s*"version": ")([^"]+)"/gm, (line, head: string, found: string) => {
    if (left === 0 || found !== present) return line;
    left -= 1;
    return `${head}${version}"`;
  });
  if (left > 0) throw new Error(`${file} does not name the version ${present}.`);
  await writeFile(file, changed);
}
