import type { WantedOverride } from '../../preload/contract/warehouse.ts';
import { CausewayError } from '../platform/errors.ts';
import { systemClock } from '../platform/retry.ts';
import type { RestClient } from '../workspace/client.ts';
import type { OverrideFields } from '../workspace/overrides.ts';
import { gather } from '../workspace/paging.ts';
import { mayUse } from '../workspace/permissions.ts';
import { readAccess } from './access.ts';
import { type AllOptions, allOverrides } from './all-overrides.ts';
import type { CarryOutOptions, ImportSource } from './bulk/carry-out.ts';
import type { ImportFile } from './bulk/columns.ts';
import type { Journal } from './bulk/journal.ts';
import type { PlannedLine } from './bulk/plan.ts';
import { bulkPlans, type PlanOptions } from './bulk/plans.ts';
import { cliDefault } from './cli-default.ts';
import type { AskCli } from './cli-lookup.ts';
import { summarize } from './directory.ts';
import { explainEffective } from './effective.ts';
import { warehousesToStop } from './end-to-end.ts';
import { clearOverride, type StoredOverride, setOverride } from './override-changes.ts';
import { type OnWarehouseChange, overrideOperations } from './override-operations.ts';
import { type Readings, takeReadings, takeReadingsAgain } from './readings.ts';
import { runSeenQuery } from './seen-query.ts';
import { lastSeen } from './seen-warehouse.ts';
import type { SqlServer, SqlServerChoice } from './statement.ts';
import { surveyOf, type WarehouseSurvey } from './survey.ts';
import { findOwner, findOwners } from './users.ts';
import { type VerifyOptions, verifyWarehouse } from './verify.ts';
import { workspaceDefault } from './workspace-default.ts';

export interface WarehouseServiceOptions {
  /** Where the Databricks CLI's lookup finds DATABRICKS_WAREHOUSE_ID. */
  env: NodeJS.ProcessEnv;
  /** A session with the SQL server, for the third check. Nothing goes out before it is asked something. */
  openSqlServer(server: SqlServerChoice): Promise<SqlServer>;
  /** Runs the Databricks CLI, if it is installed. */
  askCli: AskCli;
  /** Called after each change of an override or of the workspace default. */
  onOverrideChange?: OnWarehouseChange | undefined;
}

export type WarehouseService = ReturnType<typeof createWarehouseService>;

/**
 * One signed-in user's warehouses in one workspace, and everybody's overrides. The workspace decides who is an admin;
 * nothing is refused here. A user id is a numeric string, or `me` for an override.
 */
export function createWarehouseService(
  client: RestClient,
  { env, openSqlServer, askCli, onOverrideChange }: WarehouseServiceOptions,
) {
  const { warehouses, users } = client;
  const operations = overrideOperations(client, onOverrideChange);
  const plans = bulkPlans(client, operations);
  /** With where the user's queries were seen to run. */
  const surveyWithSeen = async (readings: Readings) => {
    const seen = await lastSeen(env, explainEffective(readings));
    return surveyOf({ ...readings, seen });
  };
  const survey = async (signal?: AbortSignal) => surveyWithSeen(await takeReadings(client, signal));

  return {
    /** The five operations as the workspace has them, with their errors explained. */
    operations,
    /** The workspace's default warehouse, for its admins. */
    workspaceDefault: workspaceDefault(client, onOverrideChange),
    /** The effective warehouse and all the others, read at one moment. */
    survey,
    /** The same a moment later: who the user is and what they may use is taken over from the earlier one. */
    surveyAgain: async (earlier: WarehouseSurvey, signal?: AbortSignal) =>
      surveyWithSeen(await takeReadingsAgain(client, earlier.readings, signal)),
    /** Which warehouse this user's queries run on, and why. Read again each time. */
    effective: async (signal?: AbortSignal) => (await survey(signal)).effective,
    /** What the Databricks CLI's own lookup comes to, for comparison. */
    cliDefault: (signal?: AbortSignal) => cliDefault(client, env, signal),
    /** All warehouses that the user can see, in the workspace's order. */
    list: async (signal?: AbortSignal) => {
      const [visible, usable] = await Promise.all([
        gather(warehouses.list({}, signal)),
        gather(warehouses.list({ usableOnly: true }, signal)),
      ]);
      const usableIds = new Set(usable.map(({ id }) => id));
      return visible.map((warehouse) => summarize(warehouse, usableIds));
    },
    /** One warehouse as it is now; whether the user may use it is not asked. @throws {CausewayError} `not_found` */
    find: async (warehouseId: string, signal?: AbortSignal) =>
      summarize(await warehouses.get(warehouseId, signal), undefined),
    /** Resolves when the workspace has begun to start it. */
    start: (warehouseId: string, signal?: AbortSignal) => warehouses.start(warehouseId, signal),
    /** Resolves when the workspace has begun to stop it; queries that run on it are cut off. */
    stop: (warehouseId: string, signal?: AbortSignal) => warehouses.stop(warehouseId, signal),
    /** What the third check would have to stop: ask before it is run. */
    wouldStop: async (signal?: AbortSignal) =>
      (await warehousesToStop(client, signal)).map((warehouse) => summarize(warehouse, undefined)),
    /** Runs the checks; the third one only if `endToEnd` says what may be stopped. */
    verify: async (verifying: VerifyOptions = {}) => {
      const { readings } = verifying.survey ?? (await survey(verifying.signal));
      return verifyWarehouse({ client, env, askCli, clock: systemClock, openSqlServer, readings }, verifying);
    },
    /** Runs a query through a SQL server, and looks up where it ran. Nothing is stopped. */
    runSeenQuery: (server: SqlServerChoice, signal?: AbortSignal) =>
      runSeenQuery({ client, openSqlServer, server, clock: systemClock, signal }),
    /** Makes an override what is asked for; gives the record as it was read back. */
    setOverride: (userId: string, fields: OverrideFields, signal?: AbortSignal) =>
      setOverride(operations, userId, fields, signal),
    /** The same, or removes it for `NONE`. */
    change: (userId: string, wanted: WantedOverride): Promise<StoredOverride | 'cleared' | 'had-none'> =>
      wanted.type === 'NONE'
        ? clearOverride(operations, userId)
        : setOverride(operations, userId, {
            type: wanted.type,
            ...(wanted.type === 'CUSTOM' && { warehouse_id: wanted.warehouseId }),
          }),
    /** Removes an override; having none is success. */
    clearOverride: (userId: string, signal?: AbortSignal) => clearOverride(operations, userId, signal),
    /** The user that an id, a user name, an e-mail address or a part of a name means; by the id, one who is gone too. */
    findUser: (text: string, signal?: AbortSignal) => findOwner(users, operations, text, signal),
    /** All users that a text may mean, by the best look-up first. @throws {CausewayError} `not_found` */
    findUsers: (text: string, signal?: AbortSignal) => findOwners(users, operations, text, signal),
    /** Whether a user can run queries on a warehouse; `unknown` if the caller cannot read that. */
    canUse: (userId: string, warehouseId: string, signal?: AbortSignal) => canUse(client, userId, warehouseId, signal),
    /** Who may run queries on these warehouses, read once for all users. */
    access: (warehouseIds: ReadonlySet<string>, signal?: AbortSignal) => readAccess(client, warehouseIds, signal),
    /** Every user's override, as the pages arrive. */
    allOverrides: (options?: AllOptions, signal?: AbortSignal) => allOverrides(client, options, signal),
    /** What an import would change. @throws {CausewayError} `permission_denied` for a user who is not a workspace admin */
    planImport: (file: ImportFile, options?: PlanOptions, signal?: AbortSignal) => plans.import(file, options, signal),
    /** The same for all members of a group, by its name. @throws {CausewayError} `not_found`, and as `planImport` */
    planForGroup: (group: string, wanted: WantedOverride, options?: PlanOptions, signal?: AbortSignal) =>
      plans.forGroup(group, wanted, options, signal),
    /** What undoes a journal. @throws {CausewayError} `conflict` if it is of another workspace, and as `planImport` */
    planUndo: (journal: Journal, signal?: AbortSignal) => plans.undo(journal, signal),
    /** Carries a plan out, with a journal. @throws {CausewayError} `file_not_writable` before anything is changed */
    carryOut: async (plan: readonly PlannedLine[], source: ImportSource, options?: CarryOutOptions) =>
      (await import('./bulk/carry-out.ts')).carryOut(client, { env, onOverrideChange }, plan, source, options),
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
