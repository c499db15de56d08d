import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import { type BulkLine, COLUMNS, readBulkLines } from './csv.ts';

/** What a column is called in a JSON export, and in what the workspace itself lists. */
const OTHER_NAMES: Record<keyof Omit<BulkLine, 'line'>, string[]> = {
  user_id: ['userId', 'default_warehouse_override_id'],
  user_name: ['userName'],
  type: [],
  warehouse_id: ['warehouseId'],
  warehouse_name: ['warehouseName'],
};

const Entries = z.array(z.record(z.string(), z.unknown()));

/**
 * Reads an import file of either kind: JSON by its first character, CSV otherwise.
 * @throws {CausewayError} `invalid_file`
 */
export function readBulkFile(text: string, fileName: string): BulkLine[] {
  return /^\ufeff?\s*[[{]/.test(text) ? readBulkEntries(text, fileName) : readBulkLines(text, fileName);
}

/** A list of objects whose members are an import's columns. An entry's number stands for its line. */
function readBulkEntries(text: string, fileName: string): BulkLine[] {
  return parseEntries(text, fileName).map((entry, at) => {
    const line: BulkLine = { line: at + 1, user_id: '', user_name: '', type: '', warehouse_id: '', warehouse_name: '' };
    for (const column of COLUMNS) {
      const value = [column, ...OTHER_NAMES[column]].map((name) => entry[name]).find((each) => each !== undefined);
      if (typeof value === 'string') line[column] = value.trim();
      else if (typeof value === 'number') throw invalid(fileName, `entry ${at + 1} gives ${column} as a number`);
    }
    return line;
  });
}

function parseEntries(text: string, fileName: string): z.infer<typeof Entries> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw invalid(fileName, cause instanceof Error ? cause.message : String(cause), cause);
  }
  const entries = Entries.safeParse(parsed);
  if (entries.success) return entries.data;
  throw invalid(fileName, 'it holds no list of overrides');
}

function invalid(fileName: string, why: string, cause?: unknown): CausewayError {
  return new CausewayError('invalid_file', `${fileName} cannot be imported: ${why}.`, {
    cause,
    remedy:
      'It has to be a list of objects with the texts user_id or user_name, type, and warehouse_id or warehouse_name, as a JSON export is.',
  });
}
