import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Bearers } from '../bearer.ts';
import { bearerOf } from '../bearer.ts';
import type { BehaviorName } from '../behaviors.ts';
import { readText, sendFault, sendJson } from '../http.ts';
import { listen, stop } from '../listen.ts';
import { send, transportError } from '../mcp/answers.ts';
import { callsOf, webRequest } from '../mcp/messages.ts';
import { plainServer } from '../mcp/plain-tools.ts';
import { Sessions } from '../mcp/sessions.ts';
import type { ManagedServerSettings } from '../mcp/settings.ts';
import { type App, type Principal, RestFault } from '../model.ts';
import type { ReplaceableState } from '../state.ts';
import type { TokenRecord } from '../token-record.ts';
import { sendAppPage, sendNoPermission, sendNotRunning, sendToLogin } from './pages.ts';

/** The apps of a workspace: the edge in front of each, and the MCP server behind it. */

export interface AppSettings {
  /** What a call without a token that counts is answered. */
  unauthenticated: 'redirect' | '401';
  /** The status of the page instead of an app that does not run. */
  stoppedStatus: number;
}

export interface AppParts {
  /** The workspace's origin, where people sign in. */
  host: string;
  state: ReplaceableState;
  bearers: Bearers;
  tokens: TokenRecord;
  /** Sessions and the form of answers are as with the services. */
  mcp: ManagedServerSettings;
  behaviors: ReadonlySet<BehaviorName>;
}

export interface Apps {
  /** May be changed at any time. */
  settings: AppSettings;
  /** The origin of an app, listed or not. It listens from then on. */
  origin(name: string): Promise<string>;
  /** A host that has nothing to do with the workspace: it answers every request 200 and does nothing. */
  foreignOrigin(): Promise<string>;
  close(): Promise<void>;
}

/** Where frameworks believe that they are: behind the edge, on this address. */
const INNER_ADDRESS = 'http://localhost:8000';

export function createApps(parts: AppParts): Apps {
  const settings: AppSettings = { unauthenticated: 'redirect', stoppedStatus: 503 };
  const sessions = new Sessions(parts.mcp, parts.behaviors);
  const servers: Server[] = [];
  const origins = new Map<string, Promise<string>>();

  /** One origin for each name, whatever app has that name at the moment. */
  function open(
    name: string,
    answer: (request: IncomingMessage, response: ServerResponse, origin: string) => Promise<void>,
  ) {
    const opened = origins.get(name) ?? begin(answer);
    origins.set(name, opened);
    return opened;
  }

  async function begin(answer: (request: IncomingMessage, response: ServerResponse, origin: string) => Promise<void>) {
    const server = createServer();
    servers.push(server);
    const origin = `http://127.0.0.1:${await listen(server, 0)}`;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      parts.tokens.add(origin, request, bearerOf(request), false);
      answer(request, response, origin).catch((error: unknown) => {
        if (error instanceof RestFault && !response.headersSent) return sendFault(response, error);
        if (!request.socket.destroyed) console.error(error);
        response.destroy();
      });
    });
    return origin;
  }

  function foreignOrigin(): Promise<string> {
    return open('', async (request, response) => {
      await readText(request);
      sendJson(response, 200, {});
    });
  }

  async function answerApp(name: string, request: IncomingMessage, response: ServerResponse, origin: string) {
    const app = parts.state.apps.find((one) => one.name === name);
    if (!app) return sendJson(response, 404, { message: `There is no app ${name}.` });
    // These two are not behind the workspace's edge: they take what they get.
    if (app.behavior === 'redirects') {
      response.writeHead(307, { location: `${await foreignOrigin()}/mcp` }).end();
      return;
    }
    if (app.behavior === 'echoes') return sendEcho(request, response);
    const principal = await parts.bearers.principalOf(bearerOf(request));
    if (principal?.token !== 'oauth') {
      if (settings.unauthenticated === '401') return sendJson(response, 401, {});
      return sendToLogin(response, parts.host, origin, app);
    }
    if (!parts.state.isGranted(principal.user, app.canUse)) return sendNoPermission(response, app);
    if (app.computeState !== 'ACTIVE' || app.appState !== 'RUNNING') {
      return sendNotRunning(response, settings.stoppedStatus, app);
    }
    const { pathname } = new URL(request.url ?? '/', origin);
    if (app.behavior === 'page' || (pathname !== '/mcp' && pathname !== '/mcp/')) return sendAppPage(response, app);
    if (app.behavior === 'slash' && pathname === '/mcp') {
      response.writeHead(307, { location: `${INNER_ADDRESS}/mcp/` }).end();
      return;
    }
    await serve(app, principal, request, response);
  }

  async function serve(app: App, { user }: Principal, incoming: IncomingMessage, response: ServerResponse) {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const request = await webRequest(incoming, gone.signal);
    if (request.method !== 'POST') return sendJson(response, 405, {}, { allow: 'POST' });
    const body = parsed(await request.text());
    if (body === undefined) return send(transportError(400, -32700, 'Parse error: Invalid JSON'), response);
    const calls = callsOf(body);
    const sessionId = request.headers.get('mcp-session-id') ?? undefined;
    for (const call of calls) {
      parts.state.mcpCalls.push({ at: Date.now(), userId: user.id, server: 'app', name: app.name, ...call, sessionId });
    }
    const exchange = {
      request,
      body,
      method: calls[0]?.method ?? '',
      userId: user.id,
      path: app.name,
      served: plainServer(app.name, () => app.tools),
      sessions: parts.mcp.serviceSessions,
    };
    await send(await sessions.answer(exchange), response);
  }

  return {
    settings,
    origin: (name) => open(name, (...request) => answerApp(name, ...request)),
    foreignOrigin,
    close: async () => {
      await Promise.all(servers.map(stop));
      await sessions.close();
    },
  };
}

/** What came in goes out again, in the head, in an error, and in a tool's result. */
async function sendEcho(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const authorization = request.headers.authorization ?? '';
  const body = parsed(await readText(request));
  const id = typeof body === 'object' && body && 'id' in body ? body.id : null;
  const method = callsOf(body)[0]?.method;
  const result =
    method === 'initialize'
      ? {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: authorization, version: '1' },
          instructions: authorization,
        }
      : method === 'tools/list'
        ? { tools: [{ name: 'say', description: authorization, inputSchema: { type: 'object' } }] }
        : { content: [{ type: 'text', text: authorization }] };
  sendJson(response, 200, { jsonrpc: '2.0', id, result }, { 'x-authorization': authorization });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
