import type { Removal as RemovalInfo } from '../../../preload/contract/uninstall.ts';
import type { CausewayError } from '../../platform/errors.ts';
import { asCausewayError } from '../../platform/errors.ts';

/** What Causeway has left on a computer. */
export type RemnantKind = RemovalInfo['kind'];

/** One thing that uninstalling removes, and the result of it. */
export interface Removal extends Pick<RemovalInfo, 'kind' | 'what' | 'result'> {
  /** What else there is to know of it, as a sentence. */
  note?: string | undefined;
  /** Whether the AI client that has it is running, and may write it again. */
  isRunning?: boolean | undefined;
  /** Why it is still there. */
  error?: CausewayError | undefined;
}

/** Something that was found, and how it is removed. */
export interface Remnant {
  kind: RemnantKind;
  what: string;
  note?: string | undefined;
  /** @returns what there is to know then, if it is a text */
  remove(): Promise<unknown>;
}

/** Removes one thing after the other; what fails does not stop the others. With `dryRun`, nothing is touched. */
export async function removeAll(remnants: readonly Remnant[], dryRun: boolean): Promise<Removal[]> {
  const removals: Removal[] = [];
  for (const { kind, what, note, remove } of remnants) {
    if (dryRun) {
      removals.push({ kind, what, result: 'would-remove', note });
      continue;
    }
    try {
      const left = await remove();
      removals.push({ kind, what, result: 'removed', note: typeof left === 'string' ? left : undefined });
    } catch (error) {
      removals.push({ kind, what, result: 'failed', error: asCausewayError(error) });
    }
  }
  return removals;
}
