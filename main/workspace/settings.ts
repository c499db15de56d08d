import { z } from 'zod';
import type { Rest } from './rest.ts';

const PATH = '/api/2.0/settings/types/default_warehouse_id/names/default';

const Setting = z.looseObject({
  etag: z.string().optional(),
  string_val: z.looseObject({ value: z.string().optional() }).optional(),
});

/** The workspace's default warehouse, as it was read. */
export interface DefaultWarehouseSetting {
  /** Null if none is set. */
  warehouseId: string | null;
  /** The version of the setting; a change that names an older one is refused (409). */
  etag: string | undefined;
}

/** The setting `default_warehouse_id` of a workspace, over one REST client. Admins only, and in private preview. */
export function settingsApi(rest: Rest) {
  const read = async (signal?: AbortSignal): Promise<DefaultWarehouseSetting> => {
    const { etag, string_val } = await rest.request({ path: PATH, schema: Setting, signal });
    return { warehouseId: string_val?.value || null, etag };
  };
  return {
    defaultWarehouse: read,
    /** The id of the workspace's default warehouse, `null` if none is set. */
    defaultWarehouseId: async (signal?: AbortSignal) => (await read(signal)).warehouseId,
    /** Not repeated after a lost answer: the etag would be stale then. */
    setDefaultWarehouse: async (warehouseId: string, etag: string | undefined, signal?: AbortSignal): Promise<void> => {
      const setting = { ...(etag && { etag }), setting_name: 'default', string_val: { value: warehouseId } };
      const body = { allow_missing: true, field_mask: 'string_val.value', setting };
      await rest.request({ method: 'PATCH', path: PATH, body, schema: z.unknown(), signal });
    },
    clearDefaultWarehouse: async (etag: string | undefined, signal?: AbortSignal): Promise<void> => {
      await rest.request({ method: 'DELETE', path: PATH, query: { etag }, schema: z.unknown(), signal });
    },
  };
}
