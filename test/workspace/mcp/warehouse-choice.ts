import type { User, Warehouse, WorkspaceState } from '../model.ts';

/** Which warehouse a user's query runs on. Nothing here starts or changes anything: the same world gives the same answer. */

export type WarehouseChoice =
  /** `params._meta.warehouse_id` of the call: a public preview. */
  | { source: 'request'; warehouseId: string }
  | { source: 'override'; type: 'CUSTOM' | 'LAST_SELECTED'; warehouseId: string }
  | { source: 'workspace-default'; warehouseId: string }
  | { source: 'heuristic'; warehouseId: string; tier: number }
  /** The space that was asked names its warehouse. */
  | { source: 'genie-space'; warehouseId: string }
  | { source: 'none' };

interface HeuristicPick {
  warehouseId: string;
  /** 1 is the best. */
  tier: number;
}

/** Picks among `usable`, which are in the order in which the API lists them. */
export type Heuristic = (usable: Warehouse[], user: User) => HeuristicPick | undefined;

/** What the choice depends on. */
export type ChoiceState = Pick<
  WorkspaceState,
  'warehouses' | 'overrides' | 'lastSelected' | 'workspaceDefaultWarehouseId' | 'mayUse'
>;

/**
 * Override, then workspace default, then the heuristic (spec/managed-mcp-endpoints.md › What the service does, 6); a
 * warehouse in the request itself comes before all three. A warehouse that someone named is never passed over, be it
 * deleted or forbidden: the query then fails when it tries to start (spec/default-warehouse-override.md › Target
 * warehouse requirement). Only a "last selected" that nobody has selected yet is no answer.
 */
export function chooseWarehouse(
  state: ChoiceState,
  user: User,
  requestWarehouseId?: string,
  heuristic: Heuristic = asSpecified,
): WarehouseChoice {
  if (requestWarehouseId !== undefined) return { source: 'request', warehouseId: requestWarehouseId };

  const override = state.overrides.get(user.id);
  if (override) {
    const { type } = override;
    const warehouseId = type === 'CUSTOM' ? override.warehouseId : state.lastSelected.get(user.id);
    if (warehouseId !== undefined) return { source: 'override', type, warehouseId };
  }

  const byDefault = state.workspaceDefaultWarehouseId;
  if (byDefault !== undefined) return { source: 'workspace-default', warehouseId: byDefault };

  const usable = state.warehouses.filter((warehouse) => isThere(warehouse) && state.mayUse(user, warehouse));
  const pick = heuristic(usable, user);
  return pick ? { source: 'heuristic', ...pick } : { source: 'none' };
}

export function isThere(warehouse: Warehouse): boolean {
  return warehouse.state !== 'DELETED' && warehouse.state !== 'DELETING';
}

/**
 * The rules that the specification names, in its order: any running warehouse before any stopped one, serverless first,
 * warehouses named "shared" first (spec/managed-mcp-endpoints.md › What the service does, 6). It does not show all of the
 * five tiers, so that nothing may rely on them.
 */
export const asSpecified: Heuristic = (usable) => {
  const rules = [isRunning, ({ serverless }: Warehouse) => serverless, isShared];
  const score = (warehouse: Warehouse) => rules.reduce((sum, rule) => sum * 2 + (rule(warehouse) ? 0 : 1), 0);
  const [best] = usable.toSorted((a, b) => score(a) - score(b));
  return best && { warehouseId: best.id, tier: score(best) + 1 };
};

const WELL_KNOWN_NAMES = new Set(['Shared endpoint', 'dbdemos-shared-endpoint']);

const TIERS: ((warehouse: Warehouse) => boolean)[] = [
  (warehouse) => isRunning(warehouse) && WELL_KNOWN_NAMES.has(warehouse.name),
  (warehouse) => isRunning(warehouse) && isShared(warehouse),
  isRunning,
  isShared,
  () => true,
];

/** The tiers of a public kit for developers (facts/workspace.md §2b); inside a tier serverless first, then the user's own, then as listed. */
export const fiveTiers: Heuristic = (usable, user) => {
  for (const [index, belongs] of TIERS.entries()) {
    const [best] = usable.filter(belongs).sort((a, b) => rank(a, user) - rank(b, user));
    if (best) return { warehouseId: best.id, tier: index + 1 };
  }
  return undefined;
};

function rank(warehouse: Warehouse, user: User): number {
  return (warehouse.serverless ? 0 : 2) + (warehouse.creatorName === user.userName ? 0 : 1);
}

function isRunning(warehouse: Warehouse): boolean {
  return warehouse.state === 'RUNNING';
}

function isShared(warehouse: Warehouse): boolean {
  return warehouse.name.toLowerCase().includes('shared');
}
