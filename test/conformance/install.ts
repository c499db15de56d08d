import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The suites that are run, and the reference server. `current` is the latest release, `next` the one that knows revision 2026-07-28. */
const PACKAGES = {
  current: '@modelcontextprotocol/conformance@0.1.16',
  next: '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  everything: '@modelcontextprotocol/server-everything@2026.8.31',
} as const;

export type Installed = Record<keyof typeof PACKAGES, string>;

/**
 * Installs each of them into its own folder, never into the project, and gives the folders. What is in `folder`
 * already is left as it is; without one, all go into a temporary folder.
 */
export async function install(folder: string | undefined): Promise<{ root: string; folders: Installed }> {
  const root = folder ?? (await mkdtemp(join(tmpdir(), 'causeway-conformance-')));
  const into = async (name: keyof typeof PACKAGES) => {
    const own = join(root, name);
    const isThere = await stat(join(own, 'package-lock.json')).then(
      () => true,
      () => false,
    );
    if (isThere) return own;
    await mkdir(own, { recursive: true });
    await writeFile(join(own, 'package.json'), '{"private":true}');
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', PACKAGES[name]];
    await promisify(execFile)('npm', args, { cwd: own });
    return own;
  };
  return {
    root,
    folders: { current: await into('current'), next: await into('next'), everything: await into('everything') },
  };
}
