import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { CatalogFunction, User, WorkspaceState } from '../model.ts';
import { innerCatalog, quoted } from './dialect.ts';
import type { Engine } from './engine.ts';
import { sameName, schemaAccess } from './grants.ts';
import type { Target } from './target.ts';
import {
  badRequest,
  readArguments,
  type ServedServer,
  type ServedTool,
  structured,
  type ToolInput,
} from './toolset.ts';

/** The functions server: each function of a schema as a tool, called in SQL. */

export interface FunctionParts {
  state: WorkspaceState;
  engine: Engine;
}

type FunctionTarget = Extract<Target, { server: 'vector-search' | 'functions' }>;
type Parameter = CatalogFunction['parameters'][number];

const TYPES: Record<Parameter['type'], { json: Record<string, string>; schema: z.ZodType<string | number | boolean> }> =
  {
    STRING: { json: { type: 'string' }, schema: z.string() },
    INT: { json: { type: 'integer' }, schema: z.int32() },
    DOUBLE: { json: { type: 'number' }, schema: z.number() },
    DATE: { json: { type: 'string', format: 'date' }, schema: z.iso.date() },
    BOOLEAN: { json: { type: 'boolean' }, schema: z.boolean() },
  };

export function functionsServer(parts: FunctionParts, user: User, target: FunctionTarget): ServedServer {
  return {
    name: 'functions',
    instructions: 'Calls functions of the data catalog.',
    tools: () => functionsOf(parts.state, user, target).map((one) => functionTool(parts, one)),
  };
}

function functionsOf(state: WorkspaceState, user: User, { catalog, schema, only }: FunctionTarget): CatalogFunction[] {
  const access = schemaAccess(state, user, catalog, schema);
  if (access === 'unknown') throw badRequest(`Schema ${catalog}.${schema} not found`);
  const served = state.functions.filter(
    (one) =>
      sameName(one.catalog, catalog) &&
      sameName(one.schema, schema) &&
      (only === undefined || sameName(one.name, only)),
  );
  if (only !== undefined && served.length === 0) throw badRequest(`Function ${catalog}.${schema}.${only} not found`);
  return access === 'granted' ? served : [];
}

function functionTool({ engine }: FunctionParts, one: CatalogFunction): ServedTool {
  const { catalog, schema, name, comment, parameters } = one;
  return {
    definition: {
      name: [catalog, schema, name].join('__'),
      description: comment,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, property(parameter)])),
        required: parameters.map((parameter) => parameter.name),
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    call: (input) => call(engine, one, input),
  };
}

function property({ type, comment }: Parameter): Record<string, string> {
  return { ...TYPES[type].json, description: comment };
}

async function call(engine: Engine, one: CatalogFunction, input: ToolInput): Promise<CallToolResult> {
  const { catalog, schema, name, parameters, returns } = one;
  const Arguments = z.object(Object.fromEntries(parameters.map(({ name, type }) => [name, TYPES[type].schema])));
  const given = readArguments(Arguments, input);
  const callee = [innerCatalog(catalog), schema, name].map(quoted).join('.');
  const list = parameters.map(({ type }, index) => `CAST($${index + 1} AS ${type})`).join(', ');
  const sql = returns === 'TABLE' ? `SELECT * FROM ${callee}(${list})` : `SELECT ${callee}(${list}) AS output`;
  const values = parameters.map((parameter) => given[parameter.name] ?? null);
  try {
    const { columns, rows, truncated } = await engine.run(sql, { values });
    return structured({ is_truncated: truncated, columns, rows });
  } catch (error) {
    return structured({ error: error instanceof Error ? error.message : String(error) }, true);
  }
}
