import type { OverrideFields, OverrideRecord } from '../../workspace/overrides.ts';
import type { Access } from '../access.ts';
import type { Directory } from '../directory.ts';
import { describeOverride } from '../override-changes.ts';
import type { BulkLine } from './csv.ts';
import { findUser, indexByName, readWanted } from './read-line.ts';

/** What an import would do for one line of its file. */
export type PlannedLine = { line: number; userId: string; userName: string } & (
  | {
      action: 'create' | 'update';
      fields: OverrideFields;
      before: string;
      after: string;
      warning?: string;
      canUse?: boolean | 'unknown';
    }
  | { action: 'delete'; before: string; after: string }
  | { action: 'unchanged'; before: string }
  | { action: 'invalid'; problem: string }
);

/**
 * Compares the lines of an import with what the workspace holds, and asks nothing itself. Every line gets an entry; a line
 * that cannot be carried out is `invalid` and says why. Names have to be whole here: guessing is for single changes.
 */
export function planImport(
  lines: readonly BulkLine[],
  directory: Directory,
  present: ReadonlyMap<string, OverrideRecord>,
): PlannedLine[] {
  const index = indexByName(directory);
  const firstLineOf = new Map<string, number>();
  return lines.map((line) => {
    const user = findUser(line, index);
    const named = { line: line.line, userId: user.id ?? line.user_id, userName: user.name ?? line.user_name };
    if (user.problem !== undefined) return { ...named, action: 'invalid', problem: user.problem };
    const earlier = firstLineOf.get(named.userId);
    if (earlier !== undefined) {
      return { ...named, action: 'invalid', problem: `The same user is in line ${earlier} already.` };
    }
    firstLineOf.set(named.userId, line.line);
    const wanted = readWanted(line, index);
    if (typeof wanted === 'string') return { ...named, action: 'invalid', problem: wanted };
    return { ...named, ...difference(present.get(named.userId) ?? null, wanted.fields, directory) };
  });
}

function difference(record: OverrideRecord | null, fields: OverrideFields | null, directory: Directory) {
  const before = inWords(record, directory);
  if (fields === null)
    return record === null ? unchanged(before) : ({ action: 'delete', before, after: 'none' } as const);
  const same = record?.type === fields.type && (record.warehouse_id ?? '') === (fields.warehouse_id ?? '');
  if (same) return unchanged(before);
  const action = record === null ? ('create' as const) : ('update' as const);
  return { action, fields, before, after: inWords({ name: '', ...fields }, directory) };
}

const unchanged = (before: string) => ({ action: 'unchanged', before }) as const;

function inWords(record: OverrideRecord | null, { warehouses }: Directory): string {
  if (record === null) return 'none';
  if (record.type === 'LAST_SELECTED') return 'last selected';
  if (record.type !== 'CUSTOM' || !record.warehouse_id) return describeOverride(record);
  return warehouses.get(record.warehouse_id)?.name || record.warehouse_id;
}

/** The warehouses that a plan sends queries to. */
export function targetsOf(plan: readonly PlannedLine[]): Set<string> {
  return new Set(plan.flatMap((planned) => ('fields' in planned ? (planned.fields.warehouse_id ?? []) : [])));
}

/** Adds whether the user may use the warehouse, and a warning to each change after which the user's queries would or may fail. */
export function withWarnings(plan: readonly PlannedLine[], access: Access, { warehouses }: Directory): PlannedLine[] {
  return plan.map((planned) => {
    const target = 'fields' in planned ? planned.fields.warehouse_id : undefined;
    if (target === undefined) return planned;
    const canUse = access(planned.userId, target);
    if (canUse === true) return { ...planned, canUse };
    const name = warehouses.get(target)?.name ?? target;
    const warning = canUse
      ? `whether they have CAN USE on ${name} could not be read`
      : `no CAN USE on ${name}: the queries would fail`;
    return { ...planned, canUse, warning };
  });
}
