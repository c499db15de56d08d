import { createHash } from 'node:crypto';
import {
  connectionOf,
  fullNameOf,
  holdsExecute,
  mayExecute,
  needsSignIn,
  serviceNamed,
  servicesIn,
} from '../connections.ts';
import type { Call, Route } from '../http.ts';
import { type CatalogConnection, type McpService, RestFault } from '../model.ts';
import { pageOf, pageSize } from './paging.ts';

/** The MCP services of the data catalog, and each user's credentials for the connections behind them. */

const CATALOG = '/api/2.1/unity-catalog';
const BASE = `${CATALOG}/mcp-services`;
const MAX_PAGE = 100;
const scopes = ['unity-catalog'];
const feature = 'mcpServices';
const LIST = ['parent', 'view', 'page_size', 'page_token'];
const OF_SERVICE = { path: `${BASE}/:name/user-credentials`, scopes, feature: 'serviceCredentials' } as const;

export const mcpServiceRoutes: Route[] = [
  { method: 'GET', path: BASE, query: LIST, scopes: ['unity-catalog', 'ai-gateway'], feature, handle: list },
  { method: 'GET', path: `${BASE}/:name`, scopes, feature, handle: get },
  { method: 'GET', ...OF_SERVICE, handle: serviceCredential },
  { method: 'DELETE', ...OF_SERVICE, handle: forget },
  {
    method: 'GET',
    path: `${CATALOG}/connections/:connection/user-credentials/:user`,
    query: ['dependent.mcp_service.id'],
    scopes,
    feature: 'connectionCredentials',
    handle: connectionCredential,
  },
];

/** A page is cut first, and what the caller may not use is taken out of it then; `FULL` tells of the connections. */
async function list(call: Call): Promise<unknown> {
  const parent = call.query.get('parent');
  const view = call.query.get('view') ?? 'BASIC';
  if (view !== 'BASIC' && view !== 'FULL') throw invalid(`Invalid view: ${view}`);
  const size = pageSize(call, 'page_size', MAX_PAGE, MAX_PAGE);
  const isWalk = parent === null && call.features.servicesWithoutParent === 'metastore';
  const services = isWalk ? await wholeMetastore(call) : inSchema(call, parent ?? 'schemas/system.ai');
  // Of one schema the grant has been looked at; asking again for each service is what a large catalog would feel.
  const isShown = isWalk ? mayExecute : holdsExecute;
  const page = pageOf(services, size, call.query.get('page_token'));
  return {
    mcp_services: page.items
      .filter((service) => isShown(call.state, call.principal.user, service))
      .map((service) => summary(call, service, view === 'FULL')),
    ...(page.nextPageToken && { next_page_token: page.nextPageToken }),
  };
}

async function wholeMetastore({ state, features }: Call): Promise<McpService[]> {
  await new Promise((resolve) => setTimeout(resolve, features.metastoreWalkMs));
  return state.schemas.flatMap(({ catalog, schema }) => servicesIn(state, catalog, schema));
}

/** @throws {RestFault} 400, 403 without USE SCHEMA, 404 */
function inSchema({ state, principal }: Call, parent: string): McpService[] {
  const [, catalog = '', schema = ''] = /^schemas\/([^./]+)\.([^./]+)$/.exec(parent) ?? [];
  if (schema === '') throw invalid(`Invalid parent: ${parent}`);
  const found = state.schemas.find((item) => item.catalog === catalog && item.schema === schema);
  if (!found) throw notFound(`Schema '${catalog}.${schema}' does not exist.`);
  if (!state.isGranted(principal.user, found.grantedTo)) {
    throw new RestFault(403, 'PERMISSION_DENIED', `User does not have USE SCHEMA on Schema '${catalog}.${schema}'.`);
  }
  return servicesIn(state, catalog, schema);
}

/** Only here does a service have its id, and its connection its kind. */
function get(call: Call): unknown {
  const service = usable(call);
  const body = summary(call, service, true);
  const connection = connectionOf(call.state, service);
  if (!connection) return { ...body, id: idOf(service) };
  const source = { name: `connections/${connection.name}`, is_deleted: false };
  const kind = connection.securableKind && { securable_kind: connection.securableKind };
  return { ...body, id: idOf(service), config: { ...body.config, source_connection: { ...source, ...kind } } };
}

function summary(call: Call, service: McpService, full: boolean) {
  const connection = connectionOf(call.state, service);
  const config = {
    ...(service.includeToolSelectors && { include_tool_selectors: service.includeToolSelectors }),
    ...(connection && { source_connection: { name: `connections/${connection.name}`, is_deleted: false } }),
    ...(full && connection && { connection: { status: connection.status ?? 'ACTIVE' } }),
  };
  return {
    name: service.name,
    comment: service.comment,
    mcp_service_type: connection ? 'MCP_SERVICE_TYPE_EXTERNAL_MCP' : 'MCP_SERVICE_TYPE_MANAGED',
    config,
    effective_owner: 'account users',
    created_by: 'ana@example.com',
    create_time: '2026-09-01T08:00:00Z',
    update_time: '2026-09-01T08:00:00Z',
    etag: idOf(service).slice(0, 8),
  };
}

function idOf(service: McpService): string {
  const digest = createHash('sha256').update(service.name).digest('hex');
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

function serviceCredential(call: Call): unknown {
  const connection = connectionWithCredentials(call, usable(call));
  return { provisioning_info: { state: stateOf(call, connection) } };
}

function forget(call: Call): unknown {
  const connection = connectionWithCredentials(call, usable(call));
  if (!call.state.credentials.remove(call.principal.user.id, connection.name)) throw noCredential(connection);
  return {};
}

/** Asked with the service's id, which has to be a service of this connection. */
function connectionCredential(call: Call): unknown {
  const { state, principal, params, query } = call;
  const connection = state.connections.find(({ name }) => name === params.connection);
  if (!connection) throw notFound(`Connection '${params.connection}' does not exist.`);
  if (params.user !== principal.user.userName) {
    throw new RestFault(403, 'PERMISSION_DENIED', 'Credentials of another user are not shown.');
  }
  const [catalog = '', schema = ''] = connection.name.split('.');
  const id = query.get('dependent.mcp_service.id');
  const asksFor = id === null || servicesIn(state, catalog, schema).some((service) => idOf(service) === id);
  if (!asksFor) throw invalid(`There is no MCP service with the id ${id}.`);
  if (!needsSignIn(connection)) throw noSignIn(params.connection ?? '');
  return {
    connection_user_credential: {
      connection_name: connection.name,
      user_name: principal.user.userName,
      provisioning_info: { state: stateOf(call, connection) },
    },
  };
}

function stateOf({ state, principal }: Call, connection: CatalogConnection): string {
  const found = state.credentials.stateOf(principal.user.id, connection.name);
  if (!found) throw noCredential(connection);
  return found;
}

/** @throws {RestFault} 403 without the grants, 404 for an unknown one */
function usable({ state, principal, params }: Call): McpService {
  const service = serviceNamed(state, params.name ?? '');
  if (!service) throw notFound(`MCP service '${params.name}' does not exist.`);
  if (mayExecute(state, principal.user, service)) return service;
  throw new RestFault(403, 'PERMISSION_DENIED', `User does not have EXECUTE on MCP service '${params.name}'.`);
}

function connectionWithCredentials({ state }: Call, service: McpService): CatalogConnection {
  const connection = connectionOf(state, service);
  if (!needsSignIn(connection)) throw noSignIn(fullNameOf(service));
  return connection;
}

function noSignIn(name: string): RestFault {
  return new RestFault(400, 'INVALID_STATE', `${name} holds no credentials of users.`);
}

function noCredential({ name }: CatalogConnection): RestFault {
  return notFound(`There is no credential of this user for the connection '${name}'.`);
}

function invalid(message: string): RestFault {
  return new RestFault(400, 'INVALID_PARAMETER_VALUE', message);
}

function notFound(message: string): RestFault {
  return new RestFault(404, 'RESOURCE_DOES_NOT_EXIST', message);
}
