import { parseFrame } from '../frame/frame.ts';
import { memberAt } from '../frame/members.ts';
import type { ParamHeader } from './tool-headers.ts';

/** The stateless revision that the bridge speaks. */
export const STATELESS_REVISION = '2026-07-28';

const REVISION = 'io.modelcontextprotocol/protocolVersion';

/** The revision that a request names itself, as all those of the stateless revision do. */
export function revisionOf(params: unknown): string | undefined {
  const revision = memberAt(params, '_meta', REVISION);
  return typeof revision === 'string' ? revision : undefined;
}

/** Whether a frame is of the stateless revision. */
export function isStateless(frame: Buffer): boolean {
  return frame.includes(REVISION) && revisionOf(memberAt(parseFrame(frame), 'params')) !== undefined;
}

/** Which parameter `Mcp-Name` repeats (MCP 2026-07-28 › Streamable HTTP › Standard Request Headers). */
const NAMED_BY = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** The headers that repeat what is in a request of the stateless revision, besides its revision. */
export function requestHeaders(method: string, params: unknown, declared: ParamHeader[]): Record<string, string> {
  const headers: Record<string, string> = { 'mcp-method': headerText(method) };
  const name = memberAt(params, NAMED_BY.get(method) ?? '');
  if (typeof name === 'string') headers['mcp-name'] = headerText(name);
  for (const { path, header } of declared) {
    const value = memberAt(params, 'arguments', ...path);
    const isText = typeof value === 'string' || typeof value === 'boolean';
    if (isText || Number.isSafeInteger(value)) headers[`mcp-param-${header.toLowerCase()}`] = headerText(String(value));
  }
  return headers;
}

/** A text as a header's value: as it is where that is safe, else in base64 between marks. */
export function headerText(text: string): string {
  const isSafe = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/i.test(text);
  return isSafe ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
