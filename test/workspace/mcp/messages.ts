import type { IncomingMessage } from 'node:http';
import { toWebRequest } from '@modelcontextprotocol/node';
import { z } from 'zod';

/** What comes in at an MCP server: the request for the SDK, and what its messages call. */

/** Frames of 64 MiB must pass; beyond this a body is nothing but an attack. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

export function webRequest(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const { method = 'GET', url = '/', headers } = incoming;
  const body = { [Symbol.asyncIterator]: () => incoming[Symbol.asyncIterator]() };
  return toWebRequest({ method, url, headers, ...body }, undefined, { signal, maxRequestBodySize: MAX_BODY_BYTES });
}

const WithMethod = z.object({ method: z.string(), params: z.unknown().optional() });
const WithTool = z.object({ name: z.string() });

/** The methods of a body's messages, and the tools where they call one. */
export function callsOf(body: unknown): { method: string; tool?: string }[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.flatMap((message) => {
    const parsed = WithMethod.safeParse(message).data;
    if (!parsed) return [];
    const tool = parsed.method === 'tools/call' ? WithTool.safeParse(parsed.params).data?.name : undefined;
    return [{ method: parsed.method, ...(tool !== undefined && { tool }) }];
  });
}
