import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { Command, RealClient, Where } from './real-clients.ts';

/** The built command. */
export const CAUSEWAY = fileURLToPath(new URL('../../out/cli/causeway.js', import.meta.url));
const BROWSER = fileURLToPath(new URL('browser.ts', import.meta.url));
const SERVER = 'databricks-sql';

/** Hears what a client prints; may give `enough`. */
type OnText = (text: string) => unknown;

/** A home folder in which one client is installed, with a browser that notes what it is asked to open. */
export interface Computer extends AsyncDisposable {
  where: Where;
  /** Replaces the profile that the server's entry names. */
  profile(lines: string[]): Promise<void>;
  /** Whether the browser's user consents; otherwise the page stays open. */
  consents(yes: boolean): Promise<void>;
  /** The pages that were opened so far. */
  pages(): Promise<string[]>;
  /** The file that the entry goes to, as it is now. */
  file(): Promise<string>;
  writeFile(text: string): Promise<void>;
  causeway(...args: string[]): Promise<string>;
  /** Runs the client until it ends, or until `onText` says that it has printed enough; gives all that it printed. */
  run(command: Command, limitMs: number, onText?: OnText): Promise<string>;
  /** The variables that the client has. */
  env: NodeJS.ProcessEnv;
  /** From now on, the client is started in this folder, and with these variables besides. */
  goTo(folder: string, more?: NodeJS.ProcessEnv): void;
}

/** The user of a computer. */
export interface User {
  /** Variables besides the usual ones. */
  env?: NodeJS.ProcessEnv;
  /** Only these, and those without which the client would find neither its home folder nor its model. */
  only?: NodeJS.ProcessEnv;
}

/** Sets up a home folder for a client, with its own files and none of ours. */
export async function openComputer(
  client: RealClient,
  where: Where,
  packages: string,
  user: User = {},
): Promise<Computer> {
  const { home } = where;
  const bin = join(home, 'bin');
  await mkdir(bin, { recursive: true });
  // What opens a page on Linux. It is found on the PATH, which every client passes on.
  await writeFile(join(bin, 'xdg-open'), `#!/bin/sh\nexec "${process.execPath}" "${BROWSER}" "${home}" "$1"\n`);
  await chmod(join(bin, 'xdg-open'), 0o755);
  for (const { path, text } of client.files(where)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
  }
  await writeFile(join(bin, 'causeway'), `#!/bin/sh\nexec "${process.execPath}" "${CAUSEWAY}" "$@"\n`);
  await chmod(join(bin, 'causeway'), 0o755);
  const own = [join(packages, 'node_modules', '.bin'), dirname(process.execPath)];
  const homes = { HOME: home, USERPROFILE: home };
  const usual = { ...homes, PATH: [bin, ...own, process.env.PATH].join(':'), CI: '1', NO_COLOR: '1', TERM: 'dumb' };
  const bare = { HOME: home, PATH: [...own, '/usr/bin', '/bin'].join(':'), ...user.only };
  const env: NodeJS.ProcessEnv = { ...(user.only ? bare : usual), ...client.env?.(where), ...user.env };
  const target = client.files(where)[0]?.path ?? '';
  let place: { env: NodeJS.ProcessEnv; cwd: string } = { env, cwd: home };
  return {
    where,
    profile: (lines) => writeFile(join(home, '.databrickscfg'), `[ana]\n${lines.join('\n')}\n`, { mode: 0o600 }),
    consents: (yes) => writeFile(join(home, 'consents'), yes ? 'yes' : 'no'),
    pages: async () => (await readFile(join(home, 'pages'), 'utf8').catch(() => '')).split('\n').filter(Boolean),
    file: () => readFile(join(home, target), 'utf8'),
    writeFile: (text) => writeFile(join(home, target), text),
    causeway: (...args) =>
      runToEnd(process.execPath, [CAUSEWAY, ...args], { env: { ...usual, ...env }, cwd: home }, 30_000),
    run: ({ command, args }, limitMs, onText) => runToEnd(command, args, place, limitMs, onText),
    env,
    goTo: (cwd, more) => {
      place = { env: { ...env, ...more }, cwd };
    },
    [Symbol.asyncDispose]: () => endAllIn(home),
  };
}

/** Adds the SQL server to the list. */
export async function addSqlServer({ causeway }: Computer): Promise<void> {
  const server = ['--path', '/api/2.0/mcp/sql', '--profile', 'ana', '--name', SERVER];
  await causeway('servers', 'add', ...server, '--no-check');
}

/** Adds the SQL server and the client's entry for it. */
export async function addEntry(computer: Computer, client: RealClient, ...options: string[]): Promise<boolean> {
  await addSqlServer(computer);
  return writeEntry(computer, client, ...options);
}

/** The same for a service of AI Gateway, under the name that clients are told to let their model use. */
export async function addService(computer: Computer, client: RealClient, path: string): Promise<boolean> {
  await computer.causeway('servers', 'add', '--path', path, '--profile', 'ana', '--name', SERVER);
  return writeEntry(computer, client);
}

/** One entry for four servers, of which one waits for a sign-in of its own. */
export async function addAllInOne(computer: Computer, client: RealClient, paths: readonly string[]): Promise<boolean> {
  await addSqlServer(computer);
  for (const path of paths) await computer.causeway('servers', 'add', '--path', path, '--profile', 'ana');
  return writeEntry(computer, client, '--all-in-one');
}

async function writeEntry(computer: Computer, client: RealClient, ...options: string[]): Promise<boolean> {
  return /"result": "written"/.test(await computer.causeway('clients', 'add', client.id, '--json', ...options));
}

/** Ends what a client has left running on its own, such as Cline's hub: whatever has that home folder. Linux only. */
async function endAllIn(home: string): Promise<void> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (!environment.split('\0').includes(`HOME=${home}`)) continue;
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

async function runToEnd(
  command: string,
  args: string[],
  options: { env: NodeJS.ProcessEnv; cwd: string },
  limitMs: number,
  onText?: OnText,
): Promise<string> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      const plain = stripVTControlCharacters(text);
      printed += plain;
      if (onText?.(plain) === 'enough') killGroup(child);
    });
  const limit = setTimeout(() => killGroup(child), limitMs);
  await Promise.race([once(child, 'close'), once(child, 'error')]);
  clearTimeout(limit);
  killGroup(child);
  return printed;
}

/** A client may consist of several processes, which hold its output open together. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All of it has ended already.
  }
}
