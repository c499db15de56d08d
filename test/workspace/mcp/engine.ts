import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { CatalogFunction, WorkspaceState } from '../model.ts';
import { innerCatalog, literal, outward, quoted, translate } from './dialect.ts';
import { SAMPLE_TABLES } from './sample-tables.ts';

export interface Rows {
  columns: string[];
  /** Every value as text; null if there is none. */
  rows: (string | null)[][];
  /** Whether there were more rows than the limit let through. */
  truncated: boolean;
}

type StatementKind = 'read' | 'write' | 'other';

export interface RunOptions {
  /** Values for `$1`, `$2`, … */
  values?: (string | number | boolean | null)[];
  /** Catalog and schema of names that give none. */
  home?: { catalog: string; schema: string };
  rowLimit?: number;
  /** Decides by its kind whether the statement may run; throws if not. */
  admit?: (kind: StatementKind) => void;
  signal?: AbortSignal;
}

type Catalog = Pick<WorkspaceState, 'schemas' | 'functions'>;

/** DuckDB refuses what a query would do with this machine's files or network. */
const CONFIGURATION = { threads: '2', enable_external_access: 'false', autoinstall_known_extensions: 'false' };

/** DuckDB's own catalog of this name holds what the real one holds for everybody: nothing is added to it. */
const BUILT_IN_CATALOG = 'system';

/** The data of the workspace in an in-memory DuckDB, which is loaded when the first query comes. */
export class Engine {
  readonly #catalog: Catalog;
  #instance: Promise<DuckDBInstance> | undefined;
  /** What has been created so far, by its SQL. */
  readonly #created = new Set<string>();
  readonly #busy = new Set<DuckDBConnection>();
  #settling: Promise<void> = Promise.resolve();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** Runs one statement in DuckDB's own SQL. @throws {Error} with DuckDB's message, in the workspace's names */
  async run(sql: string, options: RunOptions = {}): Promise<Rows> {
    const { DuckDBInstance, StatementType } = await import('@duckdb/node-api');
    this.#instance ??= DuckDBInstance.create(':memory:', CONFIGURATION);
    const instance = await this.#instance;
    // One at a time: two first queries must not create the same table twice.
    this.#settling = this.#settling.catch(() => undefined).then(() => this.#createCatalog(instance));
    await this.#settling;
    options.signal?.throwIfAborted();

    const connection = await instance.connect();
    this.#busy.add(connection);
    try {
      const home = options.home;
      if (home) await connection.run(`USE ${quoted(innerCatalog(home.catalog))}.${quoted(home.schema)}`);
      const statements = await connection.extractStatements(sql);
      if (statements.count !== 1) throw new Error('Parser Error: give exactly one statement.');
      const { statementType } = await statements.prepare(0);
      const kind = KINDS.get(StatementType[statementType] ?? '') ?? 'other';
      options.admit?.(kind);
      return await read(connection, sql, options, kind);
    } catch (error) {
      throw new Error(outward(messageOf(error)), { cause: error });
    } finally {
      this.#busy.delete(connection);
      connection.closeSync();
    }
  }

  /** Stops what runs and lets the memory go. */
  async close(): Promise<void> {
    for (const connection of this.#busy) connection.interrupt();
    const instance = await this.#instance;
    this.#instance = undefined;
    instance?.closeSync();
  }

  /** Brings DuckDB up to the catalog as it is now; tests may put another one in place at any time. */
  async #createCatalog(instance: DuckDBInstance): Promise<void> {
    const missing = [...catalogStatements(this.#catalog)].filter((sql) => !this.#created.has(sql));
    if (missing.length === 0) return;
    const connection = await instance.connect();
    try {
      for (const sql of missing) {
        await connection.run(sql);
        this.#created.add(sql);
      }
    } finally {
      connection.closeSync();
    }
  }
}

const KINDS = new Map<string, StatementKind>([
  ['SELECT', 'read'],
  ['EXPLAIN', 'read'],
  ['INSERT', 'write'],
  ['UPDATE', 'write'],
  ['DELETE', 'write'],
  ['MERGE_INTO', 'write'],
  ['CREATE', 'write'],
  ['ALTER', 'write'],
  ['DROP', 'write'],
]);

function* catalogStatements({ schemas, functions }: Catalog): Generator<string> {
  const places = [...SAMPLE_TABLES, ...schemas].filter(({ catalog }) => catalog !== BUILT_IN_CATALOG);
  for (const { catalog } of places) yield `ATTACH IF NOT EXISTS ':memory:' AS ${quoted(innerCatalog(catalog))}`;
  for (const { catalog, schema } of places) yield `CREATE SCHEMA IF NOT EXISTS ${inner(catalog, schema)}`;
  for (const { catalog, schema, table, comment, rows } of SAMPLE_TABLES) {
    yield `CREATE TABLE ${inner(catalog, schema, table)} AS ${rows}`;
    yield `COMMENT ON TABLE ${inner(catalog, schema, table)} IS ${literal(comment)}`;
  }
  for (const one of functions) if (one.catalog !== BUILT_IN_CATALOG) yield createFunction(one);
}

function createFunction({ catalog, schema, name, parameters, returns, sql }: CatalogFunction): string {
  const list = parameters.map((parameter) => `${quoted(parameter.name)} ${parameter.type}`).join(', ');
  const body = returns === 'TABLE' ? `TABLE ${sql}` : `CAST(${sql} AS ${returns})`;
  return translate(`CREATE OR REPLACE MACRO ${inner(catalog, schema, name)}(${list}) AS ${body}`, '').sql;
}

function inner(catalog: string, ...rest: string[]): string {
  return [innerCatalog(catalog), ...rest].map(quoted).join('.');
}

const FRACTIONS = new Set(['DOUBLE', 'FLOAT']);

async function read(
  connection: DuckDBConnection,
  sql: string,
  { rowLimit = 100_000, values = [] }: RunOptions,
  kind: StatementKind,
): Promise<Rows> {
  const reader = await connection.streamAndReadUntil(sql, rowLimit + 1, values);
  // DuckDB counts what a write has changed in a column that has no meaning for definitions.
  const columns = kind === 'write' ? ['num_affected_rows'] : reader.columnNames().map(outward);
  const types = reader.columnTypes().map(String);
  const whole = reader.getRows();
  const nested = reader.getRowsJson();
  const rows = whole.slice(0, rowLimit).map((row, index) =>
    row.map((value, column) => {
      if (value === null) return null;
      const json = nested[index]?.[column];
      if (typeof json === 'object') return JSON.stringify(json);
      // A whole number in a column of fractions is written as a fraction.
      return FRACTIONS.has(types[column] ?? '') && Number.isInteger(value) ? `${value}.0` : String(value);
    }),
  );
  return { columns, rows, truncated: whole.length > rowLimit };
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^Failed to extract statements: /, '');
}
