import { parse, stringify } from '@decimalturn/toml-patch';
import { covers, isDataTable, merged } from '../entry.ts';
import { lineEndOf, type Splice, splice } from './editor.ts';

/** The lines of one table, from its header on. */
export interface Block {
  /** The header's keys. */
  keys: string[];
  start: number;
  /** The position after its last value. Comments after that belong to the next table. */
  end: number;
}

/** One `key = value` of a table. */
interface Field {
  /** The path within the entry: the keys of its table's header, then its own. */
  path: string[];
  value: unknown;
  start: number;
  valueStart: number;
  valueEnd: number;
  /** The position after its line end. */
  end: number;
}

/** Sets a field of an entry, or what differs if it is a table; `undefined` if that cannot be done line by line. */
export function setField(
  body: string,
  blocks: (body: string) => Block[],
  depth: number,
  path: string[],
  value: unknown,
): string | undefined {
  const found = fieldsOf(body, blocks(body), depth);
  const own = found.find((field) => samePath(field.path, path));
  if (own && covers(own.value, value)) return body;
  if (own) {
    const insert = inline(merged(own.value, value));
    return splice(body, [{ at: own.valueStart, remove: own.valueEnd - own.valueStart, insert }]);
  }
  const spread =
    found.some((field) => begins(field.path, path)) || blocks(body).some(({ keys }) => begins(keys.slice(depth), path));
  if (spread) {
    if (!isDataTable(value)) return undefined;
    return Object.entries(value).reduce<string | undefined>(
      (text, [key, inner]) => (text === undefined ? undefined : setField(text, blocks, depth, [...path, key], inner)),
      body,
    );
  }
  return insertField(body, blocks(body), depth, path, value);
}

/** Removes a field of an entry, or the tables of that name. Comments stay. */
export function dropField(body: string, blocks: (body: string) => Block[], depth: number, key: string): string {
  const all = blocks(body);
  const tables = all.filter(({ keys }) => keys[depth] === key);
  const fields = fieldsOf(body, all, depth).filter(
    ({ path }) => path[0] === key && !tables.some((table) => within(table, path, depth)),
  );
  const gone = fields.flatMap(({ start, end, valueEnd }): Splice[] => {
    const comment = body.indexOf('#', valueEnd);
    return comment >= 0 && comment < end
      ? [{ at: start, remove: comment - start }]
      : [{ at: start, remove: end - start }];
  });
  return splice(body, [...gone, ...tables.map(({ start, end }) => ({ at: start, remove: end - start }))]);
}

/** The fields of an entry's tables. */
function fieldsOf(body: string, blocks: Block[], depth: number): Field[] {
  return blocks.flatMap(({ keys, start, end }) => {
    const fields: Field[] = [];
    let at = lineEndAfter(body, start);
    while (at < end) {
      const field = fieldAt(body, at, end);
      if (field) fields.push({ ...field, path: [...keys.slice(depth), ...field.path] });
      at = field?.end ?? lineEndAfter(body, at);
    }
    return fields;
  });
}

/** The field that begins on a line; none if the line is blank or a comment. */
function fieldAt(body: string, lineStart: number, limit: number): Field | undefined {
  const start = lineStart + (/^[ \t]*/.exec(body.slice(lineStart, limit))?.[0].length ?? 0);
  if (/^(#|\r?\n|$)/.test(body.slice(start, limit))) return undefined;
  for (let end = lineEndAfter(body, start); ; end = lineEndAfter(body, end)) {
    const table = tableIn(body.slice(start, Math.min(end, limit)));
    if (table) return partsOf(body, table, start, Math.min(end, limit));
    if (end >= limit) return undefined;
  }
}

function partsOf(body: string, table: Record<string, unknown>, start: number, end: number): Field | undefined {
  const source = body.slice(start, end);
  const equals = positionsOf(source, '=').find((at) => tableIn(`${source.slice(0, at)}= 1`) !== undefined);
  if (equals === undefined) return undefined;
  const path = keysOf(tableIn(`${source.slice(0, equals)}= 1`));
  const value = path.reduce<unknown>((inner, key) => (isDataTable(inner) ? inner[key] : undefined), table);
  // The comment begins at the first number sign from which the rest can be left out without changing the value.
  const lastLine = source.trimEnd().lastIndexOf('\n') + 1;
  const comment = positionsOf(source, '#').find((at) => at >= lastLine && tableIn(source.slice(0, at)) !== undefined);
  const valueStart = equals + 1 + (/^[ \t]*/.exec(source.slice(equals + 1))?.[0].length ?? 0);
  const valueEnd = source.slice(0, comment).trimEnd().length;
  return { path, value, start, valueStart: start + valueStart, valueEnd: start + valueEnd, end };
}

function insertField(body: string, blocks: Block[], depth: number, path: string[], value: unknown): string | undefined {
  const block = blocks
    .filter(({ keys }) => begins(path, keys.slice(depth)))
    .sort((a, b) => b.keys.length - a.keys.length)[0];
  if (!block) return undefined;
  const rest = path.slice(block.keys.length - depth);
  const last = fieldsOf(body, [block], depth).at(-1);
  const at = last?.end ?? lineEndAfter(body, block.start);
  const line = `${indentOf(body, last)}${rest.map(quoted).join('.')} = ${inline(value)}`;
  const eol = lineEndOf(body);
  const unended = at === body.length && !body.endsWith('\n');
  return splice(body, [{ at, insert: unended ? eol + line : line + eol }]);
}

function indentOf(body: string, field: Field | undefined): string {
  return field ? body.slice(body.lastIndexOf('\n', field.start - 1) + 1, field.start) : '';
}

/** A value as written after the equals sign, on one line. */
function inline(value: unknown): string {
  return stringify({ value }, { inlineTableStart: 0 })
    .trimEnd()
    .replace(/^value = /, '');
}

/** A key as written in a header or before an equals sign. */
export const quoted = (key: string) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key));

/** The keys on the path to a document's only value. */
export function keysOf(value: unknown): string[] {
  const inner = Array.isArray(value) ? value[0] : value;
  const [entry] = isDataTable(inner) ? Object.entries(inner) : [];
  return entry ? [entry[0], ...keysOf(entry[1])] : [];
}

function tableIn(source: string): Record<string, unknown> | undefined {
  try {
    const table: unknown = parse(source);
    return isDataTable(table) ? table : undefined;
  } catch {
    return undefined;
  }
}

function positionsOf(source: string, character: string): number[] {
  return [...source].length === 0 ? [] : [...source.matchAll(new RegExp(character, 'g'))].map(({ index }) => index);
}

function lineEndAfter(body: string, at: number): number {
  const end = body.indexOf('\n', at);
  return end < 0 ? body.length : end + 1;
}

const begins = (path: string[], start: string[]) => start.every((key, index) => path[index] === key);
const samePath = (one: string[], other: string[]) => one.length === other.length && begins(one, other);
const within = ({ keys }: Block, path: string[], depth: number) =>
  keys.length > depth && begins(path, keys.slice(depth));
