import type { Choices } from '../../../preload/contract.ts';
import type { WarehouseSummary } from '../../warehouses/effective.ts';

/** A menu that is longer than the screen scrolls badly: the window's list can be searched. */
const MOST = 15;

/** The warehouses that the tray offers: those that can be used, running ones first, otherwise in the given order. */
export function choicesOf(warehouses: readonly WarehouseSummary[]): Choices {
  const usable = warehouses
    .filter(({ state, canUse }) => state !== 'DELETED' && state !== 'DELETING' && canUse !== false)
    .sort((a, b) => Number(b.state === 'RUNNING') - Number(a.state === 'RUNNING'));
  return { warehouses: usable.slice(0, MOST), more: Math.max(0, usable.length - MOST) };
}
