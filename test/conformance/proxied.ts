import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveOverHttp } from './sessions-over-http.ts';
import { serveStatelessOverHttp } from './stateless-over-http.ts';

const COMMAND = fileURLToPath(new URL('../../out/cli/causeway.js', import.meta.url));

/** How `causeway proxy` learns of its server: by its path, or as the only one in the list of all servers. */
export type Naming = 'path' | 'all';

/** How a client reaches `causeway proxy` in front of a server: its command line, and a home folder with the one profile. */
export async function proxyTo(origin: string, path: string, naming: Naming = 'path') {
  const home = await mkdtemp(join(tmpdir(), 'causeway-conformance-home-'));
  await writeFile(join(home, '.databrickscfg'), `[DEFAULT]\nhost = ${origin}\ntoken = dapi\n`, { mode: 0o600 });
  const own = join(home, 'causeway');
  const servers = [{ name: 'fixture', profile: 'DEFAULT', kind: 'other', path }];
  await mkdir(join(own, 'config'), { recursive: true });
  await writeFile(join(own, 'config', 'servers.json'), JSON.stringify({ servers }));
  return {
    args: [COMMAND, 'proxy', ...(naming === 'all' ? ['--all'] : ['--path', path])],
    env: { HOME: home, USERPROFILE: home, CAUSEWAY_HOME: own, PATH: process.env.PATH ?? '' },
    // A proxy that was ended may still be writing.
    remove: () => rm(home, { recursive: true, maxRetries: 5 }),
  };
}

/**
 * A server behind `causeway proxy`, with HTTP in front of it again: clients of one revision on that side, whatever the server
 * is. Each session has a proxy of its own, which remembers nothing of the others.
 */
export async function sandwich(origin: string, path: string, clients: 'sessions' | 'stateless', naming?: Naming) {
  const homes: (() => Promise<void>)[] = [];
  const start = async () => {
    const { args, env, remove } = await proxyTo(origin, path, naming);
    homes.push(remove);
    return spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  };
  const front = clients === 'sessions' ? await serveOverHttp(start) : await serveStatelessOverHttp(await start());
  return {
    url: front.url,
    close: async () => {
      front.close();
      await Promise.all(homes.map((remove) => remove()));
    },
  };
}
