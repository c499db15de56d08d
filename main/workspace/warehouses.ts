import { z } from 'zod';
import { items } from './paging.ts';
import type { Rest } from './rest.ts';

const PATH = '/api/2.0/sql/warehouses';
const PAGE_SIZE = 500;

const WarehouseSchema = z.looseObject({
  id: z.string(),
  name: z.string().default(''),
  /** `STARTING`, `RUNNING`, `STOPPING`, `STOPPED`, `DELETING`, `DELETED`, or a newer word. */
  state: z.string().default('UNKNOWN'),
  cluster_size: z.string().default(''),
  creator_name: z.string().optional(),
  enable_serverless_compute: z.boolean().default(false),
  warehouse_type: z.string().optional(),
  /** Those that run now. */
  num_clusters: z.number().optional().catch(undefined),
});
const List = z.looseObject({
  warehouses: z.array(WarehouseSchema).default([]),
  next_page_token: z.string().optional(),
});

/** A SQL warehouse as the workspace describes it; fields that are not used here pass through. */
export type Warehouse = z.infer<typeof WarehouseSchema>;

export type Warehouses = ReturnType<typeof warehousesApi>;

/** The SQL warehouses API over one REST client. */
export function warehousesApi(rest: Rest) {
  const get = (id: string, signal?: AbortSignal) =>
    rest.request({ path: `${PATH}/${encodeURIComponent(id)}`, schema: WarehouseSchema, signal });
  const transition = (verb: 'start' | 'stop') => async (id: string, signal?: AbortSignal) => {
    const path = `${PATH}/${encodeURIComponent(id)}/${verb}`;
    await rest.request({ method: 'POST', path, schema: z.unknown(), idempotent: true, signal });
  };
  return {
    /** All that the caller can see, or only those that the caller may run queries on, in the workspace's order. */
    list: ({ usableOnly = false }: { usableOnly?: boolean } = {}, signal?: AbortSignal) =>
      items(
        rest,
        { path: PATH, query: { page_size: PAGE_SIZE, skip_cannot_use: usableOnly || undefined }, schema: List, signal },
        (page) => page.warehouses,
      ),
    /** One unpaged request for those that the caller may run queries on, as the Databricks CLI makes it. */
    firstUsable: async (signal?: AbortSignal) =>
      (await rest.request({ path: PATH, query: { skip_cannot_use: true }, schema: List, signal })).warehouses,
    get,
    /** The special id `default`: a convention that not every workspace has yet. */
    getDefault: (signal?: AbortSignal) => get('default', signal),
    /** Begins to start it; resolves when the workspace has taken note, long before it runs. */
    start: transition('start'),
    /** Begins to stop it; queries that run on it are cut off. */
    stop: transition('stop'),
  };
}
