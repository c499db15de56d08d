import type { WarehouseState } from '../../../preload/contract.ts';
import type { SignInProgress } from '../../auth/auth.ts';

/** What the window shows of a sign-in that is under way. */
export function signInState(progress: SignInProgress): WarehouseState {
  const shown = { status: 'signing-in', address: null } as const;
  switch (progress.step) {
    case 'waiting-for-browser':
      return { ...shown, step: progress.step, address: progress.opened ? null : progress.url };
    case 'ignored-answer':
      return { ...shown, step: 'waiting-for-browser' };
    default:
      return { ...shown, step: progress.step };
  }
}
