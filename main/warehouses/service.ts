import type { RestClient } from '../workspace/client.ts';
import type { OverrideRecord } from '../workspace/overrides.ts';
import { gather } from '../workspace/paging.ts';
import { explain } from './chain.ts';
import type { EffectiveWarehouse, WarehouseSummary } from './effective.ts';
import { takeReadings } from './readings.ts';
import { summarize } from './summary.ts';

/** One signed-in user's warehouses in one workspace. */
export interface WarehouseService {
  /** Which warehouse this user's queries run on, and why. Read anew each time. */
  effective(signal?: AbortSignal): Promise<EffectiveWarehouse>;
  /** All warehouses that the user can see, in the workspace's order. */
  list(signal?: AbortSignal): Promise<WarehouseSummary[]>;
  /** Pins this user's queries to a warehouse; gives the record as it was read back. */
  setOverride(warehouseId: string, signal?: AbortSignal): Promise<OverrideRecord>;
  /** Makes the override "whatever was picked last"; gives the record as it was read back. */
  setLastSelected(signal?: AbortSignal): Promise<OverrideRecord>;
  /** Removes the override; having none is success. */
  clearOverride(signal?: AbortSignal): Promise<void>;
  start(warehouseId: string, signal?: AbortSignal): Promise<void>;
  stop(warehouseId: string, signal?: AbortSignal): Promise<void>;
}

/** The warehouse service over one workspace's REST client. */
export function createWarehouseService(client: RestClient): WarehouseService {
  const { overrides, warehouses } = client;
  const store = async (fields: { type: string; warehouse_id?: string }, signal?: AbortSignal) => {
    await overrides.update('me', fields, { mask: '*', allowMissing: true }, signal);
    return overrides.get('me', signal);
  };
  return {
    effective: async (signal) => explain(await takeReadings(client, signal)),
    list: async (signal) => {
      const [visible, usable] = await Promise.all([
        gather(warehouses.list({}, signal)),
        gather(warehouses.list({ usableOnly: true }, signal)),
      ]);
      const usableIds = new Set(usable.map(({ id }) => id));
      return visible.map((warehouse) => summarize(warehouse, usableIds));
    },
    setOverride: (warehouse_id, signal) => store({ type: 'CUSTOM', warehouse_id }, signal),
    setLastSelected: (signal) => store({ type: 'LAST_SELECTED' }, signal),
    clearOverride: (signal) => overrides.delete('me', signal),
    start: (id, signal) => warehouses.start(id, signal),
    stop: (id, signal) => warehouses.stop(id, signal),
  };
}
