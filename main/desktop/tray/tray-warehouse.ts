import type {
  Choices,
  DesktopState,
  EffectiveWarehouseInfo,
  Failure,
  WarehouseInfo,
  WarehouseState,
} from '../../../preload/contract.ts';
import { effectiveName, mattersNow, nameAndState, reasonFor } from '../../../preload/format.ts';
import { strings } from './strings.ts';
import { action, open, SEPARATOR, shortened, type TrayItem, text } from './tray-item.ts';

const words = strings.warehouse;

/** The warehouse that queries run on and why, or what is in the way and the next step. */
export function warehouseItems({ warehouse, choices }: DesktopState): TrayItem[] {
  switch (warehouse.status) {
    case 'loading':
    case 'signing-in':
      return [text(inShort(warehouse))];
    case 'unconfigured':
      return [open(inShort(warehouse))];
    case 'failed':
      return [open(inShort(warehouse)), nextStep(warehouse.failure)];
    case 'known': {
      const { effective, lastFailure } = warehouse;
      const problem = effective.problems.find(mattersNow);
      return [
        open(inShort(warehouse)),
        text(reasonFor(effective)),
        ...(problem ? [open(shortened(problem.message))] : []),
        ...(lastFailure ? [open(shortened(lastFailure.problem.message)), nextStep(lastFailure)] : []),
        switchWarehouse(effective, choices),
        ...startOrStop(effective),
      ];
    }
  }
}

/** The answer in one line: the warehouse with its state, or what is in its place. */
export function inShort(warehouse: WarehouseState): string {
  switch (warehouse.status) {
    case 'loading':
      return words.loading;
    case 'signing-in':
      return words.signingIn;
    case 'unconfigured':
      return words.unconfigured;
    case 'failed':
      return shortened(warehouse.failure.problem.message);
    case 'known': {
      const { effective } = warehouse;
      return effective.warehouse ? shortNameAndState(effective.warehouse) : effectiveName(effective);
    }
  }
}

/** The state stays readable behind a name of any length. */
function shortNameAndState(warehouse: WarehouseInfo): string {
  return nameAndState({ ...warehouse, name: shortened(warehouse.name) });
}

function nextStep({ next }: Failure): TrayItem {
  switch (next) {
    case 'sign-in':
      return action(strings.next.signIn, { do: 'sign-in' });
    case 'choose-profile':
      return open(strings.next.chooseProfile);
    case 'try-again':
      return action(strings.next.tryAgain, { do: 'check-again' });
  }
}

/** The submenu that switches the warehouse: the warehouses, and below them what else can decide. One choice is marked. */
function switchWarehouse(effective: EffectiveWarehouseInfo, choices: Choices | null): TrayItem {
  if (choices === null) return open(words.switchInWindow);
  const { profile, override } = effective;
  const { warehouses, more } = choices;
  const pinned = override?.type === 'CUSTOM' ? override.warehouseId : null;
  const choice = ({ id, ...warehouse }: WarehouseInfo): TrayItem => ({
    kind: 'choice',
    label: shortNameAndState({ id, ...warehouse }),
    chosen: id === pinned,
    action: { do: 'use-warehouse', profile, warehouseId: id, name: warehouse.name },
  });
  const isElsewhere =
    override !== null && override.type !== 'LAST_SELECTED' && !warehouses.some(({ id }) => id === pinned);
  return {
    kind: 'submenu',
    label: words.switch,
    items: [
      ...warehouses.map(choice),
      ...(isElsewhere ? [chosenNow(effective)] : []),
      ...(more > 0 ? [open(strings.more(more))] : []),
      ...(warehouses.length > 0 || isElsewhere ? [SEPARATOR] : []),
      {
        kind: 'choice',
        label: words.useDefault,
        chosen: override === null,
        action: { do: 'use-workspace-default', profile },
      },
      {
        kind: 'choice',
        label: words.followLast,
        chosen: override?.type === 'LAST_SELECTED',
        action: { do: 'use-last-selected', profile },
      },
    ],
  };
}

/** Starts or stops the effective warehouse, unless it is changing state. */
function startOrStop({ profile, warehouse }: EffectiveWarehouseInfo): TrayItem[] {
  if (warehouse === null) return [];
  const { id: warehouseId, name, state } = warehouse;
  if (state === 'STOPPED')
    return [action(words.start(shortened(name)), { do: 'start-warehouse', profile, warehouseId, name })];
  if (state !== 'RUNNING' && state !== 'STARTING') return [];
  return [action(words.stop(shortened(name)), { do: 'stop-warehouse', profile, warehouseId, name })];
}

function chosenNow({ warehouse }: EffectiveWarehouseInfo): TrayItem {
  const label = warehouse ? shortNameAndState(warehouse) : words.missing;
  return { kind: 'choice', label, chosen: true, action: null };
}
