import type { DesktopState } from '../../../preload/contract.ts';

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
export function refreshAfterMillis({ warehouse }: DesktopState, watched: boolean): number | undefined {
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
