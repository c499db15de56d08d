import { displayText } from '../../platform/display.ts';
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

/** A menu as wide as this hides the screen. In characters. */
const WIDEST_LABEL = 100;

/**
 * A label as Electron's menus take it: names in it come from the workspace, and an `&` that is not doubled marks the letter
 * after it as the one to press, on all three systems (Linux shows it as `_`).
 */
export function menuLabel(label: string): string {
  return displayText(label, { maxLength: WIDEST_LABEL }).replaceAll('&', '&&');
}
