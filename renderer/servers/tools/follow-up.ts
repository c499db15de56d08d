import type { ToolInfo } from '../../../preload/contract.ts';

/** A next call that an answer suggests: a tool and its arguments. */
export interface FollowUp {
  tool: ToolInfo;
  values: Record<string, string>;
}

/**
 * The tools of the same server whose required arguments are in an answer: to poll a running statement by its id, or to
 * continue a conversation. Names are compared without case, `_` and `-`.
 */
export function followUps(tools: readonly ToolInfo[], called: string, structured: unknown): FollowUp[] {
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

/** The call that asks how a statement or a question continues that still runs: a tool that only reads, and is named for it. */
export function pollAfter(tools: readonly ToolInfo[], called: string, structured: unknown): FollowUp | undefined {
  if (!isRunning(structured)) return undefined;
  return followUps(tools, called, structured).find(
    ({ tool }) => tool.effect === 'reads' && /(^|_)poll_/.test(tool.name),
  );
}

/** The final states of SQL statements and of Genie's answers. */
const ENDED = /^(SUCCEEDED|COMPLETED|FAILED|CANCELL?ED|CLOSED|QUERY_RESULT_EXPIRED)$/i;

function hasEnded(structured: unknown): boolean {
  return ENDED.test(stateOf(structured));
}

function isRunning(structured: unknown): boolean {
  const state = stateOf(structured);
  return state !== '' && !ENDED.test(state);
}

/** The state of a statement or a question; empty for an answer without one. */
function stateOf(structured: unknown): string {
  const status = propertyOf(structured, 'status');
  const state = propertyOf(status, 'state') ?? status;
  return typeof state === 'string' ? state : '';
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Whether a member is named like the id of a statement or a conversation. */
function isIdentifier(name: string): boolean {
  return /(_id|Id)$/.test(name);
}

function alike(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}
