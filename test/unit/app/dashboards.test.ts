import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grafanaDashboard } from '../../../main/app/dashboard/grafana.ts';
import { lakeviewDashboard } from '../../../main/app/dashboard/lakeview.ts';
import { QUERIES, type QueryName, TABLES } from '../../../main/app/dashboard/queries.ts';
import { auditedCall } from '../../../main/audit/audited-call.ts';
import { auditedEvent } from '../../../main/audit/audited-event.ts';
import { originOf } from '../../../main/audit/origin.ts';
import { attributesOf, DURATION, detailsOf, factsOf } from '../../../main/audit/otlp-attributes.ts';
import { dashboardFiles } from '../../../resources/dashboards/files.ts';
import { endedCall } from '../../ended-call.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The columns that the system tables have and the queries name, and some that they do not. */
const TABLES_AS_THEY_ARE = `
ATTACH ':memory:' AS sys;
CREATE SCHEMA sys."query";
CREATE SCHEMA sys.billing;
CREATE SCHEMA sys.ai_gateway;
CREATE TABLE sys."query".history (
  workspace_id VARCHAR, statement_id VARCHAR, execution_status VARCHAR, compute STRUCT("type" VARCHAR, cluster_id VARCHAR, warehouse_id VARCHAR),
  executed_by VARCHAR, client_application VARCHAR, error_message VARCHAR, start_time TIMESTAMP, total_duration_ms BIGINT,
  waiting_for_compute_duration_ms BIGINT, waiting_at_capacity_duration_ms BIGINT, total_task_duration_ms BIGINT, read_bytes BIGINT,
  from_result_cache BOOLEAN);
CREATE TABLE sys.billing.usage (
  workspace_id VARCHAR, sku_name VARCHAR, cloud VARCHAR, usage_start_time TIMESTAMP, usage_end_time TIMESTAMP, usage_unit VARCHAR,
  usage_quantity DECIMAL(38, 18), usage_metadata STRUCT(warehouse_id VARCHAR, job_id VARCHAR), billing_origin_product VARCHAR, record_type VARCHAR);
CREATE TABLE sys.billing.list_prices (
  price_start_time TIMESTAMP, price_end_time TIMESTAMP, sku_name VARCHAR, cloud VARCHAR, currency_code VARCHAR, usage_unit VARCHAR,
  pricing STRUCT("default" DECIMAL(38, 18), effective_list STRUCT("default" DECIMAL(38, 18))));
CREATE TABLE sys.ai_gateway.usage (
  event_time TIMESTAMP, service_type VARCHAR, service_name VARCHAR, mcp_metadata STRUCT(tool_name VARCHAR, server_type VARCHAR),
  requester VARCHAR, status_code INTEGER, latency_ms BIGINT, user_agent VARCHAR, request_id VARCHAR);`;

const NOW = '2026-11-25 12:00:00';

/** Agents run on w1 only. On w2, a dashboard does. */
const ROWS = `
INSERT INTO sys."query".history
SELECT 'ws', id, status, struct_pack("type" := 'WAREHOUSE', cluster_id := NULL, warehouse_id := warehouse), author, application, error, began::TIMESTAMP,
  0, compute_ms, capacity_ms, task_ms, bytes, cached
FROM (VALUES
  ('s1', 'FINISHED', 'w1', 'ana', 'Databricks SQL MCP', NULL, '2026-11-24 09:10:00', 10000, 0, 3000, 2000000000, FALSE),
  ('s2', 'FAILED', 'w1', 'ben', 'Databricks SQL MCP', '[TABLE_OR_VIEW_NOT_FOUND] The table or view "x" cannot be found.', '2026-11-24 09:20:00', NULL, NULL, NULL, NULL, FALSE),
  ('s3', 'FINISHED', 'w1', 'ana', 'Databricks Notebooks', NULL, '2026-11-24 09:30:00', 0, 0, 9000, 7000000000, FALSE),
  ('s4', 'FINISHED', 'w1', 'ana', 'Databricks SQL Genie Space', NULL, '2026-11-24 10:00:00', 0, 0, 0, 0, TRUE),
  ('s5', 'CANCELED', 'w1', 'ana', 'DatabricksDbsqlMcp', NULL, '2026-11-25 08:00:00', 0, 4000, 5000, 0, FALSE),
  ('s6', 'FINISHED', 'w2', 'ana', 'Databricks SQL Dashboard', NULL, '2026-11-24 09:00:00', 0, 0, 1000, 0, FALSE),
  ('s7', 'FINISHED', 'w1', 'ana', 'Databricks SQL MCP', NULL, '2026-10-01 09:00:00', 0, 0, 1000, 0, FALSE),
  ('s8', 'FINISHED', NULL, 'ana', 'Databricks SQL MCP', NULL, '2026-11-24 09:00:00', 0, 0, 1000, 0, FALSE)
) AS t(id, status, warehouse, author, application, error, began, compute_ms, capacity_ms, task_ms, bytes, cached);

INSERT INTO sys.billing.usage
SELECT 'ws', 'SERVERLESS_SQL', 'AWS', began::TIMESTAMP, began::TIMESTAMP + INTERVAL 1 HOUR, 'DBU', dbus,
  struct_pack(warehouse_id := warehouse, job_id := NULL), product, kind
FROM (VALUES
  ('2026-11-24 09:00:00', 5, 'w1', 'SQL', 'ORIGINAL'),
  ('2026-11-24 09:00:00', -1, 'w1', 'SQL', 'RETRACTION'),
  ('2026-11-24 10:00:00', 2, 'w1', 'SQL', 'ORIGINAL'),
  ('2026-11-24 11:00:00', 2, 'w1', 'SQL', 'ORIGINAL'),
  ('2026-11-25 08:00:00', 3, 'w1', 'SQL', 'ORIGINAL'),
  ('2026-11-24 09:00:00', 10, 'w2', 'SQL', 'ORIGINAL'),
  ('2026-11-24 09:00:00', 20, NULL, 'JOBS', 'ORIGINAL'),
  ('2026-10-01 09:00:00', 40, 'w1', 'SQL', 'ORIGINAL')
) AS t(began, dbus, warehouse, product, kind);

INSERT INTO sys.billing.list_prices
SELECT began::TIMESTAMP, ended::TIMESTAMP, 'SERVERLESS_SQL', 'AWS', currency, 'DBU',
  struct_pack("default" := 1.0, effective_list := struct_pack("default" := price))
FROM (VALUES
  ('2026-01-01 00:00:00', '2026-11-25 00:00:00', 'USD', 0.7),
  ('2026-11-25 00:00:00', NULL, 'USD', 0.8),
  ('2026-01-01 00:00:00', NULL, 'EUR', 0.9)
) AS t(began, ended, currency, price);

INSERT INTO sys.ai_gateway.usage
SELECT began::TIMESTAMP, kind, 'system.ai.dbsql', struct_pack(tool_name := 'execute_sql', server_type := 'MANAGED'), who, status, ms, agent, ''
FROM (VALUES
  ('2026-11-24 09:00:00', 'MCP_SERVICE', 'ana', 200, 1000, 'causeway/0.1.0 agent/claude-code'),
  ('2026-11-24 09:01:00', 'MCP_SERVICE', 'ana', 403, 100, 'causeway/0.1.0 agent/claude-code'),
  ('2026-11-24 09:02:00', 'MCP_SERVICE', 'ben', 200, 3000, 'causeway/0.1.0 agent/claude-code'),
  ('2026-11-24 09:03:00', 'MCP_SERVICE', 'carl', 429, 50, 'python-requests/2.31'),
  ('2026-11-24 09:04:00', 'MCP_SERVICE', 'dora', 502, 20, NULL),
  ('2026-11-24 09:05:00', 'MCP_SERVICE', 'ana', 200, 500, 'databricks-sdk-go/0.1 agent/codex'),
  ('2026-11-24 09:06:00', 'MODEL_SERVICE', 'ana', 500, 500, 'causeway/0.1.0'),
  ('2026-10-01 09:00:00', 'MCP_SERVICE', 'ana', 500, 500, 'causeway/0.1.0')
) AS t(began, kind, who, status, ms, agent);`;

/** What DuckDB spells differently: its own catalog is called \`system\`, and names are quoted with double quotes. The time is fixed. */
function inDuckDb(query: string): string {
  return query.replaceAll('`', '"').replaceAll('system.', 'sys.').replaceAll('current_timestamp', `TIMESTAMP '${NOW}'`);
}

describe('the queries of the dashboards', () => {
  let run: (sql: string) => Promise<unknown[][]>;
  let end = () => {};

  beforeAll(async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    end = () => connection.closeSync();
    await connection.run(TABLES_AS_THEY_ARE);
    await connection.run(ROWS);
    run = async (sql) => (await connection.runAndReadAll(sql)).getRowsJson().map((row) => row.map(asPlain));
  });
  afterAll(() => end());

  const D24 = '2026-11-24 00:00:00';
  const D25 = '2026-11-25 00:00:00';

  const EXPECTED: Record<QueryName, unknown[][]> = {
    // s1, s2, s4 and s5, by ana and ben: one of four failed, one is from the cache, two had to wait.
    totals: [[4, 2, 0.25, 0.25, 0.5]],
    statements: [
      [D24, 'w1', 'Genie', 1, 0, 0, 1, 0, 0, 0],
      [D24, 'w1', 'SQL server', 2, 1, 0, 0, 2, 3, 2],
      [D25, 'w1', 'SQL server', 1, 0, 1, 0, 1, 5, 0],
    ],
    // 9:00: 4 DBUs, of which agents had 3 of 12 seconds. 10:00 and 11:00: 2 DBUs each, idle. On the next day: 3 DBUs, all for agents.
    cost: [
      [D24, 'w1', 'agents', 1, 0.7],
      [D24, 'w1', 'idle', 4, 2.8],
      [D24, 'w1', 'others', 3, 2.1],
      [D25, 'w1', 'agents', 3, 2.4],
      [D25, 'w1', 'idle', 0, 0],
      [D25, 'w1', 'others', 0, 0],
    ],
    costTotals: [[11, 4, 0.363636]],
    // Of 0, 0 and 10 seconds, 95 % is 0.9 of the way from the second to the third.
    queueing: [
      [D24, 'w1', 3, 1, 10, 0, 9],
      [D25, 'w1', 1, 1, 0, 4, 4],
    ],
    failures: [['TABLE_OR_VIEW_NOT_FOUND', 'w1', 1, 1, '2026-11-24 09:20:00']],
    readers: [
      ['ana', 3, 8, 2, 0.333333],
      ['ben', 1, 0, 0, 0],
    ],
    refusals: [
      [D24, 'system.ai.dbsql', 'execute_sql', 'claude-code', 'not permitted', 1],
      [D24, 'system.ai.dbsql', 'execute_sql', 'not named', 'server failed', 1],
      [D24, 'system.ai.dbsql', 'execute_sql', 'python-requests', 'rate limit', 1],
    ],
    // Of 0.1, 1 and 3 seconds, 95 % is 0.9 of the way from the second to the third.
    clients: [
      ['claude-code', 3, 3, 2, 0.333333, 2.8],
      ['codex', 1, 0, 1, 0, 0.5],
      ['not named', 1, 0, 1, 1, 0.02],
      ['python-requests', 1, 0, 1, 1, 0.05],
    ],
  };

  it.each(Object.entries(QUERIES))('%s has the right answer', async (name, query) => {
    const expected = Object.entries(EXPECTED).find(([each]) => each === name)?.[1];
    expect(await run(inDuckDb(query))).toEqual(expected);
  });

  it('read the tables that viewers are told to need', () => {
    const read = Object.values(QUERIES).flatMap((query) => query.match(/\bsystem\.\w+\.\w+/g) ?? []);
    expect(new Set(read)).toEqual(new Set(TABLES));
  });

  it('share out every DBU of the warehouses that agents used, and no more', async () => {
    const parts = await run(inDuckDb(QUERIES.cost));
    const [[whole] = []] = await run(inDuckDb(QUERIES.costTotals));
    expect(parts.reduce((sum, [, , , dbus]) => sum + Number(dbus), 0)).toBe(whole);
  });
});

/** 64-bit numbers and decimals are texts in JSON. Six digits after the point are enough. */
function asPlain(value: unknown): unknown {
  const number = typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value));
  return number ? Math.round(Number(value) * 1e6) / 1e6 : value;
}

describe('the files of the dashboards', () => {
  it.each([...dashboardFiles()])('%s is up to date: `npm run dashboards` writes it', (path, text) => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text);
  });

  it('the AI/BI dashboard shows only columns that its queries have, in widgets that do not overlap', () => {
    const { datasets, pages } = lakeviewDashboard();
    const columns = new Map(
      datasets.map(({ name, queryLines }) => [name, new Set(queryLines.join('').match(/(?<=\bAS )\w+/g))]),
    );
    const taken = new Set<string>();
    for (const { widget, position } of pages.flatMap(({ layout }) => layout)) {
      for (const { query } of 'queries' in widget ? widget.queries : []) {
        for (const { expression } of query.fields) {
          const [, column = ''] = /`(\w+)`/.exec(expression) ?? [];
          expect([...(columns.get(query.datasetName) ?? [])]).toContain(column);
        }
      }
      for (let x = position.x; x < position.x + position.width; x += 1)
        for (let y = position.y; y < position.y + position.height; y += 1) {
          expect(taken.has(`${x} ${y}`)).toBe(false);
          expect(x).toBeLessThan(6);
          taken.add(`${x} ${y}`);
        }
    }
    const names = pages.flatMap(({ layout }) => layout.map(({ widget }) => widget.name));
    expect(new Set(names).size).toBe(names.length);
  });

  it('the Grafana dashboard asks only for what the audit sends', () => {
    const origin = originOf('command');
    const call = auditedCall(
      endedCall({
        outcome: 'error',
        errorCode: -32003,
        refusal: 'policy',
        user: 'ana@example.com',
        statement: { id: '01f0', state: null, isPoll: false, isPinned: false },
        workspace: { host: 'https://adb-7.1.azuredatabricks.net', workspaceId: undefined },
      }),
      origin,
    );
    if (!call) throw new Error('the call is not audited');
    const event = auditedEvent({ event: 'override-change', facts: { warehouse: 'w1' } }, origin, 0);
    const sent = [attributesOf(call), detailsOf(call), factsOf(event)].flatMap((each) => Object.keys(each));
    const asPrometheus = (name: string) => name.replaceAll('.', '_');
    const known = new Set([...sent.map(asPrometheus), 'job', 'le', 'service_name', 'host_name']);
    for (const { targets } of grafanaDashboard().panels) {
      for (const { expr } of targets) {
        const labels = [...expr.matchAll(/by \(([^)]+)\)/g)].flatMap(([, list = '']) => list.split(/, ?/));
        const matched = [...expr.matchAll(/(\w+)\s*(?:!=|=~|=)\s*"/g)].map(([, name]) => name);
        for (const label of [...labels, ...matched]) expect(known).toContain(label);
        const metrics = expr.match(/\bmcp_\w+(?=_(count|bucket))/g) ?? [];
        for (const metric of metrics) expect(metric).toBe(`${asPrometheus(DURATION)}_seconds`);
      }
    }
  });
});
