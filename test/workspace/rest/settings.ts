import { createHash } from 'node:crypto';
import * as z from 'zod';
import { checkFields } from '../demands.ts';
import type { Call, Route } from '../http.ts';
import { RestFault } from '../model.ts';

/** The admin setting `default_warehouse_id`, a private preview: the workspace's default warehouse, guarded by an etag. */

const PATH = '/api/2.0/settings/types/default_warehouse_id/names/default';

export const settingsRoutes: Route[] = [
  { method: 'GET', path: PATH, query: ['etag'], scopes: ['settings'], feature: 'defaultWarehouseSetting', handle: get },
  { method: 'PATCH', path: PATH, scopes: ['settings'], feature: 'defaultWarehouseSetting', handle: update },
  {
    method: 'DELETE',
    path: PATH,
    query: ['etag'],
    scopes: ['settings'],
    feature: 'defaultWarehouseSetting',
    handle: remove,
  },
];

const updateRequest = z.object({
  allow_missing: z.literal(true),
  field_mask: z.literal('string_val.value'),
  setting: z.object({
    etag: z.string().optional(),
    setting_name: z.literal('default').optional(),
    string_val: z.object({ value: z.string().min(1) }),
  }),
});

function get(call: Call): unknown {
  checkAdmin(call);
  if (call.state.workspaceDefaultWarehouseId === undefined) {
    throw new RestFault(404, 'RESOURCE_DOES_NOT_EXIST', 'The setting default_warehouse_id is not set.');
  }
  checkEtag(call, call.query.get('etag') ?? undefined);
  return value(call);
}

function update(call: Call): unknown {
  checkAdmin(call);
  const parsed = updateRequest.safeParse(call.body);
  if (!parsed.success) throw new RestFault(400, 'INVALID_PARAMETER_VALUE', z.prettifyError(parsed.error));
  checkFields(call, ['allow_missing', 'field_mask', 'setting']);
  const { etag, string_val: wanted } = parsed.data.setting;
  checkEtag(call, etag);
  const found = call.state.warehouses.some(({ id, state }) => id === wanted.value && state !== 'DELETED');
  if (!found) throw new RestFault(400, 'INVALID_PARAMETER_VALUE', `SQL warehouse ${wanted.value} does not exist.`);
  call.state.setWorkspaceDefault(wanted.value);
  return value(call);
}

function remove(call: Call): unknown {
  checkAdmin(call);
  checkEtag(call, call.query.get('etag') ?? undefined);
  call.state.setWorkspaceDefault(undefined);
  return { etag: etagOf(call) };
}

function checkAdmin(call: Call): void {
  if (call.principal.user.admin) return;
  throw new RestFault(
    403,
    'PERMISSION_DENIED',
    'Only workspace admins may read or change the setting default_warehouse_id.',
  );
}

/** An etag that was read before someone else's change is stale; whoever sends none takes the risk. */
function checkEtag(call: Call, etag: string | undefined): void {
  if (etag === undefined || etag === '' || etag === etagOf(call)) return;
  throw new RestFault(
    409,
    'ABORTED',
    'The etag is stale: the setting was changed in the meantime. Read it and try again.',
  );
}

function value(call: Call): unknown {
  return {
    etag: etagOf(call),
    setting_name: 'default',
    string_val: { value: call.state.workspaceDefaultWarehouseId },
  };
}

function etagOf({ state }: Call): string {
  const version = `${state.workspaceDefaultVersion}:${state.workspaceDefaultWarehouseId ?? ''}`;
  return createHash('sha256').update(version).digest('base64').slice(0, 22);
}
