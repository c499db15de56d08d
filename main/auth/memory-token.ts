import type { Secret } from '../platform/secret.ts';
import type { TokenRequest, TokenSource } from './auth.ts';
import { type AccessToken, isFresh } from './freshness.ts';
import { SingleFlight } from './single-flight.ts';

export interface MemoryTokenOptions {
  /** Gets a new token; `rejected` is the one that the workspace has just refused. */
  acquire: (rejected: Secret | undefined) => Promise<AccessToken>;
  now: () => number;
  chance: number;
}

/** A token that can be asked for again at any time, and so is kept in memory only. */
export function memoryTokenSource({ acquire, now, chance }: MemoryTokenOptions): TokenSource {
  const flight = new SingleFlight<AccessToken>();
  let current: AccessToken | undefined;

  return {
    async token({ rejected, signal }: TokenRequest = {}) {
      if (current && !current.token.equals(rejected) && isFresh(current, now(), chance)) return current.token;
      current = await flight.run(() => acquire(rejected), signal);
      return current.token;
    },
  };
}
