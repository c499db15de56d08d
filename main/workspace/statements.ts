import { z } from 'zod';
import type { Rest } from './rest.ts';

const PATH = '/api/2.0/sql/statements';

const Answer = z.looseObject({ status: z.looseObject({ state: z.string() }) });

/** Single statements of SQL warehouses, which the SQL server runs for AI clients. */
export function statementsApi(rest: Rest) {
  const at = (id: string) => `${PATH}/${encodeURIComponent(id)}`;
  return {
    /** `PENDING`, `RUNNING`, `SUCCEEDED`, `FAILED`, `CANCELED`, `CLOSED`, or a newer word. A 404 comes hours after the end. */
    state: async (id: string, signal?: AbortSignal): Promise<string> =>
      (await rest.request({ path: at(id), schema: Answer, signal })).status.state,
    /** Asks for the end of a statement. The workspace takes note without saying whether it ends. */
    cancel: async (id: string, signal?: AbortSignal): Promise<void> => {
      await rest.request({
        method: 'POST',
        path: `${at(id)}/cancel`,
        schema: z.unknown(),
        idempotent: true,
        signal,
      });
    },
  };
}
