import { textAt } from './frame/edit.ts';

/** Tells a client that the tools may be others now. */
export const LIST_CHANGED = Buffer.from('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');

/** The request, not the client's own, that shows whether the server still has the tools that the client holds. `id` is raw. */
export function toolsRequest(id: string): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`);
}

/**
 * The tools in an answer to `tools/list`, to compare with those that a client holds: as they were written, and whether more
 * follow; undefined if there are none.
 */
export function heldTools(answer: Buffer): string | undefined {
  const tools = textAt(answer, 'result', 'tools');
  return tools !== undefined && textAt(answer, 'result', 'nextCursor') !== undefined ? `${tools} and more` : tools;
}
