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

/** A pin, and why its calls will fail; null if no reason is known. */
export type JudgedPin = Pin & { problem: string | null };

/** The pins with what the warehouses of the same moment say about them. */
export async function judgedPins(pins: readonly Pin[], { readings, list }: WarehouseSurvey): Promise<JudgedPin[]> {
  const { pinProblem } = await import('../../warehouses/pin-problem.ts');
  const isListed = readings.visible.kind === 'known' && readings.usable.kind !== 'unreadable';
  const visible = isListed ? list() : undefined;
  return pins.map((pin) => ({ ...pin, problem: (visible && pinProblem(pin.warehouseId, visible)) ?? null }));
}

/** The top of the chain: which calls name their own warehouse. */
export async function pinLines(pins: readonly JudgedPin[], { readings }: WarehouseSurvey): Promise<string[]> {
  if (pins.length === 0) return [];
  const [{ formatPinned, PIN_RANK }, { nameOf }] = await Promise.all([
    import('../../clients/pins.ts'),
    import('../../warehouses/effective.ts'),
  ]);
  const lines = pins.flatMap((pin) => {
    const { problem } = pin;
    const verb = problem === null ? 'runs on' : 'is pinned to';
    const line = `↑ pinned: ${formatPinned(pin)} ${verb} ${nameOf(readings, pin.warehouseId)}`;
    return problem === null ? [line] : [line, `  ${problem}`];
  });
  return [...lines.map(printable), `  ${PIN_RANK}`];
}
