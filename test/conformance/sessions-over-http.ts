import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';

/** One client's session: its own stdio server, and the streams on which its frames go out. */
class Session {
  readonly child: ChildProcess;
  readonly #answers = new Map<string, ServerResponse>();
  #listening: ServerResponse | undefined;

  constructor(child: ChildProcess) {
    this.child = child;
    if (this.child.stdout) createInterface({ input: this.child.stdout }).on('line', (line) => this.#pass(line));
  }

  send(frame: string, answer: ServerResponse | undefined, id: unknown): void {
    if (answer) this.#answers.set(JSON.stringify(id), answer);
    this.child.stdin?.write(`${frame}\n`);
  }

  listen(response: ServerResponse): void {
    this.#listening = response;
  }

  /** An answer ends its request's stream; whatever else the server says goes where the client is surely listening. */
  #pass(line: string): void {
    const frame: { id?: unknown; method?: unknown } = JSON.parse(line);
    const id = frame.method === undefined ? JSON.stringify(frame.id) : '';
    const own = this.#answers.get(id);
    const stream = own ?? [...this.#answers.values()].at(-1) ?? this.#listening;
    stream?.write(`data: ${line}\n\n`);
    if (!own) return;
    this.#answers.delete(id);
    own.end();
  }
}

/** Serves a stdio server over streamable HTTP, one process for each session: what a suite that speaks HTTP needs. */
export async function serveOverHttp(start: () => Promise<ChildProcess>) {
  const sessions = new Map<string, Session>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    await answer(request, Buffer.concat(chunks).toString(), response);
  });

  async function answer(request: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
    const named = request.headers['mcp-session-id'];
    const known = sessions.get(String(named));
    if (named !== undefined && !known) return void response.writeHead(404).end();
    if (request.method !== 'POST') {
      if (!known) response.writeHead(400).end();
      else if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        known.listen(response);
      } else {
        known.child.stdin?.end();
        sessions.delete(String(named));
        response.writeHead(200).end();
      }
      return;
    }
    const frame: { id?: unknown; method?: string } = JSON.parse(body);
    const id = known ? String(named) : randomUUID();
    const session = known ?? new Session(await start());
    if (!known) sessions.set(id, session);
    if (frame.id === undefined || frame.method === undefined) {
      session.send(body, undefined, undefined);
      response.writeHead(202).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': id }).flushHeaders();
    session.send(body, response, frame.id);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    close: () => {
      for (const { child } of sessions.values()) child.kill();
      server.closeAllConnections();
      server.close();
    },
  };
}
