import type { ListedTool, ToolHints } from '../permissions/decide.ts';
import { parseFrame } from './frame/frame.ts';
import { itemsOf, memberAt } from './frame/members.ts';

/** The tools in the answer to `tools/list`. */
export function listedTools(frame: Buffer): ListedTool[] {
  return itemsOf(memberAt(parseFrame(frame), 'result', 'tools')).flatMap((tool) => listedTool(tool) ?? []);
}

/**
 * What a server says about each tool. Of one that it lists twice, nobody knows which is called: what is stricter counts.
 * @param before what it says in earlier pages of the same list
 */
export function hintsByName(
  tools: readonly ListedTool[],
  before: ReadonlyMap<string, ToolHints> = new Map(),
): Map<string, ToolHints> {
  const found = new Map(before);
  for (const { name, hints } of tools) {
    const other = found.get(name);
    const readOnlyHint = other && !other.readOnlyHint ? other.readOnlyHint : hints.readOnlyHint;
    found.set(name, { readOnlyHint, destructiveHint: other?.destructiveHint || hints.destructiveHint });
  }
  return found;
}

export function listedTool(tool: unknown): ListedTool | undefined {
  const name = memberAt(tool, 'name');
  if (typeof name !== 'string') return undefined;
  return { name, hints: { readOnlyHint: hint(tool, 'readOnlyHint'), destructiveHint: hint(tool, 'destructiveHint') } };
}

function hint(tool: unknown, name: keyof ToolHints): boolean | undefined {
  const value = memberAt(tool, 'annotations', name);
  return typeof value === 'boolean' ? value : undefined;
}
