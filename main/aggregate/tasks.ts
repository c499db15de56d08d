import { placeAt, withoutMembers } from '../bridge/frame/edit.ts';
import { parseFrame } from '../bridge/frame/frame.ts';
import { memberAt } from '../bridge/frame/members.ts';
import type { ListItem } from './lists.ts';

/** The extension with which a server may answer with a task instead of a result (MCP Tasks extension, 2026-07-28). */
const EXTENSION = new Set(['io.modelcontextprotocol/tasks']);
const TASK = new Set(['task']);

/**
 * A client's `initialize` without that extension. The aggregate does not announce it, so the client could not ask for a task's
 * result.
 */
export function withoutTasksExtension(initialize: Buffer): Buffer {
  const path = ['params', 'capabilities', 'extensions'];
  return [...EXTENSION].some((name) => placeAt(initialize, ...path, name))
    ? withoutMembers(initialize, path, EXTENSION)
    : initialize;
}

/** A call without its request for a task, which a receiver without that capability ignores (MCP 2025-11-25 › Tasks). */
export function asPlainCall(call: Buffer): Buffer {
  return placeAt(call, 'params', 'task') ? withoutMembers(call, ['params'], TASK) : call;
}

/** Whether a tool can only be called as a task (MCP 2025-11-25 › Tasks › Tool-Level Negotiation). */
export function isOnlyTask({ bytes }: ListItem): boolean {
  return bytes.includes('taskSupport') && memberAt(parseFrame(bytes), 'execution', 'taskSupport') === 'required';
}
