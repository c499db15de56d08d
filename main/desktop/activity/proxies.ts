import type { AttachedProxy } from '../../../preload/contract.ts';
import type { Causeway } from '../../app/causeway.ts';
import { displayNameOf } from '../../clients/table.ts';
import type { HubWatcher } from '../../hub/session-log.ts';
import type { HubSession } from '../../hub/session-record.ts';
import type { ApprovalQueue } from '../../permissions/approvals.ts';
import { inOneLine } from '../../words/failure.ts';

/** How long closing waits for answers in flight: less than `CLOSE_TIMEOUT_MS` of the application. */
const DRAIN_TIMEOUT_MS = 8_000;

/** The attached proxies as tray and window show them. */
export function attachedProxies(sessions: readonly HubSession[]): AttachedProxy[] {
  return sessions.map(({ id, pid, path, since, profile = null, clientName }) => ({
    id,
    pid,
    path,
    since,
    profile,
    client: clientName === null ? null : displayNameOf(clientName),
  }));
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
