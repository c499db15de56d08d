import type { Bulk, BulkLine } from '../../../preload/contract.ts';
import type { WarehouseService } from '../../app/causeway.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { LineResult } from '../../warehouses/bulk/apply.ts';
import type { ImportSource } from '../../warehouses/bulk/carry-out.ts';
import { isChange, type PlannedLine } from '../../warehouses/bulk/plan.ts';
import { failureInWindow, problemFor } from '../failure.ts';
import { throttled } from '../throttle.ts';

/** The shortest time between two progress events for the window. */
const EMIT_INTERVAL_MS = 150;

/** Which lines are shown: all, those that change something, or those with a problem. */
export type BulkFilter = 'all' | 'changes' | 'problems';

const FILTERS: Record<BulkFilter, (line: BulkLine) => boolean> = {
  all: () => true,
  changes: isChange,
  problems: ({ problem, result, isLeftOut }) =>
    problem !== null || isLeftOut || result === 'failed' || result === 'not-tried',
};

/** What a bulk change is for, and how its plan is made. */
export interface BulkWork {
  /** What the changes come from, for users. */
  source: string;
  origin: ImportSource;
  plan(warehouses: WarehouseService, signal: AbortSignal): Promise<PlannedLine[]>;
}

/** One plan for many overrides: planned, reviewed, applied, and kept until it is dismissed. */
export class BulkChange {
  readonly #emitSoon: { (): void; stop(): void };
  readonly work: BulkWork;
  readonly #ending = new AbortController();
  #stage: Bulk['stage'] = 'planning';
  #problem: Bulk['problem'] = null;
  #plan: PlannedLine[] = [];
  /** The numbers of the lines that the user excludes. */
  readonly #leftOut = new Set<number>();
  #revision = 0;
  readonly #results = new Map<number, LineResult>();
  /** The id of the journal that undoes what was changed. */
  #journal: string | null = null;

  constructor(work: BulkWork, onChange: () => void) {
    this.work = work;
    this.#emitSoon = throttled(onChange, EMIT_INTERVAL_MS);
  }

  get state(): Bulk {
    return {
      source: this.work.source,
      isUndo: this.work.origin.kind === 'undo',
      stage: this.#stage,
      planned: counted(this.#plan, ({ action }) => action, {
        create: 0,
        update: 0,
        delete: 0,
        unchanged: 0,
        invalid: 0,
      }),
      warnings: this.#plan.filter(isDangerous).length,
      accessUnknown: this.#plan.filter((planned) => 'canUse' in planned && planned.canUse === 'unknown').length,
      leftOut: this.#leftOut.size,
      total: this.#plan.length,
      ended: this.#results.size,
      results: counted(this.#results.values(), ({ result }) => result, {
        done: 0,
        unchanged: 0,
        invalid: 0,
        failed: 0,
        'not-tried': 0,
        'left-out': 0,
      }),
      problem: this.#problem,
      journal: this.#journal,
      revision: this.#revision,
    };
  }

  /** The results so far, in the order of the lines. */
  get results(): LineResult[] {
    return this.#plan.flatMap(({ line }) => this.#results.get(line) ?? []);
  }

  page(only: BulkFilter, from: number, count: number): { total: number; rows: BulkLine[] } {
    const rows = this.#plan
      .map((planned) => lineOf(planned, this.#results.get(planned.line), this.#leftOut.has(planned.line)))
      .filter(FILTERS[only]);
    return { total: rows.length, rows: rows.slice(from, from + count) };
  }

  /** Plans what the lines would change. A failure is in the state. */
  async plan(warehouses: WarehouseService): Promise<void> {
    this.#emitSoon();
    try {
      this.#plan = await this.work.plan(warehouses, this.#ending.signal);
      for (const planned of this.#plan) if (isDangerous(planned)) this.#leftOut.add(planned.line);
      this.#stage = 'planned';
    } catch (error) {
      this.#stage = 'failed';
      this.#problem = problemFor(error);
    }
    this.#emitSoon();
  }

  /** Leaves a change of the plan out, or takes it in again. @throws {CausewayError} `conflict` */
  leaveOut(line: number, isLeftOut: boolean): void {
    if (this.#stage !== 'planned') throw new CausewayError('conflict', 'The changes can no longer be selected.');
    const planned = this.#plan.find((one) => one.line === line);
    if (!planned || !isChange(planned)) return;
    if (isLeftOut) this.#leftOut.add(line);
    else this.#leftOut.delete(line);
    this.#revision += 1;
    this.#emitSoon();
  }

  /** Applies the plan without what is left out. Returns the results of the lines that changed something. @throws {CausewayError} `conflict` */
  async apply(warehouses: WarehouseService): Promise<LineResult[]> {
    if (this.#stage !== 'planned') throw new CausewayError('conflict', 'There is no plan to apply.');
    this.#stage = 'applying';
    this.#emitSoon();
    try {
      const { journal } = await warehouses.carryOut(this.#plan, this.work.origin, {
        signal: this.#ending.signal,
        isLeftOut: ({ line }) => this.#leftOut.has(line),
        formatError: failureInWindow,
        onResult: (result) => {
          this.#results.set(result.planned.line, result);
          this.#emitSoon();
        },
      });
      this.#journal = journal?.id ?? null;
    } catch (error) {
      // Without a journal nothing is changed: the plan is as it was.
      this.#stage = 'planned';
      this.#emitSoon();
      throw error;
    }
    this.#stage = 'ended';
    this.#emitSoon();
    return this.results.filter(({ result }) => result === 'done');
  }

  cancel(): void {
    this.#ending.abort();
  }

  close(): void {
    this.#ending.abort();
    this.#emitSoon.stop();
  }
}

/** A change after which the user's queries would fail. */
const isDangerous = (planned: PlannedLine) => 'canUse' in planned && planned.canUse === false;

function lineOf(planned: PlannedLine, result: LineResult | undefined, isLeftOut: boolean): BulkLine {
  const { line, userId, userName, action } = planned;
  const invalid = planned.action === 'invalid' ? planned.problem : null;
  return {
    line,
    userId,
    userName,
    action,
    before: 'before' in planned ? planned.before : '',
    after: 'after' in planned ? planned.after : '',
    problem: invalid ?? ('warning' in planned ? (planned.warning ?? null) : null),
    isDangerous: isDangerous(planned),
    isLeftOut,
    result: result?.result ?? null,
    message: result?.result === 'failed' || result?.result === 'not-tried' ? result.message : '',
  };
}

function counted<T, Word extends string>(
  all: Iterable<T>,
  wordOf: (one: T) => Word,
  counts: Record<Word, number>,
): Record<Word, number> {
  for (const one of all) counts[wordOf(one)] += 1;
  return counts;
}
