import { lstatSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { membersOf } from '../bridge/frame/members.ts';
import { readBoundedSync } from '../platform/bounded-file.ts';
import { homeFolder } from '../platform/paths.ts';
import { HUB_PROTOCOL } from './wire.ts';

/** Where the hub of the running application listens, and the secret by which both ends prove themselves; it is never sent. */
export interface Rendezvous {
  address: string;
  secret: string;
  pid: number;
  /** The application's `signInContext`; left out by earlier versions. */
  context?: string | undefined;
}

/** The result of reading the rendezvous file. */
export type LookUp =
  | { kind: 'none' }
  /** Another user could have written the file, or could listen at its address. `why` is a clause for a message. */
  | { kind: 'untrusted'; why: string }
  | { kind: 'found'; rendezvous: Rendezvous };

/**
 * The folder of the rendezvous file. It depends on the home folder alone: AI clients give the processes that they spawn
 * almost nothing of the environment, and both sides must look in the same place.
 */
export function hubFolder(env: NodeJS.ProcessEnv): string {
  return env.CAUSEWAY_HOME ? join(env.CAUSEWAY_HOME, 'hub') : join(homeFolder(env), '.causeway');
}

/** The rendezvous file itself. */
export const rendezvousFile = (folder: string): string => join(folder, 'hub.json');

/** Reads the rendezvous file; undefined if it is missing, or another user could have written it. */
export function readRendezvous(folder: string): Rendezvous | undefined {
  const found = lookUpHub(folder);
  return found.kind === 'found' ? found.rendezvous : undefined;
}

/** Looks for the hub, and checks that the file, its folder, and the socket that it names are this user's alone. */
export function lookUpHub(folder: string): LookUp {
  const none: LookUp = { kind: 'none' };
  const file = rendezvousFile(folder);
  try {
    const content = readBoundedSync(file, 'own').toString('utf8');
    const why = untrustedReason(folder, 'folder') ?? untrustedReason(file, 'file');
    if (why !== undefined) return { kind: 'untrusted', why };
    const rendezvous = readContent(content);
    if (!rendezvous) return none;
    const socketTrouble = untrustedSocketReason(rendezvous.address);
    return socketTrouble === undefined ? { kind: 'found', rendezvous } : { kind: 'untrusted', why: socketTrouble };
  } catch {
    // No application is running, or its file is damaged: the proxy works alone.
    return none;
  }
}

/** The file of another protocol counts as missing. Its members have different names, so neither side sends the other's secret. */
function readContent(content: string): Rendezvous | undefined {
  const { hub, address, key, pid, context } = membersOf(JSON.parse(content));
  if (hub !== HUB_PROTOCOL || typeof address !== 'string' || typeof key !== 'string' || typeof pid !== 'number') {
    return undefined;
  }
  return { address, secret: key, pid, context: typeof context === 'string' ? context : undefined };
}

/** What the rendezvous file holds. */
export function contentOf({ address, secret, pid, context }: Rendezvous): string {
  return JSON.stringify({ hub: HUB_PROTOCOL, address, key: secret, pid, context });
}

/** Why a socket may be another user's. On Windows, only the mutual proof decides: pipes there are not in a folder. */
function untrustedSocketReason(address: string): string | undefined {
  if (process.platform === 'win32') return undefined;
  return untrustedReason(dirname(address), 'folder') ?? untrustedReason(address, 'socket');
}

const KINDS: Record<'folder' | 'file' | 'socket', (found: Stats) => boolean> = {
  folder: (found) => found.isDirectory(),
  file: (found) => found.isFile(),
  socket: (found) => found.isSocket(),
};

/**
 * Why a path may be another user's, as a clause for a message; undefined if it is this user's alone. A symbolic link
 * is not followed. @throws if there is nothing at the path
 */
export function untrustedReason(path: string, kind: keyof typeof KINDS): string | undefined {
  if (process.platform === 'win32') return undefined;
  const found = lstatSync(path);
  if (!KINDS[kind](found)) return `${path} is not a ${kind}`;
  if (found.uid !== process.getuid?.()) return `${path} belongs to another user`;
  return (found.mode & 0o077) === 0 ? undefined : `other users may use ${path}`;
}
