import { CausewayError } from '../platform/errors.ts';
import type { RestClient } from '../workspace/client.ts';
import { type AccessEntry, mayUse } from '../workspace/permissions.ts';
import type { ScimUser } from '../workspace/scim.ts';

/** Whether a user may run queries on a warehouse; `unknown` where it could not be read. */
export type Access = (userId: string, warehouseId: string) => boolean | 'unknown';

/** How many permission lists are asked for at a time. */
const AT_ONCE = 8;

/** Reads who may use these warehouses, for all users at once. What cannot be read is `unknown`. */
export async function readAccess(
  { users, permissions }: Pick<RestClient, 'users' | 'permissions'>,
  warehouseIds: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<Access> {
  const people = new Map<string, ScimUser>();
  const lists = new Map<string, AccessEntry[]>();
  const queue = warehouseIds.values();
  const readLists = async () => {
    for (const id of queue) {
      await orLess(async () => {
        lists.set(id, await permissions.ofWarehouse(id, signal));
      });
    }
  };
  const readPeople = (kind: 'Users' | 'ServicePrincipals') =>
    orLess(async () => {
      for await (const { id, userName, groups } of users.list({ kind, withGroups: true }, signal)) {
        people.set(id, { id, userName, groups });
      }
    });
  await Promise.all([
    readPeople('Users'),
    readPeople('ServicePrincipals'),
    ...Array.from({ length: AT_ONCE }, readLists),
  ]);
  return (userId, warehouseId) => {
    const user = people.get(userId);
    const list = lists.get(warehouseId);
    return user && list ? mayUse(list, user) : 'unknown';
  };
}

async function orLess(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code === 'cancelled') throw error;
  }
}
