import { parse as parseToml, patch, stringify } from '@decimalturn/toml-patch';
import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import { lineAndColumn } from '../../platform/line-and-column.ts';
import { ownMember } from '../../platform/own-member.ts';
import { type Entry, merged, wholeEntry } from '../entry.ts';
import {
  cannotEdit,
  type Edited,
  type EditTarget,
  type EntryEditor,
  holdDepth,
  holdEntry,
  holdRest,
  isCurrent,
  isStackUsedUp,
  lineEndOf,
  type Setting,
  splitMark,
  tooDeep,
  unreadable,
} from './editor.ts';
import { type Block, dropField, keysOf, quoted, setField } from './toml-fields.ts';

/**
 * TOML, one table for each entry, or one element of an array of tables with its name in it. A new table goes to the end of the document, where it is valid whatever stands above,
 * after one blank line; a table that is removed takes that line along.
 */
export const tomlEditor: EntryEditor = { read, put, remove, putSetting, removeSetting };

const tableSchema = z.record(z.string(), z.unknown());
const tablesSchema = z.array(tableSchema);
const errorPlaceSchema = z.object({ line: z.number(), column: z.number() });

function read(text: string, target: EditTarget): Map<string, unknown> {
  const { body } = splitMark(text);
  return new Map(Object.entries(entriesIn(parse(body, target), body, target)));
}

function put(text: string, target: EditTarget, name: string, entry: Entry): Edited {
  const { mark, body } = splitMark(text);
  const before = parse(body, target);
  const present = ownMember(entriesIn(before, body, target), name);
  if (present !== undefined && isCurrent(present, entry)) return { text };
  const ways = present === undefined ? [appended, patched] : [corrected, patched];
  const edited = firstSound(ways, { body, before, path: [...target.key, name], entry, target });
  return { text: mark + edited };
}

function remove(text: string, target: EditTarget, name: string): string {
  const { mark, body } = splitMark(text);
  const before = parse(body, target);
  if (ownMember(entriesIn(before, body, target), name) === undefined) return text;
  return mark + firstSound([cut, patched], { body, before, path: [...target.key, name], target });
}

/** The line goes behind the last value before the first header, where it belongs to no table. */
function putSetting(text: string, target: EditTarget, { key, value }: Setting): string {
  const { mark, body } = splitMark(text);
  const before = parse(body, target);
  if (Object.hasOwn(before, key)) return text;
  const [header] = headersOf(body);
  const section = body.slice(0, header?.start ?? body.length);
  const at = section.length - trailingLength(section);
  const eol = lineEndOf(body);
  const edited = `${body.slice(0, at)}${key} = ${value}${eol}${body.slice(at)}`;
  const after = parse(edited, target);
  holdRest(before, after, [key], target);
  if (after[key] !== value) throw cannotEdit(target);
  return mark + edited;
}

function removeSetting(text: string, target: EditTarget, { key, value }: Setting): string {
  const { mark, body } = splitMark(text);
  const before = parse(body, target);
  if (before[key] !== value) return text;
  const edited = body.replace(new RegExp(`^${key} = ${value}\\r?\\n`, 'm'), '');
  const after = parse(edited, target);
  // A user who has written it in another way keeps it.
  if (Object.hasOwn(after, key)) return text;
  holdRest(before, after, [key], target);
  return mark + edited;
}

type Table = Record<string, unknown>;

interface Edit {
  body: string;
  /** The document's data. */
  before: Table;
  path: string[];
  /** What the entry is to be; left out if it is to be removed. */
  entry?: Entry;
  target: EditTarget;
}

type Way = (edit: Edit) => string | undefined;

/** The result of the first way that leaves all other data alone. */
function firstSound(ways: Way[], edit: Edit): string {
  let refused: CausewayError | undefined;
  for (const way of ways) {
    const edited = way(edit);
    if (edited === undefined) continue;
    try {
      if (isSound(edit, edited)) return edited;
    } catch (error) {
      if (!(error instanceof CausewayError)) throw error;
      refused = error;
    }
  }
  throw refused?.remedy?.includes('by hand') ? refused : cannotEdit(edit.target);
}

/** Whether the entry is as wanted. @throws {CausewayError} if it lost something, or other data changed */
function isSound({ body, before, path, entry, target }: Edit, edited: string): boolean {
  const after = parse(edited, target);
  holdRest(before, after, path, target);
  const name = path.at(-1) ?? '';
  const now = ownMember(entriesIn(after, edited, target), name);
  if (!entry) return now === undefined;
  holdEntry(ownMember(entriesIn(before, body, target), name), now, entry, target);
  return true;
}

const appended: Way = ({ body, path, entry, target }) => {
  if (!entry) return undefined;
  const eol = lineEndOf(body);
  const keys = (each: string[]) => each.map(quoted).join('.');
  const header = target.list ? `[[${keys(target.key)}]]` : `[${keys(path)}]`;
  const lines = [header, ...stringify(wholeEntry(entry), { inlineTableStart: 0 }).trimEnd().split('\n')];
  const block = lines.join(eol);
  if (body === '') return block + eol;
  return body.endsWith('\n') ? `${body}${eol}${block}${eol}` : `${body}${eol}${eol}${block}`;
};

const corrected: Way = ({ body, path, entry, target }) => {
  if (!entry) return undefined;
  const blocks = (text: string) => blocksOf(text, path, target);
  const depth = target.list ? target.key.length : path.length;
  const set = Object.entries(entry.fixed).reduce<string | undefined>(
    (text, [key, value]) => (text === undefined ? undefined : setField(text, blocks, depth, [key], value)),
    body,
  );
  if (set === undefined) return undefined;
  return (entry.obsolete ?? []).reduce((text, key) => dropField(text, blocks, depth, key), set);
};

const cut: Way = ({ body, path, target }) => {
  const blocks = blocksOf(body, path, target);
  if (blocks.length === 0) return undefined;
  return blocks.reduceRight((text, { start, end }, index) => {
    const before = text.slice(0, start);
    const after = text.slice(end);
    if (index > 0) return before + after;
    if (end === text.length && !text.endsWith('\n')) return before.replace(/(\r?\n){1,2}$/, '');
    return before.replace(/(^|\n)\r?\n$/, '$1') + after;
  }, body);
};

/** For tables that are written inline: the library's own way, which keeps comments but not every space. */
const patched: Way = ({ body, path, entry, before, target }) => {
  const changed = (present: unknown): unknown => {
    if (!entry || !present) return entry && wholeEntry(entry);
    const kept = Object.entries(tableSchema.parse(present)).filter(([own]) => !entry.obsolete?.includes(own));
    return merged(Object.fromEntries(kept), entry.fixed);
  };
  const change = (table: Table, [key = '', ...rest]: string[]): Table => {
    const { [key]: present, ...others } = table;
    const [name] = rest;
    if (target.list && rest.length === 1) {
      const items = tablesSchema.parse(present ?? []);
      const isThere = items.some((item) => item.name === name);
      const now = items.flatMap((item) => (item.name === name ? (changed(item) ?? []) : item));
      return { ...table, [key]: isThere ? now : [...now, changed(undefined)] };
    }
    if (name !== undefined) return { ...table, [key]: change(tableSchema.parse(present ?? {}), rest) };
    const wanted = changed(present);
    return wanted === undefined ? others : { ...table, [key]: wanted };
  };
  return patch(body, change(before, path));
};

/** The tables that belong to an entry, `[servers.name]` and `[servers.name.env]`, each from its header to its last value. */
function blocksOf(body: string, path: string[], { list, key }: EditTarget): Block[] {
  const headers = headersOf(body);
  const begins = list ? key : path;
  let item: unknown;
  return headers.flatMap(({ start, keys }, index) => {
    if (!begins.every((each, level) => keys[level] === each)) return [];
    const section = body.slice(start, headers[index + 1]?.start ?? body.length);
    // An element's own tables come behind its header.
    if (list && keys.length === key.length) item = nameIn(section, key);
    if (list && item !== path.at(-1)) return [];
    return [{ keys, start, end: start + section.length - trailingLength(section) }];
  });
}

/** The name in the text of one element. */
function nameIn(section: string, key: string[]): unknown {
  const items = key.reduce<unknown>((at, each) => tableSchema.safeParse(at).data?.[each], parseToml(section));
  return tablesSchema.safeParse(items).data?.[0]?.name;
}

/** The length of what is between the last value of a section and the next header, to which it belongs. */
function trailingLength(section: string): number {
  return /(?:(?<=\n)[ \t]*(?:#[^\r\n]*)?(?:\r?\n|$))+$/.exec(section)?.[0].length ?? 0;
}

/**
 * Every `[header]`. A line that looks like one is one if the text from the header before it up to it is a document: no string
 * or array is open. (Not the text from the file's beginning: Codex keeps a table for each folder that the user works in.)
 */
function headersOf(body: string): { start: number; keys: string[] }[] {
  let section = 0;
  return [...body.matchAll(/^[ \t]*\[[^\r\n]*/gm)].flatMap(({ index, 0: line }) => {
    try {
      parseToml(body.slice(section, index));
      const keys = keysOf(parseToml(line));
      section = index;
      return [{ start: index, keys }];
    } catch {
      return [];
    }
  });
}

function parse(body: string, target: EditTarget): Table {
  const table = parsed(body, target);
  holdDepth(table, target);
  return table;
}

function parsed(body: string, target: EditTarget): Table {
  try {
    return tableSchema.parse(parseToml(body));
  } catch (cause) {
    if (isStackUsedUp(cause)) throw tooDeep(target, cause);
    const at = errorPlaceSchema.safeParse(cause).data;
    const problem = cause instanceof Error ? cause.message.split('\n').at(-1) : String(cause);
    throw unreadable(target, `this is not valid TOML: ${problem}`, at && { ...at, column: at.column + 1 }, cause);
  }
}

/** The entries by name. @throws {CausewayError} `invalid_file` if something else is where they belong */
function entriesIn(table: Table, body: string, target: EditTarget): Table {
  let at: Table | undefined = table;
  for (const [level, key] of target.key.entries()) {
    const next: unknown = at[key];
    if (next === undefined) return {};
    const isList = target.list === true && level === target.key.length - 1;
    const items = isList ? tablesSchema.safeParse(next).data : undefined;
    if (items)
      return Object.fromEntries(items.flatMap((item) => (typeof item.name === 'string' ? [[item.name, item]] : [])));
    at = tableSchema.safeParse(next).data;
    if (at && !isList && !Array.isArray(next)) continue;
    const what = isList ? 'an array of tables' : 'a table';
    throw unreadable(target, `"${key}" is not ${what}`, placeOf(body, target.key.slice(0, level + 1)));
  }
  return at;
}

/** Where the first header of a path is, or the field that has its last key. */
function placeOf(body: string, path: string[]): { line: number; column: number } | undefined {
  const header = headersOf(body).find(({ keys }) => path.every((key, level) => keys[level] === key))?.start;
  // Clients' own keys are plain words.
  const at = header ?? new RegExp(`^[ \\t]*(["']?)${path.at(-1)}\\1[ \\t]*[.=]`, 'm').exec(body)?.index;
  return at === undefined ? undefined : lineAndColumn(body, at);
}
