import { parseFrame } from './frame.ts';
import {
  CLOSE_BRACE,
  COLON,
  COMMA,
  eachElement,
  endOfString,
  endOfValue,
  OPEN_BRACE,
  OPEN_BRACKET,
  type Place,
  QUOTE,
  skipWhiteSpace,
} from './json-bytes.ts';

/** A member of a JSON object: its name and the position of its value. */
export interface FrameMember {
  name: string;
  place: Place;
}

/** The place of the one value that valid JSON text consists of, without the white space around it. */
export function wholeOf(json: Buffer): Place {
  const start = skipWhiteSpace(json, 0);
  return { start, end: endOfValue(json, start) };
}

/**
 * An object's members in the order in which they were written; none if the value is not an object. If the JSON is invalid,
 * only the members before the error.
 */
export function frameMembers(json: Buffer, { start }: Place): FrameMember[] {
  const members: FrameMember[] = [];
  if (json[start] !== OPEN_BRACE) return members;
  for (let at = skipWhiteSpace(json, start + 1); json[at] === QUOTE; ) {
    const keyEnd = endOfString(json, at);
    const colon = skipWhiteSpace(json, keyEnd);
    const name = parseFrame(json.subarray(at, keyEnd));
    if (json[colon] !== COLON || typeof name !== 'string') break;
    const value = skipWhiteSpace(json, colon + 1);
    const place = { start: value, end: endOfValue(json, value) };
    members.push({ name, place });
    at = skipWhiteSpace(json, place.end);
    if (json[at] === COMMA) at = skipWhiteSpace(json, at + 1);
  }
  return members;
}

/** An array's elements; none if the value is not an array. If the JSON is invalid, only the elements before the error. */
export function elementsOf(json: Buffer, { start }: Place): Place[] {
  return [...eachElement(json, start)];
}

/** The place of the value at a path of names. If a name occurs more than once, the last one counts, as in JSON.parse. */
export function placeAt(json: Buffer, ...path: string[]): Place | undefined {
  let place: Place | undefined = wholeOf(json);
  for (const name of path) {
    if (!place) return undefined;
    place = frameMembers(json, place).findLast((member) => member.name === name)?.place;
  }
  return place;
}

/** The value at a path of names exactly as it was written. */
export function textAt(json: Buffer, ...path: string[]): string | undefined {
  const place = placeAt(json, ...path);
  return place && json.toString('utf8', place.start, place.end);
}

/** In a path: every element of an array. */
export const EACH = Symbol('each element');

/** The places of the values at a path, in the order in which they were written. There can be several if the path contains `EACH`. */
export function placesAt(json: Buffer, path: readonly (string | typeof EACH)[], within = wholeOf(json)): Place[] {
  const [name, ...rest] = path;
  if (name === undefined) return [within];
  if (name === EACH) return elementsOf(json, within).flatMap((element) => placesAt(json, rest, element));
  const place = frameMembers(json, within).findLast((member) => member.name === name)?.place;
  return place ? placesAt(json, rest, place) : [];
}

/** The same JSON with the values at these places replaced, in the order in which they were written. All other bytes stay as they are. */
export function withTexts(json: Buffer, places: readonly Place[], change: (text: string) => string): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const { start, end } of places) {
    parts.push(json.subarray(from, start), Buffer.from(change(json.toString('utf8', start, end))));
    from = end;
  }
  return places.length === 0 ? json : Buffer.concat([...parts, json.subarray(from)]);
}

/**
 * The same JSON with members added to the end of the object at `path`, which is created if it is missing. All other bytes
 * stay as they are. `members` is JSON text without braces. A value that is not an object is left alone.
 */
export function withMembers(json: Buffer, path: string[], members: string): Buffer {
  const place = placeAt(json, ...path);
  if (!place) return withMembers(json, path.slice(0, -1), `${JSON.stringify(path.at(-1))}:{${members}}`);
  if (json[place.start] !== OPEN_BRACE) return json;
  const isEmpty = json[skipWhiteSpace(json, place.start + 1)] === CLOSE_BRACE;
  const end = place.end - 1;
  return Buffer.concat([json.subarray(0, end), Buffer.from(`${isEmpty ? '' : ','}${members}`), json.subarray(end)]);
}

/** The object at `place` reduced to the members that `keep` accepts, each value as it was written. */
export function objectOf(json: Buffer, place: Place, keep: (name: string, value: Place) => boolean): string {
  const kept = frameMembers(json, place).filter((member) => keep(member.name, member.place));
  const members = kept.map(
    ({ name, place: { start, end } }) => `${JSON.stringify(name)}:${json.toString('utf8', start, end)}`,
  );
  return `{${members.join(',')}}`;
}

/** The same JSON without the members of these names in the object at `path`. The other values stay as they are. */
export function withoutMembers(json: Buffer, path: string[], names: ReadonlySet<string>): Buffer {
  const place = placeAt(json, ...path);
  if (!place || json[place.start] !== OPEN_BRACE) return json;
  const object = Buffer.from(objectOf(json, place, (name) => !names.has(name)));
  return Buffer.concat([json.subarray(0, place.start), object, json.subarray(place.end)]);
}

/** The same JSON with an element, as JSON text, at the end of the array at `path`. A value that is not an array is left alone. */
export function withElement(json: Buffer, path: string[], element: string): Buffer {
  const place = placeAt(json, ...path);
  if (!place || json[place.start] !== OPEN_BRACKET) return json;
  const end = place.end - 1;
  const comma = elementsOf(json, place).length === 0 ? '' : ',';
  return Buffer.concat([json.subarray(0, end), Buffer.from(`${comma}${element}`), json.subarray(end)]);
}

/** The same JSON with only those elements of the array at `path` that `keep` accepts. All bytes outside the array stay as they are. */
export function withElements(json: Buffer, path: string[], keep: (element: Buffer) => boolean): Buffer {
  const array = placeAt(json, ...path);
  if (!array) return json;
  const elements = elementsOf(json, array).map(({ start, end }) => json.subarray(start, end));
  const kept = elements.filter(keep);
  if (kept.length === elements.length) return json;
  const list = kept.flatMap((element, at) => (at === 0 ? [element] : [Buffer.from(','), element]));
  return Buffer.concat([json.subarray(0, array.start + 1), ...list, json.subarray(array.end - 1)]);
}
