import { isGone, overrideTarget } from '../../../preload/contract/words/warehouse.ts';
import type { OverrideFields, OverrideRecord } from '../../workspace/overrides.ts';
import type { Warehouse } from '../../workspace/warehouses.ts';
import type { Access } from '../access.ts';
import type { Directory } from '../directory.ts';
import type { UserSummary } from '../users.ts';
import type { ImportLine } from './files.ts';

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

/** Whether a line of a plan changes something. */
export function isChange({ action }: Pick<PlannedLine, 'action'>): boolean {
  return action !== 'unchanged' && action !== 'invalid';
}

/**
 * Compares the lines of an import with what the workspace holds, and asks nothing itself. Every line gets an entry; a line
 * that cannot be carried out is `invalid` and says why. Names have to be whole here: guessing is for single changes.
 */
export function planImport(
  lines: readonly ImportLine[],
  directory: Directory,
  present: ReadonlyMap<string, OverrideRecord>,
): PlannedLine[] {
  const index = indexByName(directory);
  const firstLineOf = new Map<string, number>();
  return lines.map((line) => {
    const user = lookUpUser(line, index);
    const named = { line: line.line, userId: user.id ?? line.user_id, userName: user.name ?? line.user_name };
    if (user.problem !== undefined) return { ...named, action: 'invalid', problem: user.problem };
    const earlier = firstLineOf.get(named.userId);
    if (earlier !== undefined) {
      return { ...named, action: 'invalid', problem: `This user is already in line ${earlier}.` };
    }
    firstLineOf.set(named.userId, line.line);
    const wanted = readWanted(line, index);
    if (typeof wanted === 'string') return { ...named, action: 'invalid', problem: wanted };
    return { ...named, ...difference(present.get(named.userId) ?? null, wanted.fields, directory) };
  });
}

function difference(record: OverrideRecord | null, fields: OverrideFields | null, directory: Directory) {
  const before = overrideLabel(record, directory);
  if (fields === null)
    return record === null ? unchanged(before) : ({ action: 'delete', before, after: overrideTarget(null) } as const);
  const same = record?.type === fields.type && (record.warehouse_id ?? '') === (fields.warehouse_id ?? '');
  if (same) return unchanged(before);
  const action = record === null ? ('create' as const) : ('update' as const);
  return { action, fields, before, after: overrideLabel(fields, directory) };
}

const unchanged = (before: string) => ({ action: 'unchanged', before }) as const;

function overrideLabel(fields: OverrideFields | null, { warehouses }: Directory): string {
  if (fields === null) return overrideTarget(null);
  const { type, warehouse_id: warehouseId = null } = fields;
  return overrideTarget({ type, warehouseId, warehouseName: warehouses.get(warehouseId ?? '')?.name || null });
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
      ? `Permission on ${name} could not be checked.`
      : `No CAN USE on ${name}. Queries would fail.`;
    return { ...planned, canUse, warning };
  });
}

/** The types that a line may have; `NONE` removes the override. An empty one means `CUSTOM` if a warehouse is named. */
const TYPES = new Set(['CUSTOM', 'LAST_SELECTED', 'NONE']);

/** What a spreadsheet program leaves of a long number. */
const DAMAGED = /^\d([.,]\d+)?E\+\d+$/i;

/** A directory that can be asked by lower-case names, of which there may be several alike. */
interface NameIndex {
  directory: Directory;
  users: Map<string, UserSummary[]>;
  warehouses: Map<string, Warehouse[]>;
}

/** Makes names quick to find, however many lines ask for them. */
function indexByName(directory: Directory): NameIndex {
  return {
    directory,
    users: grouped(directory.users.values(), ({ userName }) => userName),
    warehouses: grouped(directory.warehouses.values(), ({ name }) => name),
  };
}

function grouped<T>(all: Iterable<T>, nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of all) {
    const name = nameOf(item).toLowerCase();
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}

/** Who was found, or why nobody was. */
interface FoundUser {
  id?: string;
  name?: string;
  problem?: string;
}

/** The user that a line means: by id, or by the whole user name. */
function lookUpUser(line: ImportLine, { directory, users: byName }: NameIndex): FoundUser {
  if (line.user_id !== '') return userById(line, directory);
  if (line.user_name === '') return { problem: 'No user is given.' };
  const [found, ...others] = byName.get(line.user_name.toLowerCase()) ?? [];
  if (found === undefined) return { problem: `User "${line.user_name}" does not exist.` };
  return others.length > 0
    ? { problem: `Several users have the name "${line.user_name}".` }
    : { id: found.id, name: found.userName };
}

function userById({ user_id: id, user_name }: ImportLine, { users, usersComplete }: Directory): FoundUser {
  if (DAMAGED.test(id)) return { problem: damaged(id) };
  if (!/^\d+$/.test(id)) return { problem: `"${id}" is not a numeric user ID.` };
  const name = users.get(id)?.userName;
  if (name === undefined && usersComplete) return { problem: `User ${id} does not exist.` };
  return { id, name: name ?? user_name };
}

/** What a line wants of the override, `null` for none; or why that cannot be told, as a sentence. */
function readWanted(line: ImportLine, index: NameIndex): { fields: OverrideFields | null } | string {
  const namesWarehouse = line.warehouse_id !== '' || line.warehouse_name !== '';
  const type = line.type.toUpperCase() || (namesWarehouse ? 'CUSTOM' : '');
  if (type === '') return 'No type and no warehouse is given.';
  if (!TYPES.has(type)) return `"${line.type}" is not a type. Use CUSTOM, LAST_SELECTED or NONE.`;
  if (type === 'NONE') return { fields: null };
  if (type === 'LAST_SELECTED') return { fields: { type } };
  if (!namesWarehouse) return 'CUSTOM needs a warehouse.';
  return customFields(line, index);
}

function customFields(
  line: ImportLine,
  { directory, warehouses: byName }: NameIndex,
): { fields: OverrideFields } | string {
  const { warehouses, warehousesComplete } = directory;
  if (DAMAGED.test(line.warehouse_id)) return damaged(line.warehouse_id);
  const fitting = line.warehouse_id
    ? [warehouses.get(line.warehouse_id)].filter((warehouse) => warehouse !== undefined)
    : (byName.get(line.warehouse_name.toLowerCase()) ?? []);
  const [found, ...others] = fitting;
  if (others.length > 0) return `Several warehouses have the name "${line.warehouse_name}". Use warehouse_id.`;
  if (found === undefined && line.warehouse_id && !warehousesComplete) {
    return { fields: { type: 'CUSTOM', warehouse_id: line.warehouse_id } };
  }
  if (found === undefined) return `Warehouse "${line.warehouse_id || line.warehouse_name}" does not exist.`;
  if (isGone(found.state)) return `${found.name} is being deleted.`;
  return { fields: { type: 'CUSTOM', warehouse_id: found.id } };
}

function damaged(id: string): string {
  return `"${id}" is an ID damaged by a spreadsheet. Format the column as text.`;
}
