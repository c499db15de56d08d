import { parseFrame } from './envelope.ts';

/**
 * Whether a list of tools, as a whole answer to `tools/list`, says of the tool that `call` names that calling it twice is
 * as once: it only reads, or a second call changes nothing more (MCP › Tools › Tool Annotations). What a tool does not say
 * counts as no, as the defaults have it. Annotations are hints, which only a trusted server's may be acted on: a managed
 * server is part of the workspace that its user has chosen and signed in to.
 */
export function isRepeatable(call: Buffer, list: Buffer): boolean {
  const { name } = Object(Object(parseFrame(call)).params);
  const { tools } = Object(Object(parseFrame(list)).result);
  if (typeof name !== 'string' || !Array.isArray(tools)) return false;
  const { readOnlyHint, idempotentHint } = Object(tools.find((tool) => Object(tool).name === name)?.annotations);
  return readOnlyHint === true || idempotentHint === true;
}
