import type { Pin } from '../../clients/pins.ts';
import type { ManagedServer } from '../../clients/servers.ts';
import type { WarehouseSurvey } from '../../warehouses/survey.ts';
import type { CommandContext } from '../command.ts';
import { printable } from '../terminal.ts';

/** The servers in the list that sign in with a profile, and the pins in their entries in AI clients. */
export async function pinnedServers(
  context: CommandContext,
  profile: string,
): Promise<{ servers: ManagedServer[]; pins: Pin[] }> {
  const { hasServerList, openServers } = await import('../../clients/servers.ts');
  const all = (await hasServerList(context.env)) ? (await openServers(context.env)).atOpening.servers : [];
  const servers = all.filter((server) => server.profile === profile);
  if (servers.length === 0) return { servers, pins: [] };
  const { openClients } = await import('../clients/options.ts');
  return { servers, pins: await openClients(context, {}).pins(servers) };
}

/** The top of the chain: which calls name a warehouse of their own. */
export async function pinLines(pins: readonly Pin[], { readings }: WarehouseSurvey): Promise<string[]> {
  if (pins.length === 0) return [];
  const [{ formatPinned, PIN_RANK }, { nameOf }] = await Promise.all([
    import('../../clients/pins.ts'),
    import('../../warehouses/effective.ts'),
  ]);
  const lines = pins.map((pin) => `↑ pinned: ${formatPinned(pin)} runs on ${nameOf(readings, pin.warehouseId)}`);
  return [...lines.map(printable), `  ${PIN_RANK}`];
}
