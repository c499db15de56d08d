import type { z } from 'zod';

/** What is wrong in a JSON file, and where: line and column count from 1. */
export interface JsonFault {
  line: number;
  column: number;
  what: string;
}

/** Why a text is not JSON. The engine's own error does not always say where. */
export async function syntaxFault(text: string): Promise<JsonFault> {
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const errors: NonNullable<Parameters<typeof parse>[1]> = [];
  parse(text, errors, { disallowComments: true });
  const [first] = errors;
  const what = first ? printParseErrorCode(first.error).replace(/(?<=[a-z])(?=[A-Z])/g, ' ') : 'not JSON';
  return { ...placeOf(text, first?.offset ?? 0), what: what.toLowerCase() };
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
  return { ...placeOf(text, property?.offset ?? 0), what: [path.join('.'), what].filter(Boolean).join(': ') };
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
