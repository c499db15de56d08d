import type { AttachedProxy } from '../../preload/contract.ts';
import type { Causeway } from '../causeway.ts';
import type { AttachedProxy as AttachedByHub } from '../hub/hub.ts';
import { inOneLine } from '../platform/errors.ts';

/**
 * Lets this user's `causeway proxy` processes share the application's connections and sign-in. Gives the function that
 * ends it. Where it cannot be done every proxy works alone, so there is nothing for the person to act on.
 */
export function serveProxies(causeway: Causeway, show: (proxies: AttachedProxy[]) => void): () => Promise<void> {
  const onChange = (attached: AttachedByHub[]) =>
    show(attached.map((proxy) => ({ ...proxy, profile: proxy.profile ?? null })));
  const hub = causeway.serveProxies(onChange).catch((error: unknown) => {
    console.error(`The proxies work alone. ${inOneLine(error)}`);
    return undefined;
  });
  return async () => (await hub)?.close();
}
