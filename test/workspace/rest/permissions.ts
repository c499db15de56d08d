import * as z from 'zod';
import { checkFields } from '../demands.ts';
import type { Call, Route } from '../http.ts';
import { RestFault, type User, type Warehouse } from '../model.ts';
import { noSuchWarehouse } from '../transitions.ts';

/** Who may use a warehouse. Reading and changing that takes the right to manage it. */

const PATH = '/api/2.0/permissions/warehouses/:id';

export const permissionRoutes: Route[] = [
  { method: 'GET', path: PATH, scopes: ['access-management'], handle: get },
  { method: 'PUT', path: PATH, scopes: ['access-management'], handle: replace },
  { method: 'PATCH', path: PATH, scopes: ['access-management'], handle: add },
  { method: 'GET', path: `${PATH}/permissionLevels`, scopes: ['access-management'], handle: levels },
];

const LEVELS: Record<string, string> = {
  CAN_USE: 'Can use the SQL warehouse',
  CAN_MONITOR: 'Can use and monitor the SQL warehouse',
  CAN_VIEW: 'Can view the SQL warehouse',
  CAN_MANAGE: 'Can manage the SQL warehouse',
  IS_OWNER: 'Is the owner of the SQL warehouse',
};

/** Of the levels only CAN_USE is kept here: the others are held by the owner and the admins, and by no one else. */
const entry = z.union([
  z.object({ user_name: z.string(), permission_level: z.literal('CAN_USE') }),
  z.object({ group_name: z.string(), permission_level: z.literal('CAN_USE') }),
  z.object({ service_principal_name: z.string(), permission_level: z.literal('CAN_USE') }),
]);
const changes = z.object({ access_control_list: z.array(entry) });

function get(call: Call): unknown {
  return permissions(call, manageable(call));
}

function replace(call: Call): unknown {
  const warehouse = manageable(call);
  const names = namesOf(call);
  warehouse.canUse.clear();
  for (const name of names) warehouse.canUse.add(name);
  return permissions(call, warehouse);
}

function add(call: Call): unknown {
  const warehouse = manageable(call);
  for (const name of namesOf(call)) warehouse.canUse.add(name);
  return permissions(call, warehouse);
}

function levels(call: Call): unknown {
  manageable(call);
  const entries = Object.entries(LEVELS);
  return { permission_levels: entries.map(([level, description]) => ({ permission_level: level, description })) };
}

function manageable(call: Call): Warehouse {
  const id = call.params.id ?? '';
  const warehouse = call.state.warehouses.find((candidate) => candidate.id === id && candidate.state !== 'DELETED');
  if (!warehouse) throw noSuchWarehouse(id);
  const { user } = call.principal;
  if (!user.admin && warehouse.creatorName !== user.userName) {
    throw new RestFault(
      403,
      'PERMISSION_DENIED',
      `${user.userName} does not have Manage permissions on the SQL warehouse ${id}. Please contact the owner or an administrator for access.`,
    );
  }
  return warehouse;
}

function namesOf(call: Call): string[] {
  const parsed = changes.safeParse(call.body);
  if (!parsed.success) throw new RestFault(400, 'INVALID_PARAMETER_VALUE', z.prettifyError(parsed.error));
  checkFields(call, ['access_control_list']);
  return parsed.data.access_control_list.map((item) => {
    if ('user_name' in item) return item.user_name;
    return 'group_name' in item ? item.group_name : item.service_principal_name;
  });
}

function permissions(call: Call, warehouse: Warehouse): unknown {
  const granted = [...warehouse.canUse].map((name) => ({
    ...naming(call.state.users, name),
    all_permissions: [{ permission_level: 'CAN_USE', inherited: false }],
  }));
  const owner = {
    ...naming(call.state.users, warehouse.creatorName),
    all_permissions: [{ permission_level: 'IS_OWNER', inherited: false }],
  };
  const admins = {
    group_name: 'admins',
    all_permissions: [{ permission_level: 'CAN_MANAGE', inherited: true, inherited_from_object: ['/sql/warehouses/'] }],
  };
  return {
    object_id: `/sql/warehouses/${warehouse.id}`,
    object_type: 'warehouses',
    access_control_list: [owner, ...granted, admins],
  };
}

function naming(users: User[], name: string): Record<string, string> {
  const user = users.find(({ userName }) => userName === name);
  if (!user) return { group_name: name };
  const key = user.servicePrincipal ? 'service_principal_name' : 'user_name';
  return { [key]: name, display_name: user.displayName };
}
