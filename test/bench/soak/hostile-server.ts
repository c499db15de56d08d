import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Account } from './account.ts';
import { answerCall } from './hostile-answers.ts';

const Frame = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z
    .object({
      arguments: z.object({ token: z.string() }).optional(),
      clientInfo: z.object({ name: z.string() }).optional(),
    })
    .optional(),
});

/** A session, and the client whose `initialize` began it. */
export interface HostileSession {
  client: string;
  /** Answers whose stream was cut, by the id of the last event that was sent. */
  resumable: Map<string, string>;
}

/** The shares of requests that meet each fault before they run. */
const REFUSALS: { name: string; share: number }[] = [
  { name: 'session gone (404)', share: 0.01 },
  { name: 'session gone (410)', share: 0.01 },
  { name: 'token revoked (401)', share: 0.002 },
  { name: 'put off (429)', share: 0.01 },
  { name: 'put off (503)', share: 0.01 },
];

/** How often the server speaks on a session's own stream, and how long one lasts, in milliseconds. */
const NEWS_EVERY_MS = 500;
const LISTENING_MS = 8_000;

/** A token lasts at least this long, in milliseconds: a new one that is refused too is a user's problem, not a fault. */
const TOKEN_MS = 3_000;

/** A managed server, and the sign-in in front of it, that does everything which a server may do wrong. */
export class HostileServer {
  readonly #account: Account;
  readonly #sessions = new Map<string, HostileSession>();
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  #issued = 0;
  #token = 1;
  #revokedAt = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new Error('no address');
    return `http://127.0.0.1:${address.port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      // The proxy has let go of it: nothing arrived that could be run.
      return;
    }
    if (request.url?.startsWith('/oidc/')) this.#signIn(request, response);
    else if (request.headers.authorization !== `Bearer token-${this.#token}`) response.writeHead(401).end();
    else if (request.method === 'DELETE') {
      this.#sessions.delete(String(request.headers['mcp-session-id']));
      response.writeHead(200).end();
    } else if (request.method === 'GET') this.#listen(request, response);
    else this.#post(request, Buffer.concat(chunks), response);
  }

  #signIn({ url, headers }: IncomingMessage, response: ServerResponse): void {
    const issuer = `http://${headers.host}/oidc`;
    const answer = url?.endsWith('/token')
      ? { access_token: `token-${this.#token}`, token_type: 'Bearer', expires_in: 3600 }
      : { issuer, token_endpoint: `${issuer}/token`, authorization_endpoint: `${issuer}/authorize` };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  #post(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const frame = Frame.parse(JSON.parse(body.toString()));
    if (frame.method === 'initialize') {
      this.#initialize(frame.id, frame.params?.clientInfo?.name ?? '', response);
      return;
    }
    const sessionId = String(request.headers['mcp-session-id']);
    const session = this.#sessions.get(sessionId);
    if (!session) {
      response.writeHead(Math.random() < 0.5 ? 404 : 410, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const token = frame.params?.arguments?.token;
    if (frame.id === undefined || token === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (!token.startsWith(`${session.client}.`)) {
      this.#account.violate(`crossed: ${token} came in the session of ${session.client}`);
    }
    if (this.#refused(sessionId, response)) return;
    this.#account.executed(token);
    void answerCall({ id: frame.id, token, session, account: this.#account, response });
  }

  #initialize(id: unknown, client: string, response: ServerResponse): void {
    this.#issued += 1;
    this.#sessions.set(`session-${this.#issued}`, { client, resumable: new Map() });
    const result = {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {}, logging: {} },
      serverInfo: { name: 'hostile', version: '1' },
    };
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': `session-${this.#issued}` });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }

  #refused(sessionId: string, response: ServerResponse): boolean {
    let dice = Math.random();
    const fault = REFUSALS.find(({ share }) => {
      dice -= share;
      return dice < 0;
    });
    if (!fault) return false;
    const status = Number(/\d+/.exec(fault.name)?.[0]);
    if (status === 401) {
      if (performance.now() - this.#revokedAt < TOKEN_MS) return false;
      this.#revokedAt = performance.now();
      this.#token += 1;
    }
    this.#account.fault(fault.name);
    if (status === 404 || status === 410) this.#sessions.delete(sessionId);
    response.writeHead(status, { 'retry-after': String(Math.round(Math.random())) }).end();
    return true;
  }

  /** The server's own stream, or the rest of an answer that was cut. */
  #listen({ headers }: IncomingMessage, response: ServerResponse): void {
    const session = this.#sessions.get(String(headers['mcp-session-id']));
    if (!session) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const rest = session.resumable.get(String(headers['last-event-id']));
    if (rest !== undefined) {
      session.resumable.delete(String(headers['last-event-id']));
      response.end(rest);
      return;
    }
    response.write(': here\n\n');
    const news = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: session.client } };
    const timer = setInterval(() => response.write(`data: ${JSON.stringify(news)}\n\n`), NEWS_EVERY_MS);
    const end = setTimeout(() => response.destroy(), Math.random() * LISTENING_MS);
    response.on('close', () => {
      clearInterval(timer);
      clearTimeout(end);
    });
  }
}
