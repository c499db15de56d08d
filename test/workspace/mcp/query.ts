import type { User, WorkspaceState } from '../model.ts';
import { HOME, innerCatalog, literal, parseName, quoted, translate } from './dialect.ts';
import type { Engine, Rows } from './engine.ts';
import { schemaAccess } from './grants.ts';

/** Why a statement failed, in the words of its status. */
export class QueryFailure extends Error {
  readonly errorCode: string;

  constructor(errorCode: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.errorCode = errorCode;
  }
}

export interface QueryRequest {
  user: User;
  query: string;
  readOnly: boolean;
  signal?: AbortSignal;
}

/** The real server gives about this many rows and says that it left the others out. */
const ROW_LIMIT = 12_288;

/** Runs a query as its user, with the user's grants. @throws {QueryFailure} */
export async function runQuery(engine: Engine, state: WorkspaceState, request: QueryRequest): Promise<Rows> {
  const { user, readOnly, signal } = request;
  const query = showStatement(state, request) ?? request.query;
  const { sql, names, words } = translate(query, user.userName);
  checkGrants(state, user, names);
  if (words[0] === 'CREATE' || words[0] === 'DROP') checkDefinition(words);
  const hasHome = schemaAccess(state, user, HOME.catalog, HOME.schema) === 'granted';
  const isTimedRun = words[0] === 'EXPLAIN' && words[1] === 'ANALYZE';
  try {
    return await engine.run(sql, {
      rowLimit: ROW_LIMIT,
      ...(hasHome && { home: HOME }),
      ...(signal && { signal }),
      admit: (kind) => {
        if (kind === 'other') throw new Error('Parser Error: this kind of statement is not supported.');
        if (readOnly && (kind === 'write' || isTimedRun)) {
          throw new Error('Permission Error: execute_sql_read_only runs only statements that read.');
        }
      },
    });
  } catch (error) {
    throw failureOf(error);
  }
}

function checkGrants(state: WorkspaceState, user: User, names: string[][]): void {
  const catalogs = new Set(state.schemas.map(({ catalog }) => catalog.toLowerCase()));
  for (const parts of names) {
    const [first = '', second = ''] = parts;
    const isFull = parts.length >= 3 && catalogs.has(first.toLowerCase());
    const [catalog, schema] = isFull ? [first, second] : [HOME.catalog, first];
    if (schema.toLowerCase() === 'information_schema') continue;
    const access = schemaAccess(state, user, catalog, schema);
    if (access === 'refused') {
      throw new QueryFailure(
        'PERMISSION_DENIED',
        `[INSUFFICIENT_PERMISSIONS] User does not have USE SCHEMA on Schema '${catalog}.${schema}'.`,
      );
    }
    if (isFull && access === 'unknown') {
      throw new QueryFailure('BAD_REQUEST', `[SCHEMA_NOT_FOUND] The schema '${catalog}.${schema}' cannot be found.`);
    }
  }
}

/** Schemas and catalogs belong to the workspace's state, which no query changes. */
function checkDefinition(words: string[]): void {
  if (!words.slice(0, 4).some((word) => ['SCHEMA', 'DATABASE', 'CATALOG'].includes(word))) return;
  throw new QueryFailure('BAD_REQUEST', '[UNSUPPORTED_FEATURE] Schemas and catalogs are not created or dropped here.');
}

const SHOW = /^\s*show\s+(catalogs|schemas|databases|tables)(?:\s+(?:in|from)\s+(.+?))?[\s;]*$/is;

/** `SHOW …` as a query over what the user may see, which is not what DuckDB's own shows. */
function showStatement(state: WorkspaceState, { query, user }: QueryRequest): string | undefined {
  const [, what = '', place = ''] = SHOW.exec(query) ?? [];
  if (what === '') return undefined;
  const visible = state.schemas.filter(({ grantedTo }) => state.isGranted(user, grantedTo));
  const [catalog = HOME.catalog, schema = HOME.schema] = parseName(place) ?? [];
  switch (what.toLowerCase()) {
    case 'catalogs':
      return listed('catalog', [...new Set(visible.map((one) => one.catalog))]);
    case 'tables':
      checkGrants(state, user, [[catalog, schema, '*']]);
      return (
        'SELECT schema_name AS "database", table_name AS "tableName", false AS "isTemporary" FROM duckdb_tables() ' +
        `WHERE database_name = ${literal(innerCatalog(catalog))} AND schema_name = ${literal(schema)} ORDER BY ALL`
      );
    default:
      return listed(
        'databaseName',
        visible.filter((one) => one.catalog === catalog).map((one) => one.schema),
      );
  }
}

function listed(column: string, values: string[]): string {
  return `SELECT unnest([${values.map(literal).join(', ')}]::VARCHAR[]) AS ${quoted(column)} ORDER BY 1`;
}

/** DuckDB's messages with the error conditions by which the workspace names the same faults. */
const CONDITIONS: [RegExp, string][] = [
  [/^Parser Error/, '[PARSE_SYNTAX_ERROR] '],
  [/^Catalog Error: Table|^Binder Error: Catalog/, '[TABLE_OR_VIEW_NOT_FOUND] '],
  [/^Binder Error: Referenced column/, '[UNRESOLVED_COLUMN] '],
  [/^Catalog Error: (Scalar )?Function/, '[UNRESOLVED_ROUTINE] '],
  [/^Conversion Error/, '[CAST_INVALID_INPUT] '],
];

function failureOf(error: unknown): QueryFailure {
  const message = error instanceof Error ? error.message : String(error);
  const code = message.startsWith('Permission Error') ? 'PERMISSION_DENIED' : 'BAD_REQUEST';
  const condition = CONDITIONS.find(([pattern]) => pattern.test(message))?.[1] ?? '';
  return new QueryFailure(code, condition + message, { cause: error });
}
