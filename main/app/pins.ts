import type { Pin } from '../clients/pins.ts';
import { hasServerList, type ManagedServer, openServers } from '../clients/servers.ts';
import type { ClientsService } from '../clients/service.ts';
import type { WarehouseSummary } from '../warehouses/directory.ts';
import { pinProblem } from '../warehouses/pin-problem.ts';

/** The servers in the list that sign in with a profile, and the pins in their entries in AI clients. */
export async function pinsOfProfile(
  env: NodeJS.ProcessEnv,
  profile: string,
  openClients: () => ClientsService,
): Promise<{ servers: ManagedServer[]; pins: Pin[] }> {
  const all = (await hasServerList(env)) ? (await openServers(env)).initial.servers : [];
  const servers = all.filter((server) => server.profile === profile);
  return { servers, pins: servers.length === 0 ? [] : await openClients().pins(servers) };
}

/** A pin, and why its calls will fail; null if no reason is known. */
export type JudgedPin = Pin & { problem: string | null };

/** The pins with what is known about their warehouses. @param visible those that the user can see; undefined if they could not be read */
export function judgedPins(pins: readonly Pin[], visible: readonly WarehouseSummary[] | undefined): JudgedPin[] {
  return pins.map((pin) => ({ ...pin, problem: (visible && pinProblem(pin.warehouseId, visible)) ?? null }));
}
