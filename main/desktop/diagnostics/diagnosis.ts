import type { Diagnosis as DiagnosisState, DiagnosticCheck, DiagnosticNextStep } from '../../../preload/contract.ts';
import type { Profile } from '../../auth/auth.ts';
import { CHECKS, type CheckDefinition, type DiagnosisSource, makeCheck, openRun } from '../../diagnosis/checks.ts';
import type { CheckFinding, Screen } from '../../diagnosis/finding.ts';
import { CausewayError, sentences } from '../../platform/errors.ts';
import { formatAction } from '../../platform/next-action.ts';
import { AS_BUTTON, failureFor } from '../failure.ts';

const NOT_RUN = { status: 'waiting', words: '', remedy: null, nextStep: null } as const;
const CANCELLED = { status: 'unknown', words: 'Cancelled.', remedy: null, nextStep: null } as const;

/** The checks, run when the user asks for it: one run at a time, one check after the other. */
export class DiagnosisRun {
  readonly #source: () => DiagnosisSource;
  readonly #show: (state: DiagnosisState) => void;
  #state: DiagnosisState = { running: false, startedAt: null, checks: CHECKS.map(unrun) };
  #work: AbortController | undefined;

  constructor(source: () => DiagnosisSource, show: (state: DiagnosisState) => void) {
    this.#source = source;
    this.#show = show;
  }

  get state(): DiagnosisState {
    return this.#state;
  }

  /** Resolves when all checks have ended. @throws {CausewayError} `conflict` if they run already */
  async run(now = Date.now()): Promise<void> {
    if (this.#work) throw new CausewayError('conflict', 'The checks are running already.');
    const work = new AbortController();
    this.#work = work;
    this.#set({ running: true, startedAt: now, checks: CHECKS.map(unrun) });
    try {
      const run = await openRun(this.#source(), work.signal);
      for (const check of CHECKS) {
        if (work.signal.aborted) break;
        this.#change(check.id, { status: 'running' });
        const finding = await makeCheck(check, run);
        // A check that was cut short has no result.
        this.#change(check.id, work.signal.aborted ? CANCELLED : shownFinding(finding, await run.profile()));
      }
    } finally {
      this.#work = undefined;
      const open = new Set<DiagnosticCheck['status']>(['waiting', 'running']);
      const checks = this.#state.checks.map((check) => (open.has(check.status) ? { ...check, ...CANCELLED } : check));
      this.#set({ ...this.#state, running: false, checks });
    }
  }

  cancel(): void {
    this.#work?.abort(new CausewayError('cancelled', 'Cancelled.'));
  }

  #change(id: string, change: Partial<DiagnosticCheck>): void {
    const checks = this.#state.checks.map((check) => (check.id === id ? { ...check, ...change } : check));
    this.#set({ ...this.#state, checks });
  }

  #set(state: DiagnosisState): void {
    this.#state = state;
    this.#show(state);
  }
}

function unrun({ id, title }: CheckDefinition): DiagnosticCheck {
  return { id, title, ...NOT_RUN };
}

const BUTTONS: Record<Screen, DiagnosticNextStep> = {
  accounts: { do: 'open-screen', screen: 'accounts', label: 'Open Accounts' },
  warehouse: { do: 'open-screen', screen: 'warehouse', label: 'Open Warehouse' },
  servers: { do: 'open-screen', screen: 'servers', label: 'Open Servers' },
  clients: { do: 'open-screen', screen: 'clients', label: 'Open AI clients' },
  settings: { do: 'open-screen', screen: 'settings', label: 'Open Settings' },
  log: { do: 'show-log', label: 'Show the log' },
};

/** A finding as the window shows it, with the next step as a button. */
function shownFinding(
  { status, words, advice, action, screen, error }: CheckFinding,
  profile: Profile | undefined,
): Pick<DiagnosticCheck, 'status' | 'words' | 'remedy' | 'nextStep'> {
  const remedy = sentences(advice, action && formatAction(AS_BUTTON, action)) || null;
  const nextStep = screen ? BUTTONS[screen] : null;
  if (!error || screen !== 'accounts') return { status, words, remedy, nextStep };
  const failure = failureFor(error, profile?.method, []);
  const signsIn = failure.next === 'sign-in' && profile !== undefined;
  return {
    status,
    words,
    remedy: failure.problem.remedy,
    nextStep: signsIn ? { do: 'sign-in', profile: profile.name, label: 'Sign in' } : nextStep,
  };
}
