import { formatState, QUERY_FAILURES } from '../../preload/contract/words/warehouse.ts';
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
import { strings } from './strings.ts';

const { state, progress, bulk: texts } = strings;

const number = new Intl.NumberFormat('en');

const NOUNS = {
  override: [strings.count.override, strings.count.overrides],
  user: [strings.count.user, strings.count.users],
  line: [strings.count.line, strings.count.lines],
  change: [strings.count.change, strings.count.changes],
} as const;

/** A number with its noun: `1 override`, `10,000 overrides`. */
export function counted(count: number, noun: keyof typeof NOUNS): string {
  return `${number.format(count)} ${NOUNS[noun][count === 1 ? 0 : 1]}`;
}

export function nameOfUser({ displayName, userName, id }: Person): string {
  return displayName || userName || strings.user(id);
}

export function personOf({ userId, userName, displayName }: OverrideRow): Person {
  return { id: userId, userName, displayName };
}

/** The text below a name: the user name, or the id if there is none. */
export function secondLineOf({ displayName, userName, userId, ownerKind }: OverrideRow): string {
  if (ownerKind === 'service-principal') return `${strings.servicePrincipal} · ${userName || userId}`;
  if (displayName === '' || displayName === userName) return userName === '' ? '' : userId;
  return userName || userId;
}

/** The warehouse's state, or why queries fail there. */
export function overrideState({ dangling, type, warehouseState, canUse }: OverrideRow): string {
  if (dangling !== null) return QUERY_FAILURES[dangling].window;
  if (canUse === 'unknown') return state.unknown;
  if (type === 'LAST_SELECTED') return state.lastSelected;
  return warehouseState === null ? '' : formatState(warehouseState);
}

/** The progress of reading all overrides, and what is known about them. */
export function progressOf(overrides: OverridesProgress): string {
  const { status, count, dangling, unknown, access } = overrides;
  if (status === 'unread') return '';
  if (status === 'reading' && count === 0) return strings.loading;
  const all = counted(count, 'override');
  return joined([
    status === 'complete' ? all : progress[status](all),
    dangling > 0 && progress.failing(number.format(dangling)),
    unknown > 0 && progress.unknown(number.format(unknown)),
    status === 'complete' && access === 'checking' && progress.checking,
    isAllFine(overrides) && progress.allFine,
  ]);
}

function isAllFine({ status, count, dangling, unknown, access }: OverridesProgress): boolean {
  return status === 'complete' && count > 0 && dangling === 0 && unknown === 0 && access === 'checked';
}

/** The text of an empty table. It says that no queries fail only after access is checked. */
export function nothingFound({ count, unknown, access }: OverridesProgress, { only, search }: OverridesQuery): string {
  const { empty } = strings;
  if (count === 0) return empty.text;
  if (only === 'all' || search.trim() !== '') return empty.noMatch;
  if (access === 'checking') return empty.checking;
  return access === 'checked' && unknown === 0 ? empty.noneFailing : empty.noneGone;
}

/** What an override will do for a user. `canUse` is undefined while it is being read. */
export function consequenceFor(
  who: string,
  wanted: WantedOverride['type'],
  warehouse: WarehouseInfo | undefined,
  canUse: boolean | 'unknown' | undefined,
): string {
  const { dialog } = strings;
  if (wanted === 'LAST_SELECTED') return dialog.followsLast(who);
  if (wanted === 'NONE') return dialog.usesDefault(who);
  if (!warehouse) return '';
  const runs = dialog.runsOn(who, warehouse.name);
  return canUse === 'unknown' ? `${runs} ${dialog.unknown}` : runs;
}

/** The planned action of a line, or its result. */
export function resultText({ action, result, isLeftOut }: BulkLine): string {
  if (result !== null) return texts.result[result];
  return isLeftOut ? texts.result['left-out'] : texts.action[action];
}

/** What a line changes, in a few words. */
export function changeText({ action, before, after }: BulkLine): string {
  if (action === 'invalid') return '';
  return action === 'unchanged' ? before : texts.from(before, after);
}

/** The remark below a line's change: a warning or an error. */
export function remarkOf({ message, problem }: BulkLine): string {
  return (message === 'interrupted' ? texts.interrupted : message) || (problem ?? '');
}

/** Whether a line changes something, so that it can be left out. */
export function isChange({ action }: BulkLine): boolean {
  return action === 'create' || action === 'update' || action === 'delete';
}

/** How many changes will be applied. */
export function changesIn({ planned, leftOut }: Bulk): number {
  return planned.create + planned.update + planned.delete - leftOut;
}

/** The plan in numbers, before anything is changed. */
export function formatPlan(bulk: Bulk): string {
  const { planned, warnings, accessUnknown, leftOut } = bulk;
  const counts = joined([
    planned.create > 0 && texts.set(number.format(planned.create)),
    planned.update > 0 && texts.update(number.format(planned.update)),
    planned.delete > 0 && texts.remove(number.format(planned.delete)),
    planned.unchanged > 0 && texts.unchanged(number.format(planned.unchanged)),
    planned.invalid > 0 && texts.invalid(number.format(planned.invalid)),
    leftOut > 0 && texts.leftOut(number.format(leftOut)),
  ]);
  const sentences = [
    warnings > 0 && texts.warned(warnings),
    accessUnknown > 0 && texts.unknown(counted(accessUnknown, 'change')),
    texts.untouched,
  ].filter((one) => one !== false);
  return counts === '' ? sentences.join(' ') : `${counts}. ${sentences.join(' ')}`;
}

/** The results of a plan, with what was left out and what failed. */
export function formatResults({ results }: Bulk): string {
  return joined([
    texts.done(counted(results.done, 'override')),
    results.unchanged > 0 && texts.neededNone(number.format(results.unchanged)),
    results['left-out'] > 0 && texts.leftOut(number.format(results['left-out'])),
    results.invalid > 0 && texts.invalid(number.format(results.invalid)),
    results.failed > 0 && texts.failed(number.format(results.failed)),
    results['not-tried'] > 0 && texts.notTried(number.format(results['not-tried'])),
  ]);
}

function joined(parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false).join(' · ');
}
