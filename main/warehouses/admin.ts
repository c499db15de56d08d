import { CausewayError } from '../platform/errors.ts';
import type { RestClient } from '../workspace/client.ts';
import { type OverrideFields, type OverrideRecord, ownerOf } from '../workspace/overrides.ts';
import { gather } from '../workspace/paging.ts';
import { mayUse } from '../workspace/permissions.ts';
import { type Access, accessFrom, readAccess, readPermissions } from './access.ts';
import { type AllOptions, allOverrides, type OverrideRow } from './all-overrides.ts';
import type { BulkLine } from './bulk/csv.ts';
import { type PlannedLine, planImport, targetsOf, withWarnings } from './bulk/plan.ts';
import { readDirectory } from './directory.ts';
import { clearOverride, type StoredOverride, setOverride } from './override-changes.ts';
import type { OverrideOperations } from './override-operations.ts';
import { findPeople, findPerson, type Person } from './people.ts';

/** What a workspace admin does for other users. User ids are numeric strings. */
export interface WarehouseAdmin {
  /** The user that an id, a user name, an e-mail address or a part of a name means. */
  findUser(text: string, signal?: AbortSignal): Promise<Person>;
  /** Everybody whom a text may mean, best look-up first. @throws {CausewayError} `not_found` */
  findUsers(text: string, signal?: AbortSignal): Promise<Person[]>;
  override(userId: string, signal?: AbortSignal): Promise<OverrideRecord | null>;
  setOverride(userId: string, fields: OverrideFields, signal?: AbortSignal): Promise<StoredOverride>;
  clearOverride(userId: string, signal?: AbortSignal): Promise<'cleared' | 'had-none'>;
  /** Whether a user may run queries on a warehouse; `unknown` where the caller may not read that. */
  canUse(userId: string, warehouseId: string, signal?: AbortSignal): Promise<boolean | 'unknown'>;
  /** Who may run queries on these warehouses, read once for all users. */
  access(warehouseIds: ReadonlySet<string>, signal?: AbortSignal): Promise<Access>;
  /** Every user's override, as the pages arrive. */
  all(options?: AllOptions, signal?: AbortSignal): AsyncGenerator<OverrideRow>;
  /** What an import would change. @throws {CausewayError} `permission_denied` for who is no workspace admin */
  planImport(lines: readonly BulkLine[], signal?: AbortSignal): Promise<PlannedLine[]>;
}

/** The admin's half of the warehouse service. The workspace decides who is an admin; nothing is refused here. */
export function createWarehouseAdmin(client: RestClient, operations: OverrideOperations): WarehouseAdmin {
  return {
    findUser: (text, signal) => findPerson(client.users, text, signal),
    findUsers: (text, signal) => findPeople(client.users, text, signal),
    override: (userId, signal) => operations.find(userId, signal),
    setOverride: (userId, fields, signal) => setOverride(operations, userId, fields, signal),
    clearOverride: (userId, signal) => clearOverride(operations, userId, signal),
    canUse: (userId, warehouseId, signal) => canUse(client, userId, warehouseId, signal),
    access: (warehouseIds, signal) => readAccess(client, warehouseIds, signal),
    all: (options, signal) => allOverrides(client, options, signal),
    planImport: async (lines, signal) => {
      const [directory, present] = await Promise.all([
        readDirectory(client, { withGroups: true }, signal),
        gather(operations.list(signal)),
      ]);
      const plan = planImport(lines, directory, new Map(present.map((record) => [ownerOf(record), record])));
      const lists = await readPermissions(client, targetsOf(plan), signal);
      return withWarnings(plan, accessFrom(directory.people, lists), directory);
    },
  };
}

async function canUse(
  { users, permissions }: RestClient,
  userId: string,
  warehouseId: string,
  signal?: AbortSignal,
): Promise<boolean | 'unknown'> {
  try {
    const [user, list] = await Promise.all([users.get(userId, signal), permissions.ofWarehouse(warehouseId, signal)]);
    return mayUse(list, user);
  } catch (error) {
    if (error instanceof CausewayError && error.code !== 'cancelled') return 'unknown';
    throw error;
  }
}
