import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server, type Tool } from '@modelcontextprotocol/server';
import type { z } from 'zod';

/** One tool of a managed server, for one user. */
export interface ServedTool {
  definition: Tool;
  call(input: ToolInput): Promise<CallToolResult>;
}

export interface ToolInput {
  arguments: unknown;
  meta: unknown;
  /** Tells the client how far the call is, where it asked to be told. */
  progress(message: string): Promise<void>;
}

export interface ServedServer {
  name: string;
  instructions: string;
  /** Asked again for each request: grants may have changed. @throws {ProtocolError} for what does not exist */
  tools(): ServedTool[];
}

/** An SDK server over a set of tools that may differ from one request to the next. */
export function buildServer({ name, instructions, tools }: ServedServer, listChanged: boolean): Server {
  const server = new Server(
    { name: `managed-${name}`, version: '1.0.0' },
    { capabilities: { tools: listChanged ? { listChanged: true } : {} }, instructions },
  );
  server.setRequestHandler('tools/list', () => ({ tools: tools().map(({ definition }) => definition) }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const tool = tools().find(({ definition }) => definition.name === params.name);
    if (!tool) throw badRequest(`Tool '${params.name}' not found`);
    const progressToken = mcpReq._meta?.progressToken;
    return tool.call({
      arguments: params.arguments ?? {},
      meta: mcpReq._meta ?? {},
      progress: async (message) => {
        if (progressToken === undefined) return;
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 0, message } });
      },
    });
  });
  return server;
}

/** The real servers report what is wrong with a request as a JSON-RPC error whose message begins like this. */
export function badRequest(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `BAD_REQUEST: ${message}`);
}

/** Arguments as the schema has them; what it does not name, attempts to pin a warehouse among them, is dropped. */
export function readArguments<T extends z.ZodType>(schema: T, input: ToolInput): z.output<T> {
  const parsed = schema.safeParse(input.arguments);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = issue?.path.join('.') ?? '';
  const isMissing = issue?.path.length === 1 && !Object.hasOwn(Object(input.arguments), name);
  throw badRequest(isMissing ? `Missing parameter value for '${name}'` : `Parameter '${name}' is malformed`);
}

/** A structured answer, and the same as JSON in text for clients that know only text. */
export function structured(body: Record<string, unknown>, isError = false): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(body) }], structuredContent: body, isError };
}
