import type { Choices, DesktopState } from '../../../preload/contract.ts';
import type { WarehouseSummary } from '../../warehouses/directory.ts';

const SECOND_MS = 1000;

/** A warehouse takes seconds to start or stop: follow it closely only while it does. */
const IN_TRANSITION_MS = 3 * SECOND_MS;
const WATCHED_MS = 30 * SECOND_MS;
const UNWATCHED_MS = 5 * 60 * SECOND_MS;
const AFTER_FAILURE_MS = 30 * SECOND_MS;

/**
 * Milliseconds until the effective warehouse is read again; undefined if only the user can change it.
 * `watched` says whether the window is visible.
 */
export function refreshAfterMs({ warehouse }: DesktopState, watched: boolean): number | undefined {
  switch (warehouse.status) {
    case 'loading':
    case 'signing-in':
      return undefined;
    case 'unconfigured':
    case 'failed':
      return watched ? AFTER_FAILURE_MS : UNWATCHED_MS;
    case 'known':
      if (isChanging(warehouse.effective.warehouse?.state)) return IN_TRANSITION_MS;
      if (warehouse.lastFailure) return watched ? AFTER_FAILURE_MS : UNWATCHED_MS;
      return watched ? WATCHED_MS : UNWATCHED_MS;
  }
}

function isChanging(state: string | undefined): boolean {
  return state === 'STARTING' || state === 'STOPPING' || state === 'DELETING';
}

/** The most warehouses in the tray's menu: the window's list can be searched. */
const MAX_CHOICES = 15;

/** The warehouses that the tray offers: those that can be used, running ones first, otherwise in the given order. */
export function choicesOf(warehouses: readonly WarehouseSummary[]): Choices {
  const usable = warehouses
    .filter(({ state, canUse }) => state !== 'DELETED' && state !== 'DELETING' && canUse !== false)
    .sort((a, b) => Number(b.state === 'RUNNING') - Number(a.state === 'RUNNING'));
  return { warehouses: usable.slice(0, MAX_CHOICES), more: Math.max(0, usable.length - MAX_CHOICES) };
}
