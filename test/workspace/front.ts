import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Apps } from './apps/apps.ts';
import { type Bearers, bearerOf } from './bearer.ts';
import type { BehaviorName } from './behaviors.ts';
import { readRequest } from './demands.ts';
import { answerFault, sendHtml, sendUnauthorized } from './fault-answers.ts';
import { shapeAnswer } from './fault-shaping.ts';
import type { FaultRules } from './faults.ts';
import { checkScopes, endpointNotFound, errorBody, type Features, findRoute, sendJson } from './http.ts';
import type { ManagedServers } from './mcp/index.ts';
import { isMcpPath } from './mcp/target.ts';
import { type Principal, RestFault } from './model.ts';
import type { RequestLog } from './request-log.ts';
import { restRoutes } from './rest/routes.ts';
import { sendAnswer, sendRefusal } from './rest-answers.ts';
import { SERVICE_LOGIN_PATH, type ServiceLogin } from './sign-in/service-login.ts';
import type { SignIn } from './sign-in/sign-in.ts';
import type { ReplaceableState } from './state.ts';
import type { TokenRecord } from './token-record.ts';
import { challengeFor, wellKnown } from './well-known.ts';
import type { WireRecord } from './wire.ts';

/** The workspace's front door: every request comes through here, and meets the faults first. */

export interface FrontParts {
  host: string;
  state: ReplaceableState;
  features: Features;
  behaviors: ReadonlySet<BehaviorName>;
  bearers: Bearers;
  faults: FaultRules;
  log: RequestLog;
  /** Undefined where contents are not kept. */
  wire: WireRecord | undefined;
  signIn: SignIn;
  serviceLogin: ServiceLogin;
  mcp: ManagedServers;
  apps: Apps;
  tokens: TokenRecord;
  /** The prefix of the control address, and who answers there. */
  controlPath: string;
  control: (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;
}

export function createFront(parts: FrontParts): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    pass(parts, request, response).catch((error: unknown) => {
      // Whoever broke off is owed nothing, and what failed for that reason is no failure.
      if (!request.socket.destroyed) fail(parts, response, error);
    });
  };
}

async function pass(parts: FrontParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { host, state, faults, log } = parts;
  const url = URL.parse(request.url ?? '/', host);
  if (!url) throw new RestFault(400, 'BAD_REQUEST', `This is no address: ${request.url}`);
  if (url.pathname.startsWith(parts.controlPath)) return parts.control(request, response, url);

  response.setHeader('x-databricks-org-id', state.workspaceId);
  const entry = log.add(request, response, url);
  parts.wire?.follow(request, response, entry);
  parts.tokens.add(host, request, bearerOf(request), true);
  const effect = faults.next(entry.method, url.pathname);
  if (effect) {
    entry.fault = effect.kind;
    const challenge = challengeFor(url.pathname, host, true);
    if (answerFault(response, effect, { workspaceId: state.workspaceId, host, challenge })) return;
    shapeAnswer(response, effect);
  }

  if (url.pathname.startsWith('/oidc/')) return parts.signIn.handle(request, response, url);
  if (url.pathname.startsWith('/.well-known/')) return sendWellKnown(parts, response, url);
  if (url.pathname === SERVICE_LOGIN_PATH) return parts.serviceLogin.handle(request, response, url);
  if (!url.pathname.startsWith('/api/') && !isMcpPath(url.pathname)) return sendSitePage(response, url);

  const token = bearerOf(request);
  const principal = await parts.bearers.principalOf(token);
  if (!principal) {
    const message = token
      ? 'Invalid access token.'
      : 'Credential was not sent or was of an unsupported type for this API.';
    const isBare = token && parts.mcp.settings.rejectedToken === '400' && url.pathname.startsWith('/ai-gateway/');
    if (isBare) return sendBareRefusal(response);
    return sendUnauthorized(response, message, challengeFor(url.pathname, host, token !== undefined));
  }
  entry.userName = principal.user.userName;
  if (isMcpPath(url.pathname)) return parts.mcp.handle(request, response, principal, url);
  return answerRest(parts, request, response, principal, url);
}

async function answerRest(
  { state, features, behaviors, apps, mcp }: FrontParts,
  request: IncomingMessage,
  response: ServerResponse,
  principal: Principal,
  url: URL,
): Promise<void> {
  const method = request.method ?? 'GET';
  const match = findRoute(restRoutes, features, method, url.pathname);
  if (!match) throw endpointNotFound(method, url.pathname);
  checkScopes(principal, match.route.scopes);
  const body = await readRequest(request, url, match.route, behaviors);
  const call = {
    state,
    features,
    behaviors,
    statements: mcp.statements,
    principal,
    appOrigin: apps.origin,
    params: match.params,
    query: url.searchParams,
    body,
  };
  sendAnswer(response, url.pathname, await match.route.handle(call), behaviors);
}

/** AI Gateway's other way to say that a token is none of this workspace's. */
function sendBareRefusal(response: ServerResponse): void {
  response.writeHead(400, { 'content-type': 'text/plain' }).end('Invalid Token');
}

function sendWellKnown({ host, state }: FrontParts, response: ServerResponse, url: URL): void {
  const document = wellKnown(url.pathname, host, state);
  if (document === undefined) throw endpointNotFound('GET', url.pathname);
  sendJson(response, 200, document);
}

/** A workspace's other addresses are pages for people: this is all that a program finds there. */
function sendSitePage(response: ServerResponse, url: URL): void {
  const title = url.pathname === '/login.html' ? 'Log in to the workspace' : 'Embedded workspace';
  sendHtml(
    response,
    200,
    `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
  );
}

/** A failure that nobody foresaw is a defect of this workspace: it answers 500, and says so where it runs. */
function fail({ behaviors }: FrontParts, response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
  } else if (error instanceof RestFault) {
    sendRefusal(response, error, behaviors);
  } else {
    console.error(error);
    sendJson(response, 500, errorBody('INTERNAL_ERROR', error instanceof Error ? error.message : String(error)));
  }
}
