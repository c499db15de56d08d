import { isGone } from '../../../preload/contract/words/warehouse.ts';
import type { Choices, DesktopState } from '../../../preload/contract.ts';
import type { WarehouseSummary } from '../../warehouses/directory.ts';

const SECOND_MS = 1000;

/** A warehouse takes seconds to start or stop: follow it closely only while it does. */
const IN_TRANSITION_MS = 3 * SECOND_MS;
const WATCHED_MS = 30 * SECOND_MS;
const UNWATCHED_MS = 5 * 60 * SECOND_MS;

/**
 * Milliseconds until the effective warehouse is read again; undefined if only the user can change it.
 * `watched` says whether the window is visible.
 */
export function refreshAfterMs({ warehouse }: DesktopState, watched: boolean): number | undefined {
  if (warehouse.status === 'loading' || warehouse.status === 'signing-in') return undefined;
  if (warehouse.status === 'known' && isChanging(warehouse.effective.warehouse?.state)) return IN_TRANSITION_MS;
  return watched ? WATCHED_MS : UNWATCHED_MS;
}

function isChanging(state: string | undefined): boolean {
  return state === 'STARTING' || state === 'STOPPING' || state === 'DELETING';
}

/** The most warehouses in the tray's menu: the window's list can be searched. */
const MAX_CHOICES = 15;

/** The warehouses that the tray offers: those that can be used, running ones first, otherwise in the given order. */
export function choicesOf(warehouses: readonly WarehouseSummary[]): Choices {
  const usable = warehouses
    .filter(({ state, canUse }) => !isGone(state) && canUse !== false)
    .sort((a, b) => Number(b.state === 'RUNNING') - Number(a.state === 'RUNNING'));
  return { warehouses: usable.slice(0, MAX_CHOICES), more: Math.max(0, usable.length - MAX_CHOICES) };
}
