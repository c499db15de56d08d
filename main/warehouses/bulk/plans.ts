import type { WantedOverride } from '../../../preload/contract/warehouse.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { RestClient } from '../../workspace/client.ts';
import { ownerOf } from '../../workspace/overrides.ts';
import { gather } from '../../workspace/paging.ts';
import { accessFrom, readPermissions } from '../access.ts';
import { readDirectory } from '../directory.ts';
import { type GroupMembers, membersOf } from '../groups.ts';
import type { OverrideOperations } from '../override-operations.ts';
import { emptyLine, type ImportFile, type ImportLine } from './columns.ts';
import { type Journal, planUndo } from './journal.ts';
import { clearingOthers, type Holdings, type PlannedLine, planImport, targetsOf, withWarnings } from './plan.ts';

export interface PlanOptions {
  /** Whether the overrides of all other users are removed. */
  only?: boolean | undefined;
}

/** What many changes would come to, by where they come from. */
export function bulkPlans(client: RestClient, operations: Pick<OverrideOperations, 'list'>) {
  const read = async (signal: AbortSignal | undefined): Promise<Holdings> => {
    const [directory, all] = await Promise.all([
      readDirectory(client, { withGroups: true }, signal),
      gather(operations.list(signal)),
    ]);
    return { directory, present: new Map(all.map((record) => [ownerOf(record), record])) };
  };
  const warned = async (plan: PlannedLine[], { directory }: Holdings, signal: AbortSignal | undefined) => {
    const lists = await readPermissions(client, targetsOf(plan), signal);
    return withWarnings(plan, accessFrom(directory.users, lists), directory);
  };
  const planFile = async (file: ImportFile, { only = false }: PlanOptions, signal: AbortSignal | undefined) => {
    const holdings = await read(signal);
    const plan = planImport(file, holdings);
    // Of a line that is not understood, nobody knows whose override it means to keep.
    const isWhole = plan.length > 0 && plan.every(({ action }) => action !== 'invalid');
    return warned(only && isWhole ? [...plan, ...clearingOthers(plan, holdings)] : plan, holdings, signal);
  };
  return {
    import: (file: ImportFile, options: PlanOptions = {}, signal?: AbortSignal) => planFile(file, options, signal),
    forGroup: async (
      name: string,
      wanted: WantedOverride,
      options: PlanOptions = {},
      signal?: AbortSignal,
    ): Promise<{ group: GroupMembers; plan: PlannedLine[] }> => {
      const group = await membersOf(client.groups, name, signal);
      const lines = group.userIds.map((userId, at) => wantedLine(at + 1, userId, wanted));
      return { group, plan: await planFile({ lines, faults: [] }, options, signal) };
    },
    undo: async (journal: Journal, signal?: AbortSignal) => {
      const { host } = client.rest.profile;
      if (journal.host !== host) {
        throw new CausewayError('conflict', `This journal is of ${journal.host}, and the profile is of ${host}.`, {
          remedy: 'Nothing was changed. Choose a profile of the same workspace with --profile.',
        });
      }
      const holdings = await read(signal);
      return warned(planUndo(journal, holdings), holdings, signal);
    },
  };
}

/** What is wanted for one user, as a line of an import. */
export function wantedLine(line: number, userId: string, wanted: WantedOverride): ImportLine {
  const warehouse_id = wanted.type === 'CUSTOM' ? wanted.warehouseId : '';
  return { ...emptyLine(line), user_id: userId, type: wanted.type, warehouse_id };
}
