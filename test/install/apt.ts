import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { sparingOthers } from './other-users.ts';
import { show, showOutput } from './transcript.ts';

const run = promisify(execFile);
const ENVIRONMENT = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };
/** Without questions and progress; another `apt-get` that runs is waited for, in seconds. */
const QUIET = ['-y', '-q', '-o', 'Dpkg::Use-Pty=0', '-o', 'DPkg::Lock::Timeout=120'];

/** Runs `apt-get` as an administrator does, and shows it. @returns what it has printed */
export function apt(...args: string[]): Promise<string> {
  return aptOn([], ...args);
}

/** The same, after what comes before a command to run it on a managed computer. */
export async function aptOn(prefix: readonly string[], ...args: string[]): Promise<string> {
  show(`# apt-get ${args.join(' ')}`);
  const [program = '', ...words] = [...prefix, ...sparingOthers('apt-get', ...QUIET, ...args)];
  const { stdout } = await run(program, words, { env: ENVIRONMENT });
  showOutput(stdout.replaceAll(/^\(Reading database.*\n/gm, ''));
  return stdout;
}

/** What dpkg knows of the package: `install ok installed` where it is there, nothing where it has never heard of it. */
export function packageState(): string {
  try {
    const query = ['--show', '--showformat', `\${Status} \${Version}`, 'causeway'];
    return execFileSync('dpkg-query', query, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}

/** Removes the package whatever state it is in. */
export function purge(): void {
  if (packageState() === '') return;
  const [program, ...words] = sparingOthers('dpkg', '--purge', '--force-remove-reinstreq', 'causeway');
  execFileSync(program, words, { env: ENVIRONMENT, stdio: 'ignore' });
}

/** The packages that apt would install with this one, because it depends on them or recommends them. */
export function packagesWith(deb: string): string[] {
  const output = execFileSync('apt-get', [...QUIET, '--simulate', 'install', deb], {
    env: ENVIRONMENT,
    encoding: 'utf8',
  });
  const names = [...output.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
  return names.filter((name) => name !== 'causeway');
}

/** Removes those of the packages that are installed. */
export function purgeAll(names: readonly string[]): void {
  if (names.length === 0) return;
  execFileSync('apt-get', [...QUIET, 'purge', ...names], { env: ENVIRONMENT, stdio: 'ignore' });
}
