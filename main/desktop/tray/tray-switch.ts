import type { Choices, EffectiveWarehouse } from '../../../preload/contract.ts';
import { nameAndState } from '../../../preload/words.ts';
import { action, open, type TrayItem } from './tray-item.ts';

/** The submenu in which the warehouse is switched: one choice is marked, whatever the workspace holds. */
export function switchWarehouse(effective: EffectiveWarehouse, choices: Choices | null): TrayItem {
  if (choices === null) return open('Switch warehouse…');
  const { profile, override } = effective;
  const { warehouses, more } = choices;
  const pinned = override?.type === 'CUSTOM' ? override.warehouseId : null;
  const items = warehouses.map(
    (warehouse): TrayItem => ({
      kind: 'choice',
      label: nameAndState(warehouse),
      chosen: warehouse.id === pinned,
      action: { do: 'use-warehouse', profile, warehouseId: warehouse.id, name: warehouse.name },
    }),
  );
  const chosenElsewhere =
    override !== null && override.type !== 'LAST_SELECTED' && !warehouses.some(({ id }) => id === pinned);
  return {
    kind: 'submenu',
    label: 'Switch warehouse',
    items: [
      ...items,
      // A group of choices without a mark gets one from the system, on its first entry.
      ...(chosenElsewhere ? [chosenNow(effective)] : []),
      {
        kind: 'choice',
        label: 'Use workspace default',
        chosen: override === null,
        action: { do: 'use-workspace-default', profile },
      },
      {
        kind: 'choice',
        label: 'Last selected',
        chosen: override?.type === 'LAST_SELECTED',
        action: { do: 'use-last-selected', profile },
      },
      ...(more > 0 ? [open(`${more} more…`)] : []),
    ],
  };
}

/** Starts or stops the effective warehouse, where it stands still. */
export function startOrStop({ profile, warehouse }: EffectiveWarehouse): TrayItem[] {
  if (warehouse === null) return [];
  const { id: warehouseId, name, state } = warehouse;
  if (state === 'STOPPED') return [action(`Start ${name}`, { do: 'start-warehouse', profile, warehouseId, name })];
  if (state !== 'RUNNING' && state !== 'STARTING') return [];
  return [action(`Stop ${name}…`, { do: 'stop-warehouse', profile, warehouseId, name })];
}

function chosenNow({ warehouse }: EffectiveWarehouse): TrayItem {
  const label = warehouse ? nameAndState(warehouse) : 'A warehouse that cannot be found';
  return { kind: 'choice', label, chosen: true, action: null };
}
