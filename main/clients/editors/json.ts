import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { faultWords } from '../../platform/json-faults.ts';
import { lineAndColumn } from '../../platform/line-and-column.ts';
import { covers, type Entry, isDataTable, wholeEntry } from '../entry.ts';
import {
  cannotEdit,
  type Edited,
  type EditTarget,
  type EntryEditor,
  holdEntry,
  holdLevels,
  holdRest,
  isCurrent,
  lineEndOf,
  type Splice,
  splice,
  splitMark,
  tooDeep,
  type UndoHint,
  unreadable,
} from './editor.ts';
import { insertProperty, jsonProperties, removeProperty, replaceValue } from './json-object.ts';

/** Edits JSON. Keeps comments and trailing commas, but never adds any. */
export const jsonEditor: EntryEditor = { read, put, remove };

function read(text: string, target: EditTarget): Map<string, unknown> {
  const container = descend(splitMark(text).body, target)[target.key.length];
  return new Map(container ? jsonProperties(container).map(({ key, value }) => [key, getNodeValue(value)]) : []);
}

function put(text: string, target: EditTarget, name: string, entry: Entry): Edited {
  const { mark, body } = splitMark(text);
  const found = descend(body, target);
  const path = [...target.key, name];
  const depth = found.length - 1;
  const [root, innermost] = [found[0], found[depth]];
  if (!root || !innermost) {
    const eol = lineEndOf(body);
    const made = JSON.stringify(nest(path, wholeEntry(entry)), null, 2).replaceAll('\n', eol);
    return { text: `${mark}${made}${eol}`, undoHint: { depth: -1, text: body } };
  }
  const key = path[depth] ?? name;
  const present = find(innermost, key);
  if (present && depth < target.key.length) {
    // It is null: no other value could be there.
    const made = mark + spliced(body, [{ at: present.offset, remove: present.length, insert: '{}' }], target);
    return { ...put(made, target, name, entry), undoHint: { depth: depth + 1, text: NULL } };
  }
  if (present) return { text: correct(text, target, name, getNodeValue(present), entry) };
  const isEmpty = jsonProperties(innermost).length === 0;
  const value = nest(path.slice(depth + 1), wholeEntry(entry));
  const edited = mark + spliced(body, insertProperty(body, root, innermost, key, value), target);
  holdRest(dataOf(text, target), dataOf(edited, target), path, target);
  if (!isEmpty && depth === target.key.length) return { text: edited };
  return { text: edited, undoHint: { depth, text: isEmpty ? sourceOf(body, innermost) : undefined } };
}

/** Corrects one field at a time, because each change moves the text after it. */
function correct(text: string, target: EditTarget, name: string, present: unknown, entry: Entry): string {
  if (isCurrent(present, entry)) return text;
  const { mark, body } = splitMark(text);
  const { fixed, obsolete = [] } = entry;
  const edited = mark + obsolete.reduce((now, key) => drop(now, [name], key, target), set(body, [name], fixed, target));
  holdRest(dataOf(text, target), dataOf(edited, target), [...target.key, name], target);
  holdEntry(present, read(edited, target).get(name), entry, target);
  return edited;
}

/** Sets only what differs. Other members of an object stay. */
function set(text: string, path: string[], value: unknown, target: EditTarget): string {
  const node = nodeAt(text, path, target);
  if (node && covers(getNodeValue(node), value)) return text;
  if (node?.type === 'object' && isDataTable(value)) {
    return Object.entries(value).reduce((now, [key, inner]) => set(now, [...path, key], inner, target), text);
  }
  if (node) return spliced(text, [replaceValue(text, node, value)], target);
  const [[root], parent] = [descend(text, target), nodeAt(text, path.slice(0, -1), target)];
  if (!root || !parent) return text;
  return spliced(text, insertProperty(text, root, parent, path.at(-1) ?? '', value), target);
}

/** Removes all properties of this name. */
function drop(text: string, path: string[], key: string, target: EditTarget): string {
  const node = nodeAt(text, path, target);
  if (!node || !find(node, key)) return text;
  return drop(spliced(text, removeProperty(text, node, key), target), path, key, target);
}

/** The node at a path that begins with an entry's name. */
function nodeAt(text: string, path: string[], target: EditTarget): Node | undefined {
  const container = descend(text, target)[target.key.length];
  return path.reduce<Node | undefined>((node, key) => node && find(node, key), container);
}

function remove(text: string, target: EditTarget, name: string, undoHint: UndoHint | undefined): string {
  const { mark, body } = splitMark(text);
  const container = descend(body, target)[target.key.length];
  if (!container || !find(container, name)) return text;
  let now = spliced(body, removeProperty(body, container, name), target);
  if (undoHint) now = putBack(now, target, undoHint);
  const edited = mark + now;
  if (now.trim() !== '') holdRest(dataOf(text, target), dataOf(edited, target), [...target.key, name], target);
  return edited;
}

/** Removes the objects that were created for our entries, if they are empty again. */
function putBack(text: string, target: EditTarget, { depth, text: original }: UndoHint): string {
  const level = Math.max(depth, 0);
  const [parent, ...made] = descend(text, target).slice(level);
  const isMade = (node: Node, index: number) =>
    isBare(sourceOf(text, node)) || (index < made.length - 1 && jsonProperties(node).length === 1);
  if (!parent || !made.every(isMade)) return text;
  const key = target.key[level];
  const now = key === undefined ? text : spliced(text, removeProperty(text, parent, key), target);
  if (original === undefined) return now;
  if (depth === -1) return isBare(now) ? original : now;
  const object = descend(now, target)[depth];
  if (!object || bare(sourceOf(now, object)) !== (original === NULL ? '{}' : bare(original))) return now;
  return spliced(now, [{ at: object.offset, remove: object.length, insert: original }], target);
}

/** Some clients write this if they have no servers. */
const NULL = 'null';

const bare = (text: string) => text.replace(/\s/g, '');

/** Whether an object has neither properties nor comments. */
const isBare = (source: string) => bare(source) === '{}';

const sourceOf = (text: string, { offset, length }: Node) => text.slice(offset, offset + length);

/**
 * The text with all splices applied.
 * @throws {CausewayError} `invalid_file` where it would no longer be JSON: a comment may end where an entry did
 */
function spliced(text: string, splices: Splice[], target: EditTarget): string {
  const edited = splice(text, splices);
  if (tree(edited, target).error) throw cannotEdit(target);
  return edited;
}

/** The parsed document; undefined if the text is blank. */
function parse(body: string, target: EditTarget): Node | undefined {
  if (body.trim() === '') return undefined;
  const { root, error } = tree(body, target);
  if (error) {
    const fault = faultWords(printParseErrorCode(error.error));
    throw unreadable(target, `this is not valid JSON: ${fault}`, placeOf(body, error.offset, target));
  }
  if (root?.type !== 'object') throw unreadable(target, 'an object was expected', { line: 1, column: 1 });
  holdLevels(root, ({ children = [] }) => children, target);
  return root;
}

/** The nodes of a text, and the first fault in it. */
function tree(text: string, target: EditTarget): { root: Node | undefined; error: ParseError | undefined } {
  const errors: ParseError[] = [];
  try {
    return { root: parseTree(text, errors, { allowTrailingComma: true, disallowComments: false }), error: errors[0] };
  } catch (cause) {
    throw tooDeep(target, cause);
  }
}

/** The existing objects on the way to the entries, beginning with the root; none if the text is blank. */
function descend(body: string, target: EditTarget): Node[] {
  const root = parse(body, target);
  if (!root) return [];
  const found = [root];
  let node = root;
  for (const key of target.key) {
    const next = find(node, key);
    if (!next || next.type === 'null') break;
    if (next.type !== 'object')
      throw unreadable(target, `"${key}" is not an object`, placeOf(body, next.offset, target));
    found.push(next);
    node = next;
  }
  return found;
}

/** The value of a property. If a name occurs more than once, the last one counts, as in every JSON parser. */
function find(node: Node, key: string): Node | undefined {
  return jsonProperties(node).findLast((member) => member.key === key)?.value;
}

function dataOf(text: string, target: EditTarget): unknown {
  const root = parse(splitMark(text).body, target);
  return root ? getNodeValue(root) : {};
}

function nest(path: string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function placeOf(body: string, offset: number, { placeAt }: EditTarget): { line: number; column: number } {
  return placeAt ? placeAt(offset) : lineAndColumn(body, offset);
}
