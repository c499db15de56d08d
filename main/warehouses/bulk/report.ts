import type { LineResult } from './apply.ts';
import { csvLines } from './csv.ts';

const COLUMNS = ['line', 'user_id', 'user_name', 'action', 'result', 'message'];

/** The first line of the report on an import, as CSV. */
export const REPORT_HEADER = csvLines([COLUMNS]);

/** What became of one line of an import, as a line of CSV. */
export function reportLine({ planned, result, message }: LineResult): string {
  return csvLines([[String(planned.line), planned.userId, planned.userName, planned.action, result, message]]);
}
