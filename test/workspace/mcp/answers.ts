import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createParser } from 'eventsource-parser';
import { z } from 'zod';

/** HTTP answers of the MCP servers: writing them out, and turning an event stream into a single JSON document. */

/** Writes a web answer to Node's. A client that leaves before its end is nothing to report. */
export async function send(answer: Response, response: ServerResponse): Promise<void> {
  const headers = Object.fromEntries(answer.headers);
  if (answer.body === null || !isEventStream(answer)) {
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { ...headers, 'content-length': body.length }).end(body);
    return;
  }
  response.writeHead(answer.status, headers);
  // A listening stream may stay silent for long: its client must know at once that it is open.
  response.flushHeaders();
  await pipeline(answer.body, response).catch((error: unknown) => {
    if (!response.destroyed) throw error;
  });
}

const JsonRpcAnswer = z.looseObject({
  id: z.union([z.string(), z.number(), z.null()]),
  method: z.undefined().optional(),
});

/** The answers in an event stream as JSON. What the server said before them has no place in this form and is left out. */
export async function asJson(stream: Response): Promise<Response> {
  const answers: unknown[] = [];
  const parser = createParser({
    onEvent: ({ data }) => {
      const message: unknown = data === '' ? undefined : JSON.parse(data);
      if (JsonRpcAnswer.safeParse(message).success) answers.push(message);
    },
  });
  parser.feed(await stream.text());
  const sessionId = stream.headers.get('mcp-session-id');
  return Response.json(answers.length === 1 ? answers[0] : answers, {
    headers: sessionId === null ? {} : { 'mcp-session-id': sessionId },
  });
}

export function isEventStream(answer: Response): boolean {
  return answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}

/** An error of the transport itself, which answers no particular request. */
export function transportError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
