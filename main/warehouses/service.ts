import type { RestClient } from '../workspace/client.ts';
import { gather } from '../workspace/paging.ts';
import { explain } from './chain.ts';
import type { EffectiveWarehouse, WarehouseSummary } from './effective.ts';
import { clearOverride, type StoredOverride, setOverride } from './override-changes.ts';
import { overrideOperations } from './override-operations.ts';
import { takeReadings } from './readings.ts';
import { summarize } from './summary.ts';

/** One signed-in user's warehouses in one workspace. */
export interface WarehouseService {
  /** Which warehouse this user's queries run on, and why. Read anew each time. */
  effective(signal?: AbortSignal): Promise<EffectiveWarehouse>;
  /** All warehouses that the user can see, in the workspace's order. */
  list(signal?: AbortSignal): Promise<WarehouseSummary[]>;
  /** Pins this user's queries to a warehouse; gives the record as it was read back. */
  setOverride(warehouseId: string, signal?: AbortSignal): Promise<StoredOverride>;
  /** Makes the override "whatever was picked last"; gives the record as it was read back. */
  setLastSelected(signal?: AbortSignal): Promise<StoredOverride>;
  /** Removes the override; having none is success. */
  clearOverride(signal?: AbortSignal): Promise<'cleared' | 'had-none'>;
  start(warehouseId: string, signal?: AbortSignal): Promise<void>;
  stop(warehouseId: string, signal?: AbortSignal): Promise<void>;
}

/** The warehouse service over one workspace's REST client. */
export function createWarehouseService(client: RestClient): WarehouseService {
  const { warehouses } = client;
  const operations = overrideOperations(client);
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
    setOverride: (warehouse_id, signal) => setOverride(operations, 'me', { type: 'CUSTOM', warehouse_id }, signal),
    setLastSelected: (signal) => setOverride(operations, 'me', { type: 'LAST_SELECTED' }, signal),
    clearOverride: (signal) => clearOverride(operations, 'me', signal),
    start: (id, signal) => warehouses.start(id, signal),
    stop: (id, signal) => warehouses.stop(id, signal),
  };
}
