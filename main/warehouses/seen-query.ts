import type { RetryClock } from '../platform/retry.ts';
import type { RestClient } from '../workspace/client.ts';
import { WorkspaceError } from '../workspace/errors.ts';
import {
  runStatement,
  type SqlServer,
  type SqlServerChoice,
  type StatementOutcome,
  statementTool,
} from './statement.ts';

/** A query that was sent through the SQL server, and where the workspace says that it ran. */
export interface SeenQuery extends StatementOutcome {
  /** From the request to its result, in milliseconds. */
  tookMs: number;
  /** The warehouse by the workspace's query history; null if the history does not show the statement. */
  warehouse: { id: string; name: string } | null;
}

export interface SeenQueryOptions {
  client: Pick<RestClient, 'queryHistory' | 'warehouses'>;
  /** An exclusive session with a SQL server; closed here. */
  openSqlServer(server: SqlServerChoice): Promise<SqlServer>;
  server: SqlServerChoice;
  clock: Pick<RetryClock, 'now' | 'sleep'>;
  signal?: AbortSignal | undefined;
}

/** How long the history is asked before the statement counts as not found, as waits in milliseconds. */
const LOOKS_MS = [0, 250, 500, 1_000, 2_000, 4_000];

/**
 * Runs `SELECT 1` through the SQL server as an AI client does, and looks its statement up in the query history, which shows it to
 * whoever ran it. Nothing is stopped. A statement that does not appear says nothing of the warehouse.
 * @throws {CausewayError} if the server cannot be talked to; a statement that fails is an outcome
 */
export async function runSeenQuery(options: SeenQueryOptions): Promise<SeenQuery> {
  const { client, clock, signal } = options;
  const server = await options.openSqlServer(options.server);
  let outcome: StatementOutcome;
  let tookMs: number;
  try {
    const tool = await statementTool(server, signal);
    const began = clock.now();
    outcome = await runStatement(server, tool, 'SELECT 1', { sleep: clock.sleep, signal });
    tookMs = clock.now() - began;
  } finally {
    await server.close();
  }
  const id = outcome.id === undefined ? undefined : await warehouseOf(outcome.id, options);
  if (id === undefined) return { ...outcome, tookMs, warehouse: null };
  const name = await client.warehouses.get(id, signal).then(
    (warehouse) => warehouse.name,
    () => '',
  );
  return { ...outcome, tookMs, warehouse: { id, name: name || id } };
}

async function warehouseOf(
  statementId: string,
  { client, clock, signal }: SeenQueryOptions,
): Promise<string | undefined> {
  for (const wait of LOOKS_MS) {
    await clock.sleep(wait, signal);
    try {
      const [found] = await client.queryHistory.statements([statementId], signal);
      if (found?.warehouseId !== undefined) return found.warehouseId;
    } catch (error) {
      signal?.throwIfAborted();
      // Without the history there is no answer; the query has run all the same.
      if (error instanceof WorkspaceError) return undefined;
      throw error;
    }
  }
  return undefined;
}
