import type { ErrorCode } from '../../preload/contract/error-facts.ts';
import { isGone, overrideTarget } from '../../preload/contract/words/warehouse.ts';
import type {
  EffectiveStepInfo,
  EffectiveWarehouseInfo,
  Failure,
  OverrideChange,
  OverrideValue,
  WarehouseInfo,
} from '../../preload/contract.ts';
import { formatDetails } from '../../preload/format.ts';
import type { StateTone } from '../shared/state-badge.tsx';
import { strings } from './strings.ts';

const { why, choose } = strings;

export const SOURCE_TEXT: Record<EffectiveStepInfo['source'], string> = {
  override: why.override,
  'workspace-default': why.workspaceDefault,
  heuristic: why.heuristic,
};

const OUTCOME_TEXT: Record<EffectiveStepInfo['outcome'], string> = {
  decides: why.inEffect,
  'passed-over': why.notUsed,
  empty: why.notSet,
  unreadable: why.unknown,
};

/** What one step of the chain has come to. The fallback is not a setting: without a warehouse it is none. */
export function formatOutcome({ source, outcome }: EffectiveStepInfo): string {
  return source === 'heuristic' && outcome === 'empty' ? why.none : OUTCOME_TEXT[outcome];
}

/** The warehouse of one step, as far as it has one. */
export function formatTarget({ source, warehouse, certainty }: EffectiveStepInfo): string {
  if (warehouse === null) return '';
  const isGuess = certainty === 'predicted' || (source === 'heuristic' && certainty !== 'seen');
  return isGuess ? why.predicted(warehouse.name) : warehouse.name;
}

/** The reason of a step where its row does not say it already: it could not be read, or what is in effect is not known. */
export function reasonWorthReading(step: EffectiveStepInfo): string | null {
  const isInDoubt = step.outcome === 'unreadable' || (step.outcome === 'decides' && step.certainty !== 'known');
  return isInDoubt ? step.reason : null;
}

const STATE_TONES: Record<string, StateTone> = {
  RUNNING: 'good',
  STARTING: 'changing',
  STOPPING: 'changing',
  DELETING: 'failed',
  DELETED: 'failed',
};

/** How a warehouse's state is drawn. */
export function toneOf(state: string): StateTone {
  return STATE_TONES[state] ?? 'resting';
}

const FAILURE_TITLES: Partial<Record<ErrorCode, string>> = strings.failed;

/** The heading of a failure, by its code; a failed sign-in is always called one. */
export function titleOf({ problem, next }: Failure): string {
  const otherwise = next === 'sign-in' ? strings.failedSignIn : strings.failedOtherwise;
  return FAILURE_TITLES[problem.code] ?? otherwise;
}

/** What queries run on once the override is gone, as a sentence or two. */
export function afterClearing({ steps }: EffectiveWarehouseInfo): string {
  const texts = strings.afterClearing;
  const workspaceDefault = steps.find(({ source }) => source === 'workspace-default');
  const heuristic = steps.find(({ source }) => source === 'heuristic');
  if (workspaceDefault?.outcome === 'unreadable') return texts.unreadable;
  if (workspaceDefault && workspaceDefault.outcome !== 'empty') {
    const name = workspaceDefault.warehouse?.name;
    return name ? texts.workspaceDefault(name) : texts.unknownDefault;
  }
  return heuristic?.warehouse ? texts.heuristic(heuristic.warehouse.name) : texts.nothing;
}

export function isSameOverride(
  a: Pick<OverrideValue, 'type' | 'warehouseId'> | null,
  b: EffectiveWarehouseInfo['override'],
): boolean {
  return a?.type === b?.type && a?.warehouseId === b?.warehouseId;
}

/** What restoring an earlier override will do. */
export function afterRestoring(value: OverrideValue | null, effective: EffectiveWarehouseInfo): string {
  if (value === null) return afterClearing(effective);
  return value.type === 'LAST_SELECTED' ? strings.confirm.followLast.text : choose.runs(overrideTarget(value));
}

/** What choosing this warehouse will do, before it is done. */
export function afterChoosing(
  { id, name, state, canUse }: WarehouseInfo,
  { override, steps }: Pick<EffectiveWarehouseInfo, 'override' | 'steps'>,
): string {
  if (canUse === false) return choose.cannotUse(name);
  if (override?.type === 'CUSTOM' && override.warehouseId === id) return choose.keeps(name);
  const isDefault = steps.some(({ source, warehouse }) => source === 'workspace-default' && warehouse?.id === id);
  const runs = isDefault ? choose.pins(name) : choose.runs(name);
  return state === 'STOPPED' || state === 'STOPPING' ? `${runs} ${choose.starts}` : runs;
}

/**
 * The warehouses to choose from: those whose name, size or state holds every word of the search, running ones first and
 * those that may not be used last, otherwise in their order. What is deleted cannot be chosen.
 */
export function search(warehouses: readonly WarehouseInfo[], text: string): WarehouseInfo[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return warehouses
    .filter(({ state }) => !isGone(state))
    .filter((warehouse) => {
      const haystack =
        `${warehouse.name} ${formatDetails(warehouse)} ${warehouse.canUse === false ? choose.noPermission : ''}`.toLowerCase();
      return words.every((word) => haystack.includes(word));
    })
    .sort((a, b) => rank(a) - rank(b));
}

function rank({ state, canUse }: WarehouseInfo): number {
  return (canUse === false ? 2 : 0) + (state === 'RUNNING' ? 0 : 1);
}

/** Who made a change. */
export const CHANGED_BY: Record<OverrideChange['by'], string> = {
  here: strings.history.here,
  command: strings.history.command,
  elsewhere: strings.history.elsewhere,
};
