import { sentences } from '../platform/errors.ts';
import { inOneLine } from '../words/failure.ts';
import { IN_DOUBT, WorkspaceError } from '../workspace/errors.ts';

/** How long the lookup after a lost answer may take. */
const LOOKUP_TIMEOUT_MS = 10_000;

/**
 * Reads what is stored after a change that may have been made in spite of its error. Its own time limit, because the
 * caller's signal may be what ended the change.
 * @throws the error itself if the change was certainly not made, or if there is no telling
 */
export async function lookAfterwards<T>(error: unknown, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
  if (!(error instanceof WorkspaceError) || !error.mayHaveRun) throw error;
  try {
    return await read(AbortSignal.timeout(LOOKUP_TIMEOUT_MS));
  } catch (cause) {
    const message = sentences(error.message, `Checking the result failed: ${inOneLine(cause)}`);
    throw error.rephrased(error.code, message, IN_DOUBT);
  }
}

/** A cancellation that came too late: the change was already made. */
export class CancelledAfterChange extends WorkspaceError {
  constructor(cause: WorkspaceError) {
    const remedy = 'There is nothing else to do.';
    super('cancelled', 'Interrupted, but the change was already made.', { remedy, cause, mayHaveRun: true });
  }
}

/** The result of a change that was made although its answer was lost. @throws {CancelledAfterChange} after a cancellation */
export function finished<T>(result: T, error: unknown): T {
  if (!(error instanceof WorkspaceError) || error.code !== 'cancelled') return result;
  throw new CancelledAfterChange(error);
}
