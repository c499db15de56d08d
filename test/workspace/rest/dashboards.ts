import * as z from 'zod';
import type { Call, Route } from '../http.ts';
import { RestFault } from '../model.ts';
import type { ReplaceableState } from '../state.ts';

/** AI/BI dashboards (Lakeview API), and where they are in the workspace's tree. */

const PATH = '/api/2.0/lakeview/dashboards';
const SCOPES = ['dashboards'];

export const dashboardRoutes: Route[] = [
  { method: 'GET', path: '/api/2.0/workspace/get-status', query: ['path'], scopes: ['workspace'], handle: status },
  { method: 'POST', path: PATH, scopes: SCOPES, handle: create },
  { method: 'GET', path: `${PATH}/:id`, scopes: SCOPES, handle: (call) => record(found(call)) },
  { method: 'PATCH', path: `${PATH}/:id`, scopes: SCOPES, handle: update },
  { method: 'GET', path: `${PATH}/:id/published`, scopes: SCOPES, handle: published },
  { method: 'POST', path: `${PATH}/:id/published`, scopes: SCOPES, handle: publish },
];

interface Dashboard {
  id: string;
  name: string;
  folder: string;
  content: string;
  warehouseId: string;
  version: number;
  published: { embed_credentials: boolean; warehouse_id: string } | undefined;
}

/** By the state of their workspace, which tests may replace. */
const dashboards = new WeakMap<ReplaceableState, Dashboard[]>();

function all({ state }: Pick<Call, 'state'>): Dashboard[] {
  const known = dashboards.get(state) ?? [];
  dashboards.set(state, known);
  return known;
}

const fileOf = ({ folder, name }: Pick<Dashboard, 'folder' | 'name'>) => `${folder}/${name}.lvdash.json`;

function status(call: Call): unknown {
  const path = call.query.get('path') ?? '';
  const dashboard = all(call).find((each) => fileOf(each) === path);
  if (dashboard) return { object_type: 'DASHBOARD', path, object_id: 7, resource_id: dashboard.id };
  if (/^\/(Shared|Users\/[^/]+)$/.test(path)) return { object_type: 'DIRECTORY', path, object_id: 8, resource_id: '8' };
  throw new RestFault(404, 'RESOURCE_DOES_NOT_EXIST', `Path (${path}) doesn't exist.`);
}

const createRequest = z.strictObject({
  display_name: z.string().min(1),
  parent_path: z.string(),
  serialized_dashboard: z.string(),
  warehouse_id: z.string(),
});

function create(call: Call): unknown {
  const parsed = createRequest.safeParse(call.body);
  if (!parsed.success) throw new RestFault(400, 'INVALID_PARAMETER_VALUE', z.prettifyError(parsed.error));
  const { display_name: name, parent_path: folder, serialized_dashboard: content, warehouse_id } = parsed.data;
  if (!/^\/(Shared|Users\/[^/]+)$/.test(folder))
    throw new RestFault(404, 'RESOURCE_DOES_NOT_EXIST', `Path (${folder}) doesn't exist.`);
  if (folder.startsWith('/Users/') && folder !== `/Users/${call.principal.user.userName}` && !call.principal.user.admin)
    throw new RestFault(
      403,
      'PERMISSION_DENIED',
      `${call.principal.user.userName} has no Edit permission on ${folder}.`,
    );
  if (all(call).some((each) => fileOf(each) === fileOf({ folder, name })))
    throw new RestFault(400, 'RESOURCE_ALREADY_EXISTS', `Node named '${name}.lvdash.json' already exists.`);
  const id = `01f0${String(all(call).length + 1).padStart(28, '0')}`;
  const made: Dashboard = {
    id,
    name,
    folder,
    content: checked(content),
    warehouseId: warehouse_id,
    version: 1,
    published: undefined,
  };
  all(call).push(made);
  return record(made);
}

/** The content is checked as the real one is not documented to be: it has to be JSON with datasets and pages. */
function checked(content: string): string {
  const shape = z.object({ datasets: z.array(z.looseObject({ name: z.string() })), pages: z.array(z.looseObject({})) });
  try {
    shape.parse(JSON.parse(content));
    return content;
  } catch {
    throw new RestFault(400, 'INVALID_PARAMETER_VALUE', 'Failed to parse serialized dashboard.');
  }
}

const updateRequest = z.strictObject({
  serialized_dashboard: z.string(),
  warehouse_id: z.string(),
  etag: z.string().optional(),
});

function update(call: Call): unknown {
  const parsed = updateRequest.safeParse(call.body);
  if (!parsed.success) throw new RestFault(400, 'INVALID_PARAMETER_VALUE', z.prettifyError(parsed.error));
  const { serialized_dashboard: content, warehouse_id, etag } = parsed.data;
  const dashboard = found(call);
  if (etag !== undefined && etag !== String(dashboard.version))
    throw new RestFault(409, 'ABORTED', 'The etag does not match the dashboard’s.');
  Object.assign(dashboard, { content: checked(content), warehouseId: warehouse_id, version: dashboard.version + 1 });
  return record(dashboard);
}

const publishRequest = z.strictObject({ embed_credentials: z.boolean(), warehouse_id: z.string() });

function publish(call: Call): unknown {
  const parsed = publishRequest.safeParse(call.body);
  if (!parsed.success) throw new RestFault(400, 'INVALID_PARAMETER_VALUE', z.prettifyError(parsed.error));
  const dashboard = found(call);
  dashboard.published = parsed.data;
  return parsed.data;
}

function published(call: Call): unknown {
  const { published: shown, id } = found(call);
  if (shown) return shown;
  throw new RestFault(404, 'RESOURCE_DOES_NOT_EXIST', `Dashboard ${id} is not published.`);
}

function found(call: Call): Dashboard {
  const dashboard = all(call).find(({ id }) => id === call.params.id);
  if (dashboard) return dashboard;
  throw new RestFault(404, 'RESOURCE_DOES_NOT_EXIST', `Dashboard ${call.params.id} does not exist.`);
}

function record({ id, name, folder, content, warehouseId, version }: Dashboard): unknown {
  return {
    dashboard_id: id,
    display_name: name,
    parent_path: folder,
    path: fileOf({ folder, name }),
    serialized_dashboard: content,
    warehouse_id: warehouseId,
    etag: String(version),
    lifecycle_state: 'ACTIVE',
  };
}
