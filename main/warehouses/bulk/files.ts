import { stringify } from 'csv-stringify/sync';
import { jsonArrayLines } from '../../platform/json-array.ts';
import type { UserOverride } from '../all-overrides.ts';
import { COLUMNS, type ImportFile } from './columns.ts';
import { readCsv } from './read-csv.ts';
import { readJson } from './read-json.ts';

/**
 * Reads an import file of either kind: JSON by its first character, CSV otherwise. What is not understood is among the faults,
 * all of it at once.
 * @throws {CausewayError} `invalid_file` with the line, if it is neither
 */
export async function readBulkFile(text: string, fileName: string): Promise<ImportFile> {
  const file = /^\uFEFF?\s*[[{]/.test(text) ? await readJson(text, fileName) : readCsv(text, fileName);
  return { ...file, faults: byLine(file) };
}

/** Lines of CSV, each with its line end. Cells that a spreadsheet program would run as formulas are defused. */
export function csvLines(rows: readonly string[][]): string {
  return stringify([...rows], { escape_formulas: true });
}

/** How many rows are turned into text at a time: one by one costs more than writing them. */
const ROWS_AT_ONCE = 250;

/** An export's lines, its header first, some at a time as the rows arrive. */
export async function* exportLines(rows: AsyncIterable<UserOverride>): AsyncGenerator<string> {
  let held: string[][] = [[...COLUMNS]];
  for await (const { userId, userName, type, warehouseId, warehouseName } of rows) {
    held.push([userId, userName, type, warehouseId ?? '', warehouseName ?? '']);
    if (held.length < ROWS_AT_ONCE) continue;
    yield csvLines(held);
    held = [];
  }
  if (held.length > 0) yield csvLines(held);
}

/** The same as JSON, a line for each override: an object with the list. */
export async function* overrideLines(
  rows: AsyncIterable<UserOverride> | Iterable<UserOverride>,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const some of jsonArrayLines(rows)) {
    yield isFirst ? `{"overrides": ${some}` : some;
    isFirst = false;
  }
  yield '}\n';
}

/** The faults with those of one line together, in the order of the lines. */
function byLine({ faults }: ImportFile): ImportFile['faults'] {
  const problems = new Map<number, string[]>();
  for (const { line, problem } of faults) problems.set(line, [...(problems.get(line) ?? []), problem]);
  return [...problems].sort(([a], [b]) => a - b).map(([line, several]) => ({ line, problem: several.join(' ') }));
}
