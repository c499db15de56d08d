import { CausewayError } from '../platform/errors.ts';
import { type RetryClock, systemClock } from '../platform/retry.ts';
import type { RestClient } from '../workspace/client.ts';
import { type OverrideFields, type OverrideRecord, ownerOf } from '../workspace/overrides.ts';
import { gather } from '../workspace/paging.ts';
import { mayUse } from '../workspace/permissions.ts';
import { type Access, accessFrom, readAccess, readPermissions } from './access.ts';
import { type AllOptions, allOverrides, type UserOverride } from './all-overrides.ts';
import type { ImportLine } from './bulk/files.ts';
import { type PlannedLine, planImport, targetsOf, withWarnings } from './bulk/plan.ts';
import { type CliDefault, cliDefault } from './cli-default.ts';
import type { WarehouseSummary } from './directory.ts';
import { readDirectory, summarize } from './directory.ts';
import type { EffectiveWarehouse } from './effective.ts';
import { type SqlServer, type SqlServerChoice, warehousesToStop } from './end-to-end.ts';
import { clearOverride, type StoredOverride, setOverride } from './override-changes.ts';
import { type OverrideOperations, overrideOperations } from './override-operations.ts';
import { takeReadings, takeReadingsAgain } from './readings.ts';
import { surveyOf, type WarehouseSurvey } from './survey.ts';
import { findUser, searchUsers, type UserSummary } from './users.ts';
import { type CheckResult, type VerifyOptions, verifyWarehouse } from './verify.ts';

/** One signed-in user's warehouses in one workspace. */
export interface WarehouseService {
  /** The effective warehouse and all the others, read at one moment. */
  survey(signal?: AbortSignal): Promise<WarehouseSurvey>;
  /** The same a moment later: who the user is and what they may use is taken over from the earlier one. */
  surveyAgain(earlier: WarehouseSurvey, signal?: AbortSignal): Promise<WarehouseSurvey>;
  /** Which warehouse this user's queries run on, and why. Read again each time. */
  effective(signal?: AbortSignal): Promise<EffectiveWarehouse>;
  /** What the Databricks CLI's own lookup comes to, for comparison. */
  cliDefault(signal?: AbortSignal): Promise<CliDefault>;
  /** All warehouses that the user can see, in the workspace's order. */
  list(signal?: AbortSignal): Promise<WarehouseSummary[]>;
  /** One warehouse as it is now; whether the user may use it is not asked. @throws {CausewayError} `not_found` */
  find(warehouseId: string, signal?: AbortSignal): Promise<WarehouseSummary>;
  /** Pins this user's queries to a warehouse; gives the record as it was read back. */
  setOverride(warehouseId: string, signal?: AbortSignal): Promise<StoredOverride>;
  /** Makes the override "whatever was picked last"; gives the record as it was read back. */
  setLastSelected(signal?: AbortSignal): Promise<StoredOverride>;
  /** Removes the override; having none is success. */
  clearOverride(signal?: AbortSignal): Promise<'cleared' | 'had-none'>;
  /** Resolves when the workspace has begun to start it. */
  start(warehouseId: string, signal?: AbortSignal): Promise<void>;
  /** Resolves when the workspace has begun to stop it; queries that run on it are cut off. */
  stop(warehouseId: string, signal?: AbortSignal): Promise<void>;
  /** What the third check would have to stop: ask before it is run. */
  wouldStop(signal?: AbortSignal): Promise<WarehouseSummary[]>;
  /** Runs the checks; the third one only if `endToEnd` says what may be stopped. */
  verify(options?: VerifyOptions): Promise<CheckResult[]>;
  /** The five operations as the workspace has them, for `me` or a user id, with their errors explained. */
  operations: OverrideOperations;
  /** The same for other users. */
  admin: WarehouseAdmin;
}

export interface WarehouseServiceOptions {
  /** Where the Databricks CLI's lookup finds DATABRICKS_WAREHOUSE_ID. */
  env: NodeJS.ProcessEnv;
  /** A session with the SQL server, for the third check. Nothing goes out before it is asked something. */
  openSqlServer(server: SqlServerChoice): Promise<SqlServer>;
  clock?: RetryClock;
  /** Puts something around the operations by which overrides are changed. */
  around?: (operations: OverrideOperations) => OverrideOperations;
}

/** The warehouse service over one workspace's REST client. */
export function createWarehouseService(client: RestClient, options: WarehouseServiceOptions): WarehouseService {
  const { env, openSqlServer, clock = systemClock, around = (each) => each } = options;
  const { warehouses } = client;
  const operations = around(overrideOperations(client));
  const survey = async (signal?: AbortSignal) => surveyOf(await takeReadings(client, signal));

  return {
    survey,
    surveyAgain: async (earlier, signal) => surveyOf(await takeReadingsAgain(client, earlier.readings, signal)),
    effective: async (signal) => (await survey(signal)).effective,
    operations,
    admin: createWarehouseAdmin(client, operations),
    cliDefault: (signal) => cliDefault(client, env, signal),
    list: async (signal) => {
      const [visible, usable] = await Promise.all([
        gather(warehouses.list({}, signal)),
        gather(warehouses.list({ usableOnly: true }, signal)),
      ]);
      const usableIds = new Set(usable.map(({ id }) => id));
      return visible.map((warehouse) => summarize(warehouse, usableIds));
    },
    find: async (id, signal) => summarize(await warehouses.get(id, signal), undefined),
    setOverride: (warehouse_id, signal) => setOverride(operations, 'me', { type: 'CUSTOM', warehouse_id }, signal),
    setLastSelected: (signal) => setOverride(operations, 'me', { type: 'LAST_SELECTED' }, signal),
    clearOverride: (signal) => clearOverride(operations, 'me', signal),
    start: (id, signal) => warehouses.start(id, signal),
    stop: (id, signal) => warehouses.stop(id, signal),
    wouldStop: async (signal) =>
      (await warehousesToStop(client, signal)).map((warehouse) => summarize(warehouse, undefined)),
    verify: async (verifying = {}) => {
      const { readings } = verifying.survey ?? (await survey(verifying.signal));
      return verifyWarehouse({ client, env, clock, openSqlServer, readings }, verifying);
    },
  };
}

/** What a workspace admin does for other users. User ids are numeric strings. */
export interface WarehouseAdmin {
  /** The user that an id, a user name, an e-mail address or a part of a name means. */
  findUser(text: string, signal?: AbortSignal): Promise<UserSummary>;
  /** All users that a text may mean, by the best look-up first. @throws {CausewayError} `not_found` */
  findUsers(text: string, signal?: AbortSignal): Promise<UserSummary[]>;
  override(userId: string, signal?: AbortSignal): Promise<OverrideRecord | null>;
  setOverride(userId: string, fields: OverrideFields, signal?: AbortSignal): Promise<StoredOverride>;
  clearOverride(userId: string, signal?: AbortSignal): Promise<'cleared' | 'had-none'>;
  /** Whether a user can run queries on a warehouse; `unknown` if the caller cannot read that. */
  canUse(userId: string, warehouseId: string, signal?: AbortSignal): Promise<boolean | 'unknown'>;
  /** Who may run queries on these warehouses, read once for all users. */
  access(warehouseIds: ReadonlySet<string>, signal?: AbortSignal): Promise<Access>;
  /** Every user's override, as the pages arrive. */
  all(options?: AllOptions, signal?: AbortSignal): AsyncGenerator<UserOverride>;
  /** What an import would change. @throws {CausewayError} `permission_denied` for a user who is not a workspace admin */
  planImport(lines: readonly ImportLine[], signal?: AbortSignal): Promise<PlannedLine[]>;
}

/** The admin's half of the warehouse service. The workspace decides who is an admin; nothing is refused here. */
function createWarehouseAdmin(client: RestClient, operations: OverrideOperations): WarehouseAdmin {
  return {
    findUser: (text, signal) => findUser(client.users, text, signal),
    findUsers: (text, signal) => searchUsers(client.users, text, signal),
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
      return withWarnings(plan, accessFrom(directory.users, lists), directory);
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
