import { stringify } from 'csv-stringify/sync';

/** A number as a query answers with it: it begins like a formula and is none. */
const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** A table as CSV, its columns first. What a spreadsheet would take for a formula is made harmless. */
export function tableAsCsv({ columns, rows }: { columns: readonly string[]; rows: readonly string[][] }): string {
  const cast = { string: (value: string) => (NUMBER.test(value) ? { value, escape_formulas: false } : value) };
  return stringify([[...columns], ...rows], { escape_formulas: true, cast });
}
