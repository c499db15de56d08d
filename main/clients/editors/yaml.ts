import {
  Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseAllDocuments,
  visit,
  type YAMLMap,
} from 'yaml';
import { lineAndColumn } from '../../platform/line-and-column.ts';
import { covers, type Entry, merged, wholeEntry } from '../entry.ts';
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
  splice,
  splitMark,
  tooDeep,
  type UndoHint,
  unreadable,
} from './editor.ts';
import {
  appendBlock,
  type Blank,
  type Collection,
  insertItem,
  removeField,
  removeItem,
  replaceField,
  sourceOf,
  yamlFields,
} from './yaml-block.ts';

/** Edits YAML, in block style or, if the file has it, flow style. One document, with entries in a map, or in a list by `name`. */
export const yamlEditor: EntryEditor = { read, put, remove };

function read(text: string, target: EditTarget): Map<string, unknown> {
  const found = descend(splitMark(text).body, target);
  const container = found.nodes[target.key.length];
  const entries = new Map(container ? yamlFields(container).map(({ key, value }) => [key, value]) : []);
  holdDepth([...entries.values()], target);
  if (!container?.items.some(isAlias)) return entries;
  return new Map([...entries, ...aliasedEntries(splitMark(text).body, target)]);
}

/** The entries of a list with aliases in it. What an alias stands for is an entry under its own name, too. */
function aliasedEntries(body: string, target: EditTarget): [string, unknown][] {
  const list = target.key.reduce<unknown>((data, key) => asObject(data)[key], dataOf(body, target));
  const named = Array.isArray(list) ? list.map(asObject) : [];
  return named.flatMap((item) => (typeof item.name === 'string' ? [[item.name, item]] : []));
}

function put(text: string, target: EditTarget, name: string, entry: Entry): Edited {
  const { mark, body } = splitMark(text);
  const found = descend(body, target);
  const { nodes, blank } = found;
  const innermost = nodes.at(-1);
  const path = [...target.key, name];
  const finish = (edited: string) => {
    holdRest(dataOf(body, target), dataOf(edited, target), path, target);
    if (!isCurrent(read(edited, target).get(name), entry)) throw cannotEdit(target);
    return mark + edited;
  };
  const content = nest(path.slice(Math.max(nodes.length - 1, 0)), wholeEntry(entry), target.list === true);
  if (!innermost) {
    const made = appendBlock(body, { ...(body.trim() === '' ? target.preamble : {}), ...asObject(content) });
    return { text: finish(made), undoHint: { depth: -1, text: body } };
  }
  const container = nodes[target.key.length];
  const present = container && yamlFields(container).find(({ key }) => key === name);
  if (present) {
    if (isCurrent(present.value, entry)) return { text };
    const edited = finish(correct(body, target, name, entry));
    holdEntry(present.value, read(edited, target).get(name), entry, target);
    return { text: edited };
  }
  // An alias is that entry, and stands for what is elsewhere.
  if (container?.items.some(isAlias) && read(text, target).has(name)) throw cannotEdit(target);
  const edited = finish(splice(body, insertItem(body, innermost, content, blank)));
  return { text: edited, undoHint: undoHintOf(body, innermost, found, target) };
}

/** What the first entry makes room for itself in; undefined if there are others. */
function undoHintOf(
  body: string,
  innermost: Collection,
  { nodes, blank }: Found,
  target: EditTarget,
): UndoHint | undefined {
  if (blank) return { depth: nodes.length, text: blank.source };
  const depth = nodes.length - 1;
  if (yamlFields(innermost).length === 0) return { depth, text: sourceOf(body, innermost) };
  return depth === target.key.length ? undefined : { depth, text: undefined };
}

/** Corrects one field at a time, because each change moves the text after it. */
function correct(body: string, target: EditTarget, name: string, { fixed, obsolete = [] }: Entry): string {
  let text = body;
  const item = () => {
    const container = descend(text, target).nodes[target.key.length];
    const found = container && yamlFields(container).find((field) => field.key === name);
    if (!found || !isMap(found.node)) throw cannotEdit(target);
    return { map: found.node, value: asObject(found.value) };
  };
  for (const [key, wanted] of Object.entries(fixed)) {
    const { map, value } = item();
    if (Object.hasOwn(value, key) && covers(value[key], wanted)) continue;
    text = splice(text, replaceField(text, map, key, merged(value[key], wanted)));
  }
  for (const key of obsolete) {
    const { map, value } = item();
    if (Object.hasOwn(value, key)) text = splice(text, removeField(text, map, key));
  }
  return text;
}

function remove(text: string, target: EditTarget, name: string, undoHint: UndoHint | undefined): string {
  const { mark, body } = splitMark(text);
  const container = descend(body, target).nodes[target.key.length];
  if (!container || !yamlFields(container).some(({ key }) => key === name)) return text;
  const now = putBack(splice(body, removeItem(body, container, name)), target, undoHint);
  holdRest(dataOf(body, target), dataOf(now, target), [...target.key, name], target);
  return mark + now;
}

/**
 * Takes away the maps that were made for our entries, as far as they are empty again. A map without anything in it is no
 * map in block style but nothing at all: where one has to stay, it is written out.
 */
function putBack(body: string, target: EditTarget, undoHint: UndoHint | undefined): string {
  const { nodes, blank } = descend(body, target);
  const container = nodes[target.key.length];
  if (container ? yamlFields(container).length > 0 : !blank) return body;
  const { depth, text } = undoHint ?? { depth: target.key.length, text: undefined };
  if (blank && depth === target.key.length) return filledBlank(body, blank, target, text);
  const level = Math.max(depth, 0);
  const [parent, made] = [nodes[level], target.key[level]];
  const now = parent && made !== undefined ? splice(body, removeItem(body, parent, made)) : body;
  if (text === undefined) return now;
  return depth === -1 ? emptyDocument(now, target, text) : emptyCollection(now, target, depth, text);
}

/** An empty map or list where nothing is written: the way it was before the first entry, if that is known. */
function filledBlank(body: string, { at }: Blank, { list }: EditTarget, text = list ? '[]' : '{}'): string {
  return splice(body, [{ at, insert: text.replace(/^(?=\S)/, ' ') }]);
}

/** The document as it was before the first entry, if nothing has come into it since. */
function emptyDocument(body: string, target: EditTarget, text: string): string {
  const isBare = Object.keys(asObject(dataOf(body, target))).length === 0 && !/^[ \t]*#/m.test(body);
  return isBare ? text : body;
}

/** Has the collection that held nothing before the first entry read as it did then, if it is empty again. */
function emptyCollection(body: string, target: EditTarget, depth: number, text: string): string {
  const node = descend(body, target).nodes[depth];
  if (!node || yamlFields(node).length > 0) return body;
  const source = sourceOf(body, node);
  const [start = 0] = node.range ?? [];
  const wasNull = node.flow && WRITTEN_NULL.test(text);
  if (!wasNull && source.replace(/\s/g, '') !== text.replace(/\s/g, '')) return body;
  const from = wasNull ? body.slice(0, start).trimEnd().length : start;
  return splice(body, [{ at: from, remove: start - from + source.length, insert: text }]);
}

/** The ways to write null after a colon, with the space before it. */
const WRITTEN_NULL = /^\s*(null|~)?$/i;

interface Found {
  /** The existing collections on the way to the entries, beginning with the root. */
  nodes: Collection[];
  /** Set if the next collection's key exists, but has nothing or a null after its colon. */
  blank: Blank | undefined;
}

function descend(body: string, target: EditTarget): Found {
  const root = parse(body, target).contents;
  if (root === null || (isScalar(root) && root.value === null)) return { nodes: [], blank: undefined };
  if (!isMap(root)) throw unreadable(target, 'a map was expected', { line: 1, column: 1 });
  const nodes: Collection[] = [root];
  let map: YAMLMap = root;
  for (const [index, key] of target.key.entries()) {
    const pair = map.items.find((item) => (isScalar(item.key) ? item.key.value : item.key) === key);
    if (!pair) break;
    const blank = blankAfter(body, map, pair);
    if (blank) return { nodes, blank };
    const next = collectionIn(body, target, index, pair.value);
    nodes.push(next);
    if (isMap(next)) map = next;
  }
  return { nodes, blank: undefined };
}

/** The place after a key's colon, if there is nothing or a null. */
function blankAfter(body: string, parent: YAMLMap, { key, value }: Pair): Blank | undefined {
  if (!isScalar(value) || value.value !== null || !value.range || !isScalar(key) || !key.range) return undefined;
  const at = body.indexOf(':', key.range[1]) + 1;
  return { parent, at, source: value.source ? body.slice(at, value.range[1]) : '' };
}

/** What stands at a key on the way to the entries. @throws {CausewayError} `invalid_file` if it can hold none */
function collectionIn(body: string, target: EditTarget, index: number, value: unknown): Collection {
  const isList = target.list === true && index === target.key.length - 1;
  if (isList && isSeq(value)) return value;
  if (!isList && isMap(value)) return value;
  const [at = 0] = isScalar(value) || isCollection(value) ? (value.range ?? []) : [];
  const problem = `"${target.key[index]}" is not a ${target.list ? 'list' : 'map'}`;
  throw unreadable(target, problem, lineAndColumn(body, at));
}

function parse(body: string, target: EditTarget) {
  // The parser compares each key with every other one: a map of ten thousand takes it minutes.
  const parsed = parseAllDocuments(body, { logLevel: 'silent', uniqueKeys: false });
  const documents = Array.isArray(parsed) ? parsed : [];
  const [document, second] = documents;
  if (second) {
    const place = lineAndColumn(body, second.range[0]);
    throw unreadable(target, 'it contains several documents, and clients read only one', place);
  }
  const [error] = document?.errors ?? [];
  if (isStackUsedUp(error)) throw tooDeep(target, error);
  if (error) {
    const problem = (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
    throw unreadable(target, `this is not valid YAML: ${problem}`, lineAndColumn(body, error.pos[0]), error);
  }
  const repeated = document && repeatedKey(document, target);
  if (repeated !== undefined) {
    throw unreadable(target, 'this is not valid YAML: Map keys must be unique', lineAndColumn(body, repeated));
  }
  return document ?? new Document(null);
}

/** Where a key is that its map has already. @throws {CausewayError} `invalid_file` if the document has too many levels to look */
function repeatedKey(document: Document, target: EditTarget): number | undefined {
  let found: number | undefined;
  const look = (_: unknown, map: YAMLMap) => {
    const seen = new Set<unknown>();
    for (const { key } of map.items) {
      if (!isScalar(key)) continue;
      if (seen.has(key.value)) {
        found = key.range?.[0] ?? 0;
        return visit.BREAK;
      }
      seen.add(key.value);
    }
    return undefined;
  };
  try {
    visit(document, { Map: look });
  } catch (error) {
    if (isStackUsedUp(error)) throw tooDeep(target, error);
    throw error;
  }
  return found;
}

function dataOf(body: string, target: EditTarget): unknown {
  const data = resolved(parse(body, target), target);
  holdDepth(data, target);
  const preamble = Object.entries(target.preamble ?? {});
  const isOurs = ([key, value]: [string, unknown]) => preamble.some(([own, text]) => own === key && text === value);
  return preamble.length === 0 ? data : Object.fromEntries(Object.entries(asObject(data)).filter((it) => !isOurs(it)));
}

function resolved(document: Document, target: EditTarget): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    throw unreadable(target, 'its aliases cannot be resolved', undefined, cause);
  }
}

function nest([outermost = '', ...path]: string[], value: unknown, list: boolean): Record<string, unknown> {
  if (path.length === 0) return list ? asObject(value) : { [outermost]: value };
  const inner = path.length === 1 && list ? [value] : nest(path, value, list);
  return { [outermost]: inner };
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
