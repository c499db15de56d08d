import type { Diagnosis as DiagnosisState, DiagnosticCheck } from '../../../preload/contract.ts';
import { CHECKS, type Check, type DiagnosisSource, makeCheck, openRun } from '../../diagnosis/checks.ts';
import { CausewayError } from '../../platform/errors.ts';
import { shownFinding } from './shown-finding.ts';

const NOT_RUN = { status: 'waiting', words: '', remedy: null, nextStep: null } as const;
const CANCELLED = { status: 'unknown', words: 'Cancelled.', remedy: null, nextStep: null } as const;

/** The checks, run when the user asks for it: one run at a time, one check after the other. */
export class Diagnosis {
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
        // What was cut short says nothing.
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

function unrun({ id, title }: Check): DiagnosticCheck {
  return { id, title, ...NOT_RUN };
}
