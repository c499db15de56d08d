import type { StatementRecord } from '../../preload/contract/activity.ts';
import type { RecordedStatement } from '../workspace/query-history.ts';
import type { Warehouse } from '../workspace/warehouses.ts';

/**
 * DBUs that one running cluster of a SQL warehouse takes in an hour, by its size, whether classic, pro or serverless (Databricks ›
 * SQL warehouse sizing, as of October 2026). A 5X-Large is not published.
 */
const DBUS_PER_HOUR: Readonly<Record<string, number>> = {
  '2X-Small': 4,
  'X-Small': 6,
  Small: 12,
  Medium: 24,
  Large: 40,
  'X-Large': 80,
  '2X-Large': 144,
  '3X-Large': 272,
  '4X-Large': 528,
};
const HOUR_MS = 60 * 60_000;

/** What is needed of a warehouse to say where a statement ran, and what that took at most. */
export type RanOn = Pick<Warehouse, 'id' | 'name' | 'cluster_size' | 'num_clusters'>;

/** A statement as the history has it, with its warehouse by name. @param warehouse null if it cannot be read */
export function recordOn(
  { id: _, warehouseId, ...record }: RecordedStatement,
  warehouse: RanOn | null,
): StatementRecord {
  return {
    ...record,
    warehouse: warehouseId === undefined ? null : { id: warehouseId, name: warehouse?.name || null },
    mostDbus: warehouse === null ? null : mostDbus(record, warehouse),
  };
}

/**
 * The most that a statement can have taken: the whole warehouse for as long as it ran, as if nothing else did. None for a result from
 * the cache; null where size or time is not known. Bounds of several statements do not add up to what is billed.
 */
function mostDbus(
  { isFromCache, totalMs, queuedMs }: Pick<RecordedStatement, 'isFromCache' | 'totalMs' | 'queuedMs'>,
  { cluster_size: size, num_clusters: clusters }: RanOn,
): number | null {
  if (isFromCache) return 0;
  const perHour = Object.hasOwn(DBUS_PER_HOUR, size) ? DBUS_PER_HOUR[size] : undefined;
  if (perHour === undefined || totalMs === null) return null;
  const ranMs = Math.max(0, totalMs - (queuedMs ?? 0));
  return (ranMs / HOUR_MS) * perHour * Math.max(1, clusters ?? 1);
}
