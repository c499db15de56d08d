import type { Adapter, AdapterPayload } from 'oidc-provider';

interface Stored {
  payload: AdapterPayload;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** What the sign-in remembers: codes, tokens, grants, sessions, and the clients it knows. In memory, for one workspace. */
export class SignInStore {
  /** Whether access tokens work until they expire, as self-contained ones do that nobody asks the issuer about. */
  accessTokensOutliveRevocation = false;
  readonly #models = new Map<string, Map<string, Stored>>();

  /** oidc-provider asks for one adapter for each of its models. */
  adapter(model: string): Adapter {
    const held = this.#held(model);
    const isSelfContained = () => model === 'AccessToken' && this.accessTokensOutliveRevocation;
    const find = async (id: string): Promise<AdapterPayload | undefined> => {
      const stored = held.get(id);
      if (stored && stored.expiresAt <= Date.now()) held.delete(id);
      return held.get(id)?.payload;
    };
    const findWhere = async (key: 'uid' | 'userCode', value: string): Promise<AdapterPayload | undefined> =>
      [...held.values()].find(({ payload }) => payload[key] === value)?.payload;
    return {
      find,
      findByUid: (uid) => findWhere('uid', uid),
      findByUserCode: (userCode) => findWhere('userCode', userCode),
      upsert: async (id, payload, expiresIn) => {
        held.set(id, { payload, expiresAt: expiresIn ? Date.now() + expiresIn * 1000 : Number.POSITIVE_INFINITY });
      },
      consume: async (id) => {
        const stored = held.get(id);
        if (stored) stored.payload.consumed = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => {
        if (!isSelfContained()) held.delete(id);
      },
      revokeByGrantId: async (grantId) => {
        if (isSelfContained()) return;
        for (const [id, { payload }] of held) if (payload.grantId === grantId) held.delete(id);
      },
    };
  }

  /** Forgets everything of one kind, so that what clients still hold of it is refused. */
  forget(model: 'AccessToken' | 'ClientCredentials' | 'RefreshToken' | 'Session'): void {
    this.#held(model).clear();
  }

  #held(model: string): Map<string, Stored> {
    const held = this.#models.get(model) ?? new Map<string, Stored>();
    this.#models.set(model, held);
    return held;
  }
}
