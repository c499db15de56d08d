import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder } from '../platform/paths.ts';

/** Where the hub of the running application listens, and what a peer must know to be let in. */
export interface Rendezvous {
  address: string;
  secret: string;
  pid: number;
}

/**
 * The folder of the rendezvous file. It depends on the home folder alone: AI clients give the processes that they spawn
 * almost nothing of the environment, and both sides must look in the same place.
 */
export function hubFolder(env: NodeJS.ProcessEnv): string {
  return env.CAUSEWAY_HOME ? join(env.CAUSEWAY_HOME, 'hub') : join(homeFolder(env), '.causeway');
}

/** The rendezvous file itself. */
export const rendezvousFile = (folder: string): string => join(folder, 'hub.json');

/** Reads the rendezvous file, quickly: undefined where there is none, or where anybody else could have written it. */
export function readRendezvous(folder: string): Rendezvous | undefined {
  try {
    const file = rendezvousFile(folder);
    if (process.platform !== 'win32') {
      const { uid, mode } = lstatSync(file);
      if (uid !== process.getuid?.() || (mode & 0o077) !== 0) return undefined;
    }
    const { address, secret, pid }: Partial<Rendezvous> = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof address !== 'string' || typeof secret !== 'string' || typeof pid !== 'number') return undefined;
    return { address, secret, pid };
  } catch {
    // No application is running, or its file is damaged: the proxy works alone.
    return undefined;
  }
}
