/**
 * The path of a server, in the one spelling in which it is kept, judged and sent. A path is made canonical where it enters,
 * and refused if it is not in this grammar; two paths that a server could take for one have the same key. docs/servers.md has the
 * grammar for readers.
 *
 *     path    = "/" root 1*( "/" segment ) [ "/" ] [ "?" pair *( "&" pair ) ]
 *     root    = "api" / "ai-gateway" / "apps"
 *     segment = letters, marks and digits of any script, and _ - . ~ @ $ + & ! ' ( ) and inner spaces; percent-encoded in
 *               UTF-8 where a URL needs it, once; no dot at its ends; in compatibility form (Unicode NFKC)
 *     pair    = name "=" value, of A-Z a-z 0-9 _ - . ~
 */
export interface ServerPath {
  /** As it is sent: percent-encoded, with the last slash and the query that were given. */
  path: string;
  /** The same for every spelling that a server may take for this one: decoded, in small letters, without last slash and query. */
  key: string;
}

/** Why a text is not the path of a server, as the end of a sentence that begins with it. */
export interface PathFault {
  fault: string;
}

const MAX_LENGTH = 2_000;
const ROOTS: ReadonlySet<string> = new Set(['api', 'ai-gateway', 'apps']);
/** No colon, semicolon, comma or equals sign: servers take what follows for a parameter or an action of the segment. */
const MARKS = String.raw`_\-.~@$+&!'()`;
const segmentOf = (letters: string) => `^[${letters}${MARKS}]+(?: +[${letters}${MARKS}]+)*$`;
const PLAIN_SEGMENT = new RegExp(segmentOf('A-Za-z0-9'));
/** Made when it is needed, which is seldom: the tables of Unicode take a starting proxy four milliseconds. */
let segment: RegExp | undefined;

const DOT_AT_END = /^\.|\.$/;
const QUERY = /^[\w.~-]+=[\w.~-]*(?:&[\w.~-]+=[\w.~-]*)*$/;
/** `/apps/NAME` and the path at the app's own host; nothing is served at that path of the workspace. */
const APP = /^\/apps\/([a-z0-9][a-z0-9-]*)(\/[^#]*)$/;

/** Reads a path as a user, a file or another process has it. */
export function readServerPath(text: string): ServerPath | PathFault {
  if (text.length > MAX_LENGTH) return { fault: `is longer than ${MAX_LENGTH} characters` };
  const [whole = ''] = text.split('?', 1);
  const query = text.slice(whole.length + 1);
  if (query !== '' && !QUERY.test(query)) return { fault: 'has a query that is not NAME=VALUE' };
  const end = whole.endsWith('/') ? '/' : '';
  const names = readNames(end ? whole.slice(0, -1) : whole);
  if ('fault' in names) return names;
  const path = `/${names.map(encodeURIComponent).join('/')}${end}`;
  if (names[0] === 'apps' && !APP.test(path))
    return { fault: 'is not /apps/NAME/PATH with the name of a Databricks App' };
  return { path: query === '' ? path : `${path}?${query}`, key: `/${names.map(keyOfName).join('/')}` };
}

/** The key of a path; undefined for what is not the path of a server. */
export function serverPathKey(text: string): string | undefined {
  const read = readServerPath(text);
  return 'key' in read ? read.key : undefined;
}

/** An address of a server, as its origin and the path in it as written; undefined for another text. A fragment is left out. */
export function splitAddress(text: string): { origin: string; path: string } | undefined {
  const [, base, path] = /^(https?:\/\/[^/?#\\\s]+)((?:[/?][^#]*)?)(?:#.*)?$/i.exec(text) ?? [];
  return base !== undefined && URL.canParse(base) ? { origin: new URL(base).origin, path: path || '/' } : undefined;
}

/**
 * Reads a pattern for paths: a path in which `*` stands for any characters of one segment, and `**` as the last segment for
 * one segment or more. Returns what tells whether the key of a path matches.
 */
export function readPathPattern(text: string): ((key: string) => boolean) | PathFault {
  const [empty, ...segments] = text.replace(/\/$/, '').split('/');
  if (empty !== '' || segments.length === 0) return { fault: 'does not begin with "/"' };
  const parts: string[] = [];
  for (const [index, segment] of segments.entries()) {
    if (segment === '**' && index === segments.length - 1) {
      parts.push('.+');
      continue;
    }
    if (segment.includes('**')) return { fault: 'has "**" elsewhere than as its last segment' };
    // Between stars, a name may begin or end with a dot.
    const literals = segment.split('*');
    const isWhole = literals.length === 1;
    const names = literals.map((literal) => (literal === '' && !isWhole ? '' : readName(literal, isWhole)));
    const fault = names.find((name) => typeof name !== 'string');
    if (fault !== undefined) return fault;
    parts.push(names.map((name) => escaped(keyOfName(String(name)))).join('[^/]*'));
  }
  const pattern = new RegExp(`^/${parts.join('/')}$`, 'su');
  return (key) => pattern.test(key);
}

/** The Databricks App that a path names, and the path at the app's own host; undefined for a server of the workspace itself. */
export function appOf(path: string): { name: string; path: string } | undefined {
  const [, name, inside] = APP.exec(path) ?? [];
  return name === undefined || inside === undefined ? undefined : { name, path: inside };
}

/** The names in a path without its last slash, the root in small letters. */
function readNames(path: string): string[] | PathFault {
  const [empty, first = '', ...rest] = path.split('/');
  const root = first.toLowerCase();
  if (empty !== '' || rest.length === 0 || !ROOTS.has(root)) return { fault: 'is not a managed MCP server' };
  const names = [root];
  for (const segment of rest) {
    const name = readName(segment, true);
    if (typeof name !== 'string') return name;
    names.push(name);
  }
  return names;
}

/** @param isWhole whether the text is a whole segment, and not what stands beside a star */
function readName(text: string, isWhole: boolean): string | PathFault {
  if (text === '') return { fault: 'has an empty segment ("//")' };
  let name: string;
  try {
    name = decodeURIComponent(text);
  } catch {
    return { fault: `contains ${JSON.stringify(text)}, which is not valid percent-encoding` };
  }
  if (/^\.+$/.test(name) && isWhole) return { fault: `contains ${JSON.stringify(text)}, which leads to another path` };
  const isAllowed = PLAIN_SEGMENT.test(name) || isForeignName(name);
  return isAllowed && !(isWhole && DOT_AT_END.test(name))
    ? name
    : { fault: `contains ${JSON.stringify(text)}, which no server has as a name` };
}

/** Whether a name is one in letters of any script. */
function isForeignName(name: string): boolean {
  segment ??= new RegExp(segmentOf(String.raw`\p{L}\p{M}\p{N}`), 'u');
  return segment.test(name) && name.normalize('NFKC') === name;
}

/** Names in Unity Catalog ignore case. */
function keyOfName(name: string): string {
  return name.toLowerCase();
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}
