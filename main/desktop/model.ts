import type {
  DesktopState,
  EffectiveWarehouseInfo,
  Failure,
  OverrideChange,
  SignInStep,
  WarehouseState,
} from '../../preload/contract.ts';
import { INITIAL_STATE } from '../../preload/initial-state.ts';
import type { Causeway, WarehouseService, WorkspaceSession } from '../app/causeway.ts';
import { CausewayError } from '../platform/errors.ts';
import type { StoredOverride } from '../warehouses/override-changes.ts';
import type { WarehouseSurvey } from '../warehouses/survey.ts';
import type { OverrideRecord } from '../workspace/overrides.ts';
import { failureFor } from './failure.ts';
import { firstSignInStep, OtherSignIns, signInShowingSteps } from './sign-in-steps.ts';
import { VerificationRuns, type WantedChecks } from './warehouse/verification.ts';
import { choicesOf, refreshAfterMs } from './warehouse/warehouse.ts';

/** The parts of the state that the model does not find out itself. */
type ReportedByOthers =
  | 'firstRun'
  | 'servers'
  | 'serversProblem'
  | 'proxies'
  | 'approvals'
  | 'allowances'
  | 'recording'
  | 'managed'
  | 'update'
  | 'failedAction';
type Listener = (state: DesktopState) => void;
type OverrideListener = (effective: EffectiveWarehouseInfo, by: OverrideChange['by']) => void;

/** One session's warehouses as they were last read, and when. */
interface Snapshot {
  session: WorkspaceSession;
  survey: WarehouseSurvey;
  readAt: number;
  /** When all of it was read, and not only what changes often. */
  fullyReadAt: number;
}

/** How often a visible window refreshes. */
const FRESH_MS = 30_000;
/** The maximum age of what seldom changes: who the user is, and which warehouses they may use. */
const FULL_READ_INTERVAL_MS = 120_000;

/** The state that tray and window are drawn from, as one value. Independent of Electron. */
export class DesktopModel {
  readonly #causeway: Causeway;
  readonly #now: () => number;
  readonly #listeners = new Set<Listener>();
  readonly #overrideListeners = new Set<OverrideListener>();
  #state: DesktopState = INITIAL_STATE;
  #session: WorkspaceSession | undefined;
  /** Resolves to undefined when there is a session, or to the error if there is none. */
  #opening: Promise<unknown> | undefined;
  /** The profile that the user asked for; undefined for the configuration's default. */
  #wanted: string | undefined;
  /** Aborted when another profile is opened, so that a stale answer is not shown for the new profile. */
  #profileWork = new AbortController();
  #signIn = new AbortController();
  #check: { work: AbortController; done: Promise<void> } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #snapshot: Snapshot | undefined;
  #watched = false;
  /** The session whose override was changed since the last read, and by whom. */
  #changed: { session: WorkspaceSession; by: OverrideChange['by'] } | undefined;
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

  /** The listener learns of each read of the override, and whether this application has just changed it. */
  onOverrideRead(listener: OverrideListener): void {
    this.#overrideListeners.add(listener);
  }

  /** Opens the profile that was open last if it still exists, otherwise the configuration's default. */
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

  /** Reads the effective warehouse now. Joins a check in flight. */
  async checkAgain(): Promise<void> {
    if (!this.#session) return this.open(this.#wanted);
    await (this.#check?.done ?? this.#startCheck());
  }

  /** A routine check that the user has not asked for: two requests, unless something changed or the last full read is old. */
  async follow(): Promise<void> {
    if (!this.#session) return this.open(this.#wanted);
    await (this.#check?.done ?? this.#startCheck(true));
  }

  /** Signs in in the browser, then reads the effective warehouse. A failure is in the state. */
  async signIn(): Promise<void> {
    const session = this.#session;
    if (!session) return;
    this.#check?.work.abort();
    this.#signIn.abort();
    const work = new AbortController();
    this.#signIn = work;
    const signal = AbortSignal.any([work.signal, this.#profileWork.signal]);
    const show = (step: SignInStep) => {
      if (!signal.aborted) this.#set({ warehouse: { status: 'signing-in', ...step } });
    };
    show(firstSignInStep(session.profile));
    try {
      await signInShowingSteps(await this.#causeway.auth(), session.profile, signal, show);
    } catch (error) {
      if (this.#session === session && this.#signIn === work) {
        this.#set({ warehouse: { status: 'failed', failure: this.#failureOf(error) } });
      }
      return;
    }
    if (this.#session === session) await this.#startCheck();
  }

  /**
   * Signs in to a profile without switching to it; if no profile is open, opens it first. A failure of the open profile is
   * in the state. @throws {CausewayError} if the sign-in to another profile fails
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
    this.#signIn.abort(new CausewayError('sign_in_cancelled', 'Sign-in canceled.'));
  }

  /** Sets whether the window is visible. When it becomes visible, the warehouse is read at once. */
  watch(watched: boolean): void {
    const returned = watched && !this.#watched;
    this.#watched = watched;
    if (returned) this.lookAgain();
    else this.#schedule();
  }

  /** Reads the effective warehouse again, unless loading or a sign-in is in flight, which ends with a read. */
  lookAgain(): void {
    const { status } = this.#state.warehouse;
    if (status !== 'loading' && status !== 'signing-in') void this.checkAgain();
    else this.#schedule();
  }

  /** Uses the warehouses of the open profile. @throws {CausewayError} `conflict` if another profile is open */
  async using<T>(profile: string, use: (warehouses: WarehouseService) => Promise<T>): Promise<T> {
    return use((await this.#sessionOf(profile)).warehouses);
  }

  /**
   * Changes something, and updates the state before it returns. After a change of the override, a snapshot younger than
   * `FRESH_MS` is updated with the override that was read back; after any other change everything is read again.
   */
  async change(profile: string, change: (warehouses: WarehouseService) => Promise<unknown>): Promise<void> {
    const session = await this.#sessionOf(profile);
    // A change of the override returns what was stored. Starting and stopping a warehouse returns nothing.
    const outcome = await change(session.warehouses);
    if (outcome !== undefined) this.#changed = { session, by: 'here' };
    if (this.#session !== session) return;
    this.#verifications.forget();
    const snapshot = this.#afterChange(session, outcome);
    if (!snapshot) return this.#startCheck();
    // A check in flight may have read the state before the change.
    this.#check?.work.abort();
    this.#check = undefined;
    this.#showSnapshot(snapshot);
  }

  /** Reads the effective warehouse again after the command has changed an override in this workspace. */
  commandChanged(host: string): void {
    const session = this.#session;
    if (session?.profile.host !== host) return;
    this.#changed = { session, by: 'command' };
    void this.#startCheck();
  }

  /** Runs the checks; their results are in the state. */
  async verify(profile: string, wanted: WantedChecks): Promise<void> {
    const session = await this.#sessionOf(profile);
    await this.#verifications.run(session.warehouses, wanted);
    // A query has started a warehouse, or others were stopped for it.
    if ((wanted.prove || wanted.endToEnd) && this.#session === session) await this.#startCheck();
  }

  cancelVerify(): void {
    this.#verifications.cancel();
  }

  /** Shows what other parts of the application report. */
  show(change: Partial<Pick<DesktopState, ReportedByOthers>>): void {
    this.#set(change);
  }

  /** Ends all work. Waits until a check has restarted the warehouses that it has stopped. */
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
    throw new CausewayError('conflict', `The profile ${profile} is no longer open.`, {
      remedy: `Select ${profile} again, then try again.`,
    });
  }

  #failureOf(error: unknown): Failure {
    // The window shows nothing of it.
    if (!(error instanceof CausewayError)) console.error('The workspace could not be read:', error);
    return failureFor(error, this.#session?.profile.method, this.#state.profiles);
  }

  #failureToOpen(error: unknown): WarehouseState {
    const failure = this.#failureOf(error);
    const nothingThere = failure.problem.code === 'profile_not_found' && this.#state.profiles.length === 0;
    return nothingThere ? { status: 'unconfigured', problem: failure.problem } : { status: 'failed', failure };
  }

  /** Starts a check, and aborts the one in flight: what it has read may be stale. */
  #startCheck(isRoutine = false): Promise<void> {
    this.#check?.work.abort();
    const work = new AbortController();
    const done = this.#runCheck(work, isRoutine);
    this.#check = { work, done };
    return done;
  }

  async #runCheck(work: AbortController, isRoutine: boolean): Promise<void> {
    const session = this.#session;
    if (!session) return;
    const signal = AbortSignal.any([work.signal, this.#profileWork.signal]);
    const before = this.#state.warehouse;
    if (before.status === 'known') this.#set({ warehouse: { ...before, checking: true } });
    try {
      const snapshot = await this.#read(session, isRoutine, signal);
      if (signal.aborted) return;
      this.#check = undefined;
      this.#showSnapshot(snapshot);
    } catch (error) {
      if (signal.aborted) return;
      const failure = this.#failureOf(error);
      this.#check = undefined;
      const stale = before.status === 'known' ? { ...before, checking: false, lastFailure: failure } : undefined;
      this.#set({ warehouse: stale ?? { status: 'failed', failure } });
    }
  }

  /** A routine check reads only what changes often, as long as the last full read is recent. */
  async #read(session: WorkspaceSession, isRoutine: boolean, signal: AbortSignal): Promise<Snapshot> {
    const now = this.#now();
    const known = this.#snapshot;
    if (isRoutine && known?.session === session && now - known.fullyReadAt < FULL_READ_INTERVAL_MS) {
      const survey = await session.warehouses.surveyAgain(known.survey, signal);
      return { ...known, survey, readAt: this.#now() };
    }
    const survey = await session.warehouses.survey(signal);
    return { session, survey, readAt: this.#now(), fullyReadAt: now };
  }

  #showSnapshot(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    const { session, survey, readAt } = snapshot;
    const { effective } = survey;
    const by = this.#changed?.session === session ? this.#changed.by : 'elsewhere';
    this.#changed = undefined;
    for (const listener of this.#overrideListeners) listener(effective, by);
    const warehouse = { effective, checkedAt: readAt, checking: false, lastFailure: null };
    this.#set({ warehouse: { status: 'known', ...warehouse }, choices: choicesIn(survey) });
  }

  /**
   * The last snapshot with the override that was read back after a change: the change affects nothing else.
   * Undefined if the snapshot is too old or incomplete.
   */
  #afterChange(session: WorkspaceSession, outcome: unknown): Snapshot | undefined {
    const snapshot = this.#snapshot;
    const record = overrideAfter(outcome);
    if (record === undefined || snapshot?.session !== session) return undefined;
    if (this.#state.warehouse.status !== 'known' || this.#state.warehouse.lastFailure !== null) return undefined;
    if (this.#now() - snapshot.readAt > FRESH_MS) return undefined;
    const survey = snapshot.survey.withOverride(record);
    return survey && { ...snapshot, survey };
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

/** Null without a list: then the tray opens the window, which shows the failure. */
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
