import type { z } from 'zod';
import { lineAndColumn } from './line-and-column.ts';
import { UNUSABLE_NAME, UNUSABLE_NAME_FAULT } from './own-member.ts';

/** An error in a JSON file and its place. Line and column count from 1. */
export interface JsonFault {
  line: number;
  column: number;
  what: string;
}

/** The parser's name of an error as words: `InvalidSymbol` becomes `invalid symbol`. */
export function faultWords(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

/**
 * Parses a JSON file that people edit. Some editors put a byte order mark before the text. A member whose name is given twice in
 * an object, or is one that readers drop, is a fault: what it says would be lost without a word.
 * @throws what `refuse` returns for the first fault
 */
export async function parseJson<T>(
  fileText: string,
  schema: z.ZodType<T>,
  refuse: (fault: JsonFault, cause: unknown) => Error,
): Promise<T> {
  const text = fileText.replace(/^\uFEFF/, '');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw refuse(await syntaxFault(text), error);
  }
  const lost = lostMember(text);
  if (lost) throw refuse(lost, undefined);
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw refuse(await schemaFault(text, parsed.error), parsed.error);
}

/** Strings, with the colon after them if they are names, and brackets. */
const JSON_TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[[\]{}]/gs;

/** The first member that a reader would drop, or replace with a later one of the same name. The text is valid JSON. */
export function lostMember(text: string): JsonFault | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (const { 0: token, 1: string, 2: colon, index } of text.matchAll(JSON_TOKENS)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (string !== undefined && colon !== undefined) {
      const name = String(JSON.parse(string));
      if (name === UNUSABLE_NAME) return { ...lineAndColumn(text, index), what: UNUSABLE_NAME_FAULT };
      const names = open.at(-1);
      if (names?.has(name)) return { ...lineAndColumn(text, index), what: `${JSON.stringify(name)} is given twice` };
      names?.add(name);
    }
  }
  return undefined;
}

/** Why a text is not JSON. The engine's own error does not always say where. */
export async function syntaxFault(text: string): Promise<JsonFault> {
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const errors: NonNullable<Parameters<typeof parse>[1]> = [];
  parse(text, errors, { disallowComments: true });
  const [first] = errors;
  const what = first ? faultWords(printParseErrorCode(first.error)) : 'not JSON';
  return { ...lineAndColumn(text, first?.offset ?? 0), what };
}

/** Why JSON does not match its schema: the first issue, at the value that it is about. */
export async function schemaFault(text: string, { issues: [issue] }: z.ZodError): Promise<JsonFault> {
  const { parseTree, findNodeAtLocation } = await import('jsonc-parser');
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const path = [...(issue?.path ?? []), ...unknown].filter((part) => typeof part !== 'symbol');
  const tree = parseTree(text);
  let node = tree;
  for (let length = path.length; tree && length > 0; length -= 1) {
    node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) break;
  }
  const property = node?.parent?.type === 'property' ? node.parent : node;
  const what =
    unknown.length > 0 ? `"${unknown[0]}" is not supported by this version` : (issue?.message ?? 'unknown content');
  return { ...lineAndColumn(text, property?.offset ?? 0), what: [path.join('.'), what].filter(Boolean).join(': ') };
}
