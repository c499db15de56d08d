import { endsRun } from '../../../preload/contract/error-facts.ts';
import { CausewayError } from '../../platform/errors.ts';
import { inOneLine } from '../../words/failure.ts';
import type { OverrideFields } from '../../workspace/overrides.ts';
import { StillRefused } from '../../workspace/pace.ts';
import { CancelledAfterChange } from '../lost-answers.ts';
import type { StoredOverride } from '../override-changes.ts';
import { csvLines } from './files.ts';
import type { OpenJournal } from './journal-file.ts';
import { isChange, type PlannedChange, type PlannedLine } from './plan.ts';

/** What became of one line of an import. */
export interface LineResult {
  planned: PlannedLine;
  result: 'done' | 'unchanged' | 'invalid' | 'failed' | 'not-tried' | 'left-out';
  message: string;
  /** Why it failed, or why it was not tried; left out if only an earlier line says why. */
  error?: CausewayError;
  /** When that was, as ISO 8601. */
  at: string;
}

export interface ApplyOptions {
  signal?: AbortSignal | undefined;
  /** Called once for every line, in the order in which they end. */
  onResult?: (result: LineResult) => void | Promise<void>;
  /** Asked before each change: why no more are to be made. Those that are under way end. */
  whyHalted?: () => string | undefined;
  /** Whether the user wants this line left as it is. */
  isLeftOut?: (planned: PlannedLine) => boolean;
  /** Puts a failure into words; those of the command line by default. */
  formatError?: (error: CausewayError) => string;
}

/** How single changes are made. */
export interface OverrideChanges {
  setOverride(userId: string, fields: OverrideFields, signal?: AbortSignal): Promise<StoredOverride>;
  clearOverride(userId: string, signal?: AbortSignal): Promise<unknown>;
}

/** Where changes are noted before and after they are made. */
type Notes = Pick<OpenJournal, 'begin' | 'done'>;

/** How many changes are worked on at a time. How many requests that makes is for their pacer to say. */
const AT_ONCE = 8;

/** The lines of a plan that are to be changed. */
export function chosenChanges(
  plan: readonly PlannedLine[],
  isLeftOut: (planned: PlannedLine) => boolean = () => false,
): PlannedChange[] {
  return plan.filter(isChange).filter((planned) => !isLeftOut(planned));
}

/**
 * Carries an import out. Every line gets exactly one result, whatever happens to the others; when something stops them
 * all, those that were left are `not-tried`. Running the same import again continues where this one ended, because lines
 * that are done are `unchanged` in its plan.
 */
export async function applyImport(
  warehouses: OverrideChanges,
  plan: readonly PlannedLine[],
  options: ApplyOptions = {},
  notes?: Notes,
): Promise<LineResult[]> {
  const { signal, onResult = () => {}, whyHalted = () => undefined, isLeftOut = () => false } = options;
  const { formatError = inOneLine } = options;
  const results: LineResult[] = [];
  let stoppedBy: string | undefined;
  const report = async (ended: Omit<LineResult, 'at'>) => {
    const result = { ...ended, at: new Date().toISOString() };
    results.push(result);
    await onResult(result);
  };

  for (const planned of plan) {
    if (planned.action === 'invalid') await report({ planned, result: 'invalid', message: planned.problem });
    else if (planned.action === 'unchanged') await report({ planned, result: 'unchanged', message: planned.before });
    else if (isLeftOut(planned)) await report({ planned, result: 'left-out', message: planned.before });
  }

  const queue = chosenChanges(plan, isLeftOut).values();
  const work = async () => {
    for (const planned of queue) {
      if (signal?.aborted) stoppedBy ??= 'interrupted';
      stoppedBy ??= whyHalted();
      // A change that cannot be noted is not made.
      if (stoppedBy === undefined) await orStop(notes?.begin(planned));
      if (stoppedBy === undefined) await report({ planned, ...(await attempt(planned)) });
      else await report({ planned, result: 'not-tried', message: stoppedBy });
    }
  };
  /** A note that cannot be written ends the import. */
  const orStop = (noted: Promise<void> | undefined) =>
    noted?.catch((error: unknown) => {
      if (!(error instanceof CausewayError)) throw error;
      stoppedBy ??= formatError(error);
    });
  const attempt = async (planned: PlannedChange): Promise<Pick<LineResult, 'result' | 'message' | 'error'>> => {
    try {
      const message = await change(warehouses, planned, signal);
      await orStop(notes?.done(planned));
      return { result: 'done', message };
    } catch (error) {
      if (!(error instanceof CausewayError)) throw error;
      const message = formatError(error);
      if (error.code === 'cancelled') stoppedBy ??= 'interrupted';
      // Every other line would fail in the same way.
      if (endsRun(error.code) || error instanceof StillRefused) stoppedBy ??= message;
      if (error instanceof StillRefused) return { result: 'not-tried', message, error };
      if (!(error instanceof CancelledAfterChange)) return { result: 'failed', message, error };
      await orStop(notes?.done(planned));
      return { result: 'done', message: planned.after };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results.sort((a, b) => a.planned.line - b.planned.line);
}

async function change(
  warehouses: OverrideChanges,
  planned: PlannedChange,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (planned.action === 'delete') {
    await warehouses.clearOverride(planned.userId, signal);
    return planned.after;
  }
  const { unverified } = await warehouses.setOverride(planned.userId, planned.fields, signal);
  return unverified === undefined ? planned.after : `${planned.after}. ${unverified}`;
}

/** The first line of the report on an import, as CSV. */
export const REPORT_HEADER = csvLines([['line', 'user_id', 'user_name', 'action', 'result', 'message', 'time']]);

/** What became of one line of an import, as a line of CSV. */
export function reportLine({ planned, result, message, at }: LineResult): string {
  const { line, userId, userName, action } = planned;
  return csvLines([[String(line), userId, userName, action, result, message, at]]);
}
