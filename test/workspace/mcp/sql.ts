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
import { chooseWarehouse, type WarehouseChoice } from './warehouse-choice.ts';

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

/** `noWrites` stands for a policy of the service that disallows them. */
export function sqlServer(parts: SqlParts, user: User, noWrites = false): ServedServer {
  return {
    name: 'sql',
    instructions: 'Runs SQL. A statement that is PENDING or RUNNING is fetched with poll_sql_result.',
    tools: () => [
      executeTool(parts, user, 'execute_sql', 'Runs a SQL statement, reading or writing.', false, noWrites),
      executeTool(parts, user, 'execute_sql_read_only', 'Runs a SQL statement that only reads.', true),
      pollTool(parts, user),
    ],
  };
}

function executeTool(
  parts: SqlParts,
  user: User,
  name: string,
  description: string,
  readOnly: boolean,
  noWrites = readOnly,
): ServedTool {
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
  return { definition, call: (input) => execute(parts, user, noWrites, input) };
}

async function execute({ state, statements, settings }: SqlParts, user: User, readOnly: boolean, input: ToolInput) {
  const { query } = readArguments(Execute, input);
  const choice = choiceFor(state, settings, user, Pin.parse(input.meta).warehouse_id);
  const record = statements.submit({ user, query, readOnly, choice });
  if (record.status.state === 'PENDING') await input.progress('Waiting for the SQL warehouse.');
  // A start takes minutes in the real world: nobody waits for it in the same call.
  else await statements.wait(record, settings.waitMs);
  return structured(statementBody(record));
}

/** The documents do not say whether a pin comes before the user's override: the settings do. */
function choiceFor(
  state: WorkspaceState,
  { warehousePin, heuristic }: ManagedServerSettings,
  user: User,
  pin: string | undefined,
): WarehouseChoice {
  const unpinned = chooseWarehouse(state, user, undefined, heuristic);
  if (warehousePin === 'ignored' || (warehousePin === 'behind-override' && unpinned.source === 'override')) {
    return unpinned;
  }
  return chooseWarehouse(state, user, pin, heuristic);
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
      await statements.wait(record, settings.waitMs);
      return structured(statementBody(record));
    },
  };
}
