import type { WarehouseInfo } from '../../preload/contract/warehouse.ts';
import { CausewayError } from '../platform/errors.ts';
import type { RestClient } from '../workspace/client.ts';
import type { ScimUser } from '../workspace/scim.ts';
import type { Warehouse } from '../workspace/warehouses.ts';

import { type UserSummary, userSummary } from './users.ts';

export type WarehouseSummary = WarehouseInfo;

/** A user or a service principal, as far as it could be read. */
interface DirectoryUser extends UserSummary, Pick<ScimUser, 'groups' | 'active'> {
  kind: 'user' | 'service-principal';
}

/** The users (service principals too) and warehouses of a workspace by their ids, as far as they could be read. */
export interface Directory {
  users: Map<string, DirectoryUser>;
  /** Whether `users` is complete. */
  usersComplete: boolean;
  warehouses: Map<string, Warehouse>;
  warehousesComplete: boolean;
}

const KINDS = { Users: 'user', ServicePrincipals: 'service-principal' } as const;

/**
 * Reads all users, with their groups if those are wanted, and all warehouses, keeping only the fields that are used. What
 * cannot be read is left out.
 */
export async function readDirectory(
  client: Pick<RestClient, 'users' | 'warehouses'>,
  { withGroups }: { withGroups: boolean },
  signal?: AbortSignal,
): Promise<Directory> {
  const users: Directory['users'] = new Map();
  const readUsers = (kind: 'Users' | 'ServicePrincipals') =>
    readWhole(async () => {
      for await (const user of client.users.list({ kind, withGroups }, signal)) {
        const { active, groups } = user;
        const named = { ...userSummary(user), kind: KINDS[kind], ...(active !== undefined && { active }) };
        users.set(user.id, withGroups ? { ...named, groups } : named);
      }
    });
  const warehouses = new Map<string, Warehouse>();
  const [allUsersRead, allPrincipalsRead, warehousesComplete] = await Promise.all([
    readUsers('Users'),
    readUsers('ServicePrincipals'),
    readWhole(async () => {
      for await (const warehouse of client.warehouses.list({}, signal)) warehouses.set(warehouse.id, warehouse);
    }),
  ]);
  return { users, usersComplete: allUsersRead && allPrincipalsRead, warehouses, warehousesComplete };
}

/** Returns whether everything could be read. Without names, ids are shown. */
async function readWhole(read: () => Promise<void>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (error instanceof CausewayError && error.code !== 'cancelled') return false;
    throw error;
  }
}

/** What users are shown of a warehouse. `usable` holds the ids that the user may run queries on, if that could be read. */
export function summarize(warehouse: Warehouse, usable: ReadonlySet<string> | undefined): WarehouseSummary {
  return {
    id: warehouse.id,
    name: warehouse.name || warehouse.id,
    state: warehouse.state,
    size: warehouse.cluster_size,
    type: warehouse.warehouse_type ?? '',
    serverless: warehouse.enable_serverless_compute,
    canUse: usable === undefined ? 'unknown' : usable.has(warehouse.id),
  };
}
