import { withElements } from '../frame/edit.ts';
import { parseFrame } from '../frame/frame.ts';
import { membersOf } from '../frame/members.ts';

/** Which headers each tool of a stateless server asks for, as far as its tools were listed. */
export class ToolCatalog {
  readonly #headers = new Map<string, ParamHeader[]>();

  /** What a call of this tool repeats in headers; nothing if the tool is not known. */
  headersOf(tool: unknown): ParamHeader[] {
    return this.#headers.get(String(tool)) ?? [];
  }

  /**
   * Stores the headers in an answer to `tools/list`, and returns it without the tools whose annotations are invalid: they
   * must not be offered (MCP 2026-07-28 › Streamable HTTP › Schema Extension).
   */
  store(answer: Buffer): Buffer {
    return withElements(answer, ['result', 'tools'], (element) => {
      const tool = membersOf(parseFrame(element));
      const headers = paramHeaders(tool.inputSchema);
      if (headers) this.#headers.set(String(tool.name), headers);
      return headers !== undefined;
    });
  }
}

/** An argument of a tool that travels in a header as well (MCP 2026-07-28 › Streamable HTTP › Schema Extension). */
export interface ParamHeader {
  /** The names that lead to the argument. */
  path: string[];
  /** The header's name without its prefix `Mcp-Param-`. */
  header: string;
}

const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = new Set<unknown>(['string', 'integer', 'boolean']);

/** JSON Schema's keywords whose value is a schema or a list of them: an argument in there has no fixed place. */
const SCHEMAS = [
  ...['items', 'prefixItems', 'contains', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['propertyNames', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else'],
];
/** Those whose value holds schemas by name. */
const NAMED_SCHEMAS = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/** How deep schemas are looked into: no tool's is nested so far, and the stack has an end. */
const MAX_DEPTH = 200;

/** The headers that a tool's input schema asks for; undefined if an annotation is invalid, so that the tool is not to be offered. */
export function paramHeaders(inputSchema: unknown): ParamHeader[] | undefined {
  const found: ParamHeader[] = [];
  if (!collect(inputSchema, [], found, 0)) return undefined;
  const names = new Set(found.map(({ header }) => header.toLowerCase()));
  return names.size === found.length ? found : undefined;
}

/** Whether all annotations under `schema` are valid. `path` is undefined if an argument has no fixed place. */
function collect(schema: unknown, path: string[] | undefined, found: ParamHeader[], depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (typeof schema !== 'object' || schema === null) return true;
  const keywords: Record<string, unknown> = { ...schema };
  if (Object.hasOwn(keywords, ANNOTATION)) {
    const header = keywords[ANNOTATION];
    if (path === undefined || path.length === 0 || typeof header !== 'string') return false;
    if (!TOKEN.test(header) || !TYPES.has(keywords.type)) return false;
    found.push({ path, header });
  }
  const fixed = entries(keywords.properties).every(([name, child]) =>
    collect(child, path && [...path, name], found, depth + 1),
  );
  const named = NAMED_SCHEMAS.flatMap((keyword) => entries(keywords[keyword]).map(([, child]) => child));
  const others = SCHEMAS.flatMap((keyword) => keywords[keyword]);
  return fixed && [...named, ...others].every((child) => collect(child, undefined, found, depth + 1));
}

function entries(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
