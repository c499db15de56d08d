import { overrideTarget } from '../../../preload/contract/words/warehouse.ts';
import type { OverrideFields, OverrideRecord } from '../../workspace/overrides.ts';
import type { Access } from '../access.ts';
import type { Directory } from '../directory.ts';
import type { ImportFile } from './columns.ts';
import { type FoundUser, findRowUser, rowContext, wantedOf } from './rows.ts';

/** What an override is or becomes, without what the workspace adds to it; `null` for none. */
export type OverrideState = Pick<OverrideFields, 'type' | 'warehouse_id'> | null;

/** What an import would do for one line of its file. */
export type PlannedLine = {
  line: number;
  userId: string;
  userName: string;
  /** The user is not in the file, and the file's users are to be the only ones with an override. */
  isOther?: true;
} & (
  | {
      action: 'create' | 'update';
      fields: OverrideFields;
      was: OverrideState;
      before: string;
      after: string;
      warning?: string;
      canUse?: boolean | 'unknown';
    }
  | { action: 'delete'; was: OverrideState; before: string; after: string }
  | { action: 'unchanged'; was: OverrideState; before: string }
  | { action: 'invalid'; problem: string }
);

/** A line that changes something. */
export type PlannedChange = Extract<PlannedLine, { action: 'create' | 'update' | 'delete' }>;

/** Whether a line of a plan changes something. */
export function isChange<T extends Pick<PlannedLine, 'action'>>(
  planned: T,
): planned is Extract<T, { action: PlannedChange['action'] }> {
  return planned.action !== 'unchanged' && planned.action !== 'invalid';
}

/** What the workspace holds, as far as a plan needs it. */
export interface Holdings {
  directory: Directory;
  /** Every override, by its owner's id. */
  present: ReadonlyMap<string, OverrideRecord>;
}

/**
 * Compares an import with what the workspace holds, and asks nothing itself. Every line gets an entry; a line that cannot be
 * carried out is `invalid` and says why. Names have to be whole here: guessing is for single changes. Of a file that is not
 * understood, the plan has the faults only.
 */
export function planImport({ lines, faults }: ImportFile, { directory, present }: Holdings): PlannedLine[] {
  if (faults.length > 0) {
    return faults.map(({ line, problem }) => ({ line, userId: '', userName: '', action: 'invalid', problem }));
  }
  const context = rowContext(directory, present);
  const rows = lines.map((line) => ({ line, user: findRowUser(line, context) }));
  const linesOf = linesByUser(rows);
  return rows.map(({ line, user }) => {
    const given = { line: line.line, userId: line.user_id, userName: line.user_name };
    if ('problem' in user) return { ...given, action: 'invalid', problem: user.problem };
    const whose = { ...given, userId: user.id, userName: user.name };
    const invalid = (problem: string): PlannedLine => ({ ...whose, action: 'invalid', problem });
    const others = linesOf.get(user.id)?.filter((other) => other !== line.line) ?? [];
    if (others.length > 0) return invalid(`This user is in line ${others.join(', ')} too.`);
    const wanted = wantedOf(line, user.id, context);
    if ('problem' in wanted) return invalid(wanted.problem);
    const changed = difference(present.get(user.id) ?? null, wanted.fields, directory);
    if (user.isGone && 'fields' in changed) return invalid(`User ${user.id} does not exist.`);
    return { ...whose, ...changed };
  });
}

function linesByUser(rows: readonly { line: { line: number }; user: FoundUser }[]): Map<string, number[]> {
  const lines = new Map<string, number[]>();
  for (const { line, user } of rows) {
    if ('id' in user) lines.set(user.id, [...(lines.get(user.id) ?? []), line.line]);
  }
  return lines;
}

/** The lines that remove the overrides of all users who are not in a plan. They are numbered after its own. */
export function clearingOthers(plan: readonly PlannedLine[], { directory, present }: Holdings): PlannedLine[] {
  const planned = new Set(plan.map(({ userId }) => userId));
  const last = plan.reduce((most, { line }) => Math.max(most, line), 0);
  const others = [...present].filter(([userId]) => !planned.has(userId));
  return others.map(([userId, record], at) => ({
    line: last + 1 + at,
    userId,
    userName: directory.users.get(userId)?.userName ?? '',
    isOther: true,
    ...difference(record, null, directory),
  }));
}

/** What makes one state of an override another. */
export function difference(record: OverrideState, fields: OverrideState, directory: Directory) {
  const before = overrideLabel(record, directory);
  const was = stateOf(record);
  if (sameState(record, fields)) return { action: 'unchanged', was, before } as const;
  if (fields === null) return { action: 'delete', was, before, after: overrideTarget(null) } as const;
  const action = record === null ? ('create' as const) : ('update' as const);
  return { action, fields, was, before, after: overrideLabel(fields, directory) };
}

/** Whether two states are the same. */
export function sameState(one: OverrideState, other: OverrideState): boolean {
  if (one === null || other === null) return one === other;
  if (one.type !== other.type) return false;
  return one.type === 'LAST_SELECTED' || (one.warehouse_id ?? '') === (other.warehouse_id ?? '');
}

/** A record's state alone. */
function stateOf(record: OverrideState): OverrideState {
  if (record === null) return null;
  const { type, warehouse_id } = record;
  return warehouse_id === undefined ? { type } : { type, warehouse_id };
}

/** What an override leads to, in a few words. */
export function overrideLabel(fields: OverrideState, { warehouses }: Directory): string {
  if (fields === null) return overrideTarget(null);
  const { type, warehouse_id: warehouseId = null } = fields;
  return overrideTarget({ type, warehouseId, warehouseName: warehouses.get(warehouseId ?? '')?.name || null });
}

/** The warehouses that a plan sends queries to. */
export function targetsOf(plan: readonly PlannedLine[]): Set<string> {
  return new Set(plan.flatMap((planned) => ('fields' in planned ? (planned.fields.warehouse_id ?? []) : [])));
}

/** Adds whether the user may use the warehouse, and a warning to each change after which the user's queries would or may fail. */
export function withWarnings(
  plan: readonly PlannedLine[],
  access: Access,
  { users, warehouses }: Directory,
): PlannedLine[] {
  return plan.map((planned) => {
    if (!('fields' in planned)) return planned;
    const target = planned.fields.warehouse_id;
    if (users.get(planned.userId)?.active === false) return { ...planned, warning: 'The user is deactivated.' };
    if (target === undefined) return planned;
    const canUse = access(planned.userId, target);
    if (canUse === true) return { ...planned, canUse };
    const name = warehouses.get(target)?.name ?? target;
    const warning = canUse
      ? `Permission on ${name} could not be checked.`
      : `No CAN USE on ${name}. Queries would fail.`;
    return { ...planned, canUse, warning };
  });
}
