/** How many days the dashboard shows. */
export const DAYS = 28;

/**
 * What `client_application` is for statements that agents run: through the SQL server, which had another name until April 2026, and
 * through Genie. The history does not name the AI client behind them.
 */
const AGENT_APPLICATIONS = [
  'Databricks SQL MCP',
  'DatabricksDbsqlMcp',
  'Databricks SQL Genie Space',
  'DatabricksGenie',
];

const BY_AGENTS = `client_application IN (${AGENT_APPLICATIONS.map((name) => `'${name}'`).join(', ')})`;
const SINCE = `current_timestamp - INTERVAL ${DAYS} DAYS`;

/** The statements of agents on SQL warehouses. */
const AGENT_STATEMENTS = `FROM system.query.history
WHERE start_time >= ${SINCE}
  AND compute.warehouse_id IS NOT NULL
  AND ${BY_AGENTS}`;

const WAIT_MS = 'COALESCE(waiting_for_compute_duration_ms, 0) + COALESCE(waiting_at_capacity_duration_ms, 0)';

/** One row for all that agents ran. */
const totals = `SELECT
  COUNT(*) AS statements,
  COUNT(DISTINCT executed_by) AS users,
  COUNT(*) FILTER (WHERE execution_status = 'FAILED') / NULLIF(COUNT(*), 0) AS failed_share,
  COUNT(*) FILTER (WHERE from_result_cache) / NULLIF(COUNT(*), 0) AS cache_share,
  COUNT(*) FILTER (WHERE ${WAIT_MS} > 0) / NULLIF(COUNT(*), 0) AS waited_share
${AGENT_STATEMENTS}`;

const statements = `SELECT
  date_trunc('DAY', start_time) AS day,
  compute.warehouse_id AS warehouse,
  CASE WHEN client_application LIKE '%Genie%' THEN 'Genie' ELSE 'SQL server' END AS through,
  COUNT(*) AS statements,
  COUNT(*) FILTER (WHERE execution_status = 'FAILED') AS failed,
  COUNT(*) FILTER (WHERE execution_status = 'CANCELED') AS canceled,
  COUNT(*) FILTER (WHERE from_result_cache) AS from_cache,
  COUNT(*) FILTER (WHERE NOT COALESCE(from_result_cache, FALSE)) AS computed,
  SUM(COALESCE(total_task_duration_ms, 0)) / 1000 AS task_seconds,
  SUM(COALESCE(read_bytes, 0)) / 1000000000 AS read_gb
${AGENT_STATEMENTS}
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3`;

const queueing = `SELECT
  date_trunc('DAY', start_time) AS day,
  compute.warehouse_id AS warehouse,
  COUNT(*) AS statements,
  COUNT(*) FILTER (WHERE ${WAIT_MS} > 0) AS waited,
  SUM(COALESCE(waiting_for_compute_duration_ms, 0)) / 1000 AS start_wait_seconds,
  SUM(COALESCE(waiting_at_capacity_duration_ms, 0)) / 1000 AS capacity_wait_seconds,
  percentile_cont(0.95) WITHIN GROUP (ORDER BY ${WAIT_MS}) / 1000 AS p95_wait_seconds
${AGENT_STATEMENTS}
GROUP BY 1, 2
ORDER BY 1, 2`;

/** An error's class is the first of its words in capitals: the text may quote data. */
const failures = `SELECT
  COALESCE(NULLIF(regexp_extract(error_message, '([A-Z]+_[A-Z0-9_]+)', 1), ''), 'not classified') AS error_class,
  compute.warehouse_id AS warehouse,
  COUNT(*) AS statements,
  COUNT(DISTINCT executed_by) AS users,
  MAX(start_time) AS last_seen
${AGENT_STATEMENTS}
  AND execution_status = 'FAILED'
GROUP BY 1, 2
ORDER BY 3 DESC, 1, 2`;

const readers = `SELECT
  executed_by AS user_name,
  COUNT(*) AS statements,
  SUM(COALESCE(total_task_duration_ms, 0)) / 1000 AS task_seconds,
  SUM(COALESCE(read_bytes, 0)) / 1000000000 AS read_gb,
  COUNT(*) FILTER (WHERE from_result_cache) / COUNT(*) AS cache_share
${AGENT_STATEMENTS}
GROUP BY 1
ORDER BY 3 DESC, 1
LIMIT 50`;

/**
 * The DBUs of the warehouses that agents used, hour by hour, divided by task time: bills are made per warehouse, not per statement. An
 * hour in which nothing was computed is idle. A statement counts in the hour in which it began.
 */
const COST_BY_HOUR = `WITH billed AS (
  SELECT
    date_trunc('HOUR', u.usage_start_time) AS hour,
    u.usage_metadata.warehouse_id AS warehouse,
    SUM(u.usage_quantity) AS dbus,
    SUM(u.usage_quantity * CAST(p.pricing.effective_list.\`default\` AS DOUBLE)) AS list_usd
  FROM system.billing.usage AS u
  LEFT JOIN system.billing.list_prices AS p
    ON p.sku_name = u.sku_name
    AND p.cloud = u.cloud
    AND p.usage_unit = u.usage_unit
    AND p.currency_code = 'USD'
    AND u.usage_end_time >= p.price_start_time
    AND (p.price_end_time IS NULL OR u.usage_end_time < p.price_end_time)
  WHERE u.usage_start_time >= ${SINCE}
    AND u.billing_origin_product = 'SQL'
    AND u.usage_unit = 'DBU'
    AND u.usage_metadata.warehouse_id IN (SELECT compute.warehouse_id ${AGENT_STATEMENTS})
  GROUP BY 1, 2
),
worked AS (
  SELECT
    date_trunc('HOUR', start_time) AS hour,
    compute.warehouse_id AS warehouse,
    SUM(COALESCE(total_task_duration_ms, 0)) AS all_ms,
    SUM(CASE WHEN ${BY_AGENTS} THEN COALESCE(total_task_duration_ms, 0) ELSE 0 END) AS agent_ms
  FROM system.query.history
  WHERE start_time >= ${SINCE}
    AND compute.warehouse_id IS NOT NULL
  GROUP BY 1, 2
),
shared AS (
  SELECT
    date_trunc('DAY', b.hour) AS day,
    b.warehouse AS warehouse,
    b.dbus AS dbus,
    b.list_usd AS list_usd,
    CASE WHEN w.all_ms > 0 THEN w.agent_ms / w.all_ms ELSE 0 END AS agents,
    CASE WHEN w.all_ms > 0 THEN 1 - w.agent_ms / w.all_ms ELSE 0 END AS others,
    CASE WHEN w.all_ms > 0 THEN 0 ELSE 1 END AS idle
  FROM billed AS b
  LEFT JOIN worked AS w ON w.hour = b.hour AND w.warehouse = b.warehouse
)`;

const costOf = (column: 'agents' | 'others' | 'idle', usedBy: string) =>
  `SELECT day, warehouse, '${usedBy}' AS used_by, SUM(dbus * ${column}) AS dbus, SUM(list_usd * ${column}) AS list_usd
FROM shared
GROUP BY 1, 2`;

const cost = `${COST_BY_HOUR}
${costOf('agents', 'agents')}
UNION ALL
${costOf('others', 'others')}
UNION ALL
${costOf('idle', 'idle')}
ORDER BY 1, 2, 3`;

const costTotals = `${COST_BY_HOUR}
SELECT
  SUM(dbus) AS dbus,
  SUM(dbus * agents) AS agent_dbus,
  SUM(dbus * agents) / NULLIF(SUM(dbus), 0) AS agent_share
FROM shared`;

const MCP_CALLS = `FROM system.ai_gateway.usage
WHERE event_time >= ${SINCE}
  AND service_type = 'MCP_SERVICE'`;

/** Causeway and the vendor's tools say \`agent/NAME\`; of others, it is the name of their program. */
const CLIENT = `COALESCE(NULLIF(regexp_extract(user_agent, 'agent/([^ ]+)', 1), ''), NULLIF(regexp_extract(user_agent, '^([^/ ]+)', 1), ''), 'not named')`;

const refusals = `SELECT
  date_trunc('DAY', event_time) AS day,
  service_name AS server,
  mcp_metadata.tool_name AS tool,
  ${CLIENT} AS client,
  CASE
    WHEN status_code = 429 THEN 'rate limit'
    WHEN status_code IN (401, 403) THEN 'not permitted'
    WHEN status_code = 404 THEN 'not found'
    WHEN status_code < 500 THEN 'refused'
    ELSE 'server failed'
  END AS reason,
  COUNT(*) AS calls
${MCP_CALLS}
  AND status_code >= 400
GROUP BY 1, 2, 3, 4, 5
ORDER BY 1, 2, 3, 4, 5`;

const clients = `SELECT
  ${CLIENT} AS client,
  COUNT(*) AS calls,
  COUNT(*) FILTER (WHERE user_agent LIKE 'causeway/%') AS through_causeway,
  COUNT(DISTINCT requester) AS users,
  COUNT(*) FILTER (WHERE status_code >= 400) / COUNT(*) AS failed_share,
  percentile_cont(0.95) WITHIN GROUP (ORDER BY latency_ms) / 1000 AS p95_seconds
${MCP_CALLS}
GROUP BY 1
ORDER BY 2 DESC, 1`;

/** Every query of the dashboard. They run on Databricks SQL; what other engines spell differently is kept to a minimum for their tests. */
export const QUERIES = {
  totals,
  statements,
  cost,
  costTotals,
  queueing,
  failures,
  readers,
  refusals,
  clients,
};

export type QueryName = keyof typeof QUERIES;

/** The tables that they read, for which viewers need SELECT. */
export const TABLES = [
  'system.query.history',
  'system.billing.usage',
  'system.billing.list_prices',
  'system.ai_gateway.usage',
];
