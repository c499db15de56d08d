import { readFileSync } from 'node:fs';
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
