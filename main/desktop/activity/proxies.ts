import { execFile } from 'node:child_process';
import { readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import type { AttachedProxy } from '../../../preload/contract.ts';
import type { Causeway } from '../../app/causeway.ts';
import { displayNameOf } from '../../clients/table.ts';
import type { HubWatcher } from '../../hub/session-log.ts';
import type { HubSession } from '../../hub/session-record.ts';
import type { ApprovalQueue } from '../../permissions/approvals.ts';
import { inOneLine } from '../../words/failure.ts';

/** How long closing waits for answers in flight: less than `CLOSE_TIMEOUT_MS` of the application. */
const DRAIN_TIMEOUT_MS = 8_000;

type Show = (proxies: AttachedProxy[]) => void;
type Session = Pick<HubSession, 'id' | 'pid' | 'profile' | 'path' | 'since' | 'clientName'>;

/** Shows the attached proxies at once, and again when the programs that started them are known or clients name themselves. */
export function createProxyList(show: Show, clientOf: (pid: number) => Promise<string | null>) {
  const clients = new Map<number, string | null>();
  let attached: Session[] = [];
  const showAll = () =>
    show(
      attached.map(({ id, pid, path, since, profile, clientName }) => ({
        id,
        pid,
        path,
        since,
        profile: profile ?? null,
        client: clientName === null ? (clients.get(id) ?? null) : displayNameOf(clientName),
      })),
    );

  const lookUpClient = async ({ id, pid }: Session) => {
    const name = await clientOf(pid);
    // The proxy may have gone during the lookup.
    if (!attached.some((proxy) => proxy.id === id)) return;
    clients.set(id, name);
    showAll();
  };

  return (now: Session[]): void => {
    const before = new Map(attached.map(({ id, clientName }) => [id, clientName]));
    attached = now;
    // The hub reports sessions with each call; this list changes only with who is attached, and by what name.
    if (now.length === before.size && now.every(({ id, clientName }) => before.get(id) === clientName)) return;
    for (const id of clients.keys()) if (!now.some((proxy) => proxy.id === id)) clients.delete(id);
    showAll();
    for (const proxy of now) if (!before.has(proxy.id)) void lookUpClient(proxy);
  };
}

/**
 * Lets this user's `causeway proxy` processes share the application's connections and sign-in. Returns a function
 * that ends it. If the hub cannot be served, every proxy works alone, so there is nothing for the user to do.
 */
export function serveProxies(causeway: Causeway, watcher: HubWatcher, approvals: ApprovalQueue): () => Promise<void> {
  const hub = causeway.serveProxies(watcher, approvals).catch((error: unknown) => {
    console.error(`Proxies connect on their own. ${inOneLine(error)}`);
    return undefined;
  });
  return async () => (await hub)?.finish(DRAIN_TIMEOUT_MS);
}

const run = promisify(execFile);

/** How long `ps` may take. */
const PS_TIMEOUT_MS = 2000;

/**
 * The name of the program that started a process, which for a `causeway proxy` is the AI client; null if
 * unknown. Windows has no process table that is quick to read.
 */
export async function clientOf(pid: number): Promise<string | null> {
  if (process.platform === 'win32') return null;
  try {
    const parent = (await ps(String(pid), 'ppid=')).trim();
    // What Linux calls `comm` is the name of a thread, which Node.js and others change.
    const program = process.platform === 'linux' ? await readlink(`/proc/${parent}/exe`) : await ps(parent, 'comm=');
    return nameOfProgram(program);
  } catch {
    // The process may be gone: then no name is needed.
    return null;
  }
}

/** A program's name, by its path. */
export function nameOfProgram(command: string): string | null {
  return basename(command.trim()) || null;
}

async function ps(pid: string, column: string): Promise<string> {
  return (await run('ps', ['-o', column, '-p', pid], { timeout: PS_TIMEOUT_MS })).stdout;
}
