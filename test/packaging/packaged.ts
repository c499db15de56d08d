import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { leftOut } from '../left-out.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const EVERYWHERE_ELSE = 'The tests of the package are left out: they know where things lie on Linux only.';

/** Why there is no package to test here, in one line; undefined if there is one. */
export const noPackage = process.platform === 'linux' ? leftOut('The tests of the package are') : EVERYWHERE_ELSE;

/** What `npm run package:dir` leaves. */
export const FOLDER = join(ROOT, 'dist', 'linux-unpacked');
export const APPLICATION = join(FOLDER, 'causeway-desktop');
export const RESOURCES = join(FOLDER, 'resources');
export const COMMAND = join(RESOURCES, 'bin', 'causeway');

/** Before the first test: packages what has been built. */
export async function setup(): Promise<void> {
  if (noPackage) return console.warn(noPackage);
  const script = join(ROOT, 'resources', 'packaging', 'main.ts');
  const packaging = spawn(process.execPath, [script, '--dir'], { cwd: ROOT, stdio: 'inherit' });
  const [code] = await once(packaging, 'exit');
  if (code !== 0) throw new Error('The application could not be packaged.');
}
