import type { SignInStep } from '../../../preload/contract.ts';
import type { SignInProgress } from '../../auth/auth.ts';

/** A sign-in that has been asked for. */
export const AT_START: SignInStep = { step: 'starting', address: null };

/** What the window shows of a sign-in that is under way. */
export function signInProgress(progress: SignInProgress): SignInStep {
  switch (progress.step) {
    case 'waiting-for-browser':
      return { step: progress.step, address: progress.opened ? null : progress.url };
    case 'ignored-answer':
      return { step: 'waiting-for-browser', address: null };
    default:
      return { step: progress.step, address: null };
  }
}
