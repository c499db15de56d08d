import { DAYS, QUERIES, type QueryName, TABLES } from './queries.ts';

/** The name under which the dashboard is installed. */
export const DASHBOARD_NAME = 'AI agents on SQL warehouses';

interface Position {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A field of a widget: an expression over the columns of its query. */
interface Field {
  name: string;
  expression: string;
}

interface Axis {
  column: string;
  title: string;
}

type Format = 'number' | 'percent';

const FORMATS = {
  number: { type: 'number', abbreviation: 'compact', decimalPlaces: { type: 'max', places: 1 } },
  percent: { type: 'number-percent', decimalPlaces: { type: 'max', places: 1 } },
};

const ABOUT = [
  '# What AI agents run on SQL warehouses',
  '',
  `The last ${DAYS} days. Statements through the SQL server and Genie are from ${TABLES[0]}, up to an hour late.`,
  `Calls of MCP services are from ${TABLES[3]}, up to half an hour late. Only calls through the gateway are there.`,
  '',
  '**Cost**: warehouses are billed by the hour, not by the statement. The DBUs of each hour are divided by task time.',
  'If nothing was computed in an hour, its DBUs are idle. Prices are list prices: this is a share, not a bill.',
  'Discounts and the cloud’s own bill for classic warehouses are not in it.',
  '',
  '**Refused calls** are by HTTP status. A policy can refuse with the status of a success. The audit of Causeway has those.',
];

function widget(name: string, query: QueryName, fields: Field[], isRaw: boolean, spec: object) {
  const queries = [{ name: 'main_query', query: { datasetName: query, fields, disaggregated: isRaw } }];
  return { name, queries, spec };
}

function frame(title: string, description?: string) {
  return { showTitle: true, title, ...(description && { showDescription: true, description }) };
}

function counter(query: QueryName, column: string, title: string, format: Format) {
  const fields = [{ name: column, expression: `\`${column}\`` }];
  const value = { fieldName: column, displayName: title, format: FORMATS[format] };
  const spec = { version: 2, widgetType: 'counter', encodings: { value }, frame: frame(title) };
  return widget(`counter-${column}`, query, fields, true, spec);
}

/** Bars of a day each. */
function bars(query: QueryName, column: string, { title, color, unit, description }: BarOptions) {
  const sum = `sum(${column})`;
  const fields = [
    { name: 'day', expression: '`day`' },
    { name: sum, expression: `SUM(\`${column}\`)` },
    { name: color.column, expression: `\`${color.column}\`` },
  ];
  const encodings = {
    x: { fieldName: 'day', scale: { type: 'temporal' }, displayName: 'Day' },
    y: { fieldName: sum, scale: { type: 'quantitative' }, displayName: unit },
    color: { fieldName: color.column, scale: { type: 'categorical' }, displayName: color.title },
  };
  const spec = { version: 3, widgetType: 'bar', encodings, frame: frame(title, description) };
  return widget(`bars-${query}-${column}-${color.column}`, query, fields, false, spec);
}

interface BarOptions {
  title: string;
  color: Axis;
  /** Of the bars. */
  unit: string;
  description?: string;
}

function table(query: QueryName, title: string, columns: readonly Axis[]) {
  const fields = columns.map(({ column }) => ({ name: column, expression: `\`${column}\`` }));
  const encodings = { columns: columns.map(({ column, title: name }) => ({ fieldName: column, displayName: name })) };
  const spec = { version: 2, widgetType: 'table', encodings, frame: frame(title) };
  return widget(`table-${query}`, query, fields, true, spec);
}

const at = (x: number, y: number, width: number, height: number): Position => ({ x, y, width, height });
const WAREHOUSE = { column: 'warehouse', title: 'Warehouse' };

const LAYOUT = [
  {
    widget: { name: 'about', multilineTextboxSpec: { lines: ABOUT.map((line) => `${line}\n`) } },
    position: at(0, 0, 6, 4),
  },
  { widget: counter('totals', 'statements', 'Statements', 'number'), position: at(0, 4, 1, 2) },
  { widget: counter('totals', 'users', 'Users', 'number'), position: at(1, 4, 1, 2) },
  { widget: counter('totals', 'failed_share', 'Failed', 'percent'), position: at(2, 4, 1, 2) },
  { widget: counter('totals', 'cache_share', 'From the cache', 'percent'), position: at(3, 4, 1, 2) },
  { widget: counter('totals', 'waited_share', 'Had to wait', 'percent'), position: at(4, 4, 1, 2) },
  { widget: counter('costTotals', 'agent_share', 'Share of the DBUs', 'percent'), position: at(5, 4, 1, 2) },
  {
    widget: bars('statements', 'statements', {
      title: 'Statements by warehouse',
      color: WAREHOUSE,
      unit: 'Statements',
    }),
    position: at(0, 6, 3, 6),
  },
  {
    widget: bars('statements', 'statements', {
      title: 'Statements by way',
      color: { column: 'through', title: 'Through' },
      unit: 'Statements',
    }),
    position: at(3, 6, 3, 6),
  },
  {
    widget: bars('cost', 'dbus', {
      title: 'Whose DBUs they are',
      color: { column: 'used_by', title: 'Used by' },
      unit: 'DBUs',
      description: 'Of the warehouses that agents used, by task time within each hour',
    }),
    position: at(0, 12, 3, 6),
  },
  {
    widget: table('cost', 'Share of cost, at list price', [
      { column: 'day', title: 'Day' },
      WAREHOUSE,
      { column: 'used_by', title: 'Used by' },
      { column: 'dbus', title: 'DBUs' },
      { column: 'list_usd', title: 'USD at list price' },
    ]),
    position: at(3, 12, 3, 6),
  },
  {
    widget: bars('refusals', 'calls', {
      title: 'Refused calls',
      color: { column: 'reason', title: 'Reason' },
      unit: 'Calls',
    }),
    position: at(0, 18, 3, 6),
  },
  {
    widget: table('refusals', 'Refused calls by tool', [
      { column: 'day', title: 'Day' },
      { column: 'server', title: 'Server' },
      { column: 'tool', title: 'Tool' },
      { column: 'client', title: 'Client' },
      { column: 'reason', title: 'Reason' },
      { column: 'calls', title: 'Calls' },
    ]),
    position: at(3, 18, 3, 6),
  },
  {
    widget: bars('statements', 'from_cache', {
      title: 'Answered from the cache',
      color: WAREHOUSE,
      unit: 'Statements',
    }),
    position: at(0, 24, 3, 6),
  },
  {
    widget: table('clients', 'Clients', [
      { column: 'client', title: 'Client' },
      { column: 'calls', title: 'Calls' },
      { column: 'through_causeway', title: 'Through Causeway' },
      { column: 'users', title: 'Users' },
      { column: 'failed_share', title: 'Failed (0 to 1)' },
      { column: 'p95_seconds', title: 'p95, seconds' },
    ]),
    position: at(3, 24, 3, 6),
  },
  {
    widget: bars('queueing', 'capacity_wait_seconds', {
      title: 'Waiting for a full warehouse',
      color: WAREHOUSE,
      unit: 'Seconds',
    }),
    position: at(0, 30, 3, 6),
  },
  {
    widget: bars('queueing', 'start_wait_seconds', {
      title: 'Waiting for a start',
      color: WAREHOUSE,
      unit: 'Seconds',
    }),
    position: at(3, 30, 3, 6),
  },
  {
    widget: table('failures', 'Failures', [
      { column: 'error_class', title: 'Error class' },
      WAREHOUSE,
      { column: 'statements', title: 'Statements' },
      { column: 'users', title: 'Users' },
      { column: 'last_seen', title: 'Last seen' },
    ]),
    position: at(0, 36, 3, 6),
  },
  {
    widget: table('readers', 'Who reads most', [
      { column: 'user_name', title: 'User' },
      { column: 'statements', title: 'Statements' },
      { column: 'task_seconds', title: 'Task seconds' },
      { column: 'read_gb', title: 'GB read' },
      { column: 'cache_share', title: 'From the cache (0 to 1)' },
    ]),
    position: at(3, 36, 3, 6),
  },
];

const TITLES: Record<QueryName, string> = {
  totals: 'Totals',
  statements: 'Statements by day',
  cost: 'Cost by day',
  costTotals: 'Cost',
  queueing: 'Waiting by day',
  failures: 'Failures',
  readers: 'Users',
  refusals: 'Refused calls',
  clients: 'Clients',
};

/** The dashboard as a `.lvdash.json` file has it. */
export function lakeviewDashboard() {
  const datasets = Object.entries(QUERIES).map(([name, query]) => ({
    name,
    displayName: Object.entries(TITLES).find(([each]) => each === name)?.[1] ?? name,
    queryLines: query.split('\n').map((line) => `${line}\n`),
  }));
  return {
    datasets,
    pages: [{ name: 'agents', displayName: 'AI agents', pageType: 'PAGE_TYPE_CANVAS', layout: LAYOUT }],
  };
}
