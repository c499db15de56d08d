import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/**
 * The cheapest MCP server there can be: it issues a session, takes notifications, and answers every call with its `text`
 * argument (or `size` letters), as JSON or as one event. What a bridge adds is measured against calling this directly.
 */
export async function startFloorServer(): Promise<{ origin: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks)));
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  if (request.method !== 'POST') {
    response.writeHead(404).end();
    return;
  }
  const frame: { id?: unknown; method: string; params?: { arguments?: Arguments } } = JSON.parse(body.toString());
  if (frame.id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const text = JSON.stringify({
    jsonrpc: '2.0',
    id: frame.id,
    ...answerTo(request.url ?? '', frame.method, frame.params?.arguments ?? {}),
  });
  if (request.url?.endsWith('/events')) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': 'floor' });
    response.end(`event: message\ndata: ${text}\n\n`);
  } else {
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'floor' });
    response.end(text);
  }
}

interface Arguments {
  text?: string;
  size?: number;
}

function answerTo(url: string, method: string, { text = 'ok', size }: Arguments): object {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'floor', version: '1' },
        },
      };
    case 'server/discover':
      return { error: { code: -32601, message: 'Method not found' } };
    case 'tools/list':
      return { result: { tools: [{ name: toolAt(url), inputSchema: { type: 'object' } }] } };
    default:
      return { result: { content: [{ type: 'text', text: size === undefined ? text : 'x'.repeat(size) }] } };
  }
}

/** Several servers, offered as one, have different tools. */
function toolAt(url: string): string {
  const name = url.slice(url.lastIndexOf('/') + 1);
  return name.startsWith('other') ? `echo_${name}` : 'echo';
}

/** Started as a program, it prints its origin and serves until it is ended: a floor does not share the caller's core. */
if (process.argv[1] === import.meta.filename) console.log((await startFloorServer()).origin);
