import type { Tool } from '../../../preload/contract.ts';

/** A call that an answer leads to: a tool, and what it is to be given. */
export interface FollowUp {
  tool: Tool;
  values: Record<string, string>;
}

/**
 * Another tool of the same server whose needs an answer has met: a statement that runs is asked for by its id, a
 * conversation goes on. Names are compared without regard to how their words are joined.
 */
export function followUps(tools: readonly Tool[], called: string, structured: unknown): FollowUp[] {
  if (hasEnded(structured)) return [];
  const offered = new Map(
    Object.entries(typeof structured === 'object' && structured !== null ? structured : {}).flatMap(([name, value]) =>
      typeof value === 'string' && isIdentifier(name) ? [[alike(name), value] as const] : [],
    ),
  );
  return tools.flatMap((tool) => {
    const { required, properties } = tool.inputSchema;
    const needs = Array.isArray(required) ? required.map(String) : [];
    const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
    if (needs.length === 0 || (tool.name === called && needs.length < names.length)) return [];
    const values = needs.map((name) => [name, offered.get(alike(name))] as const);
    if (values.some(([, value]) => value === undefined)) return [];
    return [{ tool, values: Object.fromEntries(values.map(([name, value]) => [name, value ?? ''])) }];
  });
}

/** States after which there is nothing to ask for: those of SQL statements and of Genie's answers. */
const ENDED = /^(SUCCEEDED|COMPLETED|FAILED|CANCELL?ED|CLOSED|QUERY_RESULT_EXPIRED)$/i;

function hasEnded(structured: unknown): boolean {
  const status = propertyOf(structured, 'status');
  return ENDED.test(String(propertyOf(status, 'state') ?? status));
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Something by which the server finds what it has begun. */
function isIdentifier(name: string): boolean {
  return /(_id|Id)$/.test(name);
}

function alike(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}
