import { z } from 'zod';
import type { Rest } from './rest.ts';
import type { ScimUser } from './scim.ts';

const Entry = z.looseObject({
  user_name: z.string().optional(),
  group_name: z.string().optional(),
  service_principal_name: z.string().optional(),
  all_permissions: z.array(z.looseObject({ permission_level: z.string().optional() })).default([]),
});
const Permissions = z.looseObject({ access_control_list: z.array(Entry).default([]) });

/** Who may do what with one warehouse. */
export type AccessEntry = z.infer<typeof Entry>;

/** Levels that include running queries; `CAN_VIEW` does not. */
const MAY_USE = new Set(['CAN_USE', 'CAN_MONITOR', 'CAN_MANAGE', 'IS_OWNER']);

/**
 * Whether a user may run queries on a warehouse, by name or through a group; `unknown` if the user's groups are. Every
 * user is in `users`, whether the workspace says so or not.
 */
export function mayUse(list: readonly AccessEntry[], user: Pick<ScimUser, 'userName' | 'groups'>): boolean | 'unknown' {
  const granting = list.filter((entry) =>
    entry.all_permissions.some(({ permission_level }) => MAY_USE.has(permission_level ?? '')),
  );
  const groups = new Set(user.groups?.map(({ display }) => display));
  const isUser = ({ user_name, service_principal_name, group_name }: AccessEntry) =>
    user_name === user.userName ||
    service_principal_name === user.userName ||
    (group_name !== undefined && (group_name === 'users' || groups.has(group_name)));
  if (granting.some(isUser)) return true;
  return user.groups === undefined ? 'unknown' : false;
}

/** The permissions API over one REST client. */
export function permissionsApi(rest: Rest) {
  return {
    /** Needs the right to manage the warehouse. */
    ofWarehouse: async (id: string, signal?: AbortSignal) => {
      const path = `/api/2.0/permissions/warehouses/${encodeURIComponent(id)}`;
      return (await rest.request({ path, schema: Permissions, signal })).access_control_list;
    },
  };
}
