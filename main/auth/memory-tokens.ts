import type { Secret } from '../platform/secret.ts';
import { type AccessToken, Freshness, isAlive } from './access-token.ts';
import type { Profile, TokenRequest, TokenSource } from './auth.ts';
import { countRefusal } from './refused-tokens.ts';
import { SingleFlight } from './single-flight.ts';

export interface MemoryTokenOptions {
  /** Gets a new token; `rejected` is the one that the workspace has just refused. */
  acquire: (rejected: Secret | undefined) => Promise<AccessToken>;
  now: () => number;
  chance: number;
  /** For messages. */
  profile: Pick<Profile, 'name' | 'host'>;
}

/** A token that can be asked for again at any time, and so is kept in memory only. */
export function memoryTokenSource({ acquire, now, chance, profile }: MemoryTokenOptions): TokenSource {
  const flight = new SingleFlight<AccessToken>();
  let current: AccessToken | undefined;
  const freshness = new Freshness(now, chance);
  let refusals = 0;

  async function renew({ rejected, hasWorked = false }: TokenRequest): Promise<AccessToken> {
    const present = current;
    const isRejected = present?.token.equals(rejected) === true;
    const refusedNow =
      present && isRejected ? countRefusal({ access: present, refusals }, hasWorked, profile, now()) : 0;
    try {
      const acquired = await acquire(rejected);
      refusals = refusedNow;
      return acquired;
    } catch (error) {
      // It is renewed early, so a transient failure does not have to fail the request.
      if (!present || present.token.equals(rejected) || !isAlive(present, now())) throw error;
      freshness.postponeRenewal();
      return present;
    }
  }

  return {
    async token(request: TokenRequest = {}) {
      const { rejected, signal } = request;
      if (current && freshness.isUsable(current, rejected)) return current.token;
      let isOurs = false;
      const renewNow = () => {
        isOurs = true;
        return renew(request);
      };
      let renewed = await flight.run(renewNow, signal);
      // A renewal that was already running did not know of the refusal.
      if (!isOurs && renewed.token.equals(rejected)) renewed = await flight.run(renewNow, signal);
      current = renewed;
      return renewed.token;
    },
  };
}
