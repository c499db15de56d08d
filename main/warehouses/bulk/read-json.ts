import { z } from 'zod';
import { OVERRIDE_MEMBERS } from '../../../preload/contract/overrides.ts';
import { CausewayError } from '../../platform/errors.ts';
import { type JsonFault, parseJson } from '../../platform/json-faults.ts';
import { lineAndColumn } from '../../platform/line-and-column.ts';
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

/** What a column is called in a JSON export, and in what the workspace itself lists. */
const OTHER_NAMES: Record<string, Column> = {
  userId: 'user_id',
  default_warehouse_override_id: 'user_id',
  userName: 'user_name',
  warehouseId: 'warehouse_id',
  warehouseName: 'warehouse_name',
};

/** The workspace's name of an override, which holds the user's id. */
const RECORD_NAME = /^default-warehouse-overrides\/(\d+)$/;

const KNOWN = [...COLUMNS, ...Object.keys(EITHER), ...Object.keys(OTHER_NAMES), 'name'];

/** What an export says besides, and an import does not need. */
const PASSED_OVER: readonly string[] = OVERRIDE_MEMBERS.filter((member) => !KNOWN.includes(member));

const Entries = z.array(z.record(z.string(), z.unknown(), { error: 'it is not an object' }), {
  error: 'it is not a list of overrides',
});

/** A fault, and the entry and the member that it is about. */
interface EntryFault {
  entry: number;
  member?: string;
  what: string;
}

/**
 * Reads a list of objects whose members are an import's columns.
 * @throws {CausewayError} `invalid_file` with line and column, if it is no such list
 */
export async function readJson(text: string, fileName: string): Promise<ImportFile> {
  const entries = await parseJson(text, Entries, (fault, cause) => notImportable(fileName, fault, cause));
  const faults: EntryFault[] = [];
  const lines = entries.map((entry, at) => readEntry(entry, at, faults));
  const places = await entryPlaces(text.replace(/^\uFEFF/, ''));
  if (faults.length > 0) return { lines: [], faults: faults.map((fault) => places.faultAt(fault)) };
  return { lines: lines.map((line, at) => ({ ...line, line: places.lineOf(at) })), faults: [] };
}

function readEntry(entry: Record<string, unknown>, at: number, faults: EntryFault[]): ImportLine {
  const line = emptyLine(at + 1);
  const from: Partial<Record<Column, string>> = {};
  for (const [member, value] of Object.entries(entry)) {
    if (PASSED_OVER.includes(member)) continue;
    const read = readMember(member, value);
    const what = 'problem' in read ? read.problem : conflictWith(line, from, member, read);
    if (what !== undefined) faults.push({ entry: at, member, what });
    else if (!('problem' in read) && read.text !== '') {
      line[read.column] = read.text;
      from[read.column] = member;
    }
  }
  return line;
}

function readMember(member: string, value: unknown): { column: Column; text: string } | { problem: string } {
  const column = COLUMNS.find((each) => each === member) ?? OTHER_NAMES[member];
  const either = EITHER[member];
  if (column === undefined && either === undefined && member !== 'name') {
    return { problem: unknownName(member, 'member', KNOWN) };
  }
  if (value !== null && typeof value !== 'string') {
    return { problem: `${member} is ${typeof value === 'object' ? 'no string' : `a ${typeof value}`}, not a string.` };
  }
  const text = value?.trim() ?? '';
  if (member === 'name') {
    const id = RECORD_NAME.exec(text)?.[1];
    return id === undefined ? { problem: unknownRecord(text) } : { column: 'user_id', text: id };
  }
  if (either) return { column: either.isId.test(text) ? either.id : either.name, text };
  return { column: column ?? 'type', text };
}

function unknownRecord(text: string): string {
  return `name is "${text}", not default-warehouse-overrides/ID. For a user's name, use user_name.`;
}

function conflictWith(
  line: ImportLine,
  from: Partial<Record<Column, string>>,
  member: string,
  { column, text }: { column: Column; text: string },
): string | undefined {
  const earlier = from[column];
  if (earlier === undefined || text === '' || line[column] === text) return undefined;
  return `${earlier} is "${line[column]}", and ${member} is "${text}".`;
}

function notImportable(fileName: string, { line, column, what }: JsonFault, cause: unknown): CausewayError {
  return new CausewayError(
    'invalid_file',
    `${fileName} cannot be imported: line ${line}, column ${column}: ${what.replace(/\.$/, '')}.`,
    {
      cause,
      remedy:
        'Use a list of objects with the strings user_id or user_name, type, and warehouse_id or warehouse_name. A JSON export has this form.',
    },
  );
}

/** Where entries and members are in the text. */
async function entryPlaces(text: string) {
  const { parseTree, findNodeAtLocation } = await import('jsonc-parser');
  const tree = parseTree(text);
  const starts = (tree?.children ?? []).map(({ offset }) => offset);
  const lines = lineNumbers(text, starts);
  return {
    lineOf: (entry: number) => lines[entry] ?? entry + 1,
    faultAt: ({ entry, member, what }: EntryFault): FileFault => {
      const value = tree && member !== undefined ? findNodeAtLocation(tree, [entry, member]) : undefined;
      const offset = value?.parent?.offset ?? starts[entry] ?? 0;
      const begin = text.lastIndexOf('\n', offset - 1) + 1;
      const line = (lines[entry] ?? 1) + newLines(text.slice(starts[entry] ?? 0, offset));
      return { line, problem: `Column ${lineAndColumn(text.slice(begin, offset), offset - begin).column}: ${what}` };
    },
  };
}

/** The line numbers of positions that grow, read in one go. */
function lineNumbers(text: string, offsets: readonly number[]): number[] {
  let line = 1;
  let at = 0;
  return offsets.map((offset) => {
    line += newLines(text.slice(at, offset));
    at = offset;
    return line;
  });
}

function newLines(text: string): number {
  return text.split('\n').length - 1;
}
