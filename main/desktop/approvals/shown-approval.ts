import type { AllowanceInfo, ConfiguredServer, DesktopState, PendingApprovalInfo } from '../../../preload/contract.ts';
import { effectiveName } from '../../../preload/format.ts';
import { clientOnWire, displayNameOf } from '../../clients/table.ts';
import type { Allowance, ApprovalServer, PendingApproval } from '../../permissions/approvals.ts';
import { shownCall, tooLongToAllow } from '../../permissions/shown-call.ts';
import { displayText } from '../../platform/display.ts';

/** A call that waits, as tray and window show it. */
export function approvalForWindow(
  waiting: PendingApproval,
  state: Pick<DesktopState, 'servers' | 'warehouse' | 'profile'>,
): PendingApprovalInfo {
  const { id, client, tool, user, expiresAt, canExtend, readsOnly, isManaged, server } = waiting;
  const { statement, rest, cut } = shownCall(waiting.arguments);
  return {
    id,
    client: client === undefined ? null : displayNameOf(client),
    mark: clientOnWire(client ?? '')?.mark ?? null,
    server: nameOf(server, state.servers),
    profile: server.profile,
    user: user ?? null,
    warehouse: warehouseOf(waiting, state),
    tool,
    statement,
    arguments: rest,
    tooLong: tooLongToAllow({ cut }),
    readsOnly,
    onlyOnce: isManaged ? 'organization' : client === undefined ? 'no-name' : null,
    expiresAt,
    canExtend,
  };
}

/** The server's name in the list, or its path if it is not there. */
export function nameOf({ profile, path }: ApprovalServer, servers: readonly ConfiguredServer[]): string {
  return find({ profile, path }, servers)?.name ?? path;
}

function find({ profile, path }: Pick<ApprovalServer, 'profile' | 'path'>, servers: readonly ConfiguredServer[]) {
  return servers.find((server) => server.profile === profile && server.path === path);
}

/** The warehouse on which a call's SQL runs; null if it runs none, or it is not known here. What the call itself names goes before all. */
function warehouseOf(
  { server, warehouseId }: PendingApproval,
  { servers, warehouse, profile }: Pick<DesktopState, 'servers' | 'warehouse' | 'profile'>,
): string | null {
  const known = warehouse.status === 'known' ? warehouse.effective.warehouse : null;
  if (warehouseId !== undefined)
    return profile === server.profile && known?.id === warehouseId ? known.name : displayText(warehouseId);
  const isSql = find(server, servers)?.kind === 'sql';
  if (!isSql || profile !== server.profile || warehouse.status !== 'known') return null;
  return effectiveName(warehouse.effective);
}

/** The longest beginning of a call's arguments in a notification or a menu, in characters. */
const MAX_BEGINNING_LENGTH = 80;

/** The beginning of what a call would do, in one line; empty if it has no arguments. */
export function beginningOf({ statement, arguments: rest }: PendingApprovalInfo): string {
  return displayText((statement ?? rest ?? '').replace(/\s+/g, ' ').trim(), { maxLength: MAX_BEGINNING_LENGTH });
}

/** Whether one line shows a whole call that is known to only read: only such a call may be allowed without the window. */
export function isShownWhole(call: PendingApprovalInfo): boolean {
  const { statement, arguments: rest, tooLong, readsOnly } = call;
  return readsOnly && tooLong === null && !beginningOf(call).endsWith('…') && (statement === null || rest === null);
}

/** What is allowed for some time, as the window shows it. */
export function allowanceForWindow(
  { client, server, tool, until }: Allowance,
  servers: readonly ConfiguredServer[],
): AllowanceInfo {
  return { client: displayNameOf(client), server: nameOf(server, servers), tool: tool ?? null, until };
}
