import type { Dispatcher } from 'undici';
import { RenewableConnections } from './connections.ts';

/** The connections to each origin, however many ask for them. */
export interface SharedPools {
  /** @throws what opening them throws */
  to(origin: string): Promise<RenewableConnections>;
  /** Lets go of the connections that there are, as soon as each is idle: the network is another one. @throws as `to` */
  renew(): Promise<void>;
  /** Drops every connection at once. */
  close(): Promise<void>;
}

/** Connections that `open` makes for an origin when they are first asked for. */
export function sharedPools(open: (origin: string) => Promise<Dispatcher>): SharedPools {
  const pools = new Map<string, Promise<RenewableConnections>>();
  return {
    to(origin) {
      const known = pools.get(origin);
      if (known) return known;
      const opening = RenewableConnections.open(() => open(origin));
      pools.set(origin, opening);
      // What failed to open may open later: a certificate file may be put right.
      opening.catch(() => pools.delete(origin));
      return opening;
    },
    async renew() {
      await Promise.all(Array.from(pools.values(), async (pool) => (await pool).renew()));
    },
    async close() {
      const open = [...pools.values()];
      pools.clear();
      await Promise.allSettled(open.map(async (pool) => (await pool).destroy()));
    },
  };
}
