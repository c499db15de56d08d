import { z } from 'zod';
import type { Connection } from './test-host.ts';

/** Reading what the SQL server answers, for tests. */

const Statement = z.looseObject({
  statement_id: z.string(),
  status: z.looseObject({ state: z.string() }),
});

const Succeeded = z.looseObject({
  status: z.looseObject({ state: z.literal('SUCCEEDED') }),
  result: z.object({
    data_array: z.array(
      z.object({
        values: z.array(
          z.union([z.strictObject({ string_value: z.string() }), z.strictObject({ null_value: z.string() })]),
        ),
      }),
    ),
  }),
});

/** Polls until the statement has ended one way or another. */
export async function untilDone(
  connection: Connection,
  answer: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { statement_id, status } = Statement.parse(answer);
  if (status.state !== 'PENDING' && status.state !== 'RUNNING') return answer;
  return untilDone(connection, await connection.call('poll_sql_result', { statement_id }));
}

/** @throws if the statement did not succeed */
export function statementRows(answer: Record<string, unknown>): (string | null)[][] {
  return Succeeded.parse(answer).result.data_array.map(({ values }) =>
    values.map((value) => ('string_value' in value ? value.string_value : null)),
  );
}
