import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { User, VectorIndex, WorkspaceState } from '../model.ts';
import { innerCatalog, quoted } from './dialect.ts';
import type { Engine, Rows } from './engine.ts';
import { sameName, schemaAccess } from './grants.ts';
import { rank } from './similarity.ts';
import type { Target } from './target.ts';
import {
  badRequest,
  readArguments,
  type ServedServer,
  type ServedTool,
  structured,
  type ToolInput,
} from './toolset.ts';

/** The vector search server: the rows of an index's table, ranked by likeness to the query. */

export interface SearchParts {
  state: WorkspaceState;
  engine: Engine;
}

type SearchTarget = Extract<Target, { server: 'vector-search' | 'functions' }>;

const Search = z.object({ query: z.string().min(1) });

const Flag = z.union([z.boolean(), z.stringbool()]);

/** What the caller's side sets, out of the model's reach. */
const Meta = z.object({
  num_results: z.coerce.number().int().min(1).max(200).default(5),
  columns: z.string().optional(),
  /** A JSON object: column name to the value, or the values, that it must have. */
  filters: z.string().optional(),
  score_threshold: z.coerce.number().default(0),
  include_score: Flag.default(false),
});

const Filters = z.record(z.string(), z.unknown());

export function vectorSearchServer(parts: SearchParts, user: User, target: SearchTarget): ServedServer {
  return {
    name: 'vector-search',
    instructions: 'Finds rows that are like a text.',
    tools: () => indexes(parts.state, user, target).map((index) => searchTool(parts, index)),
  };
}

/** Only indexes whose vectors the workspace computes are offered: for others there is nothing to turn a text into one. */
function indexes(state: WorkspaceState, user: User, { catalog, schema, only }: SearchTarget): VectorIndex[] {
  const access = schemaAccess(state, user, catalog, schema);
  if (access === 'unknown') throw badRequest(`Schema ${catalog}.${schema} not found`);
  const served = state.vectorIndexes.filter(({ name, selfManaged }) => {
    const [inCatalog = '', inSchema = '', own = ''] = name.split('.');
    const isHere = sameName(inCatalog, catalog) && sameName(inSchema, schema);
    return isHere && !selfManaged && (only === undefined || sameName(own, only));
  });
  if (only !== undefined && served.length === 0) throw badRequest(`Index ${catalog}.${schema}.${only} not found`);
  return access === 'granted' ? served : [];
}

function searchTool(parts: SearchParts, index: VectorIndex): ServedTool {
  return {
    definition: {
      name: index.name.replaceAll('.', '__'),
      description: `Searches ${index.name}: rows of ${index.sourceTable} whose ${index.embeddingColumn} is like a text.`,
      inputSchema: {
        type: 'object',
        properties: { query: { type: 'string', description: 'The text to search for.' } },
        required: ['query'],
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    call: (input) => search(parts, index, input),
  };
}

async function search({ engine }: SearchParts, index: VectorIndex, input: ToolInput): Promise<CallToolResult> {
  const { query } = readArguments(Search, input);
  const meta = readArguments(Meta, { ...input, arguments: input.meta });
  const [catalog = '', ...rest] = index.sourceTable.split('.');
  const name = [innerCatalog(catalog), ...rest].map(quoted).join('.');
  const table = await engine.run(`SELECT * FROM ${name} ORDER BY ${quoted(index.primaryKey)}`);

  const text = place(table, index.embeddingColumn);
  const shown = meta.columns === undefined ? table.columns : meta.columns.split(',').map((column) => column.trim());
  const places = shown.map((column) => place(table, column));
  const found = rank(filtered(table, meta.filters), (row) => row[text] ?? '', query)
    .filter(({ score }) => score >= meta.score_threshold)
    .slice(0, meta.num_results);
  const rows = found.map(({ item, score }) => {
    const values = places.map((column) => item[column] ?? null);
    return meta.include_score ? [...values, Number(score.toFixed(6))] : values;
  });
  const columns = meta.include_score ? [...shown, 'score'] : shown;
  return structured({
    manifest: { column_count: columns.length, columns: columns.map((column) => ({ name: column })) },
    result: { row_count: rows.length, data_array: rows },
  });
}

function filtered(table: Rows, filters: string | undefined): Rows['rows'] {
  if (filters === undefined) return table.rows;
  const conditions = Object.entries(parseFilters(filters)).map(([column, wanted]) => {
    const values = (Array.isArray(wanted) ? wanted : [wanted]).map(String);
    const at = place(table, column);
    return (row: (string | null)[]) => values.includes(row[at] ?? 'null');
  });
  return table.rows.filter((row) => conditions.every((holds) => holds(row)));
}

function parseFilters(filters: string): Record<string, unknown> {
  try {
    return Filters.parse(JSON.parse(filters));
  } catch {
    throw badRequest("Parameter 'filters' is malformed");
  }
}

function place({ columns }: Rows, column: string): number {
  const index = columns.findIndex((candidate) => sameName(candidate, column));
  if (index < 0) throw badRequest(`Column ${column} not found`);
  return index;
}
