import { z } from 'zod';
import type { Rest } from './rest.ts';

const PATH = '/api/2.0/sql/history/queries';

const Query = z.looseObject({
  query_id: z.string().optional(),
  status: z.string().optional(),
  warehouse_id: z.string().optional(),
  /** An older name of the same. */
  endpoint_id: z.string().optional(),
});
/** `res` is absent where nothing was found. */
const Answer = z.looseObject({ res: z.array(Query).default([]) });

/** A statement as the query history has it. */
export interface RecordedStatement {
  id: string;
  /** Undefined until the history says it. */
  warehouseId: string | undefined;
  /** `FINISHED`, `RUNNING` and others; new ones may come. */
  status: string;
}

/**
 * The query history of SQL warehouses. A user sees their own statements, and those on warehouses with CAN VIEW. A statement may
 * appear late, or not at all.
 */
export function queryHistoryApi(rest: Rest) {
  return {
    /** The statements with these ids that are there and shown to the caller. */
    statements: async (ids: readonly string[], signal?: AbortSignal): Promise<RecordedStatement[]> => {
      const query = { 'filter_by.statement_ids': ids, max_results: Math.max(1, ids.length) };
      const { res } = await rest.request({ path: PATH, query, schema: Answer, signal });
      return res.flatMap(({ query_id: id, warehouse_id, endpoint_id, status = '' }) =>
        id === undefined || !ids.includes(id)
          ? []
          : [{ id, warehouseId: warehouse_id || endpoint_id || undefined, status }],
      );
    },
  };
}
