import { chmod, copyFile, link, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LinuxRelease } from './release.ts';
import { type ShellFolders, shareFiles } from './share.ts';

/** Where the application lies on the installed system. */
export const APPLICATION_FOLDER = 'usr/lib/causeway';

/**
 * Chromium's helper makes the sandbox where the kernel does not let users make one, and has to run as root for that. Where
 * the kernel does, Chromium does not start it.
 */
const SANDBOX = 'chrome-sandbox';
const SETUID_ROOT = 0o4755;

/** What runs as root must not be linked: the mode would be that of the unpacked application, too. */
const COPIED = [SANDBOX];
/** Says where an application that replaces itself finds newer versions: a package manager's does not. */
const LEFT_OUT = ['resources/app-update.yml'];

/** The script that either package manager runs before it removes the package. */
export function beforeRemoval(): Promise<string> {
  return readFile(join(import.meta.dirname, 'before-removal.sh'), 'utf8');
}

/** Lays everything that is installed out below `root`, as it will lie below `/`. */
export async function layOutSystem(
  root: string,
  release: LinuxRelease,
  type: 'deb' | 'rpm',
  shells: ShellFolders,
): Promise<void> {
  const folder = join(root, APPLICATION_FOLDER);
  await linkApplication(release, folder, type);
  await chmod(join(folder, SANDBOX), SETUID_ROOT);
  await mkdir(join(root, 'usr', 'bin'), { recursive: true });
  await symlink('../lib/causeway/resources/bin/causeway', join(root, 'usr', 'bin', 'causeway'));
  await symlink('../lib/causeway/causeway-desktop', join(root, 'usr', 'bin', 'causeway-desktop'));
  await writeFiles(join(root, 'usr', 'share'), await shareFiles(release, shells));
}

/** Fills `folder` with the application; its large files are links to what electron-builder has made. */
export async function linkApplication(release: LinuxRelease, folder: string, type: string): Promise<void> {
  for (const entry of await readdir(release.application, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(release.application.length + 1);
    if (!entry.isFile() || LEFT_OUT.includes(path)) continue;
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await (COPIED.includes(path) ? copyFile : link)(join(release.application, path), join(folder, path));
  }
  // By this the application knows which command updates it. electron-updater reads the same file.
  await rm(join(folder, 'resources', 'package-type'), { force: true });
  await writeFile(join(folder, 'resources', 'package-type'), type);
  // By this a running application knows that another version has been installed in its place.
  await writeFile(join(folder, 'resources', 'package-version'), release.version);
}

export async function writeFiles(folder: string, files: ReadonlyMap<string, string | Buffer>): Promise<void> {
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content, { mode: 0o644 });
  }
}
