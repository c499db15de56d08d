import { isGone } from '../../preload/contract/words/warehouse.ts';
import type { Warehouse } from '../workspace/warehouses.ts';

/** The warehouse that a server's own choice would fall on, and the tier (1 to 5) that it was found in. */
export interface HeuristicChoice {
  warehouse: Warehouse;
  tier: number;
}

const SHARED_BY_NAME = new Set(['Shared endpoint', 'dbdemos-shared-endpoint']);
const RUNNING = 'RUNNING';

/** Why a warehouse of each tier is chosen, for users. */
export const TIER_REASONS: readonly string[] = [
  '',
  'running, with a well-known shared name',
  'running, with “shared” in its name',
  'running',
  'not running, with “shared” in its name',
  'not running, and no name contains “shared”',
];

/**
 * The five tiers by which a server is believed to choose when nothing else decides: running before not running, names
 * that say "shared" first; within a tier serverless first, then the user's own, then the workspace's order
 * (spec/managed-mcp-endpoints.md › What the service does, 6). A prediction always: the workspace does not publish it.
 */
export function predictByHeuristic(usable: readonly Warehouse[], userName: string): HeuristicChoice | undefined {
  let best: HeuristicChoice | undefined;
  for (const warehouse of usable) {
    if (isGone(warehouse.state)) continue;
    const tier = tierOf(warehouse);
    if (best === undefined || isBetter({ warehouse, tier }, best, userName)) best = { warehouse, tier };
  }
  return best;
}

function tierOf({ name, state }: Warehouse): number {
  const running = state === RUNNING;
  if (running && SHARED_BY_NAME.has(name)) return 1;
  const shared = name.toLowerCase().includes('shared');
  if (running) return shared ? 2 : 3;
  return shared ? 4 : 5;
}

function isBetter(a: HeuristicChoice, b: HeuristicChoice, userName: string): boolean {
  if (a.tier !== b.tier) return a.tier < b.tier;
  if (a.warehouse.enable_serverless_compute !== b.warehouse.enable_serverless_compute) {
    return a.warehouse.enable_serverless_compute;
  }
  return a.warehouse.creator_name === userName && b.warehouse.creator_name !== userName;
}
