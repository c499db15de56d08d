import { serverAt } from '../../../preload/contract/server-kinds.ts';
import type { ChangeOutcome } from '../../clients/outcome.ts';
import { findServer, type ManagedServer, openServers, sameServer, withPath } from '../../clients/servers.ts';
import type { ClientsService } from '../../clients/service.ts';
import { type Permissions, withPermissionsCopied } from '../../permissions/permissions.ts';
import type { PermissionsFile } from '../../permissions/permissions-file.ts';
import { serverKey } from '../../permissions/server-key.ts';
import { CausewayError } from '../../platform/errors.ts';
import { inOneLine } from '../../words/failure.ts';
import type { Causeway } from '../causeway.ts';
import { listTools } from './check-server.ts';

export interface MoveParts {
  causeway: Causeway;
  permissions: PermissionsFile;
  clients: ClientsService;
  /** Who changes the permissions, as their history records it. */
  by: 'command' | 'window';
  dryRun?: boolean | undefined;
  /** Also changes files of clients that run now. */
  whileRunning?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** What a move has done, or would do. */
export interface Moved {
  before: ManagedServer;
  after: ManagedServer;
  /** How many tools the new server has. */
  tools: number;
  hasPermissions: boolean;
  /** Of the clients whose files have an entry that had to change. */
  outcomes: ChangeOutcome[];
}

/**
 * Moves a server to the one that has replaced it. The name stays, with what its calls carry, its permissions and the entries of
 * clients. Nothing changes unless the new server answers.
 * @throws {CausewayError} `not_found`, also if nothing has replaced it; `already_exists` if its successor is in the list; `unavailable` if the new server does not answer
 */
export async function moveServer(name: string, parts: MoveParts): Promise<Moved> {
  const { causeway, clients, dryRun = false, whileRunning, signal } = parts;
  const list = await openServers(causeway.env);
  const before = findServer(list.read(), name);
  const { successor } = serverAt(before.path);
  if (!successor) {
    throw new CausewayError('not_found', `Server "${name}" at ${before.path} has no successor.`, {
      remedy: 'Nothing was changed. `causeway servers` shows which servers have a successor.',
    });
  }
  const after: ManagedServer = { ...before, kind: serverAt(successor.path).kind, path: successor.path };
  const same = sameServer(list.read().servers, after);
  if (same) {
    throw new CausewayError('already_exists', `Server "${same.name}" is already ${successor.add}.`, {
      remedy: `Nothing was changed. You do not need both: \`causeway clients remove --server ${name}\`, then \`causeway servers remove ${name}\`.`,
    });
  }
  const tools = await listTools(causeway, after, signal).catch((cause: unknown) => {
    signal?.throwIfAborted();
    const message = `${successor.add} does not respond, and "${name}" was not moved: ${inOneLine(cause)}`;
    throw new CausewayError('unavailable', message, { cause });
  });
  const hasPermissions = await copyPermissions(before, after, parts);
  if (!dryRun) await list.change((now) => withPath(now, name, after.path));
  const outcomes = await clients.repair([], [after], { dryRun, whileRunning });
  return {
    before,
    after,
    tools: tools.length,
    hasPermissions,
    outcomes: outcomes.filter(({ result }) => result !== 'unchanged'),
  };
}

/** Whether there are permissions to take along. They hold at the new place before anything leads there. */
async function copyPermissions(
  before: ManagedServer,
  after: ManagedServer,
  { causeway, permissions, by, dryRun }: MoveParts,
): Promise<boolean> {
  const { host } = await (await causeway.auth()).profile(before.profile);
  const change = { at: new Date().toISOString(), by, what: `${before.name}: also at ${after.path}` };
  let isCopied = false;
  await permissions.change((now: Permissions) => {
    const copied = withPermissionsCopied(now, serverKey(host, before.path), serverKey(host, after.path), change);
    isCopied = copied !== now;
    return dryRun ? now : copied;
  });
  return isCopied;
}
