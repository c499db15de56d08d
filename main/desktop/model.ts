import type {
  AttachedProxy,
  ConfiguredServer,
  DesktopState,
  EffectiveWarehouse,
  FailedAction,
  Failure,
  OverrideChange,
  Recording,
  UpdateState,
  WarehouseState,
} from '../../preload/contract.ts';
import { INITIAL_STATE } from '../../preload/initial-state.ts';
import type { SignInProgress } from '../auth/auth.ts';
import type { Causeway, WarehouseService, WorkspaceSession } from '../causeway.ts';
import { CausewayError } from '../platform/errors.ts';
import type { StoredOverride } from '../warehouses/override-changes.ts';
import type { WarehouseSurvey } from '../warehouses/readings.ts';
import type { OverrideRecord } from '../workspace/overrides.ts';
import { AT_START, OtherSignIns, signInProgress } from './accounts.ts';
import { failureFor } from './failure.ts';
import { choicesOf, refreshAfterMs, VerificationRuns } from './warehouse/verification.ts';

type Listener = (state: DesktopState) => void;
type OverrideListener = (effective: EffectiveWarehouse, by: OverrideChange['by']) => void;

/** What was read of one session's warehouses, and when. */
interface Seen {
  session: WorkspaceSession;
  survey: WarehouseSurvey;
  takenAt: number;
  /** When everything was read, and not only what changes often. */
  wholeAt: number;
}

/** As often as a window that is looked at reads anew, in milliseconds. */
const FRESH_MS = 30_000;
/** How old what changes seldom may be: who the user is, and which warehouses they may use. In milliseconds. */
const WHOLE_EVERY_MS = 120_000;

/** What the desktop knows, as one value that tray and window are drawn from. It knows nothing of Electron. */
export class DesktopModel {
  readonly #causeway: Causeway;
  readonly #now: () => number;
  readonly #listeners = new Set<Listener>();
  readonly #overrideListeners = new Set<OverrideListener>();
  #state: DesktopState = INITIAL_STATE;
  #session: WorkspaceSession | undefined;
  /** Ends when there is a session, or with why there is none. */
  #opening: Promise<unknown> | undefined;
  /** The profile that the person asked for; undefined for the configuration's own default. */
  #wanted: string | undefined;
  /** Aborted when another profile is opened, so that an answer that comes late cannot be shown for the wrong one. */
  #profileWork = new AbortController();
  #signIn = new AbortController();
  #check: { work: AbortController; done: Promise<void> } | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** What was read last. */
  #seen: Seen | undefined;
  #watched = false;
  /** Whose override was changed from here since it was last read. */
  #changedHere: WorkspaceSession | undefined;
  readonly #otherSignIns: OtherSignIns;
  readonly #verifications = new VerificationRuns((verification) => this.#set({ verification }));

  constructor(causeway: Causeway, now: () => number = Date.now) {
    this.#causeway = causeway;
    this.#now = now;
    this.#otherSignIns = new OtherSignIns(causeway, (otherSignIns) => this.#set({ otherSignIns }));
  }

  get state(): DesktopState {
    return this.#state;
  }

  onChange(listener: Listener): void {
    this.#listeners.add(listener);
  }

  /** Tells of the override each time it was read, and whether it was changed from here just before. */
  onOverrideRead(listener: OverrideListener): void {
    this.#overrideListeners.add(listener);
  }

  /** Opens the profile that was open last, if it is still there, and otherwise the configuration's default. */
  async start(remembered: string | undefined): Promise<void> {
    const names = await this.#causeway.profileNames().catch((): string[] => []);
    await this.open(remembered !== undefined && names.includes(remembered) ? remembered : undefined);
  }

  async open(profileName: string | undefined): Promise<void> {
    this.#profileWork.abort();
    const work = new AbortController();
    this.#profileWork = work;
    this.#wanted = profileName;
    this.#session = undefined;
    this.#check = undefined;
    this.#verifications.forget();
    this.#set({ profile: profileName ?? null, warehouse: { status: 'loading' }, choices: null, failedAction: null });
    this.#opening = this.#openSession(profileName, work);
    await this.#opening;
    if (this.#session && !work.signal.aborted) await this.#startCheck();
  }

  async #openSession(profileName: string | undefined, { signal }: AbortController): Promise<unknown> {
    try {
      const profiles = await this.#causeway.profileNames();
      if (signal.aborted) return undefined;
      this.#set({ profiles });
      const session = await this.#causeway.open(profileName);
      if (signal.aborted) return undefined;
      this.#session = session;
      this.#set({ profile: session.profile.name });
      return undefined;
    } catch (error) {
      if (!signal.aborted) this.#set({ warehouse: this.#failureToOpen(error) });
      return error;
    }
  }

  /** Reads the effective warehouse now. Joins a check that is under way. */
  async checkAgain(): Promise<void> {
    if (!this.#session) return this.open(this.#wanted);
    await (this.#check?.done ?? this.#startCheck());
  }

  /** The same where nobody has asked for it: two requests, as long as nothing has changed and little time has passed. */
  async follow(): Promise<void> {
    if (!this.#session) return this.open(this.#wanted);
    await (this.#check?.done ?? this.#startCheck(true));
  }

  /** Signs in in the browser, then reads the effective warehouse. What goes wrong is in the state. */
  async signIn(): Promise<void> {
    const session = this.#session;
    if (!session) return;
    this.#check?.work.abort();
    this.#signIn.abort();
    const work = new AbortController();
    this.#signIn = work;
    const signal = AbortSignal.any([work.signal, this.#profileWork.signal]);
    const show = (progress: SignInProgress) => {
      if (!signal.aborted) this.#set({ warehouse: { status: 'signing-in', ...signInProgress(progress) } });
    };
    this.#set({ warehouse: { status: 'signing-in', ...AT_START } });
    try {
      const auth = await this.#causeway.auth();
      await auth.signIn(session.profile, { signal, onProgress: show });
    } catch (error) {
      if (this.#session === session && this.#signIn === work) {
        this.#set({ warehouse: { status: 'failed', failure: this.#failureOf(error) } });
      }
      return;
    }
    if (this.#session === session) await this.#startCheck();
  }

  /**
   * Signs in to a profile and leaves the open one open; where none is, opens it first. What goes wrong with the open one
   * is in the state. @throws {CausewayError} what goes wrong with another one
   */
  async signInTo(profileName: string): Promise<void> {
    const { profile } = this.#state;
    if (!this.#session && (profile === null || profile === profileName)) await this.open(profileName);
    if (this.#state.profile === profileName) return this.signIn();
    await this.#otherSignIns.signIn(profileName);
    if (this.#state.profile === profileName) await this.checkAgain();
  }

  cancelSignInTo(profileName: string): void {
    if (this.#state.profile === profileName) this.cancelSignIn();
    this.#otherSignIns.cancel(profileName);
  }

  cancelSignIn(): void {
    this.#signIn.abort(new CausewayError('sign_in_cancelled', 'Signing in was cancelled.'));
  }

  /** Says whether somebody can see the window: the answer they come back to is read at once. */
  watch(watched: boolean): void {
    const returned = watched && !this.#watched;
    this.#watched = watched;
    if (returned) this.lookAgain();
    else this.#schedule();
  }

  /** Reads the effective warehouse again, unless something is under way that ends with that anyhow. */
  lookAgain(): void {
    const { status } = this.#state.warehouse;
    if (status !== 'loading' && status !== 'signing-in') void this.checkAgain();
    else this.#schedule();
  }

  /** Uses the warehouses of the profile that is shown. @throws {CausewayError} `conflict` if another one is meant. */
  async using<T>(profile: string, use: (warehouses: WarehouseService) => Promise<T>): Promise<T> {
    return use((await this.#sessionOf(profile)).warehouses);
  }

  /**
   * Changes something; the state shows what became of it before this returns. A change of the override was read back, and
   * what was seen up to `FRESH_MS` before it stands; anything else is read anew.
   */
  async change(profile: string, change: (warehouses: WarehouseService) => Promise<unknown>): Promise<void> {
    const session = await this.#sessionOf(profile);
    // A change of the override gives back what was stored. Starting and stopping a warehouse gives nothing.
    const outcome = await change(session.warehouses);
    if (outcome !== undefined) this.#changedHere = session;
    if (this.#session !== session) return;
    this.#verifications.forget();
    const seen = this.#afterChange(session, outcome);
    if (!seen) return this.#startCheck();
    // A check that is under way may have read what has changed since.
    this.#check?.work.abort();
    this.#check = undefined;
    this.#show(seen);
  }

  /** Runs the checks; what they come to is in the state. `mayStop` is null where the third one is not wanted. */
  async verify(profile: string, mayStop: readonly string[] | null): Promise<void> {
    const session = await this.#sessionOf(profile);
    await this.#verifications.run(session.warehouses, mayStop);
    // The third check has stopped and started warehouses.
    if (mayStop && this.#session === session) await this.#startCheck();
  }

  cancelVerify(): void {
    this.#verifications.cancel();
  }

  showServers(servers: ConfiguredServer[]): void {
    this.#set({ servers });
  }

  showProxies(proxies: AttachedProxy[]): void {
    this.#set({ proxies });
  }

  showRecording(recording: Recording): void {
    this.#set({ recording });
  }

  showUpdate(update: UpdateState): void {
    this.#set({ update });
  }

  showFailedAction(failedAction: FailedAction | null): void {
    this.#set({ failedAction });
  }

  /** Ends all work. Waits for a check that has stopped warehouses to have them started again. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#profileWork.abort();
    this.#otherSignIns.close();
    this.#listeners.clear();
    await this.#verifications.close();
  }

  async #sessionOf(profile: string): Promise<WorkspaceSession> {
    // The window shows a profile as soon as it is chosen.
    const failure = await this.#opening;
    if (this.#session?.profile.name === profile) return this.#session;
    if (this.#wanted === profile && failure) throw failure;
    throw new CausewayError('conflict', `The profile ${profile} is not open any more.`, {
      remedy: `Choose ${profile} again, then repeat what you did.`,
    });
  }

  #failureOf(error: unknown): Failure {
    return failureFor(error, this.#session?.profile.method, this.#state.profiles);
  }

  #failureToOpen(error: unknown): WarehouseState {
    const failure = this.#failureOf(error);
    const nothingThere = failure.problem.code === 'profile_not_found' && this.#state.profiles.length === 0;
    return nothingThere ? { status: 'unconfigured', problem: failure.problem } : { status: 'failed', failure };
  }

  /** Begins a check, and ends one that is under way: it may have read what has changed since. */
  #startCheck(isRoutine = false): Promise<void> {
    this.#check?.work.abort();
    const work = new AbortController();
    const done = this.#runCheck(work, isRoutine);
    this.#check = { work, done };
    return done;
  }

  /** What nobody has asked for reads only what changes often, as long as the rest was read not long ago. */
  async #runCheck(work: AbortController, isRoutine: boolean): Promise<void> {
    const session = this.#session;
    if (!session) return;
    const signal = AbortSignal.any([work.signal, this.#profileWork.signal]);
    const before = this.#state.warehouse;
    if (before.status === 'known') this.#set({ warehouse: { ...before, checking: true } });
    try {
      const now = this.#now();
      const seen = isRoutine && this.#seen?.session === session ? this.#seen : undefined;
      const isFresh = seen !== undefined && now - seen.wholeAt < WHOLE_EVERY_MS;
      const survey = isFresh
        ? await session.warehouses.surveyAgain(seen.survey, signal)
        : await session.warehouses.survey(signal);
      if (signal.aborted) return;
      this.#check = undefined;
      this.#show({ session, survey, takenAt: this.#now(), wholeAt: isFresh ? seen.wholeAt : now });
    } catch (error) {
      if (signal.aborted) return;
      const failure = this.#failureOf(error);
      this.#check = undefined;
      const stale = before.status === 'known' ? { ...before, checking: false, lastFailure: failure } : undefined;
      this.#set({ warehouse: stale ?? { status: 'failed', failure } });
    }
  }

  #show(seen: Seen): void {
    this.#seen = seen;
    const { session, survey, takenAt } = seen;
    const { effective } = survey;
    const by = this.#changedHere === session ? 'here' : 'elsewhere';
    this.#changedHere = undefined;
    for (const listener of this.#overrideListeners) listener(effective, by);
    const warehouse = { effective, checkedAt: takenAt, checking: false, lastFailure: null };
    this.#set({ warehouse: { status: 'known', ...warehouse }, choices: choicesIn(survey) });
  }

  /**
   * What was seen just before a change, with the override that was read back after it: nothing else has changed by it.
   * Undefined where that is too long ago, or says too little.
   */
  #afterChange(session: WorkspaceSession, outcome: unknown): Seen | undefined {
    const seen = this.#seen;
    const record = overrideAfter(outcome);
    if (record === undefined || seen?.session !== session) return undefined;
    if (this.#state.warehouse.status !== 'known' || this.#state.warehouse.lastFailure !== null) return undefined;
    if (this.#now() - seen.takenAt > FRESH_MS) return undefined;
    const survey = seen.survey.withOverride(record);
    return survey && { ...seen, survey };
  }

  #set(change: Partial<DesktopState>): void {
    this.#state = { ...this.#state, ...change };
    this.#schedule();
    for (const listener of this.#listeners) listener(this.#state);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const after = refreshAfterMs(this.#state, this.#watched);
    if (after === undefined || this.#profileWork.signal.aborted) return;
    this.#timer = setTimeout(() => void this.follow(), after);
  }
}

/** Without the list the tray leads to the window, which says what is wrong with it. */
function choicesIn(survey: WarehouseSurvey): DesktopState['choices'] {
  try {
    return choicesOf(survey.list());
  } catch {
    return null;
  }
}

/** The user's own override after a change that was read back; undefined for any other outcome. */
function overrideAfter(outcome: unknown): OverrideRecord | null | undefined {
  if (outcome === 'cleared' || outcome === 'had-none') return null;
  return isStored(outcome) && outcome.unverified === undefined ? outcome.record : undefined;
}

function isStored(outcome: unknown): outcome is StoredOverride {
  return typeof outcome === 'object' && outcome !== null && 'record' in outcome;
}
