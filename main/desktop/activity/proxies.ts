import { execFile } from 'node:child_process';
import { readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import type { AttachedProxy } from '../../../preload/contract.ts';
import type { Causeway } from '../../causeway.ts';
import type { HubSession, HubWatcher } from '../../hub/session-log.ts';
import { inOneLine } from '../../platform/errors.ts';

/** How long the answers under way are waited for at the end, in milliseconds: less than the application itself is given. */
const ANSWERS_MS = 8_000;

type Show = (proxies: AttachedProxy[]) => void;
type Session = Pick<HubSession, 'id' | 'pid' | 'profile' | 'path' | 'since'>;

/** What is shown of the proxies: at once, and again when it is known which programs they belong to. */
export function createProxyList(show: Show, clientOf: (pid: number) => Promise<string | null>) {
  const clients = new Map<number, string | null>();
  let attached: Session[] = [];
  const showAll = () =>
    show(
      attached.map(({ id, pid, path, since, profile }) => ({
        id,
        pid,
        path,
        since,
        profile: profile ?? null,
        client: clients.get(id) ?? null,
      })),
    );

  const look = async ({ id, pid }: Session) => {
    const name = await clientOf(pid);
    // It may have gone while its client was looked up.
    if (!attached.some((proxy) => proxy.id === id)) return;
    clients.set(id, name);
    showAll();
  };

  return (now: Session[]): void => {
    const before = new Set(attached.map(({ id }) => id));
    attached = now;
    // Sessions are told of with each call; what is shown here changes only when one comes or goes.
    if (now.length === before.size && now.every(({ id }) => before.has(id))) return;
    for (const id of clients.keys()) if (!now.some((proxy) => proxy.id === id)) clients.delete(id);
    showAll();
    for (const proxy of now) if (!before.has(proxy.id)) void look(proxy);
  };
}

/**
 * Lets this user's `causeway proxy` processes share the application's connections and sign-in. Gives the function that
 * ends it. Where it cannot be done every proxy works alone, so there is nothing for the person to act on.
 */
export function serveProxies(causeway: Causeway, watcher: HubWatcher): () => Promise<void> {
  const hub = causeway.serveProxies(watcher).catch((error: unknown) => {
    console.error(`The proxies work alone. ${inOneLine(error)}`);
    return undefined;
  });
  return async () => (await hub)?.finish(ANSWERS_MS);
}

const run = promisify(execFile);

/** Milliseconds for a look at the process table. */
const PATIENCE = 2000;

/**
 * The name of the program that started a process, which for a `causeway proxy` is the AI client; null where the system
 * does not tell. Windows keeps no such table that is quick to read.
 */
export async function clientOf(pid: number): Promise<string | null> {
  if (process.platform === 'win32') return null;
  try {
    const parent = (await ask(String(pid), 'ppid=')).trim();
    // What Linux calls `comm` is the name of a thread, which Node.js and others change.
    const program = process.platform === 'linux' ? await readlink(`/proc/${parent}/exe`) : await ask(parent, 'comm=');
    return nameOfProgram(program);
  } catch {
    // It may be gone by now: then there is no name, and no need for one.
    return null;
  }
}

/** A program's name as people know it, by its path. */
export function nameOfProgram(command: string): string | null {
  return basename(command.trim()) || null;
}

async function ask(pid: string, column: string): Promise<string> {
  return (await run('ps', ['-o', column, '-p', pid], { timeout: PATIENCE })).stdout;
}
