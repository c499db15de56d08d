import { CausewayError } from '../platform/errors.ts';
import { type FrameMember, frameMembers, placeAt, wholeOf } from './frame/edit.ts';
import { parseText } from './frame/frame.ts';
import { COLON, endOfString, type Place, QUOTE } from './frame/json-bytes.ts';

/** The members that decide what a frame does. Servers differ in which of two duplicates counts, and some ignore case (Go › encoding/json). */
const DECISIVE = new Set(['method', 'params', 'name', 'arguments', '_meta']);

/** For a request that a server may read differently than the rules do. */
export const AMBIGUOUS = new CausewayError(
  'invalid_argument',
  'This request repeats its method, parameters, tool, arguments or _meta, or spells them differently than the protocol.',
  {
    remedy: 'It was not sent, because tool rules apply. Name each once, as the protocol does.',
  },
);

/**
 * A name as servers read it that ignore case (Go › encoding/json). In both directions: `ſ` is an `s` in capitals, and the sign of
 * Kelvin a `k` in small letters.
 */
export function foldCase(name: string): string {
  return name.toUpperCase().toLowerCase();
}

/** Whether a server may read a frame differently than the rules do. */
export function isAmbiguous(frame: Buffer): boolean {
  const top = frameMembers(frame, wholeOf(frame));
  const params = top.findLast(({ name }) => name === 'params');
  return mayBeMisread(top) || (params !== undefined && mayBeMisread(frameMembers(frame, params.place)));
}

/** Whether an object in a call's arguments, at any depth, has two members of one name. */
export function hasRepeatedArgument(frame: Buffer): boolean {
  const place = placeAt(frame, 'params', 'arguments');
  if (!place) return false;
  const value = parseText(frame.toString('utf8', place.start, place.end));
  // Each member has one colon. Fewer parsed members than colons mean that a name occurs twice.
  return countMembers(value) < countColons(frame, place);
}

function countColons(json: Buffer, { start, end }: Place): number {
  let count = 0;
  for (let at = start; at < end; at = json[at] === QUOTE ? endOfString(json, at) : at + 1) {
    if (json[at] === COLON) count += 1;
  }
  return count;
}

function countMembers(value: unknown): number {
  let count = 0;
  const open = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== 'object' || one === null) continue;
    const values = Object.values(one);
    if (!Array.isArray(one)) count += values.length;
    for (const each of values) open.push(each);
  }
  return count;
}

function mayBeMisread(members: FrameMember[]): boolean {
  const decisive = members
    .map(({ name }) => ({ name, folded: foldCase(name) }))
    .filter(({ folded }) => DECISIVE.has(folded));
  return (
    decisive.some(({ name, folded }) => name !== folded) ||
    new Set(decisive.map(({ folded }) => folded)).size < decisive.length
  );
}
