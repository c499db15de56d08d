import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BehaviorName } from './behaviors.ts';
import type { StatementRecord } from './mcp/statements.ts';
import { type Principal, RestFault } from './model.ts';
import type { ReplaceableState } from './state.ts';

/** A table of routes over node:http: path parameters, JSON both ways, errors as the workspace spells them. */

/** What parts of the REST surface this workspace has: older and newer ones differ. Tests switch them while it runs. */
export interface Features {
  /** The override API; without it its paths are unknown, which is not the same as "no override". */
  overrides: boolean;
  /** `GET /api/2.0/sql/warehouses/default`, which is not everywhere yet. */
  defaultWarehouse: boolean;
  /** The admin setting `default_warehouse_id`, a private preview. */
  defaultWarehouseSetting: boolean;
  /** AI Gateway's list of MCP services, a preview. */
  mcpServices: boolean;
  /** The two forms in which a user's credential for a connection is read: by the connection, and by the service. */
  connectionCredentials: boolean;
  serviceCredentials: boolean;
  /** What the list of services gives where no schema is named: those of `system.ai`, or of the whole metastore. */
  servicesWithoutParent: 'system.ai' | 'metastore';
  /** How long the walk of the whole metastore takes for each page, in milliseconds. */
  metastoreWalkMs: number;
  /** Databricks Apps. */
  apps: boolean;
  /** Whether SCIM `Me` lists groups. */
  scimGroups: boolean;
  /** How many entries a page of the catalog look-ups holds where the caller leaves it to the server. */
  chosenPageSize: number;
}

export const ALL_FEATURES: Features = {
  overrides: true,
  defaultWarehouse: true,
  defaultWarehouseSetting: true,
  mcpServices: true,
  connectionCredentials: true,
  serviceCredentials: true,
  servicesWithoutParent: 'system.ai',
  metastoreWalkMs: 0,
  apps: true,
  scimGroups: true,
  chosenPageSize: 1,
};

/** One authenticated request to the REST API. */
export interface Call {
  state: ReplaceableState;
  features: Features;
  behaviors: ReadonlySet<BehaviorName>;
  principal: Principal;
  /** The origin of an app, which listens from then on. */
  appOrigin(name: string): Promise<string>;
  /** The path's parameters, decoded. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** Every statement that ran on a warehouse, in its order. */
  statements: readonly StatementRecord[];
  /** The parsed JSON body; undefined if the request had none. */
  body: unknown;
}

type SwitchedFeature = Exclude<
  { [Name in keyof Features]: Features[Name] extends boolean ? Name : never }[keyof Features],
  'scimGroups'
>;

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Segments that begin with a colon are parameters. */
  path: string;
  /** OAuth scopes of which one is needed; `any` for what every token may read. */
  scopes: string[] | 'any';
  /** Its query parameters; none if left out. */
  query?: readonly string[];
  /** Those that may come several times. */
  repeated?: readonly string[];
  /** Present where the route may be missing from a workspace. */
  feature?: SwitchedFeature;
  /** Gives the body of a 200 answer. @throws {RestFault} */
  handle(call: Call): unknown;
}

export interface RouteMatch {
  route: Route;
  params: Record<string, string>;
}

export function findRoute(routes: Route[], features: Features, method: string, path: string): RouteMatch | undefined {
  for (const route of routes) {
    if (route.method !== method || (route.feature && !features[route.feature])) continue;
    const params = matchPath(route.path, path);
    if (params) return { route, params };
  }
  return undefined;
}

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? '';
    if (segment.startsWith(':')) params[segment.slice(1)] = decoded(value);
    else if (segment !== value) return undefined;
  }
  return params;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new RestFault(400, 'BAD_REQUEST', `The path is not well encoded: ${segment}`);
  }
}

export function checkScopes(principal: Principal, scopes: Route['scopes']): void {
  if (scopes === 'any' || principal.scopes.has('all-apis')) return;
  if (scopes.some((scope) => principal.scopes.has(scope))) return;
  throw new RestFault(
    403,
    'PERMISSION_DENIED',
    `Provided OAuth token does not have required scopes: ${scopes[0] ?? 'all-apis'}`,
  );
}

const MAX_BODY_BYTES = 10 * 1024 * 1024;

export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new RestFault(413, 'BAD_REQUEST', 'The request body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export async function readJson(request: IncomingMessage): Promise<unknown> {
  const text = await readText(request);
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RestFault(400, 'MALFORMED_REQUEST', `The request body is not JSON: ${String(cause)}`);
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length, ...headers });
  response.end(text);
}

/** The error answer of the REST API: a code, a message and the id under which the request is known. */
export function errorBody(errorCode: string | number, message: string): unknown {
  return {
    error_code: errorCode,
    message,
    details: [{ '@type': 'type.googleapis.com/google.rpc.RequestInfo', request_id: randomUUID(), serving_data: '' }],
  };
}

/** An error of the SCIM look-ups, which have their own form (RFC 7644 §3.12); its code is the `scimType`. */
export class ScimFault extends RestFault {}

export function sendFault(response: ServerResponse, fault: RestFault): void {
  if (fault instanceof ScimFault) {
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error'];
    sendJson(response, fault.status, {
      schemas,
      status: String(fault.status),
      scimType: fault.errorCode,
      detail: fault.message,
    });
    return;
  }
  sendJson(response, fault.status, errorBody(fault.errorCode, fault.message));
}

/** The 404 for a path that this workspace does not have, `/api` left out as the real one does. */
export function endpointNotFound(method: string, path: string): RestFault {
  return new RestFault(404, 'ENDPOINT_NOT_FOUND', `No API found for '${method} ${path.replace(/^\/api/, '')}'`);
}
