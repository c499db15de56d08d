import * as z from 'zod';
import { checkFields } from '../demands.ts';
import type { Call, Route } from '../http.ts';
import { type Override, RestFault, type User } from '../model.ts';
import { pageOf, pageSize } from './paging.ts';

/** The per-user default warehouse override (spec/default-warehouse-override.md › Endpoints). */

const BASE = '/api/warehouses/v1/default-warehouse-overrides';
const DEFAULT_PAGE = 100;
const MAX_PAGE = 1000;

/** What a caller may write; the record's names are output only, and what else is sent is ignored. */
const writable = z.object({ type: z.unknown().optional(), warehouse_id: z.unknown().optional() });
type Writable = z.infer<typeof writable>;

/** All that a record has: who writes it may send back what was read. */
const RECORD_FIELDS = ['default_warehouse_override_id', 'name', 'type', 'warehouse_id'];

const MASK_FIELDS = ['type', 'warehouse_id'] as const;
type MaskField = (typeof MASK_FIELDS)[number];

const common: Pick<Route, 'scopes' | 'feature'> = { scopes: ['sql'], feature: 'overrides' };

export const overrideRoutes: Route[] = [
  { method: 'POST', path: BASE, query: ['default_warehouse_override_id'], ...common, handle: create },
  { method: 'GET', path: BASE, query: ['page_size', 'page_token'], ...common, handle: list },
  { method: 'GET', path: `${BASE}/:id`, ...common, handle: get },
  { method: 'PATCH', path: `${BASE}/:id`, query: ['update_mask', 'allow_missing'], ...common, handle: update },
  { method: 'DELETE', path: `${BASE}/:id`, ...common, handle: remove },
];

function create(call: Call): unknown {
  const id = call.query.get('default_warehouse_override_id');
  if (!id) throw invalid('default_warehouse_override_id is required: `me` or a numeric user id.');
  const user = ownerOf(call, id);
  if (call.state.overrides.has(user.id) && !call.behaviors.has('createReplaces')) {
    throw new RestFault(409, 'ALREADY_EXISTS', `A default warehouse override of user ${user.id} already exists.`);
  }
  return store(call, whole(call, user.id, bodyOf(call)));
}

function get(call: Call): unknown {
  return record(call, existing(call, recordOwner(call)));
}

function update(call: Call): unknown {
  const user = ownerOf(call, call.params.id ?? '');
  const body = bodyOf(call);
  const mask = call.query.get('update_mask');
  if (!mask) throw invalid('update_mask is required: `*` or field names separated by commas.');
  if (!call.state.overrides.has(user.id) && allowMissing(call)) return store(call, whole(call, user.id, body));
  const current = existing(call, user);
  if (mask === '*') return store(call, whole(call, user.id, body));
  return store(call, patched(call, current, body, fieldsOf(mask)));
}

function remove(call: Call): unknown {
  const owner = recordOwner(call);
  if (!call.behaviors.has('deletesNothing')) existing(call, owner);
  call.state.overrides.delete(owner.id);
  return {};
}

function list(call: Call): unknown {
  if (!call.principal.user.admin) throw denied('list the default warehouse overrides of this workspace');
  const size = pageSize(call, 'page_size', DEFAULT_PAGE, MAX_PAGE);
  const page = pageOf([...call.state.overrides.values()], size, call.query.get('page_token'));
  return {
    default_warehouse_overrides: page.items.map((override) => record(call, override)),
    ...(page.nextPageToken && { next_page_token: page.nextPageToken }),
  };
}

/** The user that `me` or an id names. Who may not act for others learns nothing about who exists. */
function ownerOf(call: Call, id: string): User {
  const caller = call.principal.user;
  if (id === 'me' || id === caller.id) return caller;
  if (!/^\d+$/.test(id))
    throw invalid(`Invalid default warehouse override id: ${id}. Use \`me\` or a numeric user id.`);
  if (!caller.admin) throw denied(`act on the default warehouse override of user ${id}`);
  const user = call.state.users.find((candidate) => candidate.id === id);
  if (!user) throw new RestFault(404, 'NOT_FOUND', `User ${id} does not exist.`);
  return user;
}

/** Whose record it is. The override of a user who was deleted stays until it is removed. */
function recordOwner(call: Call): Pick<User, 'id'> {
  const id = call.params.id ?? '';
  return call.principal.user.admin && call.state.overrides.has(id) ? { id } : ownerOf(call, id);
}

function existing(call: Call, user: Pick<User, 'id'>): Override {
  const override = call.state.overrides.get(user.id);
  if (!override) throw new RestFault(404, 'NOT_FOUND', `User ${user.id} has no default warehouse override.`);
  return override;
}

function bodyOf(call: Call): Writable {
  const parsed = writable.safeParse(call.body);
  if (!parsed.success) throw invalid('The request body must be a default warehouse override.');
  checkFields(call, RECORD_FIELDS);
  return parsed.data;
}

function allowMissing(call: Call): boolean {
  const value = call.query.get('allow_missing') ?? 'false';
  if (value !== 'true' && value !== 'false') throw invalid(`allow_missing must be true or false, not ${value}.`);
  return value === 'true';
}

function fieldsOf(mask: string): Set<MaskField> {
  const fields = new Set<MaskField>();
  for (const name of mask.split(',')) {
    const field = MASK_FIELDS.find((candidate) => candidate === name);
    if (!field) throw invalid(`update_mask names an unknown field: ${name}`);
    fields.add(field);
  }
  return fields;
}

/** An override made of the body alone, as create and a mask of `*` want it. */
function whole(call: Call, userId: string, body: Writable): Override {
  const type = typeOf(body);
  if (type === 'LAST_SELECTED') return { userId, type, warehouseId: undefined };
  return { userId, type, warehouseId: warehouseOf(call, body) };
}

/** The stored override with the fields that the mask names taken from the body; `type` has to be there in any case. */
function patched(call: Call, current: Override, body: Writable, fields: Set<MaskField>): Override {
  const asked = typeOf(body);
  const type = fields.has('type') ? asked : current.type;
  if (type === 'LAST_SELECTED') {
    if (fields.has('warehouse_id') && !fields.has('type')) {
      throw invalid('warehouse_id goes with the type CUSTOM: name `type` in update_mask too.');
    }
    return { userId: current.userId, type, warehouseId: undefined };
  }
  const warehouseId = fields.has('warehouse_id') ? warehouseOf(call, body) : current.warehouseId;
  if (!warehouseId) throw invalid('warehouse_id is required when type is CUSTOM.');
  return { userId: current.userId, type, warehouseId };
}

function typeOf(body: Writable): Override['type'] {
  if (body.type === 'CUSTOM' || body.type === 'LAST_SELECTED') return body.type;
  if (body.type === undefined) throw invalid('type is required: CUSTOM or LAST_SELECTED.');
  throw invalid(`Unknown default warehouse override type: ${String(body.type)}. Use CUSTOM or LAST_SELECTED.`);
}

/** Whether its user may use the warehouse is not asked here: the user's queries fail when they start. */
function warehouseOf(call: Call, body: Writable): string {
  const id = body.warehouse_id;
  if (typeof id !== 'string' || id === '') throw invalid('warehouse_id is required when type is CUSTOM.');
  const found = call.state.warehouses.some((warehouse) => warehouse.id === id && warehouse.state !== 'DELETED');
  if (!found && !call.behaviors.has('acceptsAnyTarget')) throw invalid(`SQL warehouse ${id} does not exist.`);
  return id;
}

function store(call: Call, override: Override): unknown {
  call.state.overrides.set(override.userId, override);
  return call.behaviors.has('answersChangesWithNothing') ? {} : record(call, override);
}

function record({ behaviors }: Call, override: Override): unknown {
  return {
    name: `default-warehouse-overrides/${override.userId}`,
    default_warehouse_override_id: override.userId,
    type: override.type,
    ...(override.warehouseId && { warehouse_id: override.warehouseId }),
    ...(behaviors.has('unknownMembers') && { effective_scope: 'ALL_SURFACES' }),
  };
}

function invalid(message: string): RestFault {
  return new RestFault(400, 'INVALID_PARAMETER_VALUE', message);
}

function denied(action: string): RestFault {
  return new RestFault(403, 'PERMISSION_DENIED', `Only workspace admins may ${action}.`);
}
