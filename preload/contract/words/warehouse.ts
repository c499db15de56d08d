import type { EffectiveWarehouseInfo, OverrideValue, WarehouseInfo } from '../warehouse.ts';
import { counted } from './count.ts';
import { timeAgo } from './times.ts';

const TYPES: Record<string, string> = { PRO: 'Pro', CLASSIC: 'Classic' };

/** What kind of warehouse it is, in one word; empty if that is not known. */
export function warehouseKind({ type, serverless }: Pick<WarehouseInfo, 'type' | 'serverless'>): string {
  return serverless ? 'Serverless' : (TYPES[type] ?? type);
}

/** Its size and kind, such as `Medium` and `Serverless`, as far as they are known. */
export function sizeAndKind(warehouse: Pick<WarehouseInfo, 'size' | 'type' | 'serverless'>): string[] {
  return [warehouse.size, warehouseKind(warehouse)].filter(Boolean);
}

/** What is asked before a warehouse is stopped. */
export const stopQuestion = {
  title: (name: string) => `Stop ${name}?`,
  consequence: 'Running queries are canceled, including those of other users. The next query starts it again.',
  verb: 'Stop warehouse',
} as const;

/** Whom a change of the workspace default concerns; null if that could not be counted. */
export function affectedByDefault(affected: { withoutOverride: number; users: number } | null): string {
  const everyone = 'This applies to everyone without an override of their own';
  if (affected === null) return `${everyone}. Causeway could not count them.`;
  const { withoutOverride, users } = affected;
  return `${everyone}: ${withoutOverride.toLocaleString('en')} of ${counted(users, 'user')}.`;
}

/** The choices of an override that name no warehouse. */
export const overrideActions = { useDefault: 'Use workspace default', followLast: 'Follow my last selection' } as const;

const STATES: Record<string, string> = {
  RUNNING: 'Running',
  STARTING: 'Starting',
  STOPPED: 'Stopped',
  STOPPING: 'Stopping',
  DELETING: 'Being deleted',
  DELETED: 'Deleted',
  UNKNOWN: 'State unknown',
};

/** A warehouse's state as a word. States that are new to this version are shown as the workspace spells them. */
export function formatState(state: string): string {
  return STATES[state] ?? state.charAt(0).toUpperCase() + state.slice(1).toLowerCase().replaceAll('_', ' ');
}

/** What an override leads to, in the fewest words; null for none. A type that is newer than this version is shown as it is. */
export function overrideTarget(value: OverrideValue | null): string {
  if (value === null) return 'No override';
  const { type, warehouseId, warehouseName } = value;
  if (type === 'LAST_SELECTED') return 'Last selected';
  if (type !== 'CUSTOM') return type;
  return warehouseName ?? (warehouseId === null ? 'No warehouse' : `Warehouse ${warehouseId}`);
}

/** Whether a warehouse in this state can no longer be chosen by anything. */
export function isGone(state: string): boolean {
  return state === 'DELETED' || state === 'DELETING';
}

/** Why queries fail: for the row of a table in the window, for one of the command, and about a warehouse by name. */
export const QUERY_FAILURES = {
  'owner-gone': {
    window: 'User deleted: nobody uses this override',
    command: 'the user no longer exists',
    clause: (_name: string, _whoDo: string) => 'The user no longer exists',
  },
  'owner-inactive': {
    window: 'User deactivated: queries fail',
    command: 'the user is deactivated',
    clause: (_name: string, _whoDo: string) => 'The user is deactivated',
  },
  'warehouse-gone': {
    window: 'Warehouse deleted: queries fail',
    command: 'the warehouse was deleted',
    clause: (name: string, _whoDo: string) => `${name} was deleted`,
  },
  deleting: {
    window: 'Warehouse being deleted: queries fail',
    command: 'the warehouse is being deleted',
    clause: (name: string, _whoDo: string) => `${name} is being deleted`,
  },
  'cannot-use': {
    window: 'No CAN USE: queries fail',
    command: 'the user may not use it',
    clause: (name: string, whoDo: string) => `${whoDo} not have CAN USE on ${name}`,
  },
} as const;

/** Why an owner's queries fail wherever they run; null if nothing is known against it. */
export function ownerFailure(owner: {
  isGone: boolean;
  active?: boolean | undefined;
}): 'owner-gone' | 'owner-inactive' | null {
  if (owner.isGone) return 'owner-gone';
  return owner.active === false ? 'owner-inactive' : null;
}

/** Why queries on a warehouse fail; null if nothing is known against it. A warehouse that is not there has no state. */
export function queryFailure(
  state: string | undefined,
  canUse: boolean | 'unknown' | 'unchecked' | null,
): 'warehouse-gone' | 'deleting' | 'cannot-use' | null {
  if (state === undefined || state === 'DELETED') return 'warehouse-gone';
  if (state === 'DELETING') return 'deleting';
  return canUse === false ? 'cannot-use' : null;
}

/** The same as a clause without a full stop. `whoDo` is `You do`, `Ana does`. */
export function whyQueriesFail(
  { name, state, canUse }: Pick<WarehouseInfo, 'name' | 'state' | 'canUse'>,
  whoDo = 'You do',
): string | undefined {
  const failure = queryFailure(state, canUse);
  return failure === null ? undefined : QUERY_FAILURES[failure].clause(name, whoDo);
}

/** How surely an answer is known: `seen 5 minutes ago`, `predicted`. */
export function sureness({ certainty, seen }: Pick<EffectiveWarehouseInfo, 'certainty' | 'seen'>, now: number): string {
  return certainty === 'seen' && seen ? `seen ${timeAgo(seen.at, now)}` : certainty;
}
