import type { IncomingMessage, ServerResponse } from 'node:http';
import { toWebRequest } from '@modelcontextprotocol/node';
import { z } from 'zod';
import { checkScopes, sendFault } from '../http.ts';
import { type Principal, RestFault, type User, type WorkspaceState } from '../model.ts';
import { send, transportError } from './answers.ts';
import { Engine } from './engine.ts';
import { functionsServer } from './functions.ts';
import { type GenieParts, genieServer } from './genie.ts';
import { Modern } from './modern.ts';
import { Sessions } from './sessions.ts';
import { DEFAULT_SETTINGS, type ManagedServerSettings } from './settings.ts';
import { sqlServer } from './sql.ts';
import { type StatementRecord, Statements } from './statements.ts';
import { SCOPES, type Target, targetOf } from './target.ts';
import type { ServedServer } from './toolset.ts';
import { vectorSearchServer } from './vector-search.ts';

export type { ManagedServerSettings } from './settings.ts';
export type { StatementRecord } from './statements.ts';

/** The four managed MCP servers of a workspace (spec/managed-mcp-endpoints.md). */
export interface ManagedServers {
  /** May be changed at any time. */
  settings: ManagedServerSettings;
  /** Every statement that a server ran, in its order. */
  statements: readonly StatementRecord[];
  /** Answers a request whose path begins with `/api/2.0/mcp/` and whose bearer token has been accepted. */
  handle(request: IncomingMessage, response: ServerResponse, principal: Principal, url: URL): Promise<void>;
  /** Every session known now answers this status from now on. */
  expireSessions(how: 404 | 410): void;
  /** Sends `notifications/tools/list_changed` to whoever listens. */
  announceToolsChanged(): Promise<void>;
  /** Ends statements under way and listening streams, and lets the data go. */
  close(): Promise<void>;
}

export interface ManagedServerOptions extends Partial<ManagedServerSettings> {
  state: WorkspaceState;
}

/** Frames of 64 MiB must pass; beyond this a body is nothing but an attack. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** Makes the servers; DuckDB is loaded by the first query. */
export function createManagedServers({ state, ...options }: ManagedServerOptions): ManagedServers {
  const settings: ManagedServerSettings = { ...DEFAULT_SETTINGS, ...options };
  const engine = new Engine(state);
  const statements = new Statements(state, engine);
  const genie: GenieParts = { state, statements, settings, conversations: new Map() };
  const sessions = new Sessions(settings);
  const modern = new Modern(settings);

  function serverFor(target: Target, user: User): ServedServer {
    switch (target.server) {
      case 'sql':
        return sqlServer({ state, statements, settings }, user);
      case 'genie':
        return genieServer(genie, user, target.spaceId);
      case 'vector-search':
        return vectorSearchServer({ state, engine }, user, target);
      case 'functions':
        return functionsServer({ state, engine }, user, target);
    }
  }

  async function answer(request: Request, principal: Principal, path: string): Promise<Response> {
    const target = targetOf(path);
    if (!target || !isSpoken(settings, request.method)) throw endpointNotFound(path);
    checkScopes(principal, SCOPES[target.server]);
    const parsed = request.method === 'POST' ? parse(await request.text()) : { body: undefined };
    if (!parsed) return transportError(400, -32700, 'Parse error: Invalid JSON');
    const { user } = principal;
    const methods = methodsOf(parsed.body);
    const sessionId = request.headers.get('mcp-session-id') ?? undefined;
    for (const method of methods) {
      state.mcpCalls.push({ at: Date.now(), userId: user.id, server: target.server, method, sessionId });
    }
    const body = settings.textIdsBecomeZero ? withZeroForText(parsed.body) : parsed.body;
    const served = serverFor(target, user);
    const exchange = { request, body, method: methods[0] ?? '', userId: user.id, path, served };
    return settings.era === 'modern' ? modern.answer(exchange) : sessions.answer(exchange);
  }

  return {
    settings,
    statements: statements.log,
    handle: async (incoming, response, principal, url) => {
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      try {
        const request = await webRequest(incoming, gone.signal);
        await send(await answer(request, principal, url.pathname), response);
      } catch (error) {
        if (!(error instanceof RestFault)) throw error;
        sendFault(response, error);
      }
    },
    expireSessions: (how) => sessions.expire(how),
    announceToolsChanged: async () => {
      modern.announceToolsChanged();
      await sessions.announceToolsChanged();
    },
    close: async () => {
      await Promise.all([sessions.close(), modern.close(), statements.close()]);
      await engine.close();
    },
  };
}

function webRequest(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const { method = 'GET', url = '/', headers } = incoming;
  const body = { [Symbol.asyncIterator]: () => incoming[Symbol.asyncIterator]() };
  return toWebRequest({ method, url, headers, ...body }, undefined, { signal, maxRequestBodySize: MAX_BODY_BYTES });
}

/** The real servers have no endpoint for GET and DELETE; the modern revision answers both itself. */
function isSpoken({ listening, era }: ManagedServerSettings, method: string): boolean {
  return method === 'POST' || era === 'modern' || (listening === 'supported' && ['GET', 'DELETE'].includes(method));
}

function endpointNotFound(path: string): RestFault {
  return new RestFault(404, 'ENDPOINT_NOT_FOUND', `Endpoint not found for ${path.replace(/^\/api/, '')}`);
}

function parse(text: string): { body: unknown } | undefined {
  try {
    return { body: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

const WithMethod = z.object({ method: z.string() });

function methodsOf(body: unknown): string[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.flatMap((message) => WithMethod.safeParse(message).data?.method ?? []);
}

const WithTextId = z.looseObject({ id: z.string() });

function withZeroForText(body: unknown): unknown {
  const request = WithTextId.safeParse(body);
  return request.success ? { ...request.data, id: 0 } : body;
}
