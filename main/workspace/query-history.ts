import { z } from 'zod';
import type { StatementRecord } from '../../preload/contract/activity.ts';
import type { Rest } from './rest.ts';

const PATH = '/api/2.0/sql/history/queries';

/** Absent, null and of another form mean the same: not known. Numbers beyond 2^53, such as users' ids, are not read. */
const number = z.number().nullish().catch(null);
const text = z.string().nullish().catch(null);
const Metrics = z.object({
  total_time_ms: number,
  compilation_time_ms: number,
  execution_time_ms: number,
  result_fetch_time_ms: number,
  task_total_time_ms: number,
  read_bytes: number,
  rows_produced_count: number,
  result_from_cache: z.boolean().nullish().catch(null),
  /** When it began to wait for a warehouse to start, and for its turn; absent if it did not. */
  provisioning_queue_start_timestamp: number,
  overloading_queue_start_timestamp: number,
  query_compilation_start_timestamp: number,
});
const Query = z.object({
  query_id: text,
  status: text,
  is_final: z.boolean().nullish().catch(null),
  warehouse_id: text,
  /** An older name of the same. */
  endpoint_id: text,
  query_start_time_ms: number,
  duration: number,
  rows_produced: number,
  cache_query_id: text,
  error_message: text,
  metrics: Metrics.nullish().catch(null),
});
/** `res` is absent where nothing was found. */
const Answer = z.object({ res: z.array(Query).nullish() });

type Query = z.output<typeof Query>;

/** A statement as the query history has it; its warehouse as an id only, undefined until the history says it. */
export interface RecordedStatement extends Omit<StatementRecord, 'warehouse' | 'mostDbus'> {
  id: string;
  warehouseId: string | undefined;
}

/**
 * The query history of SQL warehouses. A user sees their own statements, and those on warehouses with CAN VIEW. A statement may
 * appear late, or not at all.
 */
export function queryHistoryApi(rest: Rest) {
  return {
    /** The statements with these ids that are there and shown to the caller, with their metrics. */
    statements: async (ids: readonly string[], signal?: AbortSignal): Promise<RecordedStatement[]> => {
      const query = {
        'filter_by.statement_ids': ids,
        max_results: Math.max(1, ids.length),
        include_metrics: true,
      };
      const { res } = await rest.request({ path: PATH, query, schema: Answer, signal });
      return (res ?? []).flatMap((found) => {
        const id = found.query_id;
        return typeof id === 'string' && ids.includes(id) ? [recorded(id, found)] : [];
      });
    },
  };
}

function recorded(id: string, found: Query): RecordedStatement {
  const metrics: Partial<z.output<typeof Metrics>> = found.metrics ?? {};
  const fromCache = metrics.result_from_cache ?? (found.cache_query_id ? true : null);
  return {
    id,
    warehouseId: found.warehouse_id || found.endpoint_id || undefined,
    status: found.status ?? '',
    isFinal: found.is_final ?? false,
    startedAt: found.query_start_time_ms ?? null,
    totalMs: metrics.total_time_ms ?? found.duration ?? null,
    queuedMs: queued(metrics),
    compiledMs: metrics.compilation_time_ms ?? null,
    executedMs: metrics.execution_time_ms ?? null,
    fetchedMs: metrics.result_fetch_time_ms ?? null,
    taskMs: metrics.task_total_time_ms ?? null,
    rows: metrics.rows_produced_count ?? found.rows_produced ?? null,
    readBytes: metrics.read_bytes ?? null,
    isFromCache: fromCache,
    errorClass: errorClassIn(found.error_message),
  };
}

/** From when it first waited until it was compiled; 0 if it did not wait, null if its beginning or end is not known. */
function queued(metrics: Partial<z.output<typeof Metrics>>): number | null {
  const {
    provisioning_queue_start_timestamp: starting,
    overloading_queue_start_timestamp: crowded,
    query_compilation_start_timestamp: compiling,
  } = metrics;
  const since = [starting, crowded].filter((at) => typeof at === 'number');
  if (since.length === 0) return typeof metrics.total_time_ms === 'number' ? 0 : null;
  return typeof compiling === 'number' ? Math.max(0, compiling - Math.min(...since)) : null;
}

/** Databricks › Error conditions: an error begins with its class in brackets. */
function errorClassIn(message: string | null | undefined): string | null {
  return /^\W*(?:[\w.]+: )?\[([A-Z][A-Z0-9_.]{2,120})\]/.exec(message ?? '')?.[1] ?? null;
}
