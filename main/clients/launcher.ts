import { createHash } from 'node:crypto';
import { mkdir, readlink, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isSea } from 'node:sea';
import { homeFolder, stateFolder } from '../platform/paths.ts';

/** How clients start Causeway: an absolute path, and what comes before `proxy`. */
export interface Launcher {
  command: string;
  prefix: string[];
  /** Makes the links that the paths above go through. Only for a change; looking needs none. */
  prepare(): Promise<void>;
}

/** What runs now. */
export interface Running {
  execPath: string;
  /** The script, where Node runs one; nothing in the executable of its own. */
  script: string | undefined;
}

/** The executable, or Node and the script, that this process runs. */
export function thisProcess(): Running {
  return { execPath: process.execPath, script: isSea() ? undefined : process.argv[1] };
}

/**
 * How to start Causeway with paths that have no spaces: some clients split a command there (modelcontextprotocol/servers
 * #4487). Where the real path has one, a link in a folder of ours stands in for the part before the file name.
 */
export function launcherFor({ execPath, script }: Running, env: NodeJS.ProcessEnv): Launcher {
  const folder = [
    join(stateFolder(env), 'links'),
    join(homeFolder(env), '.causeway'),
    env.PUBLIC && join(env.PUBLIC, 'Causeway'),
  ]
    .filter((path) => path !== undefined)
    .find((path) => path !== '' && !/\s/.test(path));
  const links = new Map<string, string>();
  const without = (path: string) => {
    if (!/\s/.test(dirname(path)) || !folder) return path;
    const link = join(folder, createHash('sha256').update(dirname(path)).digest('hex').slice(0, 8));
    links.set(link, dirname(path));
    return join(link, basename(path));
  };
  return {
    command: without(execPath),
    prefix: script === undefined ? [] : [without(script)],
    prepare: async () => {
      for (const [link, target] of links) await makeLink(link, target);
    },
  };
}

async function makeLink(link: string, target: string): Promise<void> {
  if ((await readlink(link).catch(() => undefined)) === target) return;
  await mkdir(dirname(link), { recursive: true });
  await rm(link, { force: true });
  // On Windows a junction, which needs no special right.
  await symlink(target, link, 'junction');
}
