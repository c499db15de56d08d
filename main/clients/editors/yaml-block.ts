import { isCollection, isMap, isNode, isPair, isScalar, isSeq, stringify, type YAMLMap, type YAMLSeq } from 'yaml';
import { lineEndOf, type Splice, splice } from './editor.ts';

/** A map, or a list whose items are maps with a `name`. */
export type Collection = YAMLMap | YAMLSeq;

/** A key with nothing after its colon, in place of a map or a list. */
export interface Blank {
  parent: YAMLMap;
  /** The position after the colon. */
  at: number;
  /** The explicit null, with the space before it; empty if there is none. */
  source: string;
}

/** A named item of a collection. */
export interface YamlField {
  key: string;
  /** Its value as plain data. */
  value: unknown;
  node: unknown;
  start: number;
  end: number;
}

/** A collection's named items, in order. */
export function yamlFields(collection: Collection): YamlField[] {
  return collection.items.flatMap((item): YamlField[] => {
    const node = isPair(item) ? item.value : item;
    const value: unknown = isNode(node) ? node.toJSON() : node;
    const start = startOf(isPair(item) ? item.key : item);
    const key = isPair(item) ? (isScalar(item.key) ? item.key.value : item.key) : isMap(item) && item.get('name');
    return [{ key: String(key), value, node, start, end: endOf(item) }];
  });
}

/** A collection's source text. */
export function sourceOf(body: string, { range }: Collection): string {
  return range ? body.slice(range[0], range[1]) : '';
}

/** Adds the first content of a document, after existing comments. */
export function appendBlock(body: string, content: unknown): string {
  return splice(body, [blockInsertion(body, body.length, '', content)]);
}

/**
 * One more item at a collection's end, written the way the rest is: a property as `{key: value}`, a list's item as it is.
 * `blank` is where the property goes instead if its parent key is there with nothing behind it.
 */
export function insertItem(
  body: string,
  collection: Collection,
  content: Record<string, unknown>,
  blank?: Blank | undefined,
): Splice[] {
  if (blank?.parent.flow) {
    return [{ at: blank.at, remove: blank.source.length, insert: ` ${inFlow(Object.values(content)[0])}` }];
  }
  if (blank) {
    const indent = indentOf(body, blank.parent) + ' '.repeat(stepOf(body));
    const lines = blockInsertion(body, lineEndAfter(body, blank.at), indent, Object.values(content)[0]);
    return [{ at: blank.at, remove: blank.source.length }, lines];
  }
  const last = collection.items.at(-1);
  if (collection.flow || !last) return [flowInsertion(body, collection, content)];
  const lines = isSeq(collection) ? [content] : content;
  return [blockInsertion(body, lineEndAfter(body, endOf(last)), indentOf(body, collection), lines)];
}

/** Removes an item: its lines in block style, or its text and comma in flow style. */
export function removeItem(body: string, collection: Collection, key: string): Splice[] {
  const fields = yamlFields(collection);
  const index = fields.findIndex((field) => field.key === key);
  const field = fields[index];
  if (!field) return [];
  const { start, end } = field;
  if (collection.flow) {
    const previous = fields[index - 1];
    if (previous) return [{ at: previous.end, remove: end - previous.end }];
    const comma = /^\s*,[ ]?/.exec(body.slice(end))?.[0].length ?? 0;
    return [{ at: start, remove: end + comma - start }];
  }
  const from = body.lastIndexOf('\n', start - 1) + 1;
  const to = lineEndAfter(body, end);
  const unended = to === body.length && !body.endsWith('\n');
  const eol = unended ? (/\r?\n$/.exec(body.slice(0, from))?.[0].length ?? 0) : 0;
  return [{ at: from - eol, remove: to - from + eol }];
}

/** Removes a property of an entry. In block style, a comment after it and the dash of a list before it stay. */
export function removeField(body: string, map: YAMLMap, key: string): Splice[] {
  const field = yamlFields(map).find((each) => each.key === key);
  if (map.flow || !field) return removeItem(body, map, key);
  const { start, end } = field;
  const from = body.lastIndexOf('\n', start - 1) + 1;
  const to = lineEndAfter(body, end);
  const comment = /#[^\r\n]*/.exec(body.slice(end, to))?.[0];
  if (comment !== undefined) return [{ at: start, remove: end + body.slice(end).indexOf('#') - start }];
  if (body.slice(from, start).trim() === '') return removeItem(body, map, key);
  const next = yamlFields(map).find((each) => each.start > start);
  return next ? [{ at: start, remove: next.start - start }] : [{ at: start, remove: end - start, insert: '{}' }];
}

/** Sets a property, which is added if it is missing. */
export function replaceField(body: string, map: YAMLMap, key: string, value: unknown): Splice[] {
  const pair = map.items.find((item) => isScalar(item.key) && item.key.value === key);
  if (!pair || !isNode(pair.key)) return insertItem(body, map, { [key]: value });
  const colon = body.indexOf(':', pair.key.range?.[1] ?? 0) + 1;
  const end = colon + body.slice(colon, endOf(pair)).trimEnd().length;
  return [{ at: colon, remove: end - colon, insert: ` ${inFlow(value)}` }];
}

function flowInsertion(body: string, collection: Collection, content: Record<string, unknown>): Splice {
  const [start = 0, end = 0] = collection.range ?? [];
  const [[key, value] = ['', {}]] = Object.entries(content);
  const text = isSeq(collection) ? inFlow(content) : `${JSON.stringify(key)}: ${inFlow(value)}`;
  const last = collection.items.at(-1);
  if (!last) return { at: start + 1, insert: text };
  const behind = endOf(last);
  const comma = /^\s*,/.exec(body.slice(behind, end))?.[0].length;
  return comma === undefined ? { at: behind, insert: `, ${text}` } : { at: behind + comma, insert: ` ${text},` };
}

function blockInsertion(body: string, at: number, indent: string, content: unknown): Splice {
  const eol = lineEndOf(body);
  const text = stringify(content, { indent: stepOf(body), lineWidth: 0 }).trimEnd();
  const lines = text.split('\n').map((line) => indent + line);
  const unended = at === body.length && body !== '' && !body.endsWith('\n');
  return { at, insert: unended ? eol + lines.join(eol) : lines.join(eol) + eol };
}

/** A value as JSON, which is YAML in flow style, with YAML's usual spaces. */
function inFlow(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
}

/** The indentation of a collection's items. */
function indentOf(body: string, collection: Collection): string {
  const [first] = collection.items;
  const start = startOf(isPair(first) ? first.key : first);
  const at = isSeq(collection) ? body.lastIndexOf('-', start - 1) : start;
  return body.slice(body.lastIndexOf('\n', at - 1) + 1, at).replace(/\S/g, ' ');
}

/** The number of spaces for one level: those of the least indented line, or two. */
function stepOf(body: string): number {
  const indents = [...body.matchAll(/\n( +)[^\s#]/g)].map(([, spaces = '']) => spaces.length);
  return indents.length === 0
    ? 2
    : Math.max(
        2,
        indents.reduce((least, next) => Math.min(least, next), 8),
      );
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** The position after a node's last character, without the comments after it. */
function endOf(node: unknown): number {
  if (isPair(node)) return Math.max(endOf(node.key), endOf(node.value));
  if (isCollection(node) && !node.flow && node.items.length > 0) return endOf(node.items.at(-1));
  return isNode(node) ? (node.range?.[1] ?? 0) : 0;
}

function lineEndAfter(body: string, at: number): number {
  if (body[at - 1] === '\n') return at;
  const end = body.indexOf('\n', at);
  return end < 0 ? body.length : end + 1;
}
