import type { AttachedProxy } from '../../../preload/contract.ts';
import type { Causeway } from '../../app/causeway.ts';
import { displayNameOf } from '../../clients/table.ts';
import type { HubWatcher } from '../../hub/session-log.ts';
import type { HubSession } from '../../hub/session-record.ts';
import type { SettingsPort } from '../../hub/settings-answers.ts';
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

/** What commands ask of the application. */
interface HubPorts {
  approvals: ApprovalQueue;
  settings: SettingsPort;
}

/**
 * Lets this user's `causeway proxy` processes share the application's connections and sign-in. Returns a function
 * that ends it. If the hub cannot be served, every proxy works alone, so there is nothing for the user to do.
 */
export function serveProxies(causeway: Causeway, watcher: HubWatcher, ports: HubPorts): () => Promise<void> {
  const hub = causeway.serveProxies(watcher, ports.approvals, ports.settings).catch((error: unknown) => {
    console.error(`Proxies connect on their own. ${inOneLine(error)}`);
    return undefined;
  });
  return async () => (await hub)?.finish(DRAIN_TIMEOUT_MS);
}
