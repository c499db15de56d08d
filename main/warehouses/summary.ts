import type { Warehouse } from '../workspace/warehouses.ts';
import type { WarehouseSummary } from './effective.ts';
import type { Readings } from './readings.ts';

/** What people are shown of a warehouse. `usable` holds the ids that the user may run queries on, if that could be read. */
export function summarize(warehouse: Warehouse, usable: ReadonlySet<string> | undefined): WarehouseSummary {
  return {
    id: warehouse.id,
    name: warehouse.name || warehouse.id,
    state: warehouse.state,
    size: warehouse.cluster_size,
    type: warehouse.warehouse_type ?? '',
    serverless: warehouse.enable_serverless_compute,
    canUse: usable === undefined ? 'unknown' : usable.has(warehouse.id),
  };
}

/** A warehouse that something names, as far as it can be seen: in the list, by its id alone, or not at all. */
export type Target =
  | { kind: 'seen'; warehouse: WarehouseSummary }
  | { kind: 'gone'; id: string }
  | { kind: 'hidden'; warehouse: WarehouseSummary; forbidden: boolean };

/** Finds a warehouse by id in what was read. */
export function findTarget(readings: Readings, id: string): Target {
  const usable = readings.usable.kind === 'known' ? readings.usable.value : undefined;
  const visible = readings.visible.kind === 'known' ? readings.visible.value : [];
  const listed = visible.find((warehouse) => warehouse.id === id);
  const named = readings.named.get(id);
  if (listed) return { kind: 'seen', warehouse: summarize(listed, usable) };
  if (named?.kind === 'known') return { kind: 'seen', warehouse: summarize(named.value, usable) };
  if (named?.kind === 'none') return { kind: 'gone', id };
  const forbidden = named?.kind === 'unreadable' && named.error.code === 'permission_denied';
  const canUse = forbidden ? false : 'unknown';
  const warehouse = { id, name: id, state: 'UNKNOWN', size: '', type: '', serverless: false, canUse } as const;
  return { kind: 'hidden', warehouse, forbidden };
}
