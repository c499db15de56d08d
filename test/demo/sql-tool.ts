import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';

const Value = z.union([
  z.object({ string_value: z.string() }).transform((value) => value.string_value),
  z.unknown().transform(() => 'NULL'),
]);

/** What `execute_sql` and `poll_sql_result` answer with, as much of it as a table needs. */
const Statement = z.object({
  statement_id: z.string(),
  status: z.object({ state: z.string(), error: z.object({ message: z.string() }).optional() }),
  manifest: z.object({ schema: z.object({ columns: z.array(z.object({ name: z.string() })) }) }).optional(),
  result: z.object({ data_array: z.array(z.object({ values: z.array(Value) })) }).optional(),
});

/** Runs a query through the SQL server's own tools, polling while its warehouse starts, and gives its rows. */
export async function runSql(client: Client, query: string): Promise<Record<string, string>[]> {
  let statement = await call(client, 'execute_sql', { query });
  while (statement.status.state === 'PENDING' || statement.status.state === 'RUNNING') {
    await new Promise((resolve) => setTimeout(resolve, 200));
    statement = await call(client, 'poll_sql_result', { statement_id: statement.statement_id });
  }
  const { status, manifest, result } = statement;
  if (status.state !== 'SUCCEEDED')
    throw new Error(`The query ended as ${status.state}: ${status.error?.message ?? ''}`);
  const names = manifest?.schema.columns.map(({ name }) => name) ?? [];
  return (result?.data_array ?? []).map(({ values }) =>
    Object.fromEntries(names.map((name, column) => [name, values[column] ?? ''])),
  );
}

async function call(client: Client, name: string, args: Record<string, string>) {
  const answer = await client.callTool({ name, arguments: args });
  return Statement.parse(answer.structuredContent);
}
