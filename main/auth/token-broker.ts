import { dirname } from 'node:path';
import { isRefusedForNow } from '../../preload/contract/error-facts.ts';
import { CausewayError } from '../platform/errors.ts';
import { type LockOptions, withLock } from '../platform/lock.ts';
import type { Secret } from '../platform/secret.ts';
import { uninterrupted } from '../platform/uninterrupted.ts';
import { within } from '../platform/within.ts';
import { type AccessToken, isAlive, isFresh } from './access-token.ts';
import type { Profile, TokenRequest, TokenSource } from './auth.ts';
import { bindIdentity, type SignInIdentity, userNameInToken } from './identity.ts';
import { UnusableAnswer } from './oauth/oauth-failure.ts';
import { checkRenewalHelps, refusalsAfter } from './refused-tokens.ts';
import { noRoomForRenewal, RenewalJournal, type UnfinishedRenewal } from './renewal-journal.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import { newGeneration, packRecord, type TokenRecord, unpackRecord } from './secrets/token-record.ts';
import { SignInGeneration } from './sign-in-generation.ts';
import { signedOut } from './signed-out.ts';
import { SingleFlight } from './single-flight.ts';
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
  /** Whether there is a sign-in. The store is asked only if that may have changed. */
  isSignedIn(): Promise<boolean>;
  /** Replaces the stored sign-in, if any, and returns it. */
  replace(record: TokenRecord): Promise<TokenRecord | undefined>;
  /** Removes the stored sign-in and returns it. */
  remove(): Promise<TokenRecord | undefined>;
  /** Waits for a renewal that was sent, at most five seconds: its answer is stored then. Never throws. */
  finish(): Promise<void>;
  /** Tries once more to store a renewed sign-in that could not be stored, before the process ends. Never throws. */
  settle(): Promise<void>;
}

/** How long a token that still works is used after its renewal has failed in the network. */
const REFRESH_GRACE_MS = 30_000;
/** The delay before storing a refreshed sign-in is tried again. */
const KEEP_AGAIN_MS = 5_000;
/** How long storing waits for other processes when this one ends. */
const SETTLE_MS = 2_000;
/** How long ending waits for the answer to a renewal that was sent. */
const FINISH_MS = 5_000;

/** The name under which a profile's tokens are stored: host and profile. A host has no spaces. */
export function storeName({ host, name }: Pick<Profile, 'host' | 'name'>): string {
  return `${host} ${name}`;
}

/**
 * Refreshes a sign-in's access token early, once for all callers: one request in this process, one process at a time, and
 * the second process uses what the first one stored. Every token is given out against the sign-in's present generation: once
 * a user has signed in or out, in whichever process, no token of the one before is given out.
 *
 * A refresh is a transaction. It is recorded, with room for its answer, before it is sent; the end of the process waits for
 * it; and the rotated refresh token is stored before the new access token is given out. A process that is killed meanwhile
 * leaves a record that explains what may follow. If the answer cannot be stored although there was room, in a keychain that
 * was locked meanwhile say, this process uses it anyway, renews it in turn, and stores it as soon as that can be done; what
 * others store meanwhile takes precedence.
 */
export function userTokens(options: UserTokensOptions): UserTokens {
  const { profile, store, lockFolder, refresh, refusal, now, chance, onSignedOut, onNotKept } = options;
  const name = storeName(profile);
  const flight = new SingleFlight<TokenRecord>();
  const marks = new UnkeptRenewal(dirname(lockFolder));
  const journal = new RenewalJournal(dirname(lockFolder));
  const generation = new SignInGeneration(dirname(lockFolder));
  let current: TokenRecord | undefined;
  /** The generation that `current`, `unkept` and `presence` belong to. */
  let seen = generation.stamp();
  let presence: boolean | undefined;
  let sent: Promise<unknown> = Promise.resolve();
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

  /** Forgets what is known of another generation. */
  function followGeneration(): void {
    const stamp = generation.stamp();
    if (stamp === seen) return;
    seen = stamp;
    current = undefined;
    unkept = undefined;
    presence = undefined;
    store.forget?.(name);
  }

  async function load(): Promise<TokenRecord | undefined> {
    followGeneration();
    const text = await store.get(name);
    const record = text && unpackRecord(text);
    presence = store.unreadable ? undefined : record !== undefined;
    return record;
  }

  /** After a change that this process has made itself. */
  function changedHere(record: TokenRecord | undefined): void {
    seen = generation.stamp();
    unkept = undefined;
    current = record;
    presence = record !== undefined;
  }

  const removeStored = () => (store.shared ? generation.end(() => store.delete(name)) : store.delete(name));

  async function signedOutNow(): Promise<CausewayError> {
    return signedOut(profile, { unreadable: store.unreadable, because: await journal.whyEnded(now()) });
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
    if (!stored) throw await signedOutNow();
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
      if (!record || !instead) throw await signedOutNow();
      await refuseUnusable(record);
      const renewedByOther = usable(record, rejected);
      if (renewedByOther) return renewedByOther;
      const isRejected = record.access.token.equals(rejected);
      if (isRejected) checkRenewalHelps(record, profile, now());
      const stillWorks = isAlive(record.access, now()) && !isRejected;
      const stillUsed = () => {
        graceUntil = now() + REFRESH_GRACE_MS;
        return record;
      };
      const before = await journal.unfinished(record);
      // It may have used up the refresh token, whose second use would end what still works.
      if (before?.state === 'begun' && stillWorks) return stillUsed();
      let renewed: TokenRecord | undefined;
      try {
        await marks.refuseSecondUse(record);
        renewed = await transact(record, instead, { before, mayWait: !stillWorks, isRejected });
      } catch (error) {
        if (!stillWorks) throw error;
        return stillUsed();
      }
      if (renewed) return renewed;
      if (!record.refreshToken && stillWorks) return record;
      await removeStored();
      changedHere(undefined);
      if (before) await journal.leave({ ...before, state: 'ended' });
      onSignedOut();
      throw await signedOutNow();
    });
  }

  /** One renewal, from the record that it begins to the stored answer, which the end of the process waits for. */
  function transact(
    record: TokenRecord,
    instead: TokenRecord,
    { before, mayWait, isRejected }: { before: UnfinishedRenewal | undefined; mayWait: boolean; isRejected: boolean },
  ): Promise<TokenRecord | undefined> {
    const work = async () => {
      // What is kept in memory alone ends with the process in any case.
      const isRecorded = store.shared && record.refreshToken !== undefined;
      if (isRecorded) {
        try {
          await store.prepare?.(name);
          await journal.begin(record, now(), before);
        } catch (error) {
          throw error instanceof CausewayError ? noRoomForRenewal(profile, error) : error;
        }
      }
      const put = async (answered: TokenRecord) => {
        if (isRecorded) await journal.makeRoom();
        await keep(answered, instead);
      };
      let renewed: TokenRecord | undefined;
      try {
        const answered = await refresh(record, { mayWait });
        renewed = answered && { ...answered, refusals: isRejected ? refusalsAfter(record, now()) : 0 };
      } catch (error) {
        if (error instanceof UnusableAnswer) {
          await put(error.kept);
          if (isRecorded) await journal.clear();
          throw error;
        }
        // The server has answered that it did nothing.
        const isUsed = !(error instanceof CausewayError && isRefusedForNow(error.code));
        if (isRecorded) await (before ? journal.leave(before) : isUsed ? journal.unanswered() : journal.clear());
        throw error;
      }
      if (renewed) await put(renewed);
      if (isRecorded) await journal.clear();
      return renewed;
    };
    const running = uninterrupted(work());
    sent = running.catch(() => undefined);
    return running;
  }

  /** Notes whose token it is for those who use it. */
  function given(record: TokenRecord): AccessToken {
    bindIdentity(record.access.token, identityIn(record));
    return record.access;
  }

  async function access({ rejected, signal }: TokenRequest = {}): Promise<AccessToken> {
    followGeneration();
    keepAgain();
    const ready = usable(current, rejected);
    if (ready && !(await refusal(ready))) return given(ready);
    const before = current;
    const seenBefore = seen;
    current = undefined;
    try {
      let renewed = await flight.run(() => renew(rejected), signal);
      // The renewal that was already running did not know of the refusal.
      if (renewed.access.token.equals(rejected)) renewed = await flight.run(() => renew(rejected), signal);
      // The user may have signed in or out meanwhile.
      if (generation.stamp() !== seen) renewed = await flight.run(() => renew(rejected), signal);
      current = renewed;
      return given(renewed);
    } catch (error) {
      // Without the keychain nothing can be renewed; but a token that still works needs it only later.
      if (!store.unreadable || !before || before.access.token.equals(rejected)) throw error;
      if (!isAlive(before.access, now()) || (await refusal(before)) || generation.stamp() !== seenBefore) throw error;
      graceUntil = now() + REFRESH_GRACE_MS;
      current = before;
      return given(before);
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

    async isSignedIn() {
      followGeneration();
      return presence ?? (await load()) !== undefined;
    },

    replace: (record) =>
      locked(async () => {
        const previous = newest(await load());
        const made = { ...record, generation: newGeneration() };
        const put = () => store.set(name, packRecord(made));
        const identity = identityIn(made);
        // What only this process has changes nothing for others.
        if (store.shared) await generation.replace(identity, put);
        else {
          await put();
          if (store.shared) await generation.replace(identity, async () => {});
        }
        await marks.clear();
        await journal.clear();
        changedHere(made);
        return previous;
      }),

    remove: () =>
      locked(async () => {
        const record = newest(await load());
        await removeStored();
        await marks.clear();
        await journal.clear();
        changedHere(undefined);
        return record;
      }),

    finish: () => within(FINISH_MS, sent, undefined).then(() => undefined),

    settle: async () => {
      if (unkept) await storeUnkept({ signal: AbortSignal.timeout(SETTLE_MS) });
    },
  };
}

/** As whom a sign-in acts. */
export function identityIn({ generation, userName, access }: TokenRecord): SignInIdentity {
  return { generation, userName: userName ?? userNameInToken(access.token) };
}
