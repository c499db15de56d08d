import type { Problem } from '../../preload/contract.ts';
import { withoutControls } from '../platform/display.ts';
import { CausewayError } from '../platform/errors.ts';
import { asSentence } from '../platform/sentences.ts';
import { remedyInWindow } from './action-words.ts';

/** An error as the window may see it. Of an error that is not ours nothing crosses: its text may hold anything. */
export function problemOf(error: unknown): Problem {
  if (error instanceof CausewayError) {
    // Names of profiles, files and warehouses stand in both as they were given.
    const remedy = remedyInWindow(error);
    return {
      code: error.code,
      message: withoutControls(asSentence(error.message)),
      remedy: remedy && withoutControls(remedy),
    };
  }
  return {
    code: 'internal',
    message: 'Something went wrong inside Causeway.',
    remedy: 'Try again. If it happens again, quit Causeway and start it from a terminal to see what it reports.',
  };
}
