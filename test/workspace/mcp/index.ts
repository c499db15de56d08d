import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { BehaviorName } from '../behaviors.ts';
import { checkScopes, sendFault } from '../http.ts';
import { type Principal, RestFault, type User, type WorkspaceState } from '../model.ts';
import { send, transportError } from './answers.ts';
import { Engine } from './engine.ts';
import { FirstAnswers } from './first-answers.ts';
import { functionsServer } from './functions.ts';
import { type GenieParts, genieServer } from './genie.ts';
import { genieOneServer } from './genie-one.ts';
import { callsOf, webRequest } from './messages.ts';
import { Modern } from './modern.ts';
import { refusalAnswer } from './refusals.ts';
import { externalConnection, type NamedServer, namedService, type ServiceParts, signInAnswer } from './services.ts';
import { Sessions } from './sessions.ts';
import { DEFAULT_SETTINGS, type ManagedServerSettings, settingsFor } from './settings.ts';
import { sqlServer } from './sql.ts';
import { type StatementRecord, Statements } from './statements.ts';
import { SCOPES, type Target, targetOf } from './target.ts';
import type { ServedServer } from './toolset.ts';
import { asItIsWritten } from './untidy.ts';
import { vectorSearchServer } from './vector-search.ts';

export type { ManagedServerSettings } from './settings.ts';
export type { StatementRecord } from './statements.ts';

/** The MCP servers of a workspace: the managed ones (spec/managed-mcp-endpoints.md), services, external connections. */
export interface ManagedServers {
  /** May be changed at any time. */
  settings: ManagedServerSettings;
  /** Every statement that a server ran, in its order. */
  statements: readonly StatementRecord[];
  /** Answers a request to an MCP path (target.ts) whose bearer token has been accepted. */
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
  /** None if left out. */
  behaviors?: ReadonlySet<BehaviorName>;
  /** The workspace's origin, for the addresses in its answers; known once it listens. */
  host?: () => string;
}

/** Makes the servers; DuckDB is loaded by the first query. */
export function createManagedServers({
  state,
  behaviors = new Set(),
  host = () => '',
  ...options
}: ManagedServerOptions): ManagedServers {
  const settings: ManagedServerSettings = { ...DEFAULT_SETTINGS, ...settingsFor(behaviors), ...options };
  const engine = new Engine(state);
  const statements = new Statements(state, engine);
  const genie: GenieParts = { state, statements, settings, conversations: new Map() };
  const services: ServiceParts = {
    state,
    statements,
    settings,
    genieOne: { state, statements, settings, answers: [] },
  };
  const sessions = new Sessions(settings, behaviors);
  const first = new FirstAnswers(behaviors);
  const modern = new Modern(settings);

  function serverFor(target: Target, user: User): { served: ServedServer; named?: NamedServer } {
    switch (target.server) {
      case 'sql':
        return { served: sqlServer(services, user) };
      case 'genie-one':
        return { served: genieOneServer(services.genieOne, user) };
      case 'genie':
        return { served: genieServer(genie, user, target.spaceId) };
      case 'vector-search':
        return { served: vectorSearchServer({ state, engine }, user, target) };
      case 'functions':
        return { served: functionsServer({ state, engine }, user, target) };
      case 'service':
        return ofName(namedService(services, user, target.name));
      case 'external':
        return ofName(externalConnection(state, settings, user, target.name));
    }
  }

  async function answer(request: Request, principal: Principal, path: string): Promise<Response> {
    const target = targetOf(path);
    if (!target || !isThere(settings, target)) throw endpointNotFound(path);
    if (!isSpoken(settings, request.method)) {
      if (behaviors.has('refusesListening')) return methodNotAllowed();
      throw endpointNotFound(path);
    }
    checkScopes(principal, SCOPES[target.server]);
    if (target.server === 'genie-one' && settings.oldGenieOne === 'gone') throw movedAway(path);
    const parsed = request.method === 'POST' ? parse(await request.text()) : { body: undefined };
    if (!parsed) return transportError(400, -32700, 'Parse error: Invalid JSON');
    const { user } = principal;
    const calls = callsOf(parsed.body);
    const methods = calls.map(({ method }) => method);
    const sessionId = request.headers.get('mcp-session-id') ?? undefined;
    const name = 'name' in target ? { name: target.name } : {};
    for (const call of calls) {
      state.mcpCalls.push({ at: Date.now(), userId: user.id, server: target.server, ...name, ...call, sessionId });
    }
    const body = settings.textIdsBecomeZero ? withZeroForText(parsed.body) : parsed.body;
    const { served, named } = serverFor(target, user);
    const signIn =
      named && signInAnswer(named, { state, settings, user, host: host(), path, body: parsed.body, methods });
    if (signIn) return signIn;
    const refused = named && refusalAnswer(named, { settings, request, body: parsed.body, calls });
    if (refused) return refused;
    const demanded = named ? settings.serviceSessions : settings.sessions;
    const exchange = {
      request,
      body,
      method: methods[0] ?? '',
      userId: user.id,
      path,
      served,
      sessions: demanded,
    };
    await first.wait(user.id, path, methods, request.signal);
    return settings.revision === 'modern' ? modern.answer(exchange) : sessions.answer(exchange);
  }

  return {
    settings,
    statements: statements.log,
    handle: async (incoming, response, principal, url) => {
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      try {
        const request = await webRequest(incoming, gone.signal);
        await send(asItIsWritten(await answer(request, principal, url.pathname), request.method, behaviors), response);
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

/** The real servers have no endpoint for GET and DELETE; the modern revision answers both itself. */
function isSpoken({ listening, revision }: ManagedServerSettings, method: string): boolean {
  return (
    method === 'POST' || revision === 'modern' || (listening === 'supported' && ['GET', 'DELETE'].includes(method))
  );
}

/** RFC 9110 §15.5.6: with what is allowed. */
function methodNotAllowed(): Response {
  const answer = transportError(405, -32000, 'Method not allowed.');
  answer.headers.set('allow', 'POST');
  return answer;
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

function ofName(named: NamedServer): { served: ServedServer; named: NamedServer } {
  return { served: named.served, named };
}

/** The old address of Genie One is unknown unless the settings say otherwise. */
function isThere({ oldGenieOne }: ManagedServerSettings, target: Target): boolean {
  return target.server !== 'genie-one' || oldGenieOne !== 'absent';
}

function movedAway(path: string): RestFault {
  return new RestFault(410, 'ENDPOINT_GONE', `${path} is gone. Use system.ai.genie_one_mcp.`);
}

const WithTextId = z.looseObject({ id: z.string() });

function withZeroForText(body: unknown): unknown {
  const request = WithTextId.safeParse(body);
  return request.success ? { ...request.data, id: 0 } : body;
}
