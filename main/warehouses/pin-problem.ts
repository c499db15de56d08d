import { whyQueriesFail } from '../../preload/contract/words/warehouse.ts';
import type { WarehouseSummary } from './directory.ts';

/**
 * Why calls that name a warehouse themselves will fail, with what to do; undefined if nothing is known to be in their way.
 * @param visible the warehouses that the user can see
 */
export function pinProblem(id: string, visible: readonly WarehouseSummary[]): string | undefined {
  const warehouse = visible.find((one) => one.id === id);
  if (!warehouse) {
    const named = visible.filter(({ name }) => name.toLowerCase() === id.trim().toLowerCase());
    const remedy =
      named.length > 0
        ? `A pin takes a warehouse's id: ${named.map((one) => one.id).join(' or ')}.`
        : 'Pin another warehouse, or remove the pin.';
    return `You cannot see a warehouse with the ID ${id}. These calls will fail. ${remedy}`;
  }
  const why = whyQueriesFail(warehouse);
  return why && `${why}. These calls will fail. Pin another warehouse, or remove the pin.`;
}
