/** The little of the workspace's SQL that DuckDB does not speak, put into what it does. */

/** DuckDB keeps the name `main` for itself, so the catalog of that name has another one inside. */
const INNER_MAIN = 'unity_main';

/** The schema in which names without one are looked up. */
export const HOME = { catalog: 'main', schema: 'default' };

export interface Translated {
  sql: string;
  /** Every dotted name in the text, as its parts. */
  names: string[][];
  /** The words of the text, in capitals, in their order. */
  words: string[];
}

interface Token {
  kind: 'word' | 'quoted' | 'space' | 'other';
  text: string;
}

const TOKENS =
  /(?<word>[A-Za-z_][\w$]*)|(?<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`)|(?<space>\s+|--[^\n]*|\/\*[\s\S]*?\*\/)|'(?:[^']|'')*'|\d[\w.]*|[\s\S]/g;

/** Backticks become double quotes, the catalog `main` gets its inner name, `current_user` is the caller. */
export function translate(query: string, userName: string): Translated {
  const tokens = tokenize(query);
  const names: string[][] = [];
  const words: string[] = [];
  let sql = '';
  for (let index = 0; index < tokens.length; ) {
    const token = tokens[index];
    if (!token) break;
    if (!isName(token)) {
      sql += token.text;
      index += 1;
      continue;
    }
    const [parts, end] = dottedName(tokens, index);
    if (parts.length > 1) names.push(parts.map(nameOf));
    else if (token.kind === 'word') words.push(token.text.toUpperCase());
    const call = parts.length === 1 ? currentUserCall(tokens, index) : 0;
    sql += call > 0 ? literal(userName) : spelled(parts);
    index = Math.max(end, index + call);
  }
  return { sql, names, words };
}

/** A dotted name's parts, quotes taken off; undefined if the text is anything else. */
export function parseName(text: string): string[] | undefined {
  const tokens = tokenize(text.trim());
  if (!tokens[0] || !isName(tokens[0])) return undefined;
  const [parts, end] = dottedName(tokens, 0);
  return end === tokens.length ? parts.map(nameOf) : undefined;
}

export function innerCatalog(catalog: string): string {
  return catalog.toLowerCase() === 'main' ? INNER_MAIN : catalog;
}

/** DuckDB's messages with the names that people know. */
export function outward(message: string): string {
  return message.replaceAll(INNER_MAIN, 'main');
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function tokenize(text: string): Token[] {
  return [...text.matchAll(TOKENS)].map(({ 0: matched, groups }) => {
    const kind = groups?.word ? 'word' : groups?.quoted ? 'quoted' : groups?.space ? 'space' : 'other';
    return { kind, text: matched };
  });
}

function isName(token: Token): boolean {
  return token.kind === 'word' || token.kind === 'quoted';
}

/** The parts of the name that begins at `start`, and the place after it. */
function dottedName(tokens: Token[], start: number): [Token[], number] {
  const parts: Token[] = [];
  let end = start;
  for (let index = start; ; ) {
    const part = tokens[index];
    if (!part || !isName(part)) break;
    parts.push(part);
    end = index + 1;
    const dot = pastSpace(tokens, end);
    if (tokens[dot]?.text !== '.') break;
    index = pastSpace(tokens, dot + 1);
  }
  return [parts, end];
}

function pastSpace(tokens: Token[], index: number): number {
  return tokens[index]?.kind === 'space' ? pastSpace(tokens, index + 1) : index;
}

function nameOf({ kind, text }: Token): string {
  if (kind === 'word') return text;
  const quote = text.charAt(0);
  return text.slice(1, -1).replaceAll(quote + quote, quote);
}

function spelled(parts: Token[]): string {
  const [head, ...rest] = parts.map((part) => (part.text.startsWith('`') ? quoted(nameOf(part)) : part.text));
  const [first] = parts;
  // With fewer than three parts `main` is the name of a table or a schema.
  const isCatalog = parts.length >= 3 && first && nameOf(first).toLowerCase() === 'main';
  return [isCatalog ? INNER_MAIN : head, ...rest].join('.');
}

/** How many tokens `current_user`, with or without brackets, takes here; 0 if this is something else. */
function currentUserCall(tokens: Token[], index: number): number {
  const token = tokens[index];
  if (token?.kind !== 'word' || !/^(current_user|session_user)$/i.test(token.text)) return 0;
  const hasBrackets = tokens[index + 1]?.text === '(' && tokens[index + 2]?.text === ')';
  return hasBrackets ? 3 : 1;
}
