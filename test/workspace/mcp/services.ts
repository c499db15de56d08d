import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { awaitedSignIn, connectionOf, fullNameOf, mayExecute, serviceNamed } from '../connections.ts';
import { errorBody } from '../http.ts';
import {
  type CatalogConnection,
  type McpService,
  RestFault,
  type SignInNeededFor,
  type SignInSignal,
  type User,
  type WorkspaceState,
} from '../model.ts';
import { type GenieOneParts, genieOneServer } from './genie-one.ts';
import { plainServer, selected } from './plain-tools.ts';
import { answerForm, type ManagedServerSettings } from './settings.ts';
import { type SqlParts, sqlServer } from './sql.ts';
import type { ServedServer } from './toolset.ts';

/** Services of AI Gateway and external connections: who may call them, who has to sign in first, and what is behind. */

export interface ServiceParts extends SqlParts {
  genieOne: GenieOneParts;
}

/** A server behind a name, and how its connection asks for a sign-in. */
export interface NamedServer {
  served: ServedServer;
  /** Its full name, if the gateway's rules apply to it. */
  service?: string;
  /** Whether it has a tool that its selectors leave out. */
  hidesTool?(tool: string): boolean;
  connection: CatalogConnection | undefined;
  signal: SignInSignal;
  neededFor: SignInNeededFor;
  /** The page on which a user signs in, below the workspace's host. */
  page: string;
}

/** @throws {RestFault} 400 for a suspended service, 403 without the grants, 404 for an unknown one */
export function namedService(parts: ServiceParts, user: User, name: string): NamedServer {
  const { state, settings } = parts;
  const service = serviceNamed(state, name);
  const mayBeSeen = settings.missingExecute === 403 || (service && mayExecute(state, user, service));
  if (!service || !mayBeSeen) {
    throw new RestFault(404, 'RESOURCE_DOES_NOT_EXIST', `MCP service '${name}' does not exist.`);
  }
  if (!mayExecute(state, user, service)) {
    throw new RestFault(403, 'PERMISSION_DENIED', `User does not have EXECUTE on MCP service '${name}'.`);
  }
  if (service.suspended || (settings.preview === 'suspended' && service.serves !== 'genie-one')) {
    throw new RestFault(400, 'BAD_REQUEST', 'The MCP service is administratively suspended');
  }
  return {
    served: serverOf(parts, user, service),
    service: name,
    hidesTool: hidesTool(state, service),
    connection: connectionOf(state, service),
    signal: service.signInSignal ?? settings.signInSignal,
    neededFor: service.signInNeededFor ?? settings.signInNeededFor,
    page: `/mcp-service-login?name=${encodeURIComponent(name)}`,
  };
}

function hidesTool(state: WorkspaceState, service: McpService): (tool: string) => boolean {
  const tools = Array.isArray(service.serves) ? service.serves : (connectionOf(state, service)?.tools ?? []);
  const shown = selected(tools, service.includeToolSelectors);
  return (tool) => tools.some(({ name }) => name === tool) && !shown.some(({ name }) => name === tool);
}

function serverOf(parts: ServiceParts, user: User, service: McpService): ServedServer {
  if (service.serves === 'sql') return sqlServer(parts, user, parts.settings.disallowWrites);
  if (service.serves === 'genie-one') return genieOneServer(parts.genieOne, user);
  const tools = service.serves ?? connectionOf(parts.state, service)?.tools ?? [];
  return plainServer(fullNameOf(service), () => selected(tools, service.includeToolSelectors));
}

/** @throws {RestFault} 403 without the grant, 404 for a connection that is unknown or leads to no MCP server */
export function externalConnection(
  state: WorkspaceState,
  settings: ManagedServerSettings,
  user: User,
  name: string,
): NamedServer {
  const connection = state.connections.find((one) => one.name === name && one.mcp);
  if (!connection) throw new RestFault(404, 'RESOURCE_DOES_NOT_EXIST', `Connection '${name}' does not exist.`);
  if (connection.grantedTo && !state.isGranted(user, connection.grantedTo)) {
    throw new RestFault(403, 'PERMISSION_DENIED', `User does not have USE CONNECTION on Connection '${name}'.`);
  }
  return {
    served: plainServer(name, () => connection.tools ?? []),
    connection,
    signal: settings.signInSignal,
    neededFor: settings.signInNeededFor,
    page: `/mcp-service-login?connection=${encodeURIComponent(name)}`,
  };
}

export interface SignInQuestion {
  state: WorkspaceState;
  settings: ManagedServerSettings;
  user: User;
  host: string;
  path: string;
  body: unknown;
  methods: string[];
}

const Request = z.object({ id: z.union([z.string(), z.number()]), method: z.string() });

/** The answer to a request whose connection waits for the user's sign-in; undefined if nothing is waited for. */
export function signInAnswer(server: NamedServer, question: SignInQuestion): Response | undefined {
  const { state, settings, user, host, path, methods } = question;
  if (server.neededFor === 'tools/call' && !methods.includes('tools/call')) return undefined;
  const awaited = awaitedSignIn(state, user, server.connection);
  if (!awaited) return undefined;
  const message = `${user.userName} has not signed in to the connection ${awaited.name}.`;
  if (server.signal === 'challenge') {
    const blame = settings.challengeBlamesToken ? ', error="invalid_token"' : '';
    const metadata = `${host}/.well-known/oauth-protected-resource${path}`;
    const headers = { 'www-authenticate': `Bearer resource_metadata="${metadata}"${blame}` };
    return Response.json(errorBody(401, message), { status: 401, headers });
  }
  const url = host + server.page;
  const elicitation = { mode: 'url', elicitationId: randomUUID(), url, message: `Sign in at ${url}.` };
  const error = { code: -32042, message, data: { elicitations: [elicitation] } };
  return rpcErrors(question, error);
}

/** The same error for every request of a body, in the form in which its answer would have come. */
function rpcErrors({ body, methods, settings }: SignInQuestion, error: unknown): Response {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  const requests = messages.flatMap((message) => Request.safeParse(message).data ?? []);
  if (requests.length === 0) return new Response(null, { status: 202 });
  const errors = requests.map(({ id }) => ({ jsonrpc: '2.0', id, error }));
  if (answerForm(settings, methods[0] ?? '') === 'sse') {
    const events = errors.map((one) => `event: message\ndata: ${JSON.stringify(one)}\n\n`).join('');
    return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
  }
  return Response.json(Array.isArray(body) ? errors : errors[0]);
}
