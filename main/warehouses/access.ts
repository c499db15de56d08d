import { CausewayError } from '../platform/errors.ts';
import type { RestClient } from '../workspace/client.ts';
import { type AccessEntry, mayUse } from '../workspace/permissions.ts';
import type { ScimUser } from '../workspace/scim.ts';

/** Whether a user may run queries on a warehouse; `unknown` if it could not be read. */
export type Access = (userId: string, warehouseId: string) => boolean | 'unknown';

/** What the answer needs of each user, by the id. */
type Users = ReadonlyMap<string, Pick<ScimUser, 'id' | 'userName' | 'groups'>>;

/** How many permission lists are asked for at a time. */
const AT_ONCE = 8;

/** Reads who may use these warehouses, for all users at once. What cannot be read is `unknown`. */
export async function readAccess(
  client: Pick<RestClient, 'users' | 'permissions'>,
  warehouseIds: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<Access> {
  const [users, lists] = await Promise.all([readUsers(client, signal), readPermissions(client, warehouseIds, signal)]);
  return accessFrom(users, lists);
}

/** The permission lists of warehouses, as far as they can be read: one request for each. */
export async function readPermissions(
  { permissions }: Pick<RestClient, 'permissions'>,
  warehouseIds: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, AccessEntry[]>> {
  const lists = new Map<string, AccessEntry[]>();
  const queue = warehouseIds.values();
  const work = async () => {
    for (const id of queue) {
      await asFarAsReadable(async () => {
        lists.set(id, await permissions.ofWarehouse(id, signal));
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return lists;
}

/** The answer from what was read. A workspace that shows groups at all omits them only for users in none. */
export function accessFrom(users: Users, lists: ReadonlyMap<string, AccessEntry[]>): Access {
  const showsGroups = [...users.values()].some(({ groups }) => groups !== undefined);
  return (userId, warehouseId) => {
    const user = users.get(userId);
    const list = lists.get(warehouseId);
    if (!user || !list) return 'unknown';
    return mayUse(list, showsGroups ? { ...user, groups: user.groups ?? [] } : user);
  };
}

async function readUsers({ users }: Pick<RestClient, 'users'>, signal: AbortSignal | undefined): Promise<Users> {
  const all = new Map<string, Pick<ScimUser, 'id' | 'userName' | 'groups'>>();
  const read = (kind: 'Users' | 'ServicePrincipals') =>
    asFarAsReadable(async () => {
      for await (const { id, userName, groups } of users.list({ kind, withGroups: true }, signal)) {
        all.set(id, { id, userName, groups });
      }
    });
  await Promise.all([read('Users'), read('ServicePrincipals')]);
  return all;
}

async function asFarAsReadable(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code === 'cancelled') throw error;
  }
}
