import type { stateRequests } from '../../../preload/contract/desktop-state.ts';
import type { warehouseRequests } from '../../../preload/contract/warehouse.ts';
import type { Choices, DesktopState } from '../../../preload/contract.ts';
import type { WarehouseSummary } from '../../warehouses/directory.ts';
import type { DesktopContext, HandlersOf } from '../context.ts';
import { pinnedServer } from '../pins.ts';

/** The state as a whole, and what changes the warehouse. */
export function warehouseHandlers({
  causeway,
  env,
  model,
  history,
  shell,
}: DesktopContext): HandlersOf<typeof stateRequests & typeof warehouseRequests> {
  return {
    getState: async () => model.state,
    dismissFailedAction: async () => void model.showFailedAction(null),
    checkAgain: async () => void (await model.checkAgain()),
    chooseProfile: async ({ profile }) => void (await model.open(profile)),
    signIn: async () => void (await model.signIn()),
    cancelSignIn: async () => void model.cancelSignIn(),
    listWarehouses: ({ profile }) => model.using(profile, (warehouses) => warehouses.list()),
    setOverride: async ({ profile, warehouseId }) =>
      void (await model.change(profile, (warehouses) => warehouses.setOverride(warehouseId))),
    setLastSelected: async ({ profile }) =>
      void (await model.change(profile, (warehouses) => warehouses.setLastSelected())),
    clearOverride: async ({ profile }) =>
      void (await model.change(profile, (warehouses) => warehouses.clearOverride())),
    startWarehouse: async ({ profile, warehouseId }) =>
      void (await model.change(profile, (warehouses) => warehouses.start(warehouseId))),
    stopWarehouse: async ({ profile, warehouseId }) =>
      void (await model.change(profile, (warehouses) => warehouses.stop(warehouseId))),
    copyWarehouseId: async ({ warehouseId }) => void shell.copy(warehouseId),
    openWarehouse: async ({ profile, warehouseId }) => {
      const { host, workspaceId } = await (await causeway.auth()).profile(profile);
      const page = new URL(`${host}/sql/warehouses/${encodeURIComponent(warehouseId)}`);
      // A unified host serves several workspaces.
      if (workspaceId !== undefined) page.searchParams.set('o', workspaceId);
      await shell.openInBrowser(page.href);
    },
    wouldStop: ({ profile }) => model.using(profile, (warehouses) => warehouses.wouldStop()),
    verify: async ({ profile, mayStop, pin: named }) => {
      const pin = named ?? undefined;
      const endToEnd = mayStop && {
        mayStop: new Set(mayStop),
        pin,
        path: (await pinnedServer(env, profile, pin))?.path,
      };
      await model.verify(profile, endToEnd);
    },
    overrideHistory: ({ profile }) => history.of(profile),
    cancelVerify: async () => void model.cancelVerify(),
  };
}

const SECOND_MS = 1000;

/** A warehouse takes seconds to start or stop: follow it closely only while it does. */
const IN_TRANSITION_MS = 3 * SECOND_MS;
const WATCHED_MS = 30 * SECOND_MS;
const UNWATCHED_MS = 5 * 60 * SECOND_MS;
const AFTER_FAILURE_MS = 30 * SECOND_MS;

/**
 * Milliseconds until the effective warehouse is read again; undefined if only the user can change it.
 * `watched` says whether the window is visible.
 */
export function refreshAfterMs({ warehouse }: DesktopState, watched: boolean): number | undefined {
  switch (warehouse.status) {
    case 'loading':
    case 'signing-in':
      return undefined;
    case 'unconfigured':
    case 'failed':
      return watched ? AFTER_FAILURE_MS : UNWATCHED_MS;
    case 'known':
      if (isChanging(warehouse.effective.warehouse?.state)) return IN_TRANSITION_MS;
      if (warehouse.lastFailure) return watched ? AFTER_FAILURE_MS : UNWATCHED_MS;
      return watched ? WATCHED_MS : UNWATCHED_MS;
  }
}

function isChanging(state: string | undefined): boolean {
  return state === 'STARTING' || state === 'STOPPING' || state === 'DELETING';
}

/** The most warehouses in the tray's menu: the window's list can be searched. */
const MAX_CHOICES = 15;

/** The warehouses that the tray offers: those that can be used, running ones first, otherwise in the given order. */
export function choicesOf(warehouses: readonly WarehouseSummary[]): Choices {
  const usable = warehouses
    .filter(({ state, canUse }) => state !== 'DELETED' && state !== 'DELETING' && canUse !== false)
    .sort((a, b) => Number(b.state === 'RUNNING') - Number(a.state === 'RUNNING'));
  return { warehouses: usable.slice(0, MAX_CHOICES), more: Math.max(0, usable.length - MAX_CHOICES) };
}
