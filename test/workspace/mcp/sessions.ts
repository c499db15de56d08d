import { randomUUID } from 'node:crypto';
import {
  isInitializeRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { BehaviorName } from '../behaviors.ts';
import { asJson, isEventStream, transportError } from './answers.ts';
import { EventLog } from './event-log.ts';
import { answerForm, type ManagedServerSettings } from './settings.ts';
import { buildServer, type ServedServer } from './toolset.ts';

/** One request to one managed server, its caller known and allowed. */
export interface Exchange {
  request: Request;
  /** The parsed body of a POST. */
  body: unknown;
  /** The method of the body's first message, empty if it has none. */
  method: string;
  userId: string;
  path: string;
  served: ServedServer;
  /** Whether this server demands a session. */
  sessions: ManagedServerSettings['sessions'];
}

interface Session {
  userId: string;
  path: string;
  /** As of the latest request: what is known about the user may have changed since the first. */
  served: ServedServer;
  server: Server;
  transport: WebStandardStreamableHTTPServerTransport;
}

/** The 2025 revisions: sessions that begin with `initialize`, or none if the settings say so. */
export class Sessions {
  readonly #settings: ManagedServerSettings;
  readonly #behaviors: ReadonlySet<BehaviorName>;
  readonly #live = new Map<string, Session>();
  readonly #expired = new Map<string, 404 | 410>();
  /** Servers with a listening stream that belongs to no session. */
  readonly #listening = new Set<Server>();

  constructor(settings: ManagedServerSettings, behaviors: ReadonlySet<BehaviorName>) {
    this.#settings = settings;
    this.#behaviors = behaviors;
  }

  async answer(exchange: Exchange): Promise<Response> {
    if (exchange.sessions === 'none') return this.#answerAlone(exchange);
    const { request, body } = exchange;
    const id = request.headers.get('mcp-session-id');
    if (id === null && !isInitializeRequest(body)) {
      return transportError(400, -32000, 'Bad Request: Mcp-Session-Id header is required');
    }
    const session = id === null ? await this.#open(exchange) : this.#live.get(id);
    if (!session || session.userId !== exchange.userId || session.path !== exchange.path) {
      return transportError((id !== null && this.#expired.get(id)) || 404, -32001, 'Session not found');
    }
    if (this.#behaviors.has('demandsProtocolVersion')) {
      const wrong = wrongVersion(session.server.getNegotiatedProtocolVersion(), request);
      if (wrong) return wrong;
    }
    session.served = exchange.served;
    const answer = await session.transport.handleRequest(request, { parsedBody: body });
    const wantsJson = request.method === 'POST' && answerForm(this.#settings, exchange.method) === 'json';
    return wantsJson && isEventStream(answer) ? asJson(answer) : answer;
  }

  /** From now on every session that is known answers `how`; what is being answered is still answered. */
  expire(how: 404 | 410): void {
    for (const [id, session] of this.#live) {
      this.#expired.set(id, how);
      session.transport.closeStandaloneSSEStream();
    }
    this.#live.clear();
  }

  /** Tells every client that listens that its list of tools is another one now. */
  async announceToolsChanged(): Promise<void> {
    const servers = [...this.#live.values()].map(({ server }) => server).concat(...this.#listening);
    await Promise.all(servers.map((server) => server.sendToolListChanged()));
  }

  async close(): Promise<void> {
    const servers = [...this.#live.values()].map(({ server }) => server).concat(...this.#listening);
    this.#live.clear();
    await Promise.all(servers.map((server) => server.close()));
  }

  /** An SDK server of the session's own, known by its id as soon as the SDK has issued one. */
  async #open({ userId, path, served }: Exchange): Promise<Session> {
    const { listening, eventIds } = this.#settings;
    const tools = () => session.served.tools();
    const server = buildServer({ ...served, tools }, listening === 'supported');
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void this.#live.set(id, session),
      onsessionclosed: (id) => void this.#live.delete(id),
      ...(eventIds && { eventStore: new EventLog() }),
    });
    const session: Session = { userId, path, served, server, transport };
    await server.connect(transport);
    return session;
  }

  async #answerAlone({ request, body, method, served }: Exchange): Promise<Response> {
    const { listening } = this.#settings;
    const server = buildServer(served, listening === 'supported');
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: answerForm(this.#settings, method) === 'json',
    });
    await server.connect(transport);
    if (request.method === 'GET') {
      this.#listening.add(server);
      request.signal.addEventListener('abort', () => this.#listening.delete(server));
    }
    return transport.handleRequest(request, { parsedBody: body });
  }
}

/** The first revision in which requests say which one they follow. */
const FIRST_WITH_HEADER = '2025-06-18';

/** The refusal of a request that does not follow the negotiated revision; nothing has been negotiated before `initialize`. */
function wrongVersion(negotiated: string | undefined, { headers }: Request): Response | undefined {
  if (negotiated === undefined || negotiated < FIRST_WITH_HEADER) return undefined;
  const version = headers.get('mcp-protocol-version');
  if (version === negotiated) return undefined;
  return transportError(
    400,
    -32000,
    `Bad Request: MCP-Protocol-Version must be ${negotiated}, and is ${version ?? 'missing'}.`,
  );
}
