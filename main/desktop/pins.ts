import type { pinRequests } from '../../preload/contract/pins.ts';
import { setMeta } from '../app/servers/change-list.ts';
import { formatPinned, PIN_RANK, type Pin, sqlServerOf } from '../clients/pins.ts';
import { withPin } from '../clients/server-arguments.ts';
import { type ManagedServer, openServers } from '../clients/servers.ts';
import { pinProblem } from '../warehouses/pin-problem.ts';
import type { DesktopContext, HandlersOf } from './context.ts';
import { openDesktopClients } from './open-clients.ts';

/** The warehouses that entries of AI clients pin their calls to. */
export function pinHandlers({ causeway, env, model }: DesktopContext): HandlersOf<typeof pinRequests> {
  return {
    listPins: async ({ profile }) => {
      const { pins } = await pinsOfProfile(env, profile);
      const all =
        pins.length === 0
          ? undefined
          : await model.using(profile, (warehouses) => warehouses.list()).catch(() => undefined);
      const nameOf = (id: string) => all?.find((warehouse) => warehouse.id === id)?.name ?? `Warehouse ${id}`;
      return {
        pins: pins.map((pin) => ({
          ...pin,
          client: pin.client?.name ?? null,
          warehouse: nameOf(pin.warehouseId),
          whose: formatPinned(pin),
          problem: (all && pinProblem(pin.warehouseId, all)) ?? null,
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
  const { servers, pins } = await pinsOfProfile(env, profile);
  return sqlServerOf(servers, pins, warehouseId);
}

async function pinsOfProfile(
  env: NodeJS.ProcessEnv,
  profile: string,
): Promise<{ servers: ManagedServer[]; pins: Pin[] }> {
  const all = (await openServers(env)).atOpening.servers;
  const servers = all.filter((server) => server.profile === profile);
  return { servers, pins: await openDesktopClients(env).pins(servers) };
}
