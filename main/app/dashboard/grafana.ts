/** Points of the histogram in Prometheus, as its OTLP receiver and the collector's exporter name them. */
const METRIC = 'mcp_client_operation_duration_seconds';
const CALLS = '{job="causeway"}';
/** The log in Loki: one record for each call, and one for each sign-in and change. */
const LOG = '{service_name="causeway"}';

/** A variable of the dashboard, with which its user chooses the source. */
const variable = (name: string) => ['${', name, '}'].join('');
const METRICS_SOURCE = { type: 'prometheus', uid: variable('metrics') };
const LOGS_SOURCE = { type: 'loki', uid: variable('logs') };

const rate = (suffix: 'count' | 'bucket', by: string, matchers = CALLS) =>
  `sum by (${by}) (rate(${METRIC}_${suffix}${matchers}[$__rate_interval]))`;

const REFUSED = '{job="causeway", causeway_refusal!=""}';
const FAILED = '{job="causeway", error_type!="", error_type!~"cancel.*"}';

interface Panel {
  title: string;
  description?: string;
  kind: 'timeseries' | 'table' | 'logs' | 'stat';
  source: typeof METRICS_SOURCE | typeof LOGS_SOURCE;
  expression: string;
  legend?: string;
  unit?: string;
  /** Of 24. */
  width: number;
  height: number;
}

const PANELS: Panel[] = [
  {
    title: 'Calls per second by client',
    kind: 'timeseries',
    source: METRICS_SOURCE,
    expression: rate('count', 'causeway_client'),
    legend: '{{causeway_client}}',
    unit: 'reqps',
    width: 12,
    height: 8,
  },
  {
    title: 'Calls per second by server and tool',
    kind: 'timeseries',
    source: METRICS_SOURCE,
    expression: rate('count', 'causeway_server, gen_ai_tool_name'),
    legend: '{{causeway_server}} {{gen_ai_tool_name}}',
    unit: 'reqps',
    width: 12,
    height: 8,
  },
  {
    title: 'p95 by tool',
    description: 'Within the bucket that it falls into.',
    kind: 'timeseries',
    source: METRICS_SOURCE,
    expression: `histogram_quantile(0.95, ${rate('bucket', 'le, gen_ai_tool_name')})`,
    legend: '{{gen_ai_tool_name}}',
    unit: 's',
    width: 12,
    height: 8,
  },
  {
    title: 'Share of calls that failed',
    kind: 'timeseries',
    source: METRICS_SOURCE,
    expression: `${rate('count', 'causeway_server', FAILED)} / ${rate('count', 'causeway_server')}`,
    legend: '{{causeway_server}}',
    unit: 'percentunit',
    width: 12,
    height: 8,
  },
  {
    title: 'Refused calls',
    description: 'By what refused them, such as a policy or a rate limit.',
    kind: 'timeseries',
    source: METRICS_SOURCE,
    expression: `sum by (causeway_refusal, gen_ai_tool_name) (increase(${METRIC}_count${REFUSED}[$__rate_interval]))`,
    legend: '{{causeway_refusal}} {{gen_ai_tool_name}}',
    width: 12,
    height: 8,
  },
  {
    title: 'Failures by class',
    kind: 'timeseries',
    source: METRICS_SOURCE,
    expression: `sum by (error_type) (increase(${METRIC}_count${FAILED}[$__rate_interval]))`,
    legend: '{{error_type}}',
    width: 12,
    height: 8,
  },
  {
    title: 'Calls by user',
    kind: 'table',
    source: LOGS_SOURCE,
    expression: `topk(20, sum by (enduser_id) (count_over_time(${LOG} | causeway_outcome != "" [$__range])))`,
    width: 12,
    height: 8,
  },
  {
    title: 'Clients and their versions',
    kind: 'table',
    source: LOGS_SOURCE,
    expression: `sum by (causeway_client, causeway_client_version) (count_over_time(${LOG} | causeway_outcome != "" [$__range]))`,
    width: 12,
    height: 8,
  },
  {
    title: 'SQL statements by computer',
    description: 'Calls whose answer named a statement. Which warehouse it ran on is in system.query.history.',
    kind: 'timeseries',
    source: LOGS_SOURCE,
    expression: `sum by (host_name) (count_over_time(${LOG} | causeway_statement_id != "" [$__interval]))`,
    legend: '{{host_name}}',
    width: 12,
    height: 8,
  },
  {
    title: 'Sign-ins and changes',
    description: 'Of permissions, entries, overrides and default warehouses, by the window or a command.',
    kind: 'logs',
    source: LOGS_SOURCE,
    expression: `${LOG} | causeway_by != ""`,
    width: 12,
    height: 8,
  },
  {
    title: 'Refused and failed calls',
    kind: 'logs',
    source: LOGS_SOURCE,
    expression: `${LOG} | error_type != ""`,
    width: 24,
    height: 10,
  },
];

const TARGETS = {
  timeseries: { format: 'time_series', range: true, instant: false },
  stat: { format: 'time_series', range: false, instant: true },
  table: { format: 'table', range: false, instant: true },
  logs: { range: true, instant: false },
};

/** The dashboard as Grafana imports it, over the metrics and logs that the audit sends to a collector. */
export function grafanaDashboard() {
  let [x, y] = [0, 0];
  const panels = PANELS.map(({ kind, source, expression, legend, unit, width, height, ...words }, index) => {
    if (x + width > 24) [x, y] = [0, y + height];
    const gridPos = { x, y, w: width, h: height };
    x += width;
    return {
      id: index + 1,
      type: kind,
      ...words,
      datasource: source,
      gridPos,
      fieldConfig: { defaults: unit === undefined ? {} : { unit }, overrides: [] },
      targets: [
        { refId: 'A', datasource: source, expr: expression, ...TARGETS[kind], ...(legend && { legendFormat: legend }) },
      ],
    };
  });
  return {
    title: 'AI agents through Causeway',
    uid: 'causeway-agents',
    tags: ['causeway', 'mcp'],
    schemaVersion: 39,
    editable: true,
    time: { from: 'now-7d', to: 'now' },
    refresh: '5m',
    templating: {
      list: [
        { name: 'metrics', label: 'Metrics', type: 'datasource', query: 'prometheus' },
        { name: 'logs', label: 'Logs', type: 'datasource', query: 'loki' },
      ],
    },
    panels,
  };
}
