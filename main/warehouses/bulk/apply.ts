import { endsRun } from '../../../preload/contract/error-facts.ts';
import { CausewayError } from '../../platform/errors.ts';
import { inOneLine } from '../../words/failure.ts';
import { CancelledAfterChange } from '../override-changes.ts';
import type { WarehouseService } from '../service.ts';
import { csvLines } from './files.ts';
import type { PlannedLine } from './plan.ts';

/** What became of one line of an import. */
export interface LineResult {
  planned: PlannedLine;
  result: 'done' | 'unchanged' | 'invalid' | 'failed' | 'not-tried' | 'left-out';
  message: string;
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

/** How many changes are under way at a time: quick enough, and far below a workspace's limits. */
const AT_ONCE = 4;

type Change = Extract<PlannedLine, { action: 'create' | 'update' | 'delete' }>;

/**
 * Carries an import out. Every line gets exactly one result, whatever happens to the others; when something stops them
 * all, those that were left are `not-tried`. Running the same import again continues where this one ended, because lines
 * that are done are `unchanged` in its plan.
 */
export async function applyImport(
  warehouses: Pick<WarehouseService, 'setOverride' | 'clearOverride'>,
  plan: readonly PlannedLine[],
  {
    signal,
    onResult = () => {},
    whyHalted = () => undefined,
    isLeftOut = () => false,
    formatError = inOneLine,
  }: ApplyOptions = {},
): Promise<LineResult[]> {
  const results: LineResult[] = [];
  let stoppedBy: string | undefined;
  const report = async (result: LineResult) => {
    results.push(result);
    await onResult(result);
  };

  const changes: Change[] = [];
  for (const planned of plan) {
    if (planned.action === 'invalid') await report({ planned, result: 'invalid', message: planned.problem });
    else if (planned.action === 'unchanged') await report({ planned, result: 'unchanged', message: planned.before });
    else if (isLeftOut(planned)) await report({ planned, result: 'left-out', message: planned.before });
    else changes.push(planned);
  }

  const queue = changes.values();
  const work = async () => {
    for (const planned of queue) {
      if (signal?.aborted) stoppedBy ??= 'interrupted';
      stoppedBy ??= whyHalted();
      if (stoppedBy === undefined) await report({ planned, ...(await attempt(planned)) });
      else await report({ planned, result: 'not-tried', message: stoppedBy });
    }
  };
  const attempt = async (planned: Change): Promise<Pick<LineResult, 'result' | 'message'>> => {
    try {
      return { result: 'done', message: await change(warehouses, planned, signal) };
    } catch (error) {
      if (!(error instanceof CausewayError)) throw error;
      const message = formatError(error);
      if (error.code === 'cancelled') stoppedBy ??= 'interrupted';
      // Every other line would fail in the same way.
      if (endsRun(error.code)) stoppedBy ??= message;
      if (error instanceof CancelledAfterChange) return { result: 'done', message: planned.after };
      return { result: 'failed', message };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results.sort((a, b) => a.planned.line - b.planned.line);
}

async function change(
  warehouses: Pick<WarehouseService, 'setOverride' | 'clearOverride'>,
  planned: Change,
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
export const REPORT_HEADER = csvLines([['line', 'user_id', 'user_name', 'action', 'result', 'message']]);

/** What became of one line of an import, as a line of CSV. */
export function reportLine({ planned, result, message }: LineResult): string {
  return csvLines([[String(planned.line), planned.userId, planned.userName, planned.action, result, message]]);
}
