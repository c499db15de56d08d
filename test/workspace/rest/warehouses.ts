import type { Call, Route } from '../http.ts';
import { RestFault, type Warehouse } from '../model.ts';
import { noSuchWarehouse } from '../transitions.ts';
import { pageOf, pageSize } from './paging.ts';

/**
 * SQL warehouses: listed, read, started, stopped, deleted. Unless a workspace hides them, everybody sees all;
 * who may use one is another matter.
 */

const BASE = '/api/2.0/sql/warehouses';
const MAX_PAGE = 1000;

export const warehouseRoutes: Route[] = [
  { method: 'GET', path: BASE, query: ['page_size', 'page_token', 'skip_cannot_use'], scopes: ['sql'], handle: list },
  { method: 'GET', path: `${BASE}/default`, scopes: ['sql'], feature: 'defaultWarehouse', handle: getDefault },
  { method: 'GET', path: `${BASE}/:id`, scopes: ['sql'], handle: get },
  { method: 'POST', path: `${BASE}/:id/start`, scopes: ['sql'], handle: start },
  { method: 'POST', path: `${BASE}/:id/stop`, scopes: ['sql'], handle: stop },
  { method: 'DELETE', path: `${BASE}/:id`, scopes: ['sql'], handle: remove },
];

/** `skip_cannot_use` filters what is on a page, after it was cut: a page may be empty and still have a next one. */
function list(call: Call): unknown {
  const { state, principal } = call;
  const listed = state.warehouses.filter((warehouse) => warehouse.state !== 'DELETED' && isSeen(call, warehouse));
  const page = pageOf(listed, pageSize(call, 'page_size', MAX_PAGE, MAX_PAGE), call.query.get('page_token'));
  const usableOnly = call.query.get('skip_cannot_use') === 'true';
  const shown = page.items.filter((warehouse) => !usableOnly || state.mayUse(principal.user, warehouse));
  return {
    warehouses: shown.map((warehouse) => endpointInfo(call, warehouse)),
    ...(page.nextPageToken && { next_page_token: page.nextPageToken }),
  };
}

function get(call: Call): unknown {
  return endpointInfo(call, find(call, call.params.id ?? ''));
}

/** The workspace's default; the caller's override is not looked at. */
function getDefault(call: Call): unknown {
  const id = call.state.workspaceDefaultWarehouseId;
  const warehouse = call.state.warehouses.find((candidate) => candidate.id === id && candidate.state !== 'DELETED');
  if (!warehouse) {
    throw new RestFault(404, 'RESOURCE_DOES_NOT_EXIST', 'This workspace has no default SQL warehouse.');
  }
  checkSeen(call, warehouse);
  return endpointInfo(call, warehouse);
}

function start(call: Call): unknown {
  const warehouse = find(call, call.params.id ?? '');
  if (!call.state.mayUse(call.principal.user, warehouse)) throw denied('start', warehouse);
  call.state.startWarehouse(warehouse.id);
  return {};
}

function stop(call: Call): unknown {
  call.state.stopWarehouse(managed(call, 'stop').id);
  return {};
}

function remove(call: Call): unknown {
  call.state.deleteWarehouse(managed(call, 'delete').id);
  return {};
}

/** Stopping and deleting need CAN_MANAGE: a workspace admin, or who made the warehouse. */
function managed(call: Call, action: string): Warehouse {
  const warehouse = find(call, call.params.id ?? '');
  const { user } = call.principal;
  if (!user.admin && warehouse.creatorName !== user.userName) throw denied(action, warehouse);
  return warehouse;
}

/** A deleted warehouse can still be read by its id, as DELETED. */
function find(call: Call, id: string): Warehouse {
  const warehouse = call.state.warehouses.find((candidate) => candidate.id === id);
  if (!warehouse) throw noSuchWarehouse(id);
  checkSeen(call, warehouse);
  return warehouse;
}

/** CAN VIEW or better. Of the levels only CAN_USE is kept here, and it includes the details (facts/observability.md §2). */
function isSeen({ behaviors, state, principal }: Call, warehouse: Warehouse): boolean {
  return !behaviors.has('hidesWarehouses') || state.mayUse(principal.user, warehouse);
}

function checkSeen(call: Call, warehouse: Warehouse): void {
  if (isSeen(call, warehouse)) return;
  throw call.behaviors.has('hiddenIsMissing') ? noSuchWarehouse(warehouse.id) : denied('view', warehouse);
}

function denied(action: string, warehouse: Warehouse): RestFault {
  return new RestFault(
    403,
    'PERMISSION_DENIED',
    `You do not have permission to ${action} the SQL warehouse ${action === 'view' ? '' : `${warehouse.name} `}(${warehouse.id}).`,
  );
}

function endpointInfo(call: Call, warehouse: Warehouse): unknown {
  const running = warehouse.state === 'RUNNING';
  const isOdd = call.behaviors.has('unknownMembers');
  const hostname = 'workspace.invalid';
  const path = `/sql/1.0/warehouses/${warehouse.id}`;
  return {
    id: warehouse.id,
    name: warehouse.name,
    size: warehouse.clusterSize,
    cluster_size: warehouse.clusterSize,
    min_num_clusters: 1,
    max_num_clusters: 2,
    auto_stop_mins: warehouse.autoStopMinutes,
    creator_name: warehouse.creatorName,
    tags: { custom_tags: [] },
    spot_instance_policy: isOdd ? 'CARBON_OPTIMIZED' : 'COST_OPTIMIZED',
    enable_photon: true,
    enable_serverless_compute: warehouse.serverless,
    warehouse_type: 'PRO',
    channel: { name: isOdd ? 'CHANNEL_NAME_NEXT' : 'CHANNEL_NAME_CURRENT' },
    num_clusters: running ? 1 : 0,
    num_active_sessions: 0,
    state: warehouse.state,
    health: running ? { status: isOdd ? 'RECOVERING' : 'HEALTHY' } : {},
    ...(isOdd && { compute_kind: 'LAKEHOUSE_RT' }),
    jdbc_url: `jdbc:databricks://${hostname}:443/default;httpPath=${path};workspaceId=${call.state.workspaceId}`,
    odbc_params: { hostname, path, port: 443, protocol: 'https' },
  };
}
