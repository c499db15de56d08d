import { formatState, sizeAndKind, sureness } from './contract/words/warehouse.ts';
import type {
  ConfiguredServer,
  EffectiveWarehouseInfo,
  PendingApprovalInfo,
  WarehouseInfo,
  WarehouseProblem,
} from './contract.ts';

/** Texts that the tray and the window share, so that one thing has the same name in both. */

/** What a user may ask first in an AI client that has a server. */
export const FIRST_PROMPT = 'List the tables I can query in Databricks.';

/** `Shared analytics — running`, for a menu. */
export function nameAndState({ name, state }: WarehouseInfo): string {
  return `${name} — ${formatState(state).toLowerCase()}`;
}

/** The name of the warehouse that queries run on, or its placeholder when it cannot be named. */
export function effectiveName({ warehouse, override, decidedBy }: EffectiveWarehouseInfo): string {
  if (warehouse) return warehouse.name;
  if (decidedBy === 'override' && override?.type === 'LAST_SELECTED') return 'Your last selected warehouse';
  if (decidedBy !== null) return 'Missing warehouse';
  return 'No warehouse';
}

/** Why queries run on this warehouse, in a few words. */
export function reasonFor(effective: EffectiveWarehouseInfo, now = Date.now()): string {
  const { decidedBy, override, certainty, steps } = effective;
  if (certainty === 'seen') {
    const why =
      decidedBy === 'override' && override?.type === 'LAST_SELECTED'
        ? 'Your last selection'
        : 'No override or default is set';
    return `${why}: ${sureness(effective, now)}`;
  }
  if (decidedBy === 'override') {
    return override?.type === 'LAST_SELECTED' ? 'Your last selection' : 'Your override';
  }
  if (decidedBy === 'workspace-default') return 'Workspace default';
  if (decidedBy === 'heuristic') return 'Predicted: no override or default is set';
  if (certainty === 'known') return 'No warehouse available to you';
  return steps.some(({ outcome }) => outcome === 'unreadable') ? 'Some settings could not be read' : 'Not set';
}

/** Size and kind in one line: `Medium · Serverless`. */
export function formatSizeAndType(warehouse: Pick<WarehouseInfo, 'size' | 'type' | 'serverless'>): string {
  return sizeAndKind(warehouse).join(' · ');
}

/** State, size and type in one line: `Running · Medium · Serverless`. */
export function formatDetails(warehouse: WarehouseInfo): string {
  return [formatState(warehouse.state), formatSizeAndType(warehouse)].filter(Boolean).join(' · ');
}

/** What a call that waits is about: `Claude Code wants to use execute_sql`. */
export function questionOf({ client, tool }: Pick<PendingApprovalInfo, 'client' | 'tool'>): string {
  return `${client ?? 'An AI client'} wants to use ${tool}`;
}

/** The workspace's host without its scheme. */
export function formatHost(host: string): string {
  return host.replace(/^https?:\/\//, '');
}

/** Problems that are only notes; every other one makes queries fail. */
const NOTES = new Set<WarehouseProblem['code']>(['last-selected-unseen', 'ran-elsewhere', 'override-api-missing']);

/** Whether a problem needs the user's attention, and is not only a note. */
export function mattersNow({ code }: WarehouseProblem): boolean {
  return !NOTES.has(code);
}

/** Whether a server cannot be used as it is. */
export function hasProblem({ status }: Pick<ConfiguredServer['state'], 'status'>): boolean {
  return status !== 'ready' && status !== 'connecting' && status !== 'waiting-for-browser';
}

/** What users have chosen themselves, or only an administrator can change while the server responds. */
const NOT_URGENT = new Set<ConfiguredServer['state']['status']>(['signed-out', 'service-signed-out', 'no-grants']);

/** Whether a server is marked in tray and window, because something is wrong with it. */
export function needsAttention(state: Pick<ConfiguredServer['state'], 'status' | 'isDecided'>): boolean {
  return hasProblem(state) && !NOT_URGENT.has(state.status) && !state.isDecided;
}
