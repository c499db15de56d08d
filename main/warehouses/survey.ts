import type { OverrideRecord } from '../workspace/overrides.ts';
import { summarize, type WarehouseSummary } from './directory.ts';
import { type EffectiveWarehouse, explainEffective } from './effective.ts';
import type { Readings } from './readings.ts';

/** The effective warehouse and all the others, as they were at one moment. */
export interface WarehouseSurvey {
  /** What it was worked out from. */
  readings: Readings;
  effective: EffectiveWarehouse;
  /** All warehouses that the user can see, in the workspace's order. @throws {CausewayError} why they could not be read */
  list(): WarehouseSummary[];
  /**
   * The same moment with another override of the user's own, as it was read back after a change; undefined if
   * something would have to be read for it.
   */
  withOverride(record: OverrideRecord | null): WarehouseSurvey | undefined;
}

/** What was read, as a survey. */
export function surveyOf(readings: Readings): WarehouseSurvey {
  return {
    readings,
    effective: explainEffective(readings),
    list: () => {
      const { visible, usable } = readings;
      if (visible.kind === 'unreadable') throw visible.error;
      if (usable.kind === 'unreadable') throw usable.error;
      const usableIds = usable.kind === 'known' ? usable.value : new Set<string>();
      return visible.kind === 'known' ? visible.value.map((warehouse) => summarize(warehouse, usableIds)) : [];
    },
    withOverride: (record) =>
      answersFor(readings, record)
        ? surveyOf({ ...readings, override: record === null ? { kind: 'none' } : { kind: 'known', value: record } })
        : undefined,
  };
}

function answersFor({ visible, override, workspaceDefault }: Readings, record: OverrideRecord | null): boolean {
  if (visible.kind !== 'known') return false;
  const target = record?.warehouse_id;
  if (target !== undefined && !visible.value.some(({ id }) => id === target)) return false;
  // A default that was read beside an override may be an echo of it: it cannot be said to follow once that is gone.
  const mayEcho = workspaceDefault.kind === 'known' && workspaceDefault.value.readFrom === 'default-id';
  return record !== null || !mayEcho || override.kind === 'none';
}
