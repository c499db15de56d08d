import { z } from 'zod';
import type { Rest } from './rest.ts';

const PATH = '/api/2.0/settings/types/default_warehouse_id/names/default';

const Setting = z.looseObject({
  etag: z.string().optional(),
  string_val: z.looseObject({ value: z.string().optional() }).optional(),
});

export interface Settings {
  /** The id of the workspace's default warehouse, `null` if none is set. Admins only, and in preview. */
  defaultWarehouseId(signal?: AbortSignal): Promise<string | null>;
}

/** The workspace's settings that are read here, over one REST client. */
export function settingsApi(rest: Rest): Settings {
  return {
    defaultWarehouseId: async (signal) => {
      const setting = await rest.request({ path: PATH, schema: Setting, signal });
      return setting.string_val?.value || null;
    },
  };
}
