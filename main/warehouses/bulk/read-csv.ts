import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import {
  COLUMNS,
  type Column,
  EITHER,
  emptyLine,
  type FileFault,
  type ImportFile,
  type ImportLine,
  unknownName,
} from './columns.ts';

const Rows = z.array(z.object({ info: z.object({ lines: z.number() }), record: z.array(z.string()), raw: z.string() }));

/** One row of the file, and the line on which it begins. */
interface Row {
  line: number;
  cells: string[];
}

const KNOWN = [...COLUMNS, ...Object.keys(EITHER)];

/**
 * Reads lines of CSV: commas, semicolons or tabs, with or without quotation marks, a byte order mark, CRLF or Excel's `sep=`
 * line. Rows of empty cells are passed over, and so are columns without a name and without a cell.
 * @throws {CausewayError} `invalid_file` with the line, if it is no CSV
 */
export function readCsv(text: string, fileName: string): ImportFile {
  const [header, ...rows] = parseRows(text, fileName);
  const names = header?.cells.map((name) => name.toLowerCase()) ?? [];
  const faults = [...headerFaults(names, header?.cells ?? [], header?.line ?? 1), ...raggedRows(rows, names)];
  if (faults.length > 0) return { lines: [], faults };
  return { lines: rows.map(({ line, cells }) => lineOf(line, names, cells)), faults: [] };
}

function parseRows(text: string, fileName: string): Row[] {
  const separator = /^\uFEFF?sep=(.)\r?\n/i.exec(text);
  const body = (separator ? text.replace(/^[^\r\n]*/, '') : text).replace(/\r\n?/g, '\n');
  try {
    const rows = Rows.parse(
      parse(body, {
        bom: true,
        info: true,
        raw: true,
        delimiter: separator?.[1] ?? delimiterOf(body),
        relax_column_count: true,
        skip_empty_lines: true,
        skip_records_with_empty_values: true,
        trim: true,
      }),
    );
    return rows.map(({ info, record, raw }) => ({ line: info.lines - linesWithin(raw), cells: record }));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CausewayError('invalid_file', `${fileName} cannot be imported: ${why}.`, {
      cause,
      remedy: `The first line must be: ${COLUMNS.join(',')}.`,
      action: { do: 'export-overrides' },
    });
  }
}

/** How many line ends a row has in its cells. */
function linesWithin(raw: string): number {
  return raw.replace(/\n$/, '').split('\n').length - 1;
}

function delimiterOf(text: string): string {
  const firstLine = text.slice(0, text.search(/\n|$/)).replace(/"[^"]*"/g, '');
  const count = (delimiter: string) => firstLine.split(delimiter).length;
  const [delimiter = ','] = [',', ';', '\t'].sort((a, b) => count(b) - count(a));
  return delimiter;
}

function headerFaults(names: readonly string[], written: readonly string[], line: number): FileFault[] {
  const faults = names.flatMap((name, at) => {
    const problem = columnProblem(name, names.slice(0, at), written[at] ?? '');
    return problem === undefined ? [] : [{ line, problem: `Column ${at + 1}: ${problem}` }];
  });
  for (const [either, { id, name }] of Object.entries(EITHER)) {
    const longer = [id, name].filter((column) => names.includes(column));
    if (names.includes(either)) {
      for (const column of longer) {
        const place = `Column ${names.indexOf(either) + 1}`;
        faults.push({ line, problem: `${place}: "${either}" and "${column}" cannot be given both.` });
      }
    } else if (longer.length === 0) {
      faults.push({ line, problem: `There is no column "${either}", and none of "${id}" and "${name}".` });
    }
  }
  return faults;
}

function columnProblem(name: string, before: readonly string[], written: string): string | undefined {
  if (name === '') return undefined;
  if (!KNOWN.includes(name)) return unknownName(written, 'column', KNOWN);
  return before.includes(name) ? `"${name}" is given twice.` : undefined;
}

/** A row with a cell too many or too few says something else in each cell after it. */
function raggedRows(rows: readonly Row[], names: readonly string[]): FileFault[] {
  return rows.flatMap(({ line, cells }) => {
    if (cells.length !== names.length) {
      const place = `Column ${Math.min(cells.length, names.length) + 1}`;
      return [{ line, problem: `${place}: the row has ${cells.length} cells, and the header has ${names.length}.` }];
    }
    const nameless = cells.findIndex((cell, at) => cell !== '' && names[at] === '');
    return nameless === -1 ? [] : [{ line, problem: `Column ${nameless + 1}: the column has no name.` }];
  });
}

function lineOf(line: number, names: readonly string[], cells: readonly string[]): ImportLine {
  const read = emptyLine(line);
  names.forEach((name, at) => {
    const cell = cells[at] ?? '';
    const column = columnFor(name, cell);
    if (column !== undefined) read[column] = cell;
  });
  return read;
}

function columnFor(name: string, cell: string): Column | undefined {
  const either = EITHER[name];
  if (either) return either.isId.test(cell) ? either.id : either.name;
  return COLUMNS.find((column) => column === name);
}
