import type {
  Bulk,
  BulkLine,
  OverrideRow,
  OverridesProgress,
  OverridesQuery,
  Person,
  WantedOverride,
  WarehouseInfo,
} from '../../preload/contract.ts';
import { formatState } from '../../preload/format.ts';

const DANGLING: Record<NonNullable<OverrideRow['dangling']>, string> = {
  'warehouse-gone': 'Gone: queries fail',
  deleting: 'Being deleted: queries will fail',
  'cannot-use': 'No CAN USE permission: queries fail',
};

const number = new Intl.NumberFormat('en');

/** A number with its noun: `1 override`, `10,000 overrides`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${number.format(count)} ${count === 1 ? one : many}`;
}

export function nameOfUser({ displayName, userName, id }: Person): string {
  return displayName || userName || `User ${id}`;
}

export function personOf({ userId, userName, displayName }: OverrideRow): Person {
  return { id: userId, userName, displayName };
}

/** The text below a name: the user name, or the id where there is none. */
export function secondLineOf({ displayName, userName, userId }: OverrideRow): string {
  if (displayName === '' || displayName === userName) return userName === '' ? '' : userId;
  return userName || userId;
}

/** What a user's queries run on. */
export function targetName(row: Pick<OverrideRow, 'type' | 'warehouseId' | 'warehouseName'>): string {
  if (row.type === 'LAST_SELECTED') return 'Last selected';
  if (row.type !== 'CUSTOM') return row.type;
  return row.warehouseName ?? (row.warehouseId === null ? 'No warehouse' : `Warehouse ${row.warehouseId}`);
}

/** The warehouse's state, or why queries fail there. */
export function overrideState({ dangling, type, warehouseState, canUse }: OverrideRow): string {
  if (dangling !== null) return DANGLING[dangling];
  if (canUse === 'unknown') return 'Whether they may use it could not be read';
  if (type === 'LAST_SELECTED') return 'Whatever they picked last';
  return warehouseState === null ? '' : formatState(warehouseState);
}

/** The progress of reading all overrides, as one or two sentences. */
export function progressOf({ status, count, dangling, unknown, access }: OverridesProgress): string {
  const failing = dangling > 0 ? ` ${counted(dangling, 'makes', 'make')} queries fail.` : '';
  const inDoubt = unknown > 0 ? ` Of ${number.format(unknown)} it could not be read whether the user may use it.` : '';
  const troubled = `${failing}${inDoubt}`;
  switch (status) {
    case 'unread':
      return '';
    case 'failed':
      return `Broke off after ${counted(count, 'override')}: there may be more.${troubled}`;
    case 'reading':
      return count === 0 ? 'Asking the workspace…' : `Reading… ${counted(count, 'override')} so far.${troubled}`;
    case 'stopped':
      return `Stopped after ${counted(count, 'override')}: there are more.${troubled}`;
    case 'complete': {
      const checking = access === 'checking' ? ' Looking who may use their warehouse…' : '';
      const fine = count > 0 && troubled === '' && access === 'checked' ? ' Everybody may use theirs.' : '';
      return `${counted(count, 'override')}.${troubled}${checking}${fine}`;
    }
  }
}

/** The text of an empty table. It says that no queries fail only after access is checked. */
export function nothingFound({ count, unknown, access }: OverridesProgress, { only, search }: OverridesQuery): string {
  if (count === 0) {
    return 'Nobody in this workspace has an override: everybody’s queries run on the workspace default. Set one for somebody, or import a list.';
  }
  if (only === 'all' || search.trim() !== '') return 'No override matches. Search for less, or show all again.';
  if (access === 'checking') return 'Looking who may use their warehouse…';
  return access === 'checked' && unknown === 0
    ? 'No override names a warehouse that is gone or that its user may not use.'
    : 'No override names a warehouse that is gone. Who may use theirs has not been checked.';
}

/** What an override will do for a user. `canUse` is undefined while it is being read. */
export function consequenceFor(
  who: string,
  wanted: WantedOverride['type'],
  warehouse: WarehouseInfo | undefined,
  canUse: boolean | 'unknown' | undefined,
): string {
  if (wanted === 'LAST_SELECTED') {
    return `The queries of ${who} will follow whichever warehouse they last picked in the workspace itself.`;
  }
  if (wanted === 'NONE') return `The queries of ${who} will run on the workspace default.`;
  if (!warehouse) return '';
  const runs = `The queries of ${who} will run on ${warehouse.name} from the next one on.`;
  return canUse === 'unknown' ? `${runs} Whether they may use it could not be read.` : runs;
}

const RESULTS: Record<NonNullable<BulkLine['result']>, string> = {
  done: 'Done',
  unchanged: 'Unchanged',
  invalid: 'Not possible',
  failed: 'Failed',
  'not-tried': 'Not tried',
};

const ACTIONS: Record<BulkLine['action'], string> = {
  create: 'Will be set',
  update: 'Will change',
  delete: 'Will be cleared',
  unchanged: 'Stays as it is',
  invalid: 'Not possible',
};

/** The planned action of a line, or its result. */
export function resultText({ action, result }: BulkLine): string {
  return result === null ? ACTIONS[action] : RESULTS[result];
}

/** What a line changes, in a few words. */
export function changeText({ action, before, after }: BulkLine): string {
  if (action === 'invalid') return '';
  return action === 'unchanged' ? before : `${before} → ${after}`;
}

/** The remark below a line's change: a warning or an error. */
export function remarkOf({ message, trouble }: BulkLine): string {
  return message || (trouble ?? '');
}

export function changesIn({ planned }: Bulk): number {
  return planned.create + planned.update + planned.delete;
}

/** The plan as a sentence, before anything is changed. */
export function formatPlan(bulk: Bulk): string {
  const { planned, warnings, accessUnknown } = bulk;
  const parts = [
    planned.create > 0 && `${counted(planned.create, 'override')} will be set`,
    planned.update > 0 && `${number.format(planned.update)} will change`,
    planned.delete > 0 && `${number.format(planned.delete)} will be cleared`,
    planned.unchanged > 0 &&
      (planned.unchanged === 1 ? '1 stays as it is' : `${number.format(planned.unchanged)} stay as they are`),
    planned.invalid > 0 && `${counted(planned.invalid, 'line')} cannot be carried out`,
  ].filter((part) => part !== false);
  const warned = warnings > 0 ? ` After ${counted(warnings, 'change')}, queries would fail.` : '';
  const unknown =
    accessUnknown > 0
      ? ` For ${counted(accessUnknown, 'change')} it could not be read whether the user may use the warehouse.`
      : '';
  return `${sentence(parts)}${warned}${unknown} Nothing has been changed yet.`;
}

/** The results of a plan, as a sentence. */
export function formatResults({ results }: Bulk): string {
  const parts = [
    `${counted(results.done, 'override')} changed`,
    results.unchanged > 0 && `${number.format(results.unchanged)} needed no change`,
    results.invalid > 0 && `${counted(results.invalid, 'line')} could not be carried out`,
    results.failed > 0 && `${number.format(results.failed)} failed`,
    results['not-tried'] > 0 && `${number.format(results['not-tried'])} not tried`,
  ].filter((part) => part !== false);
  return sentence(parts);
}

function sentence(parts: readonly string[]): string {
  const text = parts.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
