import { isDeepStrictEqual } from 'node:util';
import { CausewayError } from '../../platform/errors.ts';
import { placeInFile } from '../../platform/line-and-column.ts';
import { covers, type Entry, isDataTable, sameData } from '../entry.ts';

/** Which file is edited, and where in it the entries are. */
export interface EditTarget {
  /** The file's path, for messages. */
  file: string;
  /** The path from the document's root to the object or list that holds the entries. */
  key: string[];
  /** The entries are a list of objects that have a `name`. */
  list?: true | undefined;
  /** The first keys of a document that is created. */
  preamble?: Record<string, string> | undefined;
  /** Where a character is in the file, if the text is an excerpt of it. A byte order mark does not count. */
  placeAt?: ((offset: number) => { line: number; column: number }) | undefined;
}

/**
 * What stood where the first of our entries made room for itself, so that removing the last one can put it back: of the
 * objects on the way to the entries, the first `depth` were there (-1: not even a document), and the innermost of them,
 * where it was empty, read `text`.
 */
export interface UndoHint {
  depth: number;
  text?: string | undefined;
}

/** A text with our entry in it. */
export interface Edited {
  text: string;
  /** Left out if there were other entries before. */
  undoHint?: UndoHint | undefined;
}

/**
 * Reads and changes entries in a text of one format. Changing one leaves every other byte alone: comments, order,
 * indentation, line ends, byte order mark. All of it is pure.
 */
export interface EntryEditor {
  /** The entries, by name. @throws {CausewayError} `invalid_file`, with line, column and remedy */
  read(text: string, target: EditTarget): Map<string, unknown>;
  /**
   * Adds an entry, or corrects one that is there: sets in it what differs from `entry.fixed`, takes `entry.obsolete` out, and
   * leaves the rest of it alone. @throws {CausewayError} `invalid_file`
   */
  put(text: string, target: EditTarget, name: string, entry: Entry): Edited;
  /** Removes an entry. If it was the last one, also undoes what `undoHint` describes. @throws {CausewayError} `invalid_file` */
  remove(text: string, target: EditTarget, name: string, undoHint: UndoHint | undefined): string;
  /** Sets a key at the document's root, in a line of its own, unless it is there; left out for formats whose clients need none. */
  putSetting?(text: string, target: EditTarget, setting: Setting): string;
  /** Removes that line if it still says what it did. @throws {CausewayError} `invalid_file` */
  removeSetting?(text: string, target: EditTarget, setting: Setting): string;
}

/** A key at the root of a document, with its value. */
export interface Setting {
  key: string;
  value: number;
}

/** A range of characters and its replacement. */
export interface Splice {
  at: number;
  remove?: number;
  insert?: string;
}

/** The text with all splices applied. Their positions refer to the original text. */
export function splice(text: string, splices: Splice[]): string {
  const order = [...splices].sort((a, b) => b.at - a.at);
  return order.reduce(
    (result, { at, remove = 0, insert = '' }) => result.slice(0, at) + insert + result.slice(at + remove),
    text,
  );
}

/** The text without its byte order mark, and the mark. */
export function splitMark(text: string): { mark: string; body: string } {
  return text.startsWith('\ufeff') ? { mark: '\ufeff', body: text.slice(1) } : { mark: '', body: text };
}

/** The first line end in the text; a line feed if it has none. */
export function lineEndOf(text: string): string {
  return /\r\n|\n/.exec(text)?.[0] ?? '\n';
}

/** The error for a file that was not changed because of its content. */
export function unreadable(
  { file }: EditTarget,
  problem: string,
  place?: { line: number; column: number },
  cause?: unknown,
): CausewayError {
  const where = place ? placeInFile(file, place) : file;
  return new CausewayError('invalid_file', `${where}: ${problem}.`, {
    cause,
    remedy: 'Nothing was written. Correct the file there in a text editor, then try again.',
  });
}

/** The maximum nesting of a file's data, because comparing data uses stack for each level. No client's file has thirty. */
const MAX_LEVELS = 300;

/** The error for a file with more levels than that, or than a parser can handle. */
export function tooDeep(target: EditTarget, cause?: unknown): CausewayError {
  return unreadable(target, 'it is nested too deeply', undefined, cause);
}

/** Whether a parser has used up the stack. Some throw their own error with the same message. */
export function isStackUsedUp(error: unknown): boolean {
  return error instanceof Error && /call stack/.test(error.message);
}

/** Refuses data with too many levels, such as data that contains itself. @throws {CausewayError} `invalid_file` */
export function holdDepth(data: unknown, target: EditTarget): void {
  holdLevels(data, (value) => (isObject(value) ? Object.values(value) : []), target);
}

/** Like `holdDepth`, for a parser's nodes. @throws {CausewayError} `invalid_file` */
export function holdLevels<T>(node: T, inner: (node: T) => readonly T[], target: EditTarget, level = 0): void {
  if (level > MAX_LEVELS) throw tooDeep(target);
  for (const one of inner(node)) holdLevels(one, inner, target, level + 1);
}

/** Whether an entry already is as required. Other keys that the user added do not matter. */
export function isCurrent(present: unknown, { fixed, obsolete = [] }: Entry): boolean {
  return covers(present, fixed) && !obsolete.some((key) => isDataTable(present) && Object.hasOwn(present, key));
}

/** The error for text that is valid, but written in a way that cannot be changed in place. */
export function cannotEdit({ file, key }: EditTarget, why = 'it is written in a way that cannot be changed in place') {
  return new CausewayError('invalid_file', `${file}: ${key.join('.')} was not changed: ${why}.`, {
    remedy: 'Nothing was written. Add the entry by hand. Causeway shows its JSON for this client.',
  });
}

/**
 * Holds a document's data before and after an edit against each other: apart from what is at `path`, and from objects on
 * the way to it that hold nothing else, they must be the same, in the same order. The last net under the editors: what
 * they cannot do in place is refused, never damaged.
 * @throws {CausewayError} `invalid_file`
 */
export function holdRest(before: unknown, after: unknown, path: string[], target: EditTarget): void {
  if (!isDeepStrictEqual(inOrder(without(before, path)), inOrder(without(after, path)))) throw cannotEdit(target);
}

/**
 * Holds an entry before and after it was corrected against each other: it has to be what was wanted, and what someone
 * added to it has to be there as it was.
 * @throws {CausewayError} `invalid_file`
 */
export function holdEntry(before: unknown, after: unknown, entry: Entry, target: EditTarget): void {
  const touched = new Set([...Object.keys(entry.fixed), ...(entry.obsolete ?? [])]);
  const added = isDataTable(before) ? Object.entries(before).filter(([key]) => !touched.has(key)) : [];
  const kept = added.every(
    ([key, value]) => isDataTable(after) && Object.hasOwn(after, key) && sameData(after[key], value),
  );
  if (!kept || !isCurrent(after, entry)) throw cannotEdit(target);
}

/** The data without the value at the path, and without objects that this leaves empty. */
function without(value: unknown, [key, ...rest]: string[]): unknown {
  if (key === undefined) return undefined;
  if (Array.isArray(value)) {
    const others = value.filter((item) => !(isObject(item) && item.name === key));
    return others.length === 0 ? undefined : others;
  }
  if (!isObject(value)) return value === null ? undefined : value;
  const left = Object.entries(value).flatMap(([other, inner]) => {
    if (other !== key) return [[other, inner]];
    const kept = without(inner, rest);
    return kept === undefined ? [] : [[other, kept]];
  });
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

/** The data in a form in which the order of properties matters when compared. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  return isObject(value) ? Object.entries(value).map(([key, inner]) => [key, inOrder(inner)]) : value;
}
