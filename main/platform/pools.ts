import { type Connections, RenewableConnections } from './connections.ts';
import { type HttpOptions, openPool } from './http.ts';

/** One connection pool for each origin, however many ask. */
export interface SharedPools {
  /** @throws {CausewayError} as `openPool` */
  to(origin: string): Promise<Connections>;
  /** Lets go of the connections that there are, as soon as each is idle: the network is another one. @throws as `openPool` */
  renew(): Promise<void>;
  /** Drops every connection at once. */
  close(): Promise<void>;
}

/** Pools that are opened when they are first asked for. */
export function sharedPools(options: HttpOptions): SharedPools {
  const pools = new Map<string, Promise<RenewableConnections>>();
  return {
    to(origin) {
      const known = pools.get(origin);
      if (known) return known;
      const opening = RenewableConnections.open(() => openPool(origin, options));
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
