import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { User, WorkspaceState } from '../model.ts';
import type { ManagedServerSettings } from './settings.ts';
import { type Statements, statementBody } from './statements.ts';
import {
  badRequest,
  readArguments,
  type ServedServer,
  type ServedTool,
  structured,
  type ToolInput,
} from './toolset.ts';
import { chooseWarehouse } from './warehouse-choice.ts';

/** The SQL server: asynchronous statements on the warehouse that the workspace resolves for the user. */

export interface SqlParts {
  state: WorkspaceState;
  statements: Statements;
  settings: ManagedServerSettings;
}

const Execute = z.object({ query: z.string().min(1) });
const Poll = z.object({ statement_id: z.string() });

/** A preview of the real server: the warehouse for one call. The same in an argument or the URL changes nothing. */
const Pin = z.object({ warehouse_id: z.string().min(1).optional().catch(undefined) });

export function sqlServer(parts: SqlParts, user: User): ServedServer {
  return {
    name: 'sql',
    instructions: 'Runs SQL. A statement that is PENDING or RUNNING is fetched with poll_sql_result.',
    tools: () => [
      executeTool(parts, user, 'execute_sql', 'Runs a SQL statement, reading or writing.', false),
      executeTool(parts, user, 'execute_sql_read_only', 'Runs a SQL statement that only reads.', true),
      pollTool(parts, user),
    ],
  };
}

function executeTool(parts: SqlParts, user: User, name: string, description: string, readOnly: boolean): ServedTool {
  const definition: Tool = {
    name,
    description: `${description} If it is not done at once, the answer has a statement_id to poll.`,
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'One SQL statement.' } },
      required: ['query'],
    },
    annotations: { readOnlyHint: readOnly, destructiveHint: !readOnly, openWorldHint: false },
  };
  return { definition, call: (input) => execute(parts, user, readOnly, input) };
}

async function execute({ state, statements, settings }: SqlParts, user: User, readOnly: boolean, input: ToolInput) {
  const { query } = readArguments(Execute, input);
  const { warehouse_id } = Pin.parse(input.meta);
  const choice = chooseWarehouse(state, user, warehouse_id, settings.heuristic);
  const record = statements.submit({ user, query, readOnly, choice });
  if (record.status.state === 'PENDING') await input.progress('Waiting for the SQL warehouse.');
  // A start takes minutes in the real world: nobody waits for it in the same call.
  else await statements.wait(record, settings.waitMillis);
  return structured(statementBody(record));
}

function pollTool({ statements, settings }: SqlParts, user: User): ServedTool {
  return {
    definition: {
      name: 'poll_sql_result',
      description: 'Gives the status of a statement, and its rows once it has succeeded.',
      inputSchema: {
        type: 'object',
        properties: { statement_id: { type: 'string', description: 'The id from execute_sql.' } },
        required: ['statement_id'],
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    call: async (input) => {
      const { statement_id } = readArguments(Poll, input);
      const record = statements.find(user, statement_id);
      if (!record) throw badRequest(`Statement ${statement_id} not found`);
      await statements.wait(record, settings.waitMillis);
      return structured(statementBody(record));
    },
  };
}
