import type { Dispatcher } from 'undici';
import { type HttpOptions, openPool } from './http.ts';

/** One connection pool for each origin, however many ask. */
export interface SharedPools {
  /** @throws {CausewayError} as `openPool` */
  to(origin: string): Promise<Dispatcher>;
  /** Drops every connection at once. */
  close(): Promise<void>;
}

/** Pools that are opened when they are first asked for. */
export function sharedPools(options: HttpOptions): SharedPools {
  const pools = new Map<string, Promise<Dispatcher>>();
  return {
    to(origin) {
      const known = pools.get(origin);
      if (known) return known;
      const opening = openPool(origin, options);
      pools.set(origin, opening);
      // What failed to open may open later: a certificate file may be put right.
      opening.catch(() => pools.delete(origin));
      return opening;
    },
    async close() {
      const open = [...pools.values()];
      pools.clear();
      await Promise.allSettled(open.map(async (pool) => (await pool).destroy()));
    },
  };
}
