import type { JudgedPin } from '../../app/pins.ts';
import type { WarehouseSurvey } from '../../warehouses/survey.ts';
import type { CommandContext } from '../command.ts';
import { printable } from '../terminal.ts';

/** The servers in the list that sign in with a profile, and the pins in their entries in AI clients. */
export async function pinnedServers(context: CommandContext, profile: string) {
  const [{ pinsOfProfile }, { openClients }] = await Promise.all([
    import('../../app/pins.ts'),
    import('../clients/options.ts'),
  ]);
  return pinsOfProfile(context.env, profile, () => openClients(context, {}));
}

/** The warehouses that the user sees; undefined if that is not known. */
export function visibleIn({ readings, list }: WarehouseSurvey) {
  const isListed = readings.visible.kind === 'known' && readings.usable.kind !== 'unreadable';
  return isListed ? list() : undefined;
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
