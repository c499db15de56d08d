import type {
  EffectiveStepInfo,
  EffectiveWarehouseInfo,
  OverrideChange,
  OverrideValue,
  WarehouseInfo,
} from '../../preload/contract.ts';
import { formatDetails } from '../../preload/format.ts';

/** What an override reaches (spec/default-warehouse-override.md › What the service does, 2 and 6). */
export const APPLIES_TO =
  'Applies to the SQL editor, dashboards, Genie, alerts, Catalog Explorer, and the SQL server of every AI client that signs in as you.';

export const SOURCE_WORDS: Record<EffectiveStepInfo['source'], string> = {
  override: 'Your override',
  'workspace-default': 'Workspace default',
  heuristic: 'Otherwise',
};

const OUTCOME_WORDS: Record<EffectiveStepInfo['outcome'], string> = {
  decides: 'Decides',
  'passed-over': 'Passed over',
  empty: 'Not set',
  unreadable: 'Could not be read',
};

/** The outcome of one step. The heuristic is not a setting: its result is predicted, or empty. */
export function formatOverrideChange({ source, outcome, certainty }: EffectiveStepInfo): string {
  if (source !== 'heuristic') return OUTCOME_WORDS[outcome];
  if (outcome === 'empty') return 'None';
  if (certainty !== 'predicted') return OUTCOME_WORDS[outcome];
  return outcome === 'decides' ? 'Decides, predicted' : 'Predicted';
}

/** What queries run on once the override is gone, as one sentence. */
export function afterClearing({ steps }: EffectiveWarehouseInfo): string {
  const workspaceDefault = steps.find(({ source }) => source === 'workspace-default');
  const heuristic = steps.find(({ source }) => source === 'heuristic');
  if (workspaceDefault?.outcome === 'unreadable') {
    return 'Your queries will then run on the workspace default, which could not be read just now.';
  }
  if (workspaceDefault && workspaceDefault.outcome !== 'empty') {
    const name = workspaceDefault.warehouse?.name;
    return `Your queries will then run on ${name ? `${name}, ` : ''}the workspace default.`;
  }
  if (heuristic?.warehouse) {
    return `The workspace has no default: it will pick a warehouse itself, probably ${heuristic.warehouse.name}.`;
  }
  return 'The workspace has no default and there is no other warehouse that you may use: queries will fail.';
}

/** An override in the fewest words. */
export function formatOverride(value: OverrideValue | null): string {
  if (value === null) return 'No override';
  if (value.type === 'LAST_SELECTED') return 'Last selected';
  return value.warehouseName ?? (value.warehouseId === null ? value.type : `Warehouse ${value.warehouseId}`);
}

export function isSameOverride(
  a: Pick<OverrideValue, 'type' | 'warehouseId'> | null,
  b: EffectiveWarehouseInfo['override'],
): boolean {
  return a?.type === b?.type && a?.warehouseId === b?.warehouseId;
}

/** What setting the override back to an earlier one will do. */
export function onceSetBack(value: OverrideValue | null, effective: EffectiveWarehouseInfo): string {
  if (value === null) return afterClearing(effective);
  if (value.type === 'LAST_SELECTED')
    return 'Your queries will follow whichever warehouse you last picked in the workspace itself.';
  return `Your queries will run on ${formatOverride(value)} from the next one on.`;
}

/** What choosing this warehouse will do, before it is done. */
export function onceChosen({ name, state, canUse }: WarehouseInfo): string {
  if (canUse === false) {
    return `You do not have the CAN USE permission on ${name}: your queries would fail until somebody gives it to you.`;
  }
  const start = state === 'STOPPED' || state === 'STOPPING' ? ' It starts with the first query.' : '';
  return `Your queries will run on ${name} from the next one on.${start}`;
}

/** The line beneath a warehouse's name in the list. */
export function listingOf(warehouse: WarehouseInfo): string {
  const details = formatDetails(warehouse);
  return warehouse.canUse === false ? `${details} · no permission to use` : details;
}

/**
 * The warehouses to choose from: those whose name, size or state holds every word of the search, running ones first and
 * those that may not be used last, otherwise in their order. What is deleted cannot be chosen.
 */
export function search(warehouses: readonly WarehouseInfo[], text: string): WarehouseInfo[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return warehouses
    .filter(({ state }) => state !== 'DELETED' && state !== 'DELETING')
    .filter((warehouse) => {
      const haystack = `${warehouse.name} ${listingOf(warehouse)}`.toLowerCase();
      return words.every((word) => haystack.includes(word));
    })
    .sort((a, b) => rank(a) - rank(b));
}

function rank({ state, canUse }: WarehouseInfo): number {
  return (canUse === false ? 2 : 0) + (state === 'RUNNING' ? 0 : 1);
}

/** Who made a change, before the words for when. */
export const CHANGED_BY: Record<OverrideChange['by'], string> = {
  here: 'Changed here',
  command: 'Changed by the causeway command on this computer',
  elsewhere: 'Changed elsewhere, seen here',
};
