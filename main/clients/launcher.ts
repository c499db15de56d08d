import { createHash } from 'node:crypto';
import { cp, readdir, readlink, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CausewayError } from '../platform/errors.ts';
import { codeOf, fileError } from '../platform/file-errors.ts';
import { PACKAGE_FILE } from '../platform/npm-package.ts';
import { homeFolder, stateFolder } from '../platform/paths.ts';
import { hasTemporary, removeTemporary, renameWithRetry, temporaryName } from '../platform/temporary-file.ts';
import { makeOwnFolder } from './own-folder.ts';

/** How clients start Causeway: an absolute path, and the arguments before `proxy`. */
export interface Launcher {
  command: string;
  prefix: string[];
  /** The file that entries name with `--environment`; left out, they name none. */
  environment?: string;
  /** Writes that file. @throws {CausewayError} `file_not_writable` */
  keepEnvironment?(): Promise<void>;
  /**
   * Makes what the paths above go through, and leads it to where the program is now. Only for a change; looking needs none.
   * @throws {CausewayError} `file_not_writable`, `usage` for a program that npx has started
   */
  prepare(): Promise<void>;
  /** The same, but only if it was made before: for startup after an update has moved the program. */
  keepCurrent(): Promise<void>;
}

/** The running program. */
interface Running {
  execPath: string;
  /** The script if Node runs one; undefined in the single executable. */
  script: string | undefined;
}

/**
 * What a path must not have. Some clients split a command at spaces, and on Windows hand it to `cmd` without quotes
 * (modelcontextprotocol/servers#4487): what `cmd` ends a word or a command at, or expands, may be in a user's name.
 */
const UNSAFE = process.platform === 'win32' ? /[\s&|<>^%!(),;=]/ : /\s/;

/**
 * How to start Causeway with paths that every client passes on whole. Its own executable is reached through a stable
 * folder of ours, so that entries outlive its being moved; Node and a script as they are, except for a link that is used where
 * the path is unsafe.
 */
export function launcherFor({ execPath, script }: Running, env: NodeJS.ProcessEnv): Launcher {
  if (script === undefined) return shippedLauncher(execPath, env);
  const folder = safePlace(env, 'links');
  const links = new Map<string, string>();
  const without = (path: string) => {
    if (!UNSAFE.test(dirname(path)) || !folder) return path;
    const link = join(folder, createHash('sha256').update(dirname(path)).digest('hex').slice(0, 8));
    links.set(link, dirname(path));
    return join(link, basename(path));
  };
  const keepCurrent = async () => {
    for (const [link, target] of links) await makeLink(link, target, env);
  };
  const prepare = async () => {
    refuseNpx(script);
    await keepCurrent();
  };
  return { command: without(execPath), prefix: [without(script)], prepare, keepCurrent };
}

/**
 * The launcher for the executable that is shipped, `causeway` or `causeway.exe`, in a folder with all that it needs beside
 * it. Entries lead to a link to that folder; where the folder itself does not last (an AppImage is mounted again at each
 * start, macOS runs a program from where it was downloaded in a random place), or the disk has no links, to a copy of it.
 */
export function shippedLauncher(executable: string, env: NodeJS.ProcessEnv): Launcher {
  const home = dirname(executable);
  const stable = safePlace(env, 'bin');
  const asItIs = { command: executable, prefix: [], prepare: async () => {}, keepCurrent: async () => {} };
  if (!stable || stable === home) return asItIs;
  const prepare = async () => {
    if (isPassing(home)) return makeCopy(stable, home, env);
    await makeLink(stable, home, env).catch((error: unknown) => {
      if (!isWithoutLinks(error)) throw error;
      return makeCopy(stable, home, env);
    });
  };
  const keepCurrent = async () => {
    // A process that was killed while it replaced a folder has left it under another name.
    if ((await isThere(stable)) || (await hasTemporary(stable))) await prepare();
  };
  return { command: join(stable, basename(executable)), prefix: [], prepare, keepCurrent };
}

/** Refuses a program in the cache of `npx`, because npm clears it. @throws {CausewayError} `usage` */
function refuseNpx(script: string): void {
  if (!/[/\\]_npx[/\\]/.test(script)) return;
  throw new CausewayError('usage', 'Entries would start Causeway from a temporary npx folder.', {
    remedy: `Nothing was written. Install the packaged command from its file, with \`npm install --global ./${PACKAGE_FILE}\`, and run it again without npx.`,
  });
}

/** A path for a file or folder of ours that clients pass on whole; undefined if there is none. */
export function safePlace(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return launcherFolders(env).flatMap((folder) => (UNSAFE.test(folder) ? [] : [join(folder, name)]))[0];
}

/** The possible folders of the link that entries go through, preferred first. */
export function launcherFolders(env: NodeJS.ProcessEnv): string[] {
  const home = homeFolder(env);
  // For a home folder with an unsafe name. Others may read this folder, but not change another user's files.
  const account = createHash('sha256').update(home).digest('hex').slice(0, 8);
  return [
    stateFolder(env),
    join(home, '.causeway'),
    ...(env.ProgramData ? [join(env.ProgramData, `Causeway-${account}`)] : []),
    ...(process.platform === 'darwin' ? [join('/Users/Shared', `Causeway-${account}`)] : []),
  ];
}

/** The folder, among those shared by all users, that a path is in. */
export function sharedPart(path: string, env: NodeJS.ProcessEnv): string | undefined {
  const [, , ...shared] = launcherFolders(env);
  return shared.find((folder) => path.startsWith(join(folder, '/')));
}

/** Whether a folder exists only while the program runs. */
function isPassing(folder: string): boolean {
  return /[/\\]\.mount_[^/\\]+[/\\]|[/\\]AppTranslocation[/\\]/.test(join(folder, '/'));
}

/** Whether the file system has no links, such as exFAT or some network shares to which folders are redirected. */
function isWithoutLinks(error: unknown): boolean {
  const code = codeOf(error instanceof CausewayError ? error.cause : error);
  return ['ENOTSUP', 'ENOSYS', 'EISDIR', 'EINVAL', 'UNKNOWN'].includes(code ?? '');
}

async function makeLink(link: string, target: string, env: NodeJS.ProcessEnv): Promise<void> {
  await makeOwnFolder(dirname(link), sharedPart(link, env), env);
  // Windows returns a junction's target with a trailing separator.
  if ((await readlink(link).catch(() => undefined))?.replace(/[/\\]$/, '') === target) return;
  await putInPlace(link, (made) => symlink(target, made, 'junction'));
}

async function makeCopy(folder: string, source: string, env: NodeJS.ProcessEnv): Promise<void> {
  await makeOwnFolder(dirname(folder), sharedPart(folder, env), env);
  const isLink = (await readlink(folder).catch(() => undefined)) !== undefined;
  if (!isLink && (await describe(folder)) === (await describe(source))) return;
  await putInPlace(folder, (made) => cp(source, made, { recursive: true, preserveTimestamps: true }));
}

/** Writes beside the target and then renames it, so a client that starts the program meanwhile finds the old or the new one. */
async function putInPlace(place: string, make: (made: string) => Promise<void>): Promise<void> {
  await removeTemporary(place);
  const [made, old] = [temporaryName(place), temporaryName(place)];
  try {
    await make(made);
    // A link is replaced in one step. A folder must be moved away first; on Windows, links too.
    await rename(made, place).catch(async () => {
      await renameWithRetry(place, old);
      await renameWithRetry(made, place).catch(async (error: unknown) => {
        await rename(old, place);
        throw error;
      });
    });
  } catch (error) {
    await rm(made, { recursive: true, force: true }).catch(() => undefined);
    throw fileError(place, error);
  }
  // A program that runs from there may keep it open.
  await rm(old, { recursive: true, force: true }).catch(() => undefined);
}

/** The names, sizes and times of a folder's files. */
async function describe(folder: string): Promise<string | undefined> {
  try {
    const names = (await readdir(folder, { recursive: true })).sort();
    const described = names.map(async (name) => {
      const found = await stat(join(folder, name));
      return found.isDirectory() ? name : `${name} ${found.size} ${Math.round(found.mtimeMs)}`;
    });
    return (await Promise.all(described)).join('\n');
  } catch {
    return undefined;
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await readlink(path).catch(() => undefined)) !== undefined || (await describe(path)) !== undefined;
}
