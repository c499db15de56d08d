import type { DesktopState, PendingApprovalInfo, WarehouseState } from '../../../preload/contract.ts';
import { formatHost, questionOf } from '../../../preload/format.ts';
import { beginningOf, isShownWhole } from '../approvals/shown-approval.ts';
import { strings } from './strings.ts';
import { clientItems, serverItems } from './tray-connections.ts';
import { action, open, SEPARATOR, type TrayItem, text } from './tray-item.ts';
import { warehouseItems } from './tray-warehouse.ts';

/**
 * The tray's menu: what waits for the user, the account, the effective warehouse and its reason, its actions, the servers,
 * the connected clients, and the application itself.
 */
export function trayMenu(state: DesktopState): TrayItem[] {
  return [
    ...approvalItems(state),
    ...readyUpdate(state),
    text(accountOf(state.profile, state.warehouse)),
    ...warehouseItems(state),
    SEPARATOR,
    ...serverItems(state),
    clientItems(state),
    ...recording(state),
    SEPARATOR,
    open(strings.open),
    action(strings.settings, { do: 'open', screen: 'settings' }),
    action(strings.copyReport, { do: 'copy-diagnostics' }),
    ...updates(state),
    action(strings.quit, { do: 'quit' }),
  ];
}

/** The most calls in the menu; the window has them all. */
const MAX_APPROVALS = 5;

/** The calls that wait for the user, the oldest first. */
function approvalItems({ approvals }: DesktopState): TrayItem[] {
  if (approvals.length === 0) return [];
  const more = approvals.length - MAX_APPROVALS;
  return [
    ...approvals.slice(0, MAX_APPROVALS).map(approvalItem),
    ...(more > 0 ? [action(strings.more(more), { do: 'review-calls' })] : []),
    SEPARATOR,
  ];
}

function approvalItem(approval: PendingApprovalInfo): TrayItem {
  const { id } = approval;
  const { review, allowOnce, block } = strings.approval;
  const beginning = beginningOf(approval);
  const reviewing = { do: 'review-calls' } as const;
  return {
    kind: 'submenu',
    label: questionOf(approval),
    items: [
      ...(beginning === '' ? [] : [action(beginning, reviewing)]),
      action(review, reviewing),
      ...(isShownWhole(approval) ? [action(allowOnce, { do: 'answer-call', id, answer: 'allow' })] : []),
      action(block, { do: 'answer-call', id, answer: 'block' }),
    ],
  };
}

/** The reason for the icon's mark, at the top of the menu. */
function readyUpdate({ update }: DesktopState): TrayItem[] {
  if (update.status !== 'ready') return [];
  return [action(strings.updates.restart(update.version), { do: 'restart-to-update' }), SEPARATOR];
}

function updates({ update }: DesktopState): TrayItem[] {
  const { check, checking, get, downloading } = strings.updates;
  switch (update.status) {
    case 'ready':
      return [];
    case 'not-possible-here':
      // The screen explains how to update this copy.
      return [action(check, { do: 'open', screen: 'settings', item: 'updates' })];
    case 'checking':
      return [text(checking)];
    case 'available':
      return [action(get(update.version), { do: 'get-update' })];
    case 'downloading':
      // Without a percentage: a menu that is redrawn closes while the user has it open.
      return [text(downloading(update.version))];
    default:
      return [action(check, { do: 'check-for-updates' })];
  }
}

/** A reminder that recording is on. */
function recording({ recording }: DesktopState): TrayItem[] {
  return recording.status === 'on' ? [action(strings.recording, { do: 'open', screen: 'activity' })] : [];
}

/** `acme · ana@example.com`. */
function accountOf(profile: string | null, warehouse: WarehouseState): string {
  if (warehouse.status !== 'known') return profile ?? strings.app;
  const { user, host } = warehouse.effective;
  return `${warehouse.effective.profile} · ${user.userName || formatHost(host)}`;
}
