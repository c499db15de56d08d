import { CausewayError } from '../platform/errors.ts';
import type { RestClient } from '../workspace/client.ts';
import type { ScimUser } from '../workspace/scim.ts';
import type { Warehouse } from '../workspace/warehouses.ts';
import { asPerson, type Person } from './people.ts';

/** The users (service principals too) and warehouses of a workspace by their ids, as far as they could be read. */
export interface Directory {
  people: Map<string, Person & Pick<ScimUser, 'groups'>>;
  /** Whether `people` holds everybody. */
  peopleComplete: boolean;
  warehouses: Map<string, Warehouse>;
  warehousesComplete: boolean;
}

/**
 * Reads everybody, with their groups if those are wanted, and every warehouse, keeping no more of them than is used. What
 * cannot be read is left out.
 */
export async function readDirectory(
  client: Pick<RestClient, 'users' | 'warehouses'>,
  { withGroups }: { withGroups: boolean },
  signal?: AbortSignal,
): Promise<Directory> {
  const people: Directory['people'] = new Map();
  const readPeople = (kind: 'Users' | 'ServicePrincipals') =>
    readWhole(async () => {
      for await (const user of client.users.list({ kind, withGroups }, signal)) {
        people.set(user.id, withGroups ? { ...asPerson(user), groups: user.groups } : asPerson(user));
      }
    });
  const warehouses = new Map<string, Warehouse>();
  const [usersComplete, principalsComplete, warehousesComplete] = await Promise.all([
    readPeople('Users'),
    readPeople('ServicePrincipals'),
    readWhole(async () => {
      for await (const warehouse of client.warehouses.list({}, signal)) warehouses.set(warehouse.id, warehouse);
    }),
  ]);
  return { people, peopleComplete: usersComplete && principalsComplete, warehouses, warehousesComplete };
}

/** Names are a convenience: without them ids are shown. Gives whether everything could be read. */
async function readWhole(read: () => Promise<void>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (error instanceof CausewayError && error.code !== 'cancelled') return false;
    throw error;
  }
}
