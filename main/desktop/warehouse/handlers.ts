import type { stateRequests } from '../../../preload/contract/desktop-state.ts';
import type { warehouseRequests } from '../../../preload/contract/warehouse.ts';
import { warehousePage } from '../../workspace/pages.ts';
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
    dismissFailedAction: async () => void model.show({ failedAction: null }),
    checkAgain: async () => void (await model.checkAgain()),
    chooseProfile: async ({ profile }) => void (await model.open(profile)),
    signIn: async () => void (await model.signIn()),
    cancelSignIn: async () => void model.cancelSignIn(),
    listWarehouses: ({ profile }) => model.using(profile, (warehouses) => warehouses.list()),
    setOverride: async ({ profile, wanted }) =>
      void (await model.change(profile, (warehouses) => warehouses.change('me', wanted))),
    startWarehouse: async ({ profile, warehouseId }) =>
      void (await model.change(profile, (warehouses) => warehouses.start(warehouseId))),
    stopWarehouse: async ({ profile, warehouseId }) =>
      void (await model.change(profile, (warehouses) => warehouses.stop(warehouseId))),
    copyWarehouseId: async ({ warehouseId }) => void shell.copy(warehouseId),
    openWarehouse: async ({ profile, warehouseId }) => {
      const place = await (await causeway.auth()).profile(profile);
      await shell.openInBrowser(warehousePage(place, warehouseId));
    },
    workspaceDefault: ({ profile }) =>
      model.using(profile, async ({ workspaceDefault }) => {
        const [{ warehouseId, etag }, affected] = await Promise.all([
          workspaceDefault.read(),
          workspaceDefault.affected(),
        ]);
        return { seen: { warehouseId, etag: etag ?? null }, affected };
      }),
    setWorkspaceDefault: async ({ profile, warehouseId, seen }) =>
      void (await model.change(profile, ({ workspaceDefault }) =>
        workspaceDefault.change(warehouseId, { ...seen, etag: seen.etag ?? undefined }),
      )),
    wouldStop: ({ profile }) => model.using(profile, (warehouses) => warehouses.wouldStop()),
    verify: async ({ profile, prove, mayStop, pin: named }) => {
      const pin = named ?? undefined;
      const query = prove || mayStop ? { pin, path: (await pinnedServer(env, profile, pin))?.path } : undefined;
      await model.verify(profile, {
        prove: prove ? query : undefined,
        endToEnd: mayStop ? { ...query, mayStop: new Set(mayStop) } : undefined,
      });
    },
    overrideHistory: ({ profile }) => history.of(profile),
    cancelVerify: async () => void model.cancelVerify(),
  };
}
