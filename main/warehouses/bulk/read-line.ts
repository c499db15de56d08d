import type { OverrideFields } from '../../workspace/overrides.ts';
import type { Warehouse } from '../../workspace/warehouses.ts';
import type { Directory } from '../directory.ts';
import { isGone } from '../heuristic.ts';
import type { Person } from '../people.ts';
import type { BulkLine } from './csv.ts';

/** The types that a line may have; `NONE` removes the override. An empty one means `CUSTOM` where a warehouse is named. */
const TYPES = new Set(['CUSTOM', 'LAST_SELECTED', 'NONE']);

/** What a spreadsheet program leaves of a long number. */
const DAMAGED = /^\d([.,]\d+)?E\+\d+$/i;

/** A directory that can be asked by lower-case names, of which there may be several alike. */
export interface NameIndex {
  directory: Directory;
  people: Map<string, Person[]>;
  warehouses: Map<string, Warehouse[]>;
}

/** Makes names quick to find, however many lines ask for them. */
export function indexByName(directory: Directory): NameIndex {
  return {
    directory,
    people: grouped(directory.people.values(), ({ userName }) => userName),
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
export interface FoundUser {
  id?: string;
  name?: string;
  problem?: string;
}

/** The user that a line means: by id, or by the whole user name. */
export function findUser(line: BulkLine, { directory, people: byName }: NameIndex): FoundUser {
  const { people, peopleComplete } = directory;
  if (line.user_id !== '') {
    if (DAMAGED.test(line.user_id)) return { problem: damaged(line.user_id) };
    if (!/^\d+$/.test(line.user_id)) return { problem: `"${line.user_id}" is not a numeric user id.` };
    const name = people.get(line.user_id)?.userName;
    if (name === undefined && peopleComplete) return { problem: `There is no user ${line.user_id}.` };
    return { id: line.user_id, name: name ?? line.user_name };
  }
  if (line.user_name === '') return { problem: 'It names no user.' };
  const [found, ...others] = byName.get(line.user_name.toLowerCase()) ?? [];
  if (found === undefined) return { problem: `There is no user "${line.user_name}".` };
  return others.length > 0
    ? { problem: `Several users are called "${line.user_name}".` }
    : { id: found.id, name: found.userName };
}

/** What a line wants of the override, `null` for none; or why that cannot be told, as a sentence. */
export function readWanted(line: BulkLine, index: NameIndex): { fields: OverrideFields | null } | string {
  const namesWarehouse = line.warehouse_id !== '' || line.warehouse_name !== '';
  const type = line.type.toUpperCase() || (namesWarehouse ? 'CUSTOM' : '');
  if (type === '') return 'It names neither a type nor a warehouse.';
  if (!TYPES.has(type)) return `"${line.type}" is no type: use CUSTOM, LAST_SELECTED or NONE.`;
  if (type === 'NONE') return { fields: null };
  if (type === 'LAST_SELECTED') return { fields: { type } };
  if (!namesWarehouse) return 'CUSTOM needs a warehouse.';
  return customFields(line, index);
}

function customFields(
  line: BulkLine,
  { directory, warehouses: byName }: NameIndex,
): { fields: OverrideFields } | string {
  const { warehouses, warehousesComplete } = directory;
  if (DAMAGED.test(line.warehouse_id)) return damaged(line.warehouse_id);
  const fitting = line.warehouse_id
    ? [warehouses.get(line.warehouse_id)].filter((warehouse) => warehouse !== undefined)
    : (byName.get(line.warehouse_name.toLowerCase()) ?? []);
  const [found, ...others] = fitting;
  if (others.length > 0) return `Several warehouses are called "${line.warehouse_name}": use warehouse_id.`;
  if (found === undefined && line.warehouse_id && !warehousesComplete) {
    return { fields: { type: 'CUSTOM', warehouse_id: line.warehouse_id } };
  }
  if (found === undefined) return `There is no warehouse "${line.warehouse_id || line.warehouse_name}".`;
  if (isGone(found.state)) return `${found.name} is being deleted.`;
  return { fields: { type: 'CUSTOM', warehouse_id: found.id } };
}

function damaged(id: string): string {
  return `"${id}" is what a spreadsheet program made of an id: format the column as text.`;
}
