import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { sparingOthers } from './other-users.ts';
import { show, showOutput } from './transcript.ts';

const run = promisify(execFile);
const DATABASE = join(import.meta.dirname, '..', '..', 'dist', 'install-test', 'rpm');
/** On Debian no library has come as an .rpm. */
const HOW = ['--dbpath', DATABASE, '--nodeps'];

/** Runs `rpm` as an administrator does, with a database of its own, and shows it. @returns what it has printed */
export async function rpm(action: string, what: string): Promise<string> {
  show(`# rpm ${action} ${basename(what)}`);
  const [program, ...words] = sparingOthers('rpm', ...HOW, action, what);
  const { stdout } = await run(program, words);
  showOutput(stdout);
  return stdout;
}

/** What rpm knows of the package: its version where it is there. */
export function rpmState(): string {
  try {
    const query = ['--query', '--queryformat', '%{VERSION}', 'causeway'];
    return execFileSync('rpm', ['--dbpath', DATABASE, ...query], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}

/** Removes what a test that broke off has left. */
export function eraseRpm(): void {
  if (!existsSync(DATABASE)) return;
  try {
    execFileSync('rpm', [...HOW, '--erase', '--noscripts', 'causeway'], { stdio: 'ignore' });
  } catch {
    // It is not installed any more.
  }
}
