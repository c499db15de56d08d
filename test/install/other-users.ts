import { execFileSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { Account } from './account.ts';

/** By these folders in a home, the package's removal knows whose files it has to clear. */
const FOLDERS = ['.config/causeway', '.config/Causeway', '.local/state/causeway', '.causeway'];

/** Hides each folder up to `--` under an empty one that is nobody's, and then is the rest of the line. */
const HIDE = `set -e
while [ "$1" != -- ]; do
  mount -t tmpfs -o mode=000,uid=65534,gid=65534 causeway-test "$1"
  [ "$(stat -c %u "$1")" = 65534 ]
  shift
done
shift
exec "$@"`;

/**
 * A command for which other users of this computer have nothing of Causeway's: it finds empty folders of nobody's in place of
 * theirs, in a mount namespace of its own. Removal clears a folder only for its owner.
 */
export function sparingOthers(...command: string[]): [string, ...string[]] {
  return [
    'unshare',
    '--mount',
    '--propagation',
    'private',
    'sh',
    '-c',
    HIDE,
    'sh',
    ...foldersOfOthers(),
    '--',
    ...command,
  ];
}

/** Whether this computer lets root do that. */
export function canSpareOthers(): boolean {
  const [program, ...words] = sparingOthers('true');
  try {
    execFileSync(program, words, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function foldersOfOthers(): string[] {
  const accounts = execFileSync('getent', ['passwd'], { encoding: 'utf8' }).split('\n').filter(Boolean);
  const homes = accounts.map((line) => line.split(':')).filter(([name]) => name !== Account.NAME);
  return [...new Set(homes.map(([, , , , , home = '']) => home))]
    .flatMap((home) => FOLDERS.map((folder) => join(home, folder)))
    .filter(isThere);
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
