import { SERVER_LISTS, type ServerList } from '../bridge/features.ts';
import { EACH, placesAt, withTexts } from '../bridge/frame/edit.ts';
import { parseFrame, parseText } from '../bridge/frame/frame.ts';
import type { Place } from '../bridge/frame/json-bytes.ts';
import { memberAt } from '../bridge/frame/members.ts';
import { IN_NAMES, IN_URIS, type Prefix } from './shared-names.ts';

/** What a server lists (MCP › Server Features). */
export const LIST_KINDS = ['tools', 'prompts', 'resources', 'templates'] as const;

export type ListKind = (typeof LIST_KINDS)[number];

export interface ListFacts extends ServerList {
  method: string;
  /** The member of each element that holds its name. */
  key: string;
  prefix: Prefix;
}

function list(method: keyof typeof SERVER_LISTS, key: string, prefix: Prefix): ListFacts {
  return { ...SERVER_LISTS[method], method, key, prefix };
}

export const LISTS: Record<ListKind, ListFacts> = {
  tools: list('tools/list', 'name', IN_NAMES),
  prompts: list('prompts/list', 'name', IN_NAMES),
  resources: list('resources/list', 'uri', IN_URIS),
  templates: list('resources/templates/list', 'uriTemplate', IN_URIS),
};

/** The kind of list that a request asks for. */
export function listKindOf(method: string): ListKind | undefined {
  return LIST_KINDS.find((kind) => LISTS[kind].method === method);
}

/** One element of a list: its name, and its bytes as the server wrote them. */
export interface ListItem {
  name: string;
  bytes: Buffer;
}

/** The named elements of the list in an answer, and the cursor of the next page. */
export function itemsIn(kind: ListKind, answer: Buffer): { items: ListItem[]; nextCursor: string | undefined } {
  const { items, key } = LISTS[kind];
  const found = placesAt(answer, ['result', items, EACH]).flatMap(({ start, end }) => {
    const bytes = answer.subarray(start, end);
    const name = memberAt(parseFrame(bytes), key);
    return typeof name === 'string' ? [{ name, bytes }] : [];
  });
  const [cursor] = placesAt(answer, ['result', 'nextCursor']);
  const next = cursor && parseText(answer.toString('utf8', cursor.start, cursor.end));
  return { items: found, nextCursor: typeof next === 'string' && next !== '' ? next : undefined };
}

/** An answer with a list whose elements have the names that the client sees. */
export function listAnswer(id: string, kind: ListKind, items: readonly ListItem[], shown: readonly string[]): Buffer {
  const { key } = LISTS[kind];
  const parts = items.map(({ name, bytes }, at) =>
    shown[at] === name ? bytes : withTexts(bytes, placesAt(bytes, [key]), () => JSON.stringify(shown[at] ?? name)),
  );
  const list = parts.flatMap((part, at) => (at === 0 ? [part] : [Buffer.from(','), part]));
  const head = `{"jsonrpc":"2.0","id":${id},"result":{${JSON.stringify(LISTS[kind].items)}:[`;
  return Buffer.concat([Buffer.from(head), ...list, Buffer.from(']}}')]);
}

/** Where results mention resources. */
const URIS: Readonly<Record<string, (string | typeof EACH)[][]>> = {
  'tools/call': [
    ['result', 'content', EACH, 'uri'],
    ['result', 'content', EACH, 'resource', 'uri'],
  ],
  'prompts/get': [
    ['result', 'messages', EACH, 'content', 'uri'],
    ['result', 'messages', EACH, 'content', 'resource', 'uri'],
  ],
  'resources/read': [['result', 'contents', EACH, 'uri']],
};

/** An answer with its resource URIs replaced. */
export function withUris(method: string, answer: Buffer, change: (uri: string) => string): Buffer {
  const paths = Object.hasOwn(URIS, method) && answer.includes('"uri"') ? (URIS[method] ?? []) : [];
  const places = paths.flatMap((path) => placesAt(answer, path)).toSorted((one, other) => one.start - other.start);
  return withTexts(answer, places, (text) => {
    const uri = parseText(text);
    const changed = typeof uri === 'string' ? change(uri) : uri;
    return changed === uri ? text : JSON.stringify(changed);
  });
}

/**
 * Where a tool names the resource that shows its results: the place in MCP Apps (SEP-1865), its former place there, and the
 * one in OpenAI's Apps SDK.
 */
const VIEWS = [
  ['_meta', 'ui', 'resourceUri'],
  ['_meta', 'ui/resourceUri'],
  ['_meta', 'openai/outputTemplate'],
];

/** The URIs of the resources that show a tool's results. */
export function viewsOf({ bytes }: ListItem): string[] {
  return viewPlaces(bytes).map(({ uri }) => uri);
}

/** The same tool with these URIs replaced, in the order of `viewsOf`. */
export function withViews(tool: ListItem, uris: readonly string[]): ListItem {
  const places = viewPlaces(tool.bytes);
  if (places.every(({ uri }, at) => uri === uris[at])) return tool;
  let at = 0;
  const bytes = withTexts(tool.bytes, places, (text) => {
    const uri = uris[at];
    at += 1;
    return uri === undefined ? text : JSON.stringify(uri);
  });
  return { ...tool, bytes };
}

function viewPlaces(bytes: Buffer): (Place & { uri: string })[] {
  if (!bytes.includes('_meta')) return [];
  return VIEWS.flatMap((path) => placesAt(bytes, path))
    .flatMap((place) => {
      const uri = parseText(bytes.toString('utf8', place.start, place.end));
      return typeof uri === 'string' ? [{ ...place, uri }] : [];
    })
    .toSorted((one, other) => one.start - other.start);
}

/** Whether a URI can come from a template (RFC 6570, all levels, lenient): the text outside the braces occurs in order. */
export function mayBeOf(template: string, uri: string): boolean {
  const parts = template.split(/\{[^{}]*\}/);
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return uri === first;
  if (!uri.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = uri.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return uri.length - last.length >= at && uri.endsWith(last);
}
