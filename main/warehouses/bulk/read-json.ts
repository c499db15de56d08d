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

/** What a member says, if it says it right. */
type Read = { column: Column; text: string } | { problem: string };

/** The workspace's name of an override, which holds the user's id. */
const RECORD_NAME = /^default-warehouse-overrides\/(\d+)$/;

function recordOwner(text: string): Read {
  const id = RECORD_NAME.exec(text)?.[1];
  if (id !== undefined) return { column: 'user_id', text: id };
  return { problem: `name is "${text}", not default-warehouse-overrides/ID. For a user's name, use user_name.` };
}

const as = (column: Column) => (text: string) => ({ column, text });

/** How each member is read: those of a CSV file, of a JSON export, and of what the workspace itself lists. */
const MEMBERS = new Map<string, (text: string) => Read>([
  ...COLUMNS.map((column) => [column, as(column)] as const),
  ...Object.entries(EITHER).map(
    ([member, { id, name, isId }]) => [member, (text: string) => as(isId.test(text) ? id : name)(text)] as const,
  ),
  ['userId', as('user_id')],
  ['userName', as('user_name')],
  ['warehouseId', as('warehouse_id')],
  ['warehouseName', as('warehouse_name')],
  ['default_warehouse_override_id', as('user_id')],
  ['name', recordOwner],
]);
const KNOWN = [...MEMBERS.keys()];

/** What an export says besides, and an import does not need. */
const PASSED_OVER: readonly string[] = OVERRIDE_MEMBERS.filter((member) => !KNOWN.includes(member));

const List = z.array(z.record(z.string(), z.unknown(), { error: 'it is not an object' }), {
  error: 'it is not a list of overrides',
});

/** What an export holds: nothing but the list. */
const Export = z.strictObject({ overrides: List }).transform(({ overrides }) => overrides);

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
  const schema = /^\uFEFF?\s*\{.*"overrides"/s.test(text) ? Export : List;
  const entries = await parseJson(text, schema, (fault, cause) => notImportable(fileName, fault, cause));
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

function readMember(member: string, value: unknown): Read {
  const read = MEMBERS.get(member);
  if (!read) return { problem: unknownName(member, 'member', KNOWN) };
  if (value === null) return read('');
  if (typeof value === 'string') return read(value.trim());
  return { problem: `${member} is ${typeof value === 'object' ? 'no string' : `a ${typeof value}, not a string`}.` };
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
  const whole = parseTree(text);
  const tree = whole?.type === 'object' ? findNodeAtLocation(whole, ['overrides']) : whole;
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
