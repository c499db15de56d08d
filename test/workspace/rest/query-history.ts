import type { Call, Route } from '../http.ts';
import type { StatementRecord } from '../mcp/statements.ts';
import { RestFault, type Warehouse } from '../model.ts';
import { ReadyJson } from '../rest-answers.ts';
import { pageOf, pageSize } from './paging.ts';

/**
 * The query history: statements that the SQL server ran, newest first (facts/observability.md §1). Each shows to who ran it, and to
 * those with CAN VIEW on its warehouse, which CAN USE is not: here the admins and the owner.
 */

const PATH = '/api/2.0/sql/history/queries';
const DEFAULT_PAGE = 100;
const MAX_PAGE = 999;
const MAX_RANGE_MS = 30 * 24 * 60 * 60 * 1000;
const STATUSES = ['QUEUED', 'RUNNING', 'CANCELED', 'FAILED', 'FINISHED'];

const FILTERS = ['statement_ids', 'warehouse_ids', 'user_ids', 'statuses'] as const;
const RANGE = 'filter_by.query_start_time_range';

export const queryHistoryRoutes: Route[] = [
  {
    method: 'GET',
    path: PATH,
    query: ['max_results', 'page_token', 'include_metrics', `${RANGE}.start_time_ms`, `${RANGE}.end_time_ms`],
    repeated: FILTERS.map((name) => `filter_by.${name}`),
    scopes: ['sql'],
    handle: list,
  },
];

function list(call: Call): unknown {
  const [from, to] = rangeOf(call);
  const shown = call.statements.filter(
    (statement) =>
      statement.submittedMs >= from &&
      statement.submittedMs <= to &&
      isSeen(call, statement) &&
      isAsked(call, statement),
  );
  const page = pageOf(
    shown.toReversed(),
    pageSize(call, 'max_results', DEFAULT_PAGE, MAX_PAGE),
    call.query.get('page_token'),
  );
  const withMetrics = call.query.get('include_metrics') === 'true';
  const body = {
    // Absent where there is none.
    ...(page.items.length > 0 && { res: page.items.map((statement) => queryInfo(statement, withMetrics)) }),
    ...(page.nextPageToken && { next_page_token: page.nextPageToken }),
    has_next_page: page.nextPageToken !== undefined,
  };
  return new ReadyJson(withBigNumbers(JSON.stringify(body)));
}

function rangeOf({ query }: Call): [from: number, to: number] {
  const from = numberOf(query.get(`${RANGE}.start_time_ms`), 0);
  const to = numberOf(query.get(`${RANGE}.end_time_ms`), Number.POSITIVE_INFINITY);
  if (from > 0 && Number.isFinite(to) && to - from > MAX_RANGE_MS)
    throw invalid('The time range is longer than 30 days.');
  return [from, to];
}

function numberOf(text: string | null, absent: number): number {
  if (text === null) return absent;
  if (!/^\d+$/.test(text)) throw invalid(`Not a time in milliseconds: ${text}`);
  return Number(text);
}

function isAsked({ query }: Call, statement: StatementRecord): boolean {
  const held: Record<(typeof FILTERS)[number], string> = {
    statement_ids: statement.statementId,
    warehouse_ids: warehouseOf(statement),
    user_ids: statement.user.id,
    statuses: statusOf(statement),
  };
  return FILTERS.every((name) => {
    const asked = query.getAll(`filter_by.${name}`);
    if (name === 'statuses')
      for (const status of asked) if (!STATUSES.includes(status)) throw invalid(`Unknown status: ${status}`);
    return asked.length === 0 || asked.includes(held[name]);
  });
}

function isSeen({ state, principal }: Call, statement: StatementRecord): boolean {
  const { user } = principal;
  if (user.admin || statement.user.id === user.id) return true;
  const isOwn = ({ id, creatorName }: Warehouse) => id === warehouseOf(statement) && creatorName === user.userName;
  return state.warehouses.some(isOwn);
}

function warehouseOf({ choice }: StatementRecord): string {
  return choice.source === 'none' ? '' : choice.warehouseId;
}

const STATUS_OF = {
  PENDING: 'QUEUED',
  RUNNING: 'RUNNING',
  CANCELED: 'CANCELED',
  FAILED: 'FAILED',
  SUCCEEDED: 'FINISHED',
  CLOSED: 'FINISHED',
} as const;

function statusOf({ status }: StatementRecord): string {
  return STATUS_OF[status.state];
}

function queryInfo(statement: StatementRecord, withMetrics: boolean): Record<string, unknown> {
  const { statementId, user, query, status, submittedMs, endedMs } = statement;
  const rows = status.state === 'SUCCEEDED' ? status.rows.rows.length : 0;
  const duration = endedMs === undefined ? {} : { duration: endedMs - submittedMs };
  return {
    query_id: statementId,
    lookup_key: statementId,
    session_id: statementId,
    status: statusOf(statement),
    is_final: endedMs !== undefined,
    query_start_time_ms: submittedMs,
    ...(endedMs !== undefined && { execution_end_time_ms: endedMs, query_end_time_ms: endedMs }),
    ...duration,
    warehouse_id: warehouseOf(statement),
    endpoint_id: warehouseOf(statement),
    user_id: bigNumber(user.id),
    user_name: user.userName,
    executed_as_user_id: bigNumber(user.id),
    executed_as_user_name: user.userName,
    query_text: query,
    statement_type: /^\s*([a-z]+)/i.exec(query)?.[1]?.toUpperCase() ?? 'OTHER',
    rows_produced: rows,
    client_application: 'Databricks SQL MCP',
    query_source: {},
    channel_used: { name: 'CHANNEL_NAME_CURRENT' },
    ...(status.state === 'FAILED' && { error_message: status.error.message }),
    ...(statement.cachedFrom && { cache_query_id: statement.cachedFrom }),
    ...(withMetrics && endedMs !== undefined && { metrics: metricsOf(statement, endedMs, rows) }),
  };
}

function metricsOf(
  { submittedMs, startedMs = submittedMs, startedWarehouse, cachedFrom }: StatementRecord,
  endedMs: number,
  rows: number,
): Record<string, unknown> {
  return {
    total_time_ms: endedMs - submittedMs,
    compilation_time_ms: 0,
    execution_time_ms: endedMs - startedMs,
    result_fetch_time_ms: 0,
    task_total_time_ms: cachedFrom ? 0 : endedMs - startedMs,
    read_bytes: 0,
    rows_produced_count: rows,
    result_from_cache: cachedFrom !== undefined,
    query_compilation_start_timestamp: startedMs,
    ...(startedWarehouse && { provisioning_queue_start_timestamp: submittedMs }),
  };
}

/** User ids are JSON numbers beyond 2^53, which JavaScript cannot hold. */
function bigNumber(digits: string): string {
  return `int64:${digits}`;
}

function withBigNumbers(json: string): string {
  return json.replace(/"(user_id|executed_as_user_id)":"int64:(\d+)"/g, '"$1":$2');
}

function invalid(message: string): RestFault {
  return new RestFault(400, 'INVALID_PARAMETER_VALUE', message);
}
