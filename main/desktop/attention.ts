import type { DesktopState, WarehouseProblem, WarehouseState } from '../../preload/contract.ts';
import { mattersNow, needsAttention } from '../../preload/format.ts';

/** Something that needs the user, the most urgent first. */
export type Attention = 'approval' | 'signed-out' | 'override-dangling' | 'warehouse' | 'servers' | 'update-ready';

/** What needs the user now, once each: the tray's mark, the Dock's badge and notifications are on it. */
export function attentionOf(state: DesktopState): Attention[] {
  const { warehouse, servers, approvals, update } = state;
  const needs: Attention[] = [];
  if (approvals.length > 0) needs.push('approval');
  if (isSignedOut(state)) needs.push('signed-out');
  if (danglingProblem(state) !== null) needs.push('override-dangling');
  else if (isWarehouseFailing(warehouse)) needs.push('warehouse');
  if (servers.some((server) => needsAttention(server.state))) needs.push('servers');
  if (update.status === 'ready') needs.push('update-ready');
  return needs;
}

/** How many things need the user: each call that waits counts. */
export function attentionCount(state: DesktopState): number {
  const needs = attentionOf(state).filter((need) => need !== 'approval');
  return needs.length + state.approvals.length;
}

/** Whether the open profile's sign-in has ended. */
export function isSignedOut({ warehouse }: DesktopState): boolean {
  if (warehouse.status === 'failed') return warehouse.failure.next === 'sign-in';
  return warehouse.status === 'known' && warehouse.lastFailure?.next === 'sign-in';
}

/** What makes queries fail although a user chose the warehouse. */
const DANGLING = new Set<WarehouseProblem['code']>(['warehouse-gone', 'warehouse-unseen', 'cannot-use', 'deleting']);

/** The problem of an override that names a warehouse that is gone or that the user cannot use; null for none. */
export function danglingProblem({ warehouse }: DesktopState): WarehouseProblem | null {
  if (warehouse.status !== 'known' || warehouse.effective.decidedBy !== 'override') return null;
  return warehouse.effective.problems.find(({ code }) => DANGLING.has(code)) ?? null;
}

function isWarehouseFailing(warehouse: WarehouseState): boolean {
  if (warehouse.status === 'failed') return warehouse.failure.next !== 'sign-in';
  if (warehouse.status !== 'known') return false;
  const { lastFailure, effective } = warehouse;
  return (lastFailure !== null && lastFailure.next !== 'sign-in') || effective.problems.some(mattersNow);
}
