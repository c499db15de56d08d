import type { Override, User, Warehouse } from './model.ts';

/**
 * A world of a size that people complain about: `ana@example.com` is its only admin, one override in ten is
 * `LAST_SELECTED`, and one in a hundred names a warehouse that is not there.
 */
export function largeWorld(size: { overrides: number; warehouses: number }): {
  users: User[];
  warehouses: Warehouse[];
  overrides: Override[];
} {
  const users: User[] = Array.from({ length: size.overrides }, (_, at) => ({
    id: String(9_100_000_000_000_000_000n + BigInt(at)),
    userName: at === 0 ? 'ana@example.com' : `person-${at}@example.com`,
    displayName: `Person ${at}`,
    admin: at === 0,
    groups: at === 0 ? ['users', 'admins'] : ['users'],
    active: true,
    servicePrincipal: false,
  }));
  const warehouses: Warehouse[] = Array.from({ length: size.warehouses }, (_, at) => ({
    id: at.toString(16).padStart(16, '0'),
    name: `team ${at} of department ${at % 40}`,
    state: at % 3 === 0 ? 'RUNNING' : 'STOPPED',
    clusterSize: 'Small',
    serverless: at % 2 === 0,
    creatorName: 'ana@example.com',
    autoStopMinutes: 10,
    canUse: new Set(['users']),
  }));
  const overrides: Override[] = users.map(({ id }, at) => ({
    userId: id,
    type: at % 10 === 0 ? 'LAST_SELECTED' : 'CUSTOM',
    warehouseId:
      at % 10 === 0
        ? undefined
        : (at % 101 === 0 ? at + 1_000_000 : at % size.warehouses).toString(16).padStart(16, '0'),
  }));
  return { users, warehouses, overrides };
}
