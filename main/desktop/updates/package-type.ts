import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What updates an installed copy, by the package type that `resources/packaging/linux/` writes into it: a downloaded package is
 * installed over it, which needs no repository that has Causeway.
 */
const UPDATE_COMMANDS: Readonly<Record<string, string>> = {
  deb: 'sudo apt install ./causeway_*.deb',
  rpm: 'sudo rpm --upgrade causeway-*.rpm',
};

/** Whether the copy with this resources folder was installed by the system's package manager, with its menu entry. */
export function isSystemPackage(resources: string): boolean {
  return updateCommand(resources) !== undefined;
}

/** The command that updates the copy with this resources folder; undefined if it is of no package manager. */
export function updateCommand(resources: string): string | undefined {
  try {
    return UPDATE_COMMANDS[readFileSync(join(resources, 'package-type'), 'utf8').trim()];
  } catch {
    return undefined;
  }
}

/** How often it is looked which version is installed, in milliseconds. */
const LOOK_MS = 10_000;

/**
 * Reports the version that a package manager has installed over the copy with this resources folder, which runs on, whenever it
 * changes. @returns a function that ends that
 */
export function watchInstalledVersion(
  resources: string,
  running: string,
  report: (version: string) => void,
): () => void {
  let known = running;
  const look = async () => {
    const installed = (await readFile(join(resources, 'package-version'), 'utf8').catch(() => '')).trim();
    // While the package is removed, or by a package that does not say it, nothing is known.
    if (installed === '' || installed === known) return;
    known = installed;
    report(installed);
  };
  // One after the other: a slow read must not report an older version after a newer one.
  let last = Promise.resolve();
  const timer = setInterval(() => {
    last = last.then(look);
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
