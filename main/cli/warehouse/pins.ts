import type { Pin } from '../../clients/pins.ts';
import type { WarehouseSurvey } from '../../warehouses/survey.ts';
import type { CommandContext } from '../command.ts';
import { printable } from '../terminal.ts';

/** The pins in the entries of AI clients that sign in with a profile. */
export async function pinsOfProfile(context: CommandContext, profile: string): Promise<Pin[]> {
  const { hasServerList, openServers } = await import('../../clients/servers.ts');
  if (!(await hasServerList(context.env))) return [];
  const { servers } = (await openServers(context.env)).atOpening;
  const ofProfile = servers.filter((server) => server.profile === profile);
  if (ofProfile.length === 0) return [];
  const { openClients } = await import('../clients/options.ts');
  return openClients(context, {}).pins(ofProfile);
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
