import { z } from 'zod';
import { items, pages } from './paging.ts';
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
});
const List = z.looseObject({
  warehouses: z.array(WarehouseSchema).default([]),
  next_page_token: z.string().optional(),
});

/** A SQL warehouse as the workspace describes it; fields that are not used here pass through. */
export type Warehouse = z.infer<typeof WarehouseSchema>;

export interface Warehouses {
  /** All that the caller can see, or only those that the caller may run queries on, in the workspace's order. */
  list(options?: { usableOnly?: boolean }, signal?: AbortSignal): AsyncGenerator<Warehouse>;
  /** One unpaged request for those that the caller may run queries on, as the Databricks CLI makes it. */
  firstUsable(signal?: AbortSignal): Promise<Warehouse[]>;
  get(id: string, signal?: AbortSignal): Promise<Warehouse>;
  /** The special id `default`: a convention that not every workspace has yet. */
  getDefault(signal?: AbortSignal): Promise<Warehouse>;
  /** Begins to start it; resolves when the workspace has taken note, long before it runs. */
  start(id: string, signal?: AbortSignal): Promise<void>;
  /** Begins to stop it; queries that run on it are cut off. */
  stop(id: string, signal?: AbortSignal): Promise<void>;
}

/** The SQL warehouses API over one REST client. */
export function warehousesApi(rest: Rest): Warehouses {
  const get = (id: string, signal?: AbortSignal) =>
    rest.request({ path: `${PATH}/${encodeURIComponent(id)}`, schema: WarehouseSchema, signal });
  const transition = (verb: 'start' | 'stop') => async (id: string, signal?: AbortSignal) => {
    const path = `${PATH}/${encodeURIComponent(id)}/${verb}`;
    await rest.request({ method: 'POST', path, schema: z.unknown(), idempotent: true, signal });
  };
  return {
    list: ({ usableOnly = false } = {}, signal) =>
      items(
        pages((page_token) => {
          const query = { page_size: PAGE_SIZE, page_token, skip_cannot_use: usableOnly ? true : undefined };
          return rest.request({ path: PATH, query, schema: List, signal });
        }),
        (page) => page.warehouses,
      ),
    firstUsable: async (signal) =>
      (await rest.request({ path: PATH, query: { skip_cannot_use: true }, schema: List, signal })).warehouses,
    get,
    getDefault: (signal) => get('default', signal),
    start: transition('start'),
    stop: transition('stop'),
  };
}
