import type { TrayAction } from './tray-action.ts';

/** One line of the tray's menu, as data. */
export type TrayItem =
  | { kind: 'text'; label: string }
  | { kind: 'action'; label: string; action: TrayAction }
  /** One of several, of which one is chosen. Without an action it only shows what is chosen. */
  | { kind: 'choice'; label: string; chosen: boolean; action: TrayAction | null }
  | { kind: 'submenu'; label: string; items: TrayItem[] }
  | { kind: 'separator' };

export function text(label: string): TrayItem {
  return { kind: 'text', label };
}

export function action(label: string, action: TrayAction): TrayItem {
  return { kind: 'action', label, action };
}

/** Leads to the window's main screen. */
export function open(label: string): TrayItem {
  return action(label, { do: 'open', screen: 'warehouse' });
}
