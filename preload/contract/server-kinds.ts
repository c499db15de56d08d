import { appOf, serverPathKey } from './server-path.ts';

/**
 * What each server is and can do, by its path: a row for each kind (spec/managed-mcp-endpoints.md › Managed server). Whoever needs to
 * know anything about a server asks `serverAt`; a new kind is a row here, and what lists its servers in `main/workspace/`.
 */

/** What the list of servers, `--json` and `causeway servers add KIND` call a kind; what needs no support of its own is `other`. */
export const SERVER_KINDS = ['sql', 'genie', 'vector-search', 'functions', 'app', 'other'] as const;

export type ManagedServerKind = (typeof SERVER_KINDS)[number];

/** The groups in which people see what a workspace offers, in their order. */
export const SERVER_GROUPS = ['sql', 'genie', 'search', 'functions', 'services', 'connections', 'apps'] as const;

/** What people see: an icon for each. */
export const SERVER_TYPES = ['sql', 'genie', 'functions', 'search', 'connection', 'service', 'app', 'other'] as const;

export type ServerType = (typeof SERVER_TYPES)[number];

/** What has replaced a server. */
interface Successor {
  path: string;
  /** What `causeway servers add` takes for it. */
  add: string;
}

interface ServerRow {
  /** The key of the path below which its servers are. */
  at: string;
  /** How many names follow in the path. */
  names: readonly [least: number, most: number];
  kind: ManagedServerKind;
  type: ServerType;
  /** The OAuth scope that it needs; undefined if none is known. */
  scope: string | undefined;
  /** What `causeway servers` calls its kind, if not as it is kept. */
  shown?: string;
  /** What `causeway servers add KIND` takes after it, for people; undefined if it is not added so. */
  takes?: string;
  /** What has replaced the servers with these names. */
  successor?: (names: readonly string[]) => Successor;
  /** Whether its statements run on a warehouse, which can be pinned; its tools are those of `SQL_TOOLS`. */
  runsSql?: true;
  /** What it is in words, from the names in its path; the path by default. */
  title?: (names: readonly string[]) => string;
  /** What a server of it is called in the list if the user does not say; its last name by default. */
  named?: (names: readonly string[]) => string;
}

const MCP = '/api/2.0/mcp';
const GATEWAY = '/ai-gateway';
const SERVICES = `${GATEWAY}/mcp-services`;
const SQL_SERVICE = 'system.ai.dbsql';
const GENIE_ONE_SERVICE = 'system.ai.genie_one_mcp';
const CATALOG_NAMES = [2, 3] as const;
const last = (names: readonly string[]) => names.at(-1) ?? '';
const dotted = (names: readonly string[]) => names.join('.');

/** The path with these names below it. */
function pathBelow(at: string, names: readonly string[]): string {
  return [at, ...names.map(encodeURIComponent)].join('/');
}

const toService = (name: string) => () => ({ path: pathBelow(SERVICES, [name]), add: name });

const ROWS = {
  sql: {
    at: `${MCP}/sql`,
    names: [0, 0],
    kind: 'sql',
    type: 'sql',
    scope: 'sql',
    takes: 'no target',
    successor: toService(SQL_SERVICE),
    runsSql: true,
    title: () => 'SQL',
    named: () => 'databricks-sql',
  },
  'genie-one': {
    at: `${MCP}/genie`,
    names: [0, 0],
    kind: 'genie',
    type: 'genie',
    scope: 'genie',
    successor: toService(GENIE_ONE_SERVICE),
    title: () => 'Genie One',
    named: () => 'genie',
  },
  genie: {
    at: `${MCP}/genie`,
    names: [1, 1],
    kind: 'genie',
    type: 'genie',
    scope: 'genie',
    takes: "the Genie space's id",
    title: (names) => `Genie space ${last(names)}`,
    // The ids of spaces that were created one after another differ at the end.
    named: (names) => `genie-${last(names).slice(-4)}`,
  },
  'vector-search': {
    at: `${MCP}/vector-search`,
    names: CATALOG_NAMES,
    kind: 'vector-search',
    type: 'search',
    scope: 'vector-search',
    takes: 'CATALOG.SCHEMA or CATALOG.SCHEMA.INDEX',
    successor: (names) => ({ path: pathBelow(`${MCP}/ai-search`, names), add: `search:${dotted(names)}` }),
    title: (names) => `Vector search in ${dotted(names)}`,
    named: (names) => `search-${last(names)}`,
  },
  search: {
    at: `${MCP}/ai-search`,
    names: CATALOG_NAMES,
    kind: 'vector-search',
    type: 'search',
    scope: 'ai-search',
    takes: 'CATALOG.SCHEMA or CATALOG.SCHEMA.INDEX',
    title: (names) => `AI Search in ${dotted(names)}`,
    named: (names) => `search-${last(names)}`,
  },
  functions: {
    at: `${MCP}/functions`,
    names: CATALOG_NAMES,
    kind: 'functions',
    type: 'functions',
    scope: 'unity-catalog',
    takes: 'CATALOG.SCHEMA or CATALOG.SCHEMA.FUNCTION',
    title: (names) => `Functions in ${dotted(names)}`,
    named: (names) => `functions-${last(names)}`,
  },
  connection: {
    at: `${MCP}/external`,
    names: [1, 1],
    kind: 'other',
    type: 'connection',
    scope: 'unity-catalog',
    shown: 'connection',
    takes: "the connection's name",
    title: (names) => `Connection ${last(names)}`,
  },
  'sql-service': {
    at: `${SERVICES}/${SQL_SERVICE}`,
    names: [0, 0],
    kind: 'other',
    type: 'sql',
    scope: 'ai-gateway',
    shown: 'service',
    runsSql: true,
    title: () => 'Databricks SQL',
    named: () => 'databricks-sql',
  },
  'genie-service': {
    at: `${SERVICES}/${GENIE_ONE_SERVICE}`,
    names: [0, 0],
    kind: 'other',
    type: 'genie',
    scope: 'ai-gateway',
    shown: 'service',
    title: () => 'Genie One',
    named: () => 'genie',
  },
  service: {
    at: SERVICES,
    names: [1, 1],
    kind: 'other',
    type: 'service',
    scope: 'ai-gateway',
    shown: 'service',
    title: (names) => `Service ${last(names)}`,
  },
  // The workspace is asked for the app's URL. The scopes that the app itself needs are not documented.
  app: {
    at: '/apps',
    names: [2, Number.POSITIVE_INFINITY],
    kind: 'app',
    type: 'app',
    scope: 'apps',
    title: ([name = '']) => `App ${name}`,
    named: ([name = '']) => name,
  },
  // Servers below the gateway that are of no kind yet.
  gateway: {
    at: GATEWAY,
    names: [0, Number.POSITIVE_INFINITY],
    kind: 'other',
    type: 'other',
    scope: 'ai-gateway',
  },
  other: { at: '', names: [0, Number.POSITIVE_INFINITY], kind: 'other', type: 'other', scope: undefined },
} as const satisfies Record<string, ServerRow>;

/** A row's name. */
export type ServerRowName = keyof typeof ROWS;

const rows: Readonly<Record<ServerRowName, ServerRow>> = ROWS;

/** What is known of a server from its path alone. */
export interface ServerAtPath {
  row: ServerRowName;
  kind: ManagedServerKind;
  type: ServerType;
  /** Undefined for a path of no known kind. */
  scope: string | undefined;
  /** Its kind, for users. */
  shown: string;
  runsSql: boolean;
  /** Undefined for a current server. The query that the older path had is kept. */
  successor: Successor | undefined;
  /** The names in the path, decoded. */
  names: readonly string[];
  /** The last segment of the path, decoded. */
  segment: string;
  /** What it is, in words. */
  title: string;
  /** What it is called in the list if the user does not say. */
  named: string;
}

/** A path as its key, its decoded segments, the row that it belongs to, and the names in it. */
interface Found {
  key: string;
  segments: readonly string[];
  row: ServerRowName;
  names: readonly string[];
}

function find(path: string): Found {
  const key = serverPathKey(path) ?? path;
  const segments = path
    .replace(/\/?(\?.*)?$/, '')
    .split('/')
    .map(decoded);
  const row = SERVER_ROWS.find((name) => isOf(rows[name], key, segments.length)) ?? 'other';
  return { key, segments, row, names: segments.slice(depthOf(rows[row])) };
}

function isOf(row: ServerRow, key: string, count: number): boolean {
  const [least, most] = row.names;
  const names = count - depthOf(row);
  return isBelow(row, key) && names >= least && names <= most;
}

function isBelow({ at }: ServerRow, key: string): boolean {
  return key === at || key.startsWith(`${at}/`);
}

/** How many segments lead to its servers, the empty one before the first slash included. */
function depthOf({ at }: ServerRow): number {
  return at.split('/').length;
}

/** What the server at a path is, in whichever spelling; `other` for what is not the path of a server. */
export function serverAt(path: string): ServerAtPath {
  const { key, segments, row: name, names } = find(path);
  const row = rows[name];
  const segment = segments.at(-1) ?? '';
  return {
    row: name,
    kind: row.kind,
    type: row.type,
    scope: scopeBelow(key),
    shown: row.shown ?? row.kind,
    runsSql: row.runsSql ?? false,
    successor: withQueryOf(path, row.successor?.(names)),
    names,
    segment,
    title: row.title?.(names) ?? path,
    named: row.named?.(names) ?? segment,
  };
}

function withQueryOf(path: string, successor: Successor | undefined): Successor | undefined {
  const [, query] = path.split('?');
  return successor && query ? { ...successor, path: `${successor.path}?${query}` } : successor;
}

/** A path of a kind with too many or too few names is of no kind that is known, but needs the scope of those beside it. */
function scopeBelow(key: string): string | undefined {
  return SERVER_ROWS.map((name) => rows[name]).find((row) => isBelow(row, key))?.scope;
}

/** All rows, the more particular one first. */
export const SERVER_ROWS: readonly ServerRowName[] = Object.keys(ROWS).filter(
  (name): name is ServerRowName => name in ROWS,
);

const SQL_PATHS: ReadonlySet<string> = new Set(Object.values(rows).flatMap(({ runsSql, at }) => (runsSql ? [at] : [])));

/** Whether a path is that of a managed SQL server, whose statements run on a warehouse. Asked at each call of a tool. */
export function isSqlServer(path: string): boolean {
  return SQL_PATHS.has(path) || rows[find(path).row].runsSql === true;
}

/** Whether the calls of a server can run SQL statements, whose ids are in its answers: SQL servers, and Genie. */
export function runsStatements(path: string): boolean {
  return isSqlServer(path) || serverAt(path).type === 'genie';
}

/** Whether a path names a Databricks App: `/apps/NAME/mcp`. */
export function isAppPath(path: string): boolean {
  return appOf(path) !== undefined;
}

/** The path of a server of a row, by the names in it. */
export function pathOfRow(row: ServerRowName, names: readonly string[] = []): string {
  return pathBelow(rows[row].at, names);
}

/** What can be said about a row without a server. */
export function rowOf(name: ServerRowName): Readonly<ServerRow> {
  return rows[name];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
