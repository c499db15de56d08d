import { isDeepStrictEqual } from 'node:util';
import { isTable, sameData } from '../data.ts';
import type { Entry } from '../entry.ts';
import { cannotEdit, isCurrent, type Target } from './editor.ts';

/**
 * Holds a document's data before and after an edit against each other: apart from what is at `path`, and from objects on
 * the way to it that hold nothing else, they must be the same, in the same order. The last net under the editors: what
 * they cannot do in place is refused, never damaged.
 * @throws {CausewayError} `invalid_file`
 */
export function holdRest(before: unknown, after: unknown, path: string[], target: Target): void {
  if (!isDeepStrictEqual(inOrder(without(before, path)), inOrder(without(after, path)))) throw cannotEdit(target);
}

/**
 * Holds an entry before and after it was corrected against each other: it has to be what was wanted, and what somebody
 * added to it has to be there as it was.
 * @throws {CausewayError} `invalid_file`
 */
export function holdEntry(before: unknown, after: unknown, entry: Entry, target: Target): void {
  const touched = new Set([...Object.keys(entry.fixed), ...(entry.obsolete ?? [])]);
  const added = isTable(before) ? Object.entries(before).filter(([key]) => !touched.has(key)) : [];
  const kept = added.every(
    ([key, value]) => isTable(after) && Object.hasOwn(after, key) && sameData(after[key], value),
  );
  if (!kept || !isCurrent(after, entry)) throw cannotEdit(target);
}

/** The data without what is at the path; the objects that this leaves empty go too. */
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

/** Data in which the order of properties counts. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  return isObject(value) ? Object.entries(value).map(([key, inner]) => [key, inOrder(inner)]) : value;
}
