import { dirname } from 'node:path';
import { isRefusedForNow } from '../../preload/contract/error-facts.ts';
import { CausewayError } from '../platform/errors.ts';
import { type LockOptions, withLock } from '../platform/lock.ts';
import type { Secret } from '../platform/secret.ts';
import { uninterrupted } from '../platform/uninterrupted.ts';
import { within } from '../platform/within.ts';
import { type AccessToken, Freshness, isAlive } from './access-token.ts';
import { type Profile, signInKey, type TokenRequest, type TokenSource } from './auth.ts';
import { bindIdentity, identityIn } from './identity.ts';
import { UnusableAnswer } from './oauth/oauth-failure.ts';
import { countRefusal } from './refused-tokens.ts';
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

/** The delay before storing a refreshed sign-in is tried again. */
const KEEP_AGAIN_MS = 5_000;
/** How long storing waits for other processes when this one ends. */
const SETTLE_MS = 2_000;
/** How long ending waits for the answer to a renewal that was sent. */
const FINISH_MS = 5_000;

/**
 * The tokens of one profile's own sign-in, shared with every other process of this user. The access token is refreshed early, once
 * for all callers: one request in this process, one process at a time, and the second process uses what the first one stored. Every token is given out against the sign-in's present generation: once
 * a user has signed in or out, in whichever process, no token of the one before is given out.
 *
 * A refresh is a transaction. It is recorded, with room for its answer, before it is sent; the end of the process waits for
 * it; and the rotated refresh token is stored before the new access token is given out. A process that is killed meanwhile
 * leaves a record that explains what may follow. If the answer cannot be stored although there was room, in a keychain that
 * was locked meanwhile say, this process uses it anyway, renews it in turn, and stores it as soon as that can be done; what
 * others store meanwhile takes precedence.
 */
export class UserTokens implements TokenSource {
  readonly #options: UserTokensOptions;
  readonly #name: string;
  readonly #flight = new SingleFlight<TokenRecord>();
  readonly #marks: UnkeptRenewal;
  readonly #journal: RenewalJournal;
  readonly #generation: SignInGeneration;
  readonly #freshness: Freshness;
  #current: TokenRecord | undefined;
  /** The generation that `#current`, `#unkept` and `#presence` belong to. */
  #seen: string;
  #presence: boolean | undefined;
  #sent: Promise<unknown> = Promise.resolve();
  /** A renewed record, and the stored one that it replaces. */
  #unkept: { record: TokenRecord; instead: TokenRecord; triedAt: number } | undefined;

  constructor(options: UserTokensOptions) {
    const folder = dirname(options.lockFolder);
    this.#options = options;
    this.#name = signInKey(options.profile);
    this.#marks = new UnkeptRenewal(folder);
    this.#journal = new RenewalJournal(folder);
    this.#generation = new SignInGeneration(folder);
    this.#freshness = new Freshness(options.now, options.chance);
    this.#seen = this.#generation.stamp();
  }

  async token(request?: TokenRequest): Promise<Secret> {
    return (await this.access(request)).token;
  }

  /** Like `token`, but with its times. */
  async access(request: TokenRequest = {}): Promise<AccessToken> {
    const { rejected } = request;
    this.#followGeneration();
    this.#keepAgain();
    const ready = this.#usable(this.#current, rejected);
    if (ready && !(await this.#options.refusal(ready))) return given(ready);
    const before = this.#current;
    const seenBefore = this.#seen;
    this.#current = undefined;
    try {
      const renewed = await this.#renewOnce(request);
      this.#current = renewed;
      return given(renewed);
    } catch (error) {
      if (!before || !(await this.#outlivesKeychain(before, rejected, seenBefore))) throw error;
      this.#current = this.#postponed(before);
      return given(before);
    }
  }

  /** The stored sign-in; undefined when signed out. */
  async record(): Promise<TokenRecord | undefined> {
    return this.#newest(await this.#load());
  }

  /** The stored sign-in, if it can be used. */
  async usableRecord(): Promise<TokenRecord | undefined> {
    const record = await this.record();
    return record && !(await this.#options.refusal(record)) ? record : undefined;
  }

  /** Whether there is a sign-in. The store is asked only if that may have changed. */
  async isSignedIn(): Promise<boolean> {
    this.#followGeneration();
    return this.#presence ?? (await this.#load()) !== undefined;
  }

  /** Replaces the stored sign-in, if any, and returns it. */
  replace(record: TokenRecord): Promise<TokenRecord | undefined> {
    return this.#locked(async () => {
      const { store } = this.#options;
      const previous = await this.record();
      const made = { ...record, generation: newGeneration() };
      const put = () => store.set(this.#name, packRecord(made));
      const identity = identityIn(made);
      // What only this process has changes nothing for others.
      if (store.shared) await this.#generation.replace(identity, put);
      else {
        await put();
        if (store.shared) await this.#generation.replace(identity, async () => {});
      }
      await this.#changedHere(made);
      return previous;
    });
  }

  /** Removes the stored sign-in and returns it. */
  remove(): Promise<TokenRecord | undefined> {
    return this.#locked(async () => {
      const record = await this.record();
      await this.#removeStored();
      await this.#changedHere(undefined);
      return record;
    });
  }

  /** Waits for a renewal that was sent, at most five seconds: its answer is stored then. Never throws. */
  async finish(): Promise<void> {
    await within(FINISH_MS, this.#sent, undefined);
  }

  /** Tries once more to store a renewed sign-in that could not be stored, before the process ends. Never throws. */
  async settle(): Promise<void> {
    if (this.#unkept) await this.#storeUnkept({ signal: AbortSignal.timeout(SETTLE_MS) });
  }

  #locked<T>(work: () => Promise<T>, options?: LockOptions): Promise<T> {
    return withLock(this.#options.lockFolder, work, options);
  }

  #usable(record: TokenRecord | undefined, rejected: Secret | undefined): TokenRecord | undefined {
    return record && this.#freshness.isUsable(record.access, rejected) ? record : undefined;
  }

  /** A token that still works is used although it could not be renewed. */
  #postponed(record: TokenRecord): TokenRecord {
    this.#freshness.postponeRenewal();
    return record;
  }

  /** Without the keychain nothing can be renewed; but a token that still works needs it only later. */
  async #outlivesKeychain(record: TokenRecord, rejected: Secret | undefined, seen: string): Promise<boolean> {
    const { store, now, refusal } = this.#options;
    const { access } = record;
    if (!store.unreadable || access.token.equals(rejected) || !isAlive(access, now())) return false;
    return !(await refusal(record)) && this.#generation.stamp() === seen;
  }

  /** Forgets what is known of another generation. */
  #followGeneration(): void {
    const stamp = this.#generation.stamp();
    if (stamp === this.#seen) return;
    this.#seen = stamp;
    this.#current = undefined;
    this.#unkept = undefined;
    this.#presence = undefined;
    this.#options.store.forget?.(this.#name);
  }

  async #load(): Promise<TokenRecord | undefined> {
    this.#followGeneration();
    const { store } = this.#options;
    const text = await store.get(this.#name);
    const record = text && unpackRecord(text);
    this.#presence = store.unreadable ? undefined : record !== undefined;
    return record;
  }

  /** After the user has signed in or out in this process. */
  async #changedHere(record: TokenRecord | undefined): Promise<void> {
    await this.#marks.clear();
    await this.#journal.clear();
    this.#noteStored(record);
  }

  #noteStored(record: TokenRecord | undefined): void {
    this.#seen = this.#generation.stamp();
    this.#unkept = undefined;
    this.#current = record;
    this.#presence = record !== undefined;
  }

  #removeStored(): Promise<void> {
    const { store } = this.#options;
    return store.shared ? this.#generation.end(() => store.delete(this.#name)) : store.delete(this.#name);
  }

  async #signedOutNow(): Promise<CausewayError> {
    const { profile, store, now } = this.#options;
    return signedOut(profile, { unreadable: store.unreadable, reason: await this.#journal.whyEnded(now()) });
  }

  /** The stored record, or its replacement. */
  #newest(stored: TokenRecord | undefined): TokenRecord | undefined {
    const unkept = this.#unkept;
    // A keychain that is locked for a while does not invalidate the sign-in that it could not store.
    if (unkept && !stored && this.#options.store.unreadable) return unkept.record;
    if (unkept && stored && packRecord(stored).equals(packRecord(unkept.instead))) return unkept.record;
    this.#unkept = undefined;
    return stored;
  }

  /** Stores a renewed record. If that fails, it stays in memory, and `onNotKept` is called once. */
  async #keep(record: TokenRecord, instead: TokenRecord): Promise<void> {
    const { store, now, onNotKept } = this.#options;
    const isNews = this.#unkept === undefined;
    try {
      await store.set(this.#name, packRecord(record), { isRenewal: true });
      if (this.#unkept) await this.#marks.clear();
      this.#unkept = undefined;
    } catch (error) {
      this.#unkept = { record, instead, triedAt: now() };
      await this.#marks.mark(instead);
      if (isNews) onNotKept(error);
    }
  }

  /** Tries again to store a sign-in that could not be stored, if it is time. */
  #keepAgain(): void {
    const now = this.#options.now();
    if (!this.#unkept || Math.abs(now - this.#unkept.triedAt) < KEEP_AGAIN_MS) return;
    this.#unkept.triedAt = now;
    void this.#storeUnkept();
  }

  async #storeUnkept(lockOptions?: LockOptions): Promise<void> {
    const work = async () => {
      const stored = await this.#load();
      if (stored && this.#newest(stored) !== stored && this.#unkept) await this.#keep(this.#unkept.record, stored);
    };
    await this.#locked(work, lockOptions).catch(() => undefined);
  }

  /** One renewal for all callers, which share its outcome. */
  async #renewOnce(request: TokenRequest): Promise<TokenRecord> {
    const { rejected, signal } = request;
    const renew = () => this.#flight.run(() => this.#renew(request), signal);
    let renewed = await renew();
    // The renewal that was already running did not know of the refusal.
    if (renewed.access.token.equals(rejected)) renewed = await renew();
    // The user may have signed in or out meanwhile.
    return this.#generation.stamp() === this.#seen ? renewed : renew();
  }

  async #renew(request: TokenRequest): Promise<TokenRecord> {
    const { rejected } = request;
    const stored = await this.record();
    if (!stored) throw await this.#signedOutNow();
    await this.#refuseUnusable(stored);
    const ready = this.#usable(stored, rejected);
    if (ready) return ready;
    return this.#locked(() => this.#renewLocked(request)).catch((error: unknown) => {
      // Without the lock there is no renewal, but a token that still works needs none yet.
      const isLockless = error instanceof CausewayError && error.code === 'file_not_writable';
      const stillWorks = isAlive(stored.access, this.#options.now()) && !stored.access.token.equals(rejected);
      if (!isLockless || !stillWorks) throw error;
      return this.#postponed(stored);
    });
  }

  async #refuseUnusable(record: TokenRecord): Promise<void> {
    const refused = await this.#options.refusal(record);
    if (refused) throw refused;
  }

  async #renewLocked({ rejected, hasWorked = false }: TokenRequest): Promise<TokenRecord> {
    const { profile, now } = this.#options;
    const onDisk = await this.#load();
    const record = this.#newest(onDisk);
    const instead = onDisk ?? this.#unkept?.instead;
    if (!record || !instead) throw await this.#signedOutNow();
    await this.#refuseUnusable(record);
    const renewedByOther = this.#usable(record, rejected);
    if (renewedByOther) return renewedByOther;
    const isRejected = record.access.token.equals(rejected);
    const refusals = isRejected ? countRefusal(record, hasWorked, profile, now()) : 0;
    const stillWorks = isAlive(record.access, now()) && !isRejected;
    const before = await this.#journal.unfinished(record);
    // It may have used up the refresh token, whose second use would end what still works.
    if (before?.state === 'begun' && stillWorks) return this.#postponed(record);
    const renewal = this.#transact({ record, instead, before, mayWait: !stillWorks, refusals });
    const renewed = await (stillWorks ? renewal.catch(() => this.#postponed(record)) : renewal);
    const isOver = record.refreshToken !== undefined || !stillWorks;
    return renewed ?? (isOver ? this.#ended(before) : record);
  }

  /** The workspace has said that the sign-in has ended. */
  async #ended(before: UnfinishedRenewal | undefined): Promise<never> {
    await this.#removeStored();
    this.#noteStored(undefined);
    if (before) await this.#journal.leave({ ...before, state: 'ended' });
    this.#options.onSignedOut();
    throw await this.#signedOutNow();
  }

  /** One renewal, from the record that it begins to the stored answer, which the end of the process waits for. */
  async #transact(renewal: Renewal): Promise<TokenRecord | undefined> {
    await this.#marks.refuseSecondUse(renewal.record);
    const running = uninterrupted(this.#transactNow(renewal));
    this.#sent = running.catch(() => undefined);
    return running;
  }

  async #transactNow({ record, instead, before, mayWait, refusals }: Renewal): Promise<TokenRecord | undefined> {
    const { store, refresh } = this.#options;
    // What is kept in memory alone ends with the process in any case.
    const journal = store.shared && record.refreshToken !== undefined ? this.#journal : undefined;
    if (journal) await this.#begin(journal, record, before);
    const put = async (answered: TokenRecord) => {
      await journal?.makeRoom();
      await this.#keep(answered, instead);
    };
    const answered = await refresh(record, { mayWait }).catch(async (error: unknown) => {
      if (error instanceof UnusableAnswer) {
        await put(error.kept);
        await journal?.clear();
        // A server that is busy has answered that it did nothing.
      } else await journal?.failed(before, !(error instanceof CausewayError && isRefusedForNow(error.code)));
      throw error;
    });
    const renewed = answered && { ...answered, refusals };
    if (renewed) await put(renewed);
    await journal?.clear();
    return renewed;
  }

  async #begin(journal: RenewalJournal, record: TokenRecord, before: UnfinishedRenewal | undefined): Promise<void> {
    const { profile, store, now } = this.#options;
    try {
      await store.prepare?.(this.#name);
      await journal.begin(record, now(), before);
    } catch (error) {
      throw error instanceof CausewayError ? noRoomForRenewal(profile, error) : error;
    }
  }
}

/** One renewal of a sign-in. */
interface Renewal {
  record: TokenRecord;
  /** What is stored. */
  instead: TokenRecord;
  /** An earlier one with the same refresh token. */
  before: UnfinishedRenewal | undefined;
  mayWait: boolean;
  /** How many tokens in a row the workspace has refused soon, the present one included. */
  refusals: number;
}

/** Notes whose token it is for those who use it. */
function given(record: TokenRecord): AccessToken {
  bindIdentity(record.access.token, identityIn(record));
  return record.access;
}
