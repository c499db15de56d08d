import { isGone } from '../../../preload/contract/words/warehouse.ts';
import type { OverrideFields, OverrideRecord } from '../../workspace/overrides.ts';
import type { Warehouse } from '../../workspace/warehouses.ts';
import type { Directory } from '../directory.ts';
import type { UserSummary } from '../users.ts';
import type { ImportLine } from './columns.ts';

/** What the workspace holds, ready for many questions by name and by id. */
export interface RowContext {
  directory: Directory;
  present: ReadonlyMap<string, OverrideRecord>;
  /** By lower-case names, of which there may be several alike. */
  users: ReadonlyMap<string, UserSummary[]>;
  warehouses: ReadonlyMap<string, Warehouse[]>;
}

/** Makes names quick to find, however many lines ask for them. */
export function rowContext(directory: Directory, present: RowContext['present']): RowContext {
  return {
    directory,
    present,
    users: grouped(directory.users.values(), ({ userName }) => userName),
    warehouses: grouped(directory.warehouses.values(), ({ name }) => name),
  };
}

function grouped<T>(all: Iterable<T>, nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of all) {
    const name = folded(nameOf(item));
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}

const folded = (name: string) => name.trim().toLowerCase();

/** A cell that an export has defused, so that no spreadsheet program runs it, is quoted with an apostrophe. */
const DEFUSED = /^'[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

const spellings = (cell: string) => (DEFUSED.test(cell) ? [folded(cell), folded(cell.slice(1))] : [folded(cell)]);

function named<T>(cell: string, all: ReadonlyMap<string, T[]>): T[] {
  return spellings(cell).flatMap((spelling) => all.get(spelling) ?? []);
}

const agrees = (cell: string, name: string) => spellings(cell).includes(folded(name));

/** What a spreadsheet program leaves of a long number. */
const DAMAGED = /^\d([.,]\d+)?E\+\d+$/i;

function damaged(id: string): string {
  return `"${id}" is an ID damaged by a spreadsheet. Format the column as text.`;
}

/** Who was found, or why nobody was. A user who is gone may still have an override. */
export type FoundUser = { id: string; name: string; isGone: boolean } | { problem: string };

/** The user that a line means: by id, or by the whole user name. Where both are given they have to agree. */
export function findRowUser(line: ImportLine, context: RowContext): FoundUser {
  if (line.user_id !== '') return userById(line, context);
  if (line.user_name === '') return { problem: 'No user is given.' };
  const [found, ...others] = named(line.user_name, context.users);
  if (found === undefined) return { problem: `User "${line.user_name}" does not exist.` };
  return others.length > 0
    ? { problem: `Several users have the name "${line.user_name}". Use user_id.` }
    : { id: found.id, name: found.userName, isGone: false };
}

function userById({ user_id: id, user_name: cell }: ImportLine, context: RowContext): FoundUser {
  const { directory, present } = context;
  if (DAMAGED.test(id)) return { problem: damaged(id) };
  if (!/^\d+$/.test(id)) return { problem: `"${id}" is not a numeric user ID.` };
  const name = directory.users.get(id)?.userName;
  if (name && cell !== '' && !agrees(cell, name)) {
    return { problem: `user_id ${id} is ${name}, and user_name is "${cell}". Correct one of them.` };
  }
  if (name !== undefined) return { id, name, isGone: false };
  const [other] = cell === '' ? [] : named(cell, context.users);
  if (other) return { problem: `user_id is ${id}, and user_name "${cell}" is user ${other.id}. Correct one of them.` };
  if (!directory.usersComplete) return { id, name: cell, isGone: false };
  if (!present.has(id)) return { problem: `User ${id} does not exist.` };
  return { id, name: cell, isGone: true };
}

/** The types that a line may have; `NONE` removes the override. An empty one means `CUSTOM` if a warehouse is named. */
const TYPES = ['CUSTOM', 'LAST_SELECTED', 'NONE'];

/** What a line wants of the override, `null` for none; or why that is impossible, as a sentence. */
export type WantedRow = { fields: OverrideFields | null } | { problem: string };

/** What a line wants. What is as the workspace holds it is right, even if it names a warehouse that is gone. */
export function wantedOf(line: ImportLine, userId: string, context: RowContext): WantedRow {
  const disagreement = warehouseDisagreement(line, context);
  if (disagreement !== undefined) return { problem: disagreement };
  const record = context.present.get(userId);
  if (record && isAsHeld(line, record)) return { fields: record };
  const type = typeOf(line);
  if (type === '') return { problem: 'No type and no warehouse is given.' };
  if (!TYPES.includes(type)) return { problem: `"${line.type}" is not a type. Use CUSTOM, LAST_SELECTED or NONE.` };
  return type === 'CUSTOM' ? customFields(line, context) : withoutWarehouse(line, type);
}

const namesWarehouse = (line: ImportLine) => line.warehouse_id !== '' || line.warehouse_name !== '';

function typeOf(line: ImportLine): string {
  return line.type.toUpperCase() || (namesWarehouse(line) ? 'CUSTOM' : '');
}

/** Whether a line says what an export says of this record. A warehouse by its name alone is looked up instead. */
function isAsHeld(line: ImportLine, record: OverrideRecord): boolean {
  const { warehouse_id: id, warehouse_name: name } = line;
  if (record.type.toUpperCase() !== typeOf(line) || (record.warehouse_id ?? '') !== id) return false;
  return id !== '' || name === '';
}

function withoutWarehouse(line: ImportLine, type: string): WantedRow {
  if (!namesWarehouse(line)) return { fields: type === 'NONE' ? null : { type } };
  const warehouse = line.warehouse_name || line.warehouse_id;
  const problem = `${type} takes no warehouse, and the line names "${warehouse}". Clear its cells, or use CUSTOM.`;
  return { problem };
}

function warehouseDisagreement(line: ImportLine, context: RowContext): string | undefined {
  const { warehouse_id: id, warehouse_name: cell } = line;
  if (id === '' || cell === '') return undefined;
  const warehouse = context.directory.warehouses.get(id);
  if (warehouse && !agrees(cell, warehouse.name)) {
    return `warehouse_id ${id} is ${warehouse.name || 'a warehouse without a name'}, and warehouse_name is "${cell}". Correct one of them.`;
  }
  const [other] = warehouse ? [] : named(cell, context.warehouses);
  return other && `warehouse_id is ${id}, and warehouse_name "${cell}" is ${other.id}. Correct one of them.`;
}

function customFields(line: ImportLine, { directory, warehouses: byName }: RowContext): WantedRow {
  const { warehouses, warehousesComplete } = directory;
  if (!namesWarehouse(line)) return { problem: 'CUSTOM needs a warehouse.' };
  if (DAMAGED.test(line.warehouse_id)) return { problem: damaged(line.warehouse_id) };
  const fitting = line.warehouse_id
    ? [warehouses.get(line.warehouse_id)].filter((warehouse) => warehouse !== undefined)
    : named(line.warehouse_name, byName);
  const [found, ...others] = fitting;
  if (others.length > 0) {
    return { problem: `Several warehouses have the name "${line.warehouse_name}". Use warehouse_id.` };
  }
  if (found === undefined && line.warehouse_id && !warehousesComplete) {
    return { fields: { type: 'CUSTOM', warehouse_id: line.warehouse_id } };
  }
  if (found === undefined) {
    return { problem: `Warehouse "${line.warehouse_id || line.warehouse_name}" does not exist.` };
  }
  const problem = warehouseProblem(found.id, directory);
  return problem === undefined ? { fields: { type: 'CUSTOM', warehouse_id: found.id } } : { problem };
}

/** Why no override can be set to this warehouse, as a sentence; undefined if one can, or the warehouses are not all known. */
export function warehouseProblem(
  id: string,
  { warehouses, warehousesComplete }: Pick<Directory, 'warehouses' | 'warehousesComplete'>,
): string | undefined {
  const found = warehouses.get(id);
  if (found === undefined) return warehousesComplete ? `Warehouse "${id}" does not exist.` : undefined;
  return isGone(found.state) ? `${found.name} is being deleted.` : undefined;
}
