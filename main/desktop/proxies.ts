import type { AttachedProxy } from '../../preload/contract.ts';
import type { Causeway } from '../causeway.ts';
import type { AttachedProxy as AttachedToHub } from '../hub/hub.ts';
import { inOneLine } from '../platform/errors.ts';

type Show = (proxies: AttachedProxy[]) => void;

/** What is shown of the proxies: at once, and again when it is known which programs they belong to. */
export function createProxyList(show: Show, clientOf: (pid: number) => Promise<string | null>) {
  const clients = new Map<number, string | null>();
  let attached: AttachedToHub[] = [];
  const showAll = () =>
    show(
      attached.map(({ profile, ...proxy }) => ({
        ...proxy,
        profile: profile ?? null,
        client: clients.get(proxy.id) ?? null,
      })),
    );

  const look = async ({ id, pid }: AttachedToHub) => {
    const name = await clientOf(pid);
    // It may have gone while its client was looked up.
    if (!attached.some((proxy) => proxy.id === id)) return;
    clients.set(id, name);
    showAll();
  };

  return (now: AttachedToHub[]): void => {
    const before = new Set(attached.map(({ id }) => id));
    attached = now;
    for (const id of clients.keys()) if (!now.some((proxy) => proxy.id === id)) clients.delete(id);
    showAll();
    for (const proxy of now) if (!before.has(proxy.id)) void look(proxy);
  };
}

/**
 * Lets this user's `causeway proxy` processes share the application's connections and sign-in. Gives the function that
 * ends it. Where it cannot be done every proxy works alone, so there is nothing for the person to act on.
 */
export function serveProxies(causeway: Causeway, onChange: (attached: AttachedToHub[]) => void): () => Promise<void> {
  const hub = causeway.serveProxies(onChange).catch((error: unknown) => {
    console.error(`The proxies work alone. ${inOneLine(error)}`);
    return undefined;
  });
  return async () => (await hub)?.close();
}
