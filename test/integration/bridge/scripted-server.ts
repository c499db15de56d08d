import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** One request that reached the scripted server. */
export interface Arrival {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The body as JSON; undefined if it is none. */
  frame: { id?: number | string; method?: string; params?: Record<string, unknown> } | undefined;
}

export type Script = (arrival: Arrival, response: ServerResponse) => void | Promise<void>;

export interface ScriptedServer {
  origin: string;
  /** Everything that arrived, in order. */
  arrivals: Arrival[];
  /** How many frames with this method arrived. */
  count(method: string): number;
  script: Script;
  close(): Promise<void>;
}

/** A server that does exactly what a test tells it: the bridge's counterpart where an orderly one would not do. */
export async function startScriptedServer(script: Script): Promise<ScriptedServer> {
  const arrivals: Arrival[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      // The bridge has let go of it: nothing arrived.
      return;
    }
    const body = Buffer.concat(chunks);
    const arrival: Arrival = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body,
      frame: parse(body),
    };
    arrivals.push(arrival);
    await scripted.script(arrival, response);
  });
  // As load balancers do, and longer than any proxy keeps one: a request that meets the end of its connection is lost.
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  const scripted: ScriptedServer = {
    origin: `http://127.0.0.1:${address.port}`,
    arrivals,
    count: (method) => arrivals.filter(({ frame }) => frame?.method === method).length,
    script,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return scripted;
}

function parse(body: Buffer): Arrival['frame'] {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

export function json(response: ServerResponse, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
}

export function result(id: unknown, value: unknown = {}): unknown {
  return { jsonrpc: '2.0', id, result: value };
}

export const INITIALIZE_RESULT = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'scripted', version: '1' },
};

/** A well-behaved server with sessions, as the base that a test's script departs from. */
export function orderly(options: { onCall?: Script } = {}) {
  const sessions = new Set<string>();
  let issued = 0;
  const script: Script = (arrival, response) => {
    const { frame } = arrival;
    if (arrival.method !== 'POST') {
      response.writeHead(arrival.method === 'DELETE' ? 200 : 405).end();
      return;
    }
    if (frame?.method === 'initialize') {
      issued += 1;
      sessions.add(`session-${issued}`);
      json(response, result(frame.id, INITIALIZE_RESULT), { 'mcp-session-id': `session-${issued}` });
      return;
    }
    if (!sessions.has(String(arrival.headers['mcp-session-id']))) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"no such session"}');
      return;
    }
    if (frame?.id === undefined || frame.method === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (options.onCall) return options.onCall(arrival, response);
    json(response, result(frame.id, { content: [{ type: 'text', text: String(frame.params?.text ?? 'ok') }] }));
  };
  return { script, expireAll: () => sessions.clear(), sessions };
}

/** Answers with an event stream that has these frames. */
export function events(response: ServerResponse, ...frames: unknown[]): void {
  const texts = frames.map((frame) => (typeof frame === 'string' ? frame : JSON.stringify(frame)));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(texts.map((text) => `data: ${text}\n\n`).join(''));
}

/** A session whose calls are answered by `onCall`, and whose own stream is `onStream`. */
export function session(onCall: Script, onStream?: Script): Script {
  const { script } = orderly({ onCall });
  return (arrival, response) =>
    arrival.method === 'GET' && onStream ? onStream(arrival, response) : script(arrival, response);
}
