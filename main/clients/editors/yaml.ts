import { Document, isAlias, isMap, isScalar, isSeq, parseAllDocuments, visit, type YAMLMap } from 'yaml';
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
  const { nodes, blank } = descend(body, target);
  const depth = nodes.length - 1;
  const innermost = nodes[depth];
  const path = [...target.key, name];
  const finish = (edited: string) => {
    holdRest(dataOf(body, target), dataOf(edited, target), path, target);
    if (!isCurrent(read(edited, target).get(name), entry)) throw cannotEdit(target);
    return mark + edited;
  };
  const content = nest(path.slice(Math.max(depth, 0)), wholeEntry(entry), target.list === true);
  if (!innermost) {
    const made = appendBlock(body, { ...(body.trim() === '' ? target.preamble : {}), ...asObject(content) });
    return { text: finish(made), undoHint: { depth: -1, text: body } };
  }
  const present = depth === target.key.length ? yamlFields(innermost).find(({ key }) => key === name) : undefined;
  if (present) {
    if (isCurrent(present.value, entry)) return { text };
    const edited = finish(correct(body, target, name, entry));
    holdEntry(present.value, read(edited, target).get(name), entry, target);
    return { text: edited };
  }
  // An alias is that entry, and stands for what is elsewhere.
  if (depth === target.key.length && innermost.items.some(isAlias) && read(text, target).has(name))
    throw cannotEdit(target);
  const hadNone = yamlFields(innermost).length === 0;
  const edited = finish(splice(body, insertItem(body, innermost, content, blank)));
  if (blank) return { text: edited, undoHint: { depth: depth + 1, text: blank.source } };
  if (!hadNone && depth === target.key.length) return { text: edited };
  return { text: edited, undoHint: { depth, text: hadNone ? sourceOf(body, innermost) : undefined } };
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
  let now = splice(body, removeItem(body, container, name));
  now = putBack(now, target, undoHint);
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
  if (blank && (!undoHint || undoHint.depth === target.key.length)) {
    const empty = undoHint?.text ?? (target.list ? '[]' : '{}');
    return splice(body, [{ at: blank.at, insert: empty.replace(/^(?=\S)/, ' ') }]);
  }
  if (!undoHint) return body;
  const { depth, text } = undoHint;
  let now = body;
  if (depth < target.key.length) {
    const parent = nodes[Math.max(depth, 0)];
    const key = target.key[Math.max(depth, 0)];
    if (!parent || key === undefined) return body;
    now = splice(body, removeItem(body, parent, key));
  }
  if (depth === -1) {
    const isBare = Object.keys(asObject(dataOf(now, target))).length === 0 && !/^[ \t]*#/m.test(now);
    return isBare ? (text ?? now) : now;
  }
  if (text === undefined) return now;
  const rest = descend(now, target).nodes[depth];
  if (!rest || yamlFields(rest).length > 0) return now;
  const [start = 0] = rest.range ?? [];
  if (rest.flow && WRITTEN_NULL.test(text)) {
    const from = now.slice(0, start).trimEnd().length;
    return splice(now, [{ at: from, remove: start - from + sourceOf(now, rest).length, insert: text }]);
  }
  if (sourceOf(now, rest).replace(/\s/g, '') !== text.replace(/\s/g, '')) return now;
  return splice(now, [{ at: start, remove: sourceOf(now, rest).length, insert: text }]);
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
    const value = pair.value;
    const last = index === target.key.length - 1;
    if (isScalar(value) && value.value === null && value.range && isScalar(pair.key) && pair.key.range) {
      const at = body.indexOf(':', pair.key.range[1]) + 1;
      return { nodes, blank: { parent: map, at, source: value.source ? body.slice(at, value.range[1]) : '' } };
    }
    if (last && target.list ? !isSeq(value) : !isMap(value)) {
      const [at = 0] = isScalar(value) || isMap(value) || isSeq(value) ? (value.range ?? []) : [];
      throw unreadable(target, `"${key}" is not a ${target.list ? 'list' : 'map'}`, lineAndColumn(body, at));
    }
    if (isSeq(value)) nodes.push(value);
    if (isMap(value)) {
      nodes.push(value);
      map = value;
    }
  }
  return { nodes, blank: undefined };
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
