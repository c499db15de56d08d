import type { Check, Choices, DesktopState, Verification } from '../../../preload/contract.ts';
import type { WarehouseService } from '../../causeway.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { WarehouseSummary } from '../../warehouses/effective.ts';
import type { VerifyOptions } from '../../warehouses/verify.ts';

type CheckEvent = Parameters<NonNullable<VerifyOptions['onEvent']>>[0];

/** The checks before the first one has begun. */
export function verificationAtStart(endToEnd: boolean): Verification {
  const names: Check['name'][] = endToEnd ? ['record', 'resolver', 'end-to-end'] : ['record', 'resolver'];
  return { running: true, checks: names.map((name) => ({ name, status: 'waiting', words: '' })) };
}

/** The checks after one more event. A check that comes to nothing once the person has cancelled was cancelled. */
export function afterEvent({ running, checks }: Verification, event: CheckEvent, cancelled: boolean): Verification {
  const name = event.kind === 'finished' ? event.result.check : event.check;
  const change = changeBy(event);
  if (cancelled && change.status === 'unknown') change.status = 'cancelled';
  return { running, checks: checks.map((check) => (check.name === name ? { ...check, ...change } : check)) };
}

/** The checks once nothing runs any more: what has not come to an end never will. */
export function atEnd({ checks }: Verification): Verification {
  const open = new Set<Check['status']>(['waiting', 'running']);
  return {
    running: false,
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
  /** Runs whose profile is not shown any more: they still start again what they have stopped. */
  readonly #ending = new Set<Promise<void>>();

  constructor(show: (verification: Verification | null) => void) {
    this.#show = show;
  }

  /** Resolves when the checks have ended, however they ended. @throws {CausewayError} `conflict` if some run already */
  async run(warehouses: WarehouseService, mayStop: readonly string[] | null): Promise<void> {
    if (this.#run) throw new CausewayError('conflict', 'The checks are running already.');
    const work = new AbortController();
    const done = this.#check(warehouses, mayStop, work);
    this.#run = { work, done };
    await done;
  }

  cancel(): void {
    this.#run?.work.abort();
  }

  /** Drops what was found, because it is not about what is shown now. */
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

  async #check(warehouses: WarehouseService, mayStop: readonly string[] | null, work: AbortController): Promise<void> {
    let verification = verificationAtStart(mayStop !== null);
    // Forgotten meanwhile: then it goes on for what it has stopped, and says nothing any more.
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
        ...(mayStop && { endToEnd: { mayStop: new Set(mayStop) } }),
      });
    } finally {
      if (isShown()) {
        this.#run = undefined;
        show(atEnd(verification));
      }
    }
  }
}

const SECOND = 1000;

/** A warehouse takes seconds to start or stop: follow it closely only while it does. */
const IN_TRANSITION = 3 * SECOND;
const WATCHED = 30 * SECOND;
const UNWATCHED = 5 * 60 * SECOND;
const AFTER_FAILURE = 30 * SECOND;

/**
 * Milliseconds until the effective warehouse is to be read again; undefined if nothing but the person can change it.
 * `watched` says whether somebody can see the window.
 */
export function refreshAfterMs({ warehouse }: DesktopState, watched: boolean): number | undefined {
  switch (warehouse.status) {
    case 'loading':
    case 'signing-in':
      return undefined;
    case 'unconfigured':
    case 'failed':
      return watched ? AFTER_FAILURE : UNWATCHED;
    case 'known':
      if (isChanging(warehouse.effective.warehouse?.state)) return IN_TRANSITION;
      if (warehouse.lastFailure) return watched ? AFTER_FAILURE : UNWATCHED;
      return watched ? WATCHED : UNWATCHED;
  }
}

function isChanging(state: string | undefined): boolean {
  return state === 'STARTING' || state === 'STOPPING' || state === 'DELETING';
}

/** A menu that is longer than the screen scrolls badly: the window's list can be searched. */
const MOST = 15;

/** The warehouses that the tray offers: those that can be used, running ones first, otherwise in the given order. */
export function choicesOf(warehouses: readonly WarehouseSummary[]): Choices {
  const usable = warehouses
    .filter(({ state, canUse }) => state !== 'DELETED' && state !== 'DELETING' && canUse !== false)
    .sort((a, b) => Number(b.state === 'RUNNING') - Number(a.state === 'RUNNING'));
  return { warehouses: usable.slice(0, MOST), more: Math.max(0, usable.length - MOST) };
}
