import type { pinRequests } from '../../preload/contract/pins.ts';
import { judgedPins, pinsOfProfile } from '../app/pins.ts';
import { setMeta } from '../app/servers/change-list.ts';
import { formatPinned, PIN_RANK, sqlServerOf } from '../clients/pins.ts';
import { withPin } from '../clients/server-arguments.ts';
import type { ManagedServer } from '../clients/servers.ts';
import type { DesktopContext, HandlersOf } from './context.ts';
import { openDesktopClients } from './open-clients.ts';

/** The warehouses that entries of AI clients pin their calls to. */
export function pinHandlers({ causeway, env, model }: DesktopContext): HandlersOf<typeof pinRequests> {
  return {
    listPins: async ({ profile }) => {
      const { pins } = await pinsHere(env, profile);
      const all =
        pins.length === 0
          ? undefined
          : await model.using(profile, (warehouses) => warehouses.list()).catch(() => undefined);
      const nameOf = (id: string) => all?.find((warehouse) => warehouse.id === id)?.name ?? `Warehouse ${id}`;
      return {
        pins: judgedPins(pins, all).map((pin) => ({
          ...pin,
          client: pin.client?.name ?? null,
          warehouse: nameOf(pin.warehouseId),
          whose: formatPinned(pin),
        })),
        rank: PIN_RANK,
      };
    },
    pinServer: async ({ server, warehouseId }) => {
      await setMeta(causeway, server, (now) => withPin(now, warehouseId));
    },
  };
}

/** The SQL server through which a pin of a profile's entries is proved; undefined if the list has none. */
export async function pinnedServer(
  env: NodeJS.ProcessEnv,
  profile: string,
  warehouseId: string | undefined,
): Promise<ManagedServer | undefined> {
  const { servers, pins } = await pinsHere(env, profile);
  return sqlServerOf(servers, pins, warehouseId);
}

function pinsHere(env: NodeJS.ProcessEnv, profile: string) {
  return pinsOfProfile(env, profile, () => openDesktopClients(env));
}
