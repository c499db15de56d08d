import type { Check, Verification } from '../../../preload/contract.ts';
import type { WarehouseService } from '../../app/causeway.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { VerifyOptions } from '../../warehouses/verify.ts';

type CheckEvent = Parameters<NonNullable<VerifyOptions['onEvent']>>[0];

/** The checks that send a query, where they are wanted. */
export type WantedChecks = Pick<VerifyOptions, 'prove' | 'endToEnd'>;

/** The checks before the first one has begun. */
export function verificationAtStart({ prove, endToEnd }: WantedChecks): Verification {
  const names: Check['name'][] = [
    'record',
    'resolver',
    ...(prove ? (['query'] as const) : []),
    ...(endToEnd ? (['end-to-end'] as const) : []),
  ];
  return { running: true, endedAt: null, checks: names.map((name) => ({ name, status: 'waiting', words: '' })) };
}

/** The checks after an event. A check without a verdict counts as cancelled if the user has cancelled. */
export function afterEvent({ checks, ...rest }: Verification, event: CheckEvent, cancelled: boolean): Verification {
  const name = event.kind === 'finished' ? event.result.check : event.check;
  const change = changeBy(event);
  if (cancelled && change.status === 'unknown') change.status = 'cancelled';
  return { ...rest, checks: checks.map((check) => (check.name === name ? { ...check, ...change } : check)) };
}

/** The checks after the run: those that have not finished are cancelled. `endedAt` is in milliseconds since the epoch. */
export function atEnd({ checks }: Verification, endedAt: number): Verification {
  const open = new Set<Check['status']>(['waiting', 'running']);
  return {
    running: false,
    endedAt,
    checks: checks.map((check) => (open.has(check.status) ? { ...check, status: 'cancelled' } : check)),
  };
}

function changeBy(event: CheckEvent): Partial<Check> {
  switch (event.kind) {
    case 'started':
      return { status: 'running' };
    case 'progress':
      return { words: event.message };
    case 'finished':
      return { status: event.result.verdict, words: event.result.evidence };
  }
}

/** At most one run of the checks at a time. */
export class VerificationRuns {
  readonly #show: (verification: Verification | null) => void;
  #run: { work: AbortController; done: Promise<void> } | undefined;
  /** Runs whose profile is no longer open: they still restart the warehouses that they have stopped. */
  readonly #ending = new Set<Promise<void>>();

  constructor(show: (verification: Verification | null) => void) {
    this.#show = show;
  }

  /** Resolves when the checks have ended, however they ended. @throws {CausewayError} `conflict` if some run already */
  async run(warehouses: WarehouseService, wanted: WantedChecks): Promise<void> {
    if (this.#run) throw new CausewayError('conflict', 'The checks are already running.');
    const work = new AbortController();
    const done = this.#check(warehouses, wanted, work);
    this.#run = { work, done };
    await done;
  }

  cancel(): void {
    this.#run?.work.abort();
  }

  /** Drops the results, because they are stale. */
  forget(): void {
    const run = this.#run;
    this.#run = undefined;
    if (run) {
      run.work.abort();
      const ending = run.done.catch(() => {}).finally(() => this.#ending.delete(ending));
      this.#ending.add(ending);
    }
    this.#show(null);
  }

  /** Waits until everything that was stopped for a check has been started again. */
  async close(): Promise<void> {
    this.#run?.work.abort();
    await Promise.allSettled([this.#run?.done, ...this.#ending]);
  }

  async #check(warehouses: WarehouseService, wanted: WantedChecks, work: AbortController): Promise<void> {
    let verification = verificationAtStart(wanted);
    // A forgotten run continues to restart what it has stopped, but shows nothing.
    const isShown = () => this.#run?.work === work;
    const show = (next: Verification) => {
      verification = next;
      this.#show(next);
    };
    this.#show(verification);
    try {
      await warehouses.verify({
        signal: work.signal,
        onEvent: (event) => {
          if (isShown()) show(afterEvent(verification, event, work.signal.aborted));
        },
        ...wanted,
      });
    } finally {
      if (isShown()) {
        this.#run = undefined;
        show(atEnd(verification, Date.now()));
      }
    }
  }
}
