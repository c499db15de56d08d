import { dirname } from 'node:path';
import { asSentence, CausewayError } from '../platform/errors.ts';
import { type LockOptions, withLock } from '../platform/lock.ts';
import type { Secret } from '../platform/secret.ts';
import { type AccessToken, isAlive, isFresh } from './access-token.ts';
import type { Profile, TokenRequest, TokenSource } from './auth.ts';
import { cancelled } from './host-fetch.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import { packRecord, type TokenRecord, unpackRecord } from './secrets/token-record.ts';
import { UnkeptRenewal } from './unkept-renewal.ts';

export interface UserTokensOptions {
  profile: Profile;
  store: SecretStore;
  /** The profile's lock among processes. */
  lockFolder: string;
  /**
   * Trades the refresh token; `undefined` says that it has ended. It may wait for a busy workspace if nothing else would
   * do (`mayWait`), but not if the present token still works.
   */
  refresh: (record: TokenRecord, options: { mayWait: boolean }) => Promise<TokenRecord | undefined>;
  /** Why a stored sign-in must not be used; undefined if it can be. */
  refusal: (record: TokenRecord) => Promise<CausewayError | undefined>;
  now: () => number;
  chance: number;
  /** Called when a sign-in that was there has ended. */
  onSignedOut: () => void;
  /** Called when a renewed sign-in could not be stored and exists only in this process until it can. */
  onNotKept: (error: unknown) => void;
}

/** The tokens of one profile's own sign-in, shared with every other process of this user. */
export interface UserTokens extends TokenSource {
  /** Like `token`, but with its times. */
  access(request?: TokenRequest): Promise<AccessToken>;
  /** The stored sign-in; undefined when signed out. */
  record(): Promise<TokenRecord | undefined>;
  /** The stored sign-in, if it can be used. */
  usableRecord(): Promise<TokenRecord | undefined>;
  /** Replaces the stored sign-in, if any. */
  replace(record: TokenRecord): Promise<void>;
  /** Removes the stored sign-in and returns it. */
  remove(): Promise<TokenRecord | undefined>;
  /** Tries once more to store a renewed sign-in that could not be stored, before the process ends. Never throws. */
  settle(): Promise<void>;
}

/** How long a token that still works is used after its renewal has failed in the network. */
const REFRESH_GRACE_MS = 30_000;
/** The delay before storing a refreshed sign-in is tried again. */
const KEEP_AGAIN_MS = 5_000;
/** How long storing waits for other processes when this one ends. */
const SETTLE_MS = 2_000;

/** The name under which a profile's tokens are stored: host and profile. A host has no spaces. */
export function storeName({ host, name }: Pick<Profile, 'host' | 'name'>): string {
  return `${host} ${name}`;
}

/**
 * Refreshes a sign-in's access token early, once for all callers: one request in this process, one process at a time, and
 * the second process uses what the first one stored. The rotated refresh token is stored before the new access token
 * is given out, so a process that is killed leaves either the old pair or the new one. If it cannot be stored, on a full
 * disk say, this process uses it anyway, renews it in turn, and stores it as soon as that can be done; what others
 * store meanwhile takes precedence.
 */
export function userTokens(options: UserTokensOptions): UserTokens {
  const { profile, store, lockFolder, refresh, refusal, now, chance, onSignedOut, onNotKept } = options;
  const name = storeName(profile);
  const flight = new SingleFlight<TokenRecord>();
  const marks = new UnkeptRenewal(dirname(lockFolder));
  let current: TokenRecord | undefined;
  let graceUntil = 0;
  /** A renewed record, and the stored one that it replaces. */
  let unkept: { record: TokenRecord; instead: TokenRecord; triedAt: number } | undefined;

  const locked = <T>(work: () => Promise<T>, lockOptions?: LockOptions) => withLock(lockFolder, work, lockOptions);
  const usable = (record: TokenRecord | undefined, rejected: Secret | undefined): TokenRecord | undefined =>
    record &&
    !record.access.token.equals(rejected) &&
    (isFresh(record.access, now(), chance) || isInGrace(record.access))
      ? record
      : undefined;
  /** After a renewal has failed in the network, a token that still works is used for a while before the next attempt. */
  const isInGrace = (access: AccessToken) =>
    now() >= graceUntil - REFRESH_GRACE_MS && now() < graceUntil && isAlive(access, now());

  async function load(): Promise<TokenRecord | undefined> {
    const text = await store.get(name);
    return text && unpackRecord(text);
  }

  /** The stored record, or its replacement. */
  function newest(stored: TokenRecord | undefined): TokenRecord | undefined {
    // A keychain that is locked for a while does not invalidate the sign-in that it could not store.
    if (unkept && !stored && store.unreadable) return unkept.record;
    const isInPlace = unkept && stored && packRecord(stored).equals(packRecord(unkept.instead));
    if (!isInPlace) unkept = undefined;
    return unkept?.record ?? stored;
  }

  /** Stores a renewed record. If that fails, it stays in memory, and `onNotKept` is called once. */
  async function keep(record: TokenRecord, instead: TokenRecord): Promise<void> {
    const isNews = unkept === undefined;
    try {
      await store.set(name, packRecord(record), { isRenewal: true });
      if (unkept) await marks.clear();
      unkept = undefined;
    } catch (error) {
      unkept = { record, instead, triedAt: now() };
      await marks.mark(instead);
      if (isNews) onNotKept(error);
    }
  }

  /** Tries again to store a sign-in that could not be stored, if it is time. */
  function keepAgain(): void {
    if (!unkept || Math.abs(now() - unkept.triedAt) < KEEP_AGAIN_MS) return;
    unkept.triedAt = now();
    void storeUnkept();
  }

  async function storeUnkept(lockOptions?: LockOptions): Promise<void> {
    const work = async () => {
      const stored = await load();
      if (stored && newest(stored) !== stored && unkept) await keep(unkept.record, stored);
    };
    await locked(work, lockOptions).catch(() => undefined);
  }

  async function refuseUnusable(record: TokenRecord): Promise<void> {
    const refused = await refusal(record);
    if (refused) throw refused;
  }

  async function renew(rejected: Secret | undefined): Promise<TokenRecord> {
    const stored = newest(await load());
    if (!stored) throw signedOut(profile, store.unreadable);
    await refuseUnusable(stored);
    const ready = usable(stored, rejected);
    if (ready) return ready;
    return renewLocked(rejected).catch((error: unknown) => {
      // Without the lock there is no renewal, but a token that still works needs none yet.
      const isLockless = error instanceof CausewayError && error.code === 'file_not_writable';
      if (!isLockless || !isAlive(stored.access, now()) || stored.access.token.equals(rejected)) throw error;
      graceUntil = now() + REFRESH_GRACE_MS;
      return stored;
    });
  }

  function renewLocked(rejected: Secret | undefined): Promise<TokenRecord> {
    return locked(async () => {
      const onDisk = await load();
      const record = newest(onDisk);
      const instead = onDisk ?? unkept?.instead;
      if (!record || !instead) throw signedOut(profile, store.unreadable);
      await refuseUnusable(record);
      const renewedByOther = usable(record, rejected);
      if (renewedByOther) return renewedByOther;
      const stillWorks = isAlive(record.access, now()) && !record.access.token.equals(rejected);
      let renewed: TokenRecord | undefined;
      try {
        await marks.refuseSecondUse(record);
        renewed = await refresh(record, { mayWait: !stillWorks });
      } catch (error) {
        if (!stillWorks) throw error;
        graceUntil = now() + REFRESH_GRACE_MS;
        return record;
      }
      if (renewed) {
        await keep(renewed, instead);
        return renewed;
      }
      if (!record.refreshToken && stillWorks) return record;
      await store.delete(name);
      onSignedOut();
      throw signedOut(profile);
    });
  }

  async function access({ rejected, signal }: TokenRequest = {}): Promise<AccessToken> {
    keepAgain();
    const ready = usable(current, rejected);
    // Another process may have replaced a record that may no longer be used here.
    if (ready && !(await refusal(ready))) return ready.access;
    const before = current;
    current = undefined;
    try {
      let renewed = await flight.run(() => renew(rejected), signal);
      // The renewal that was already running did not know of the refusal.
      if (renewed.access.token.equals(rejected)) renewed = await flight.run(() => renew(rejected), signal);
      current = renewed;
      return renewed.access;
    } catch (error) {
      // Without the keychain nothing can be renewed; but a token that still works needs it only later.
      if (!store.unreadable || !before || before.access.token.equals(rejected)) throw error;
      if (!isAlive(before.access, now()) || (await refusal(before))) throw error;
      graceUntil = now() + REFRESH_GRACE_MS;
      current = before;
      return before.access;
    }
  }

  return {
    access,
    token: async (request) => (await access(request)).token,
    record: async () => newest(await load()),

    async usableRecord() {
      const record = newest(await load());
      return record && !(await refusal(record)) ? record : undefined;
    },

    replace: (record) =>
      locked(async () => {
        await store.set(name, packRecord(record));
        await marks.clear();
        unkept = undefined;
        current = record;
      }),

    remove: () =>
      locked(async () => {
        const record = newest(await load());
        await store.delete(name);
        await marks.clear();
        unkept = undefined;
        current = undefined;
        return record;
      }),

    settle: async () => {
      if (unkept) await storeUnkept({ signal: AbortSignal.timeout(SETTLE_MS) });
    },
  };
}

/**
 * The error for a profile that is signed out, or whose sign-in cannot be read.
 * @param unreadable why it cannot be read
 */
export function signedOut({ name, host }: Pick<Profile, 'host' | 'name'>, unreadable?: CausewayError): CausewayError {
  if (unreadable) {
    return new CausewayError(
      'signed_out',
      `Causeway cannot tell whether profile "${name}" is signed in to ${host}. ${asSentence(unreadable.message)}`,
      {
        cause: unreadable,
        remedy:
          'Start the Causeway application, or keep sign-ins in an encrypted file (CAUSEWAY_TOKEN_STORE=encrypted-file).',
        action: { do: 'sign-in', profile: name },
      },
    );
  }
  return new CausewayError('signed_out', `Profile "${name}" is signed out of ${host}.`, {
    action: { do: 'sign-in', profile: name },
  });
}

/** Runs one piece of work at a time: callers that arrive while it runs share its outcome. */
class SingleFlight<T> {
  #running: Promise<T> | undefined;

  /** One caller's signal ends that caller's wait; the shared work continues for the others. */
  run(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#running ??= work().finally(() => {
      this.#running = undefined;
    });
    return unlessAborted(this.#running, signal);
  }
}

/** Waits for a promise or for a signal, whichever is first. @throws {CausewayError} `cancelled` */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  if (signal.aborted) {
    promise.catch(() => undefined);
    throw cancelled(signal);
  }
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(cancelled(signal));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

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
  let graceUntil = 0;

  const isInGrace = (access: AccessToken) =>
    now() >= graceUntil - REFRESH_GRACE_MS && now() < graceUntil && isAlive(access, now());

  async function renew(rejected: Secret | undefined): Promise<AccessToken> {
    const present = current;
    try {
      return await acquire(rejected);
    } catch (error) {
      // It is renewed early, so a transient failure does not have to fail the request.
      if (!present || present.token.equals(rejected) || !isAlive(present, now())) throw error;
      graceUntil = now() + REFRESH_GRACE_MS;
      return present;
    }
  }

  return {
    async token({ rejected, signal }: TokenRequest = {}) {
      const ready =
        current && !current.token.equals(rejected) && (isFresh(current, now(), chance) || isInGrace(current));
      if (current && ready) return current.token;
      let isOurs = false;
      const renewNow = () => {
        isOurs = true;
        return renew(rejected);
      };
      let renewed = await flight.run(renewNow, signal);
      // A renewal that was already running did not know of the refusal.
      if (!isOurs && renewed.token.equals(rejected)) renewed = await flight.run(renewNow, signal);
      current = renewed;
      return renewed.token;
    },
  };
}
