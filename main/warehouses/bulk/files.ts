import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import { parseJson } from '../../platform/json-faults.ts';
import type { UserOverride } from '../all-overrides.ts';

/** One line of an import, as it was written. Empty cells are empty texts. */
export interface ImportLine {
  /** Its number in the file, counted from 1, the header included. */
  line: number;
  user_id: string;
  user_name: string;
  type: string;
  warehouse_id: string;
  warehouse_name: string;
}

/** The columns of an export; an import needs one of each pair, and takes `user` and `warehouse` for either. */
const COLUMNS = ['user_id', 'user_name', 'type', 'warehouse_id', 'warehouse_name'] as const;

type Column = (typeof COLUMNS)[number];

const SHORT: Record<string, Column[]> = {
  user: ['user_id', 'user_name'],
  warehouse: ['warehouse_id', 'warehouse_name'],
};
const Rows = z.array(z.object({ info: z.object({ lines: z.number() }), record: z.array(z.string()) }));

/**
 * Reads an import file: commas, semicolons or tabs, with or without quotation marks, a byte order mark or CRLF.
 * @throws {CausewayError} `invalid_file` with the line, if it is no CSV or its header lacks a column
 */
function readBulkLines(text: string, fileName: string): ImportLine[] {
  const [header, ...rows] = parseRows(text, fileName);
  const columns = header?.record.map((name) => name.trim().toLowerCase()) ?? [];
  for (const [short, long] of Object.entries(SHORT)) {
    if (columns.includes(short) || long.some((column) => columns.includes(column))) continue;
    throw invalid(fileName, `the first line has no column "${short}"`);
  }
  return rows.map(({ info, record }) => {
    const cell = (column: string) => record[columns.indexOf(column)]?.trim() ?? '';
    const line = lineOf(info.lines, cell);
    fill(line, 'user_id', 'user_name', cell('user'), /^\d+$/);
    fill(line, 'warehouse_id', 'warehouse_name', cell('warehouse'), /^[0-9a-f]{16}$/);
    return line;
  });
}

function lineOf(line: number, cell: (column: Column) => string): ImportLine {
  return {
    line,
    user_id: cell('user_id'),
    user_name: cell('user_name'),
    type: cell('type'),
    warehouse_id: cell('warehouse_id'),
    warehouse_name: cell('warehouse_name'),
  };
}

/** Puts the cell of a short column where it belongs: ids and names look different. */
function fill(line: ImportLine, id: Column, name: Column, value: string, isId: RegExp): void {
  if (value !== '') line[isId.test(value) ? id : name] = value;
}

function parseRows(text: string, fileName: string): z.infer<typeof Rows> {
  const firstLine = text.slice(0, text.search(/[\r\n]|$/));
  const count = (delimiter: string) => firstLine.split(delimiter).length;
  const [delimiter = ','] = [',', ';', '\t'].sort((a, b) => count(b) - count(a));
  try {
    return Rows.parse(
      parse(text, { bom: true, info: true, delimiter, relax_column_count: true, skip_empty_lines: true, trim: true }),
    );
  } catch (cause) {
    throw invalid(fileName, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function invalid(fileName: string, why: string, cause?: unknown): CausewayError {
  return new CausewayError('invalid_file', `${fileName} cannot be imported: ${why}.`, {
    cause,
    remedy: `The first line must be: ${COLUMNS.join(',')}.`,
    action: { do: 'export-overrides' },
  });
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

/** What a column is called in a JSON export, and in what the workspace itself lists. */
const OTHER_NAMES: Record<keyof Omit<ImportLine, 'line'>, string[]> = {
  user_id: ['userId', 'default_warehouse_override_id'],
  user_name: ['userName'],
  type: [],
  warehouse_id: ['warehouseId'],
  warehouse_name: ['warehouseName'],
};

const Entries = z.array(z.record(z.string(), z.unknown(), { error: 'it is not an object' }), {
  error: 'it is not a list of overrides',
});

/**
 * Reads an import file of either kind: JSON by its first character, CSV otherwise.
 * @throws {CausewayError} `invalid_file`
 */
export async function readBulkFile(text: string, fileName: string): Promise<ImportLine[]> {
  return /^\ufeff?\s*[[{]/.test(text) ? readBulkEntries(text, fileName) : readBulkLines(text, fileName);
}

/** A list of objects whose members are an import's columns. An entry's number stands for its line. */
async function readBulkEntries(text: string, fileName: string): Promise<ImportLine[]> {
  const entries = await parseJson(text, Entries, ({ line, column, what }, cause) =>
    invalidRequest(fileName, `line ${line}, column ${column}: ${what}`, cause),
  );
  return entries.map((entry, at) =>
    lineOf(at + 1, (column) => {
      const value = [column, ...OTHER_NAMES[column]].map((name) => entry[name]).find((each) => each !== undefined);
      if (typeof value === 'number')
        throw invalidRequest(fileName, `${column} is a number in entry ${at + 1}, not a string`);
      return typeof value === 'string' ? value.trim() : '';
    }),
  );
}

function invalidRequest(fileName: string, why: string, cause?: unknown): CausewayError {
  return new CausewayError('invalid_file', `${fileName} cannot be imported: ${why}.`, {
    cause,
    remedy:
      'Use a list of objects with the strings user_id or user_name, type, and warehouse_id or warehouse_name. A JSON export has this form.',
  });
}
