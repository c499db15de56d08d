import { displayText } from '../../platform/display.ts';
import type { TrayAction } from './tray-action.ts';

/** One line of the tray's menu, as data. */
export type TrayItem =
  | { kind: 'text'; label: string }
  | { kind: 'action'; label: string; action: TrayAction }
  /** One of several choices, marked if it is the present one. Without an action it only shows that. */
  | { kind: 'choice'; label: string; chosen: boolean; action: TrayAction | null }
  | { kind: 'submenu'; label: string; items: TrayItem[] }
  | { kind: 'separator' };

export const SEPARATOR: TrayItem = { kind: 'separator' };

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

/** In characters: a wider menu hides the screen. */
const MAX_LABEL_LENGTH = 100;

/**
 * A label as Electron's menus take it: names in it come from the workspace, and an `&` that is not doubled marks the letter
 * after it as the one to press, on all three systems (Linux shows it as `_`).
 */
export function menuLabel(label: string): string {
  return displayText(label, { maxLength: MAX_LABEL_LENGTH }).replaceAll('&', '&&');
}

/** The longest sentence or name in the menu, in characters: the window shows the whole text. */
const MAX_SENTENCE_LENGTH = 60;

export function shortened(sentence: string): string {
  return sentence.length <= MAX_SENTENCE_LENGTH ? sentence : `${sentence.slice(0, MAX_SENTENCE_LENGTH - 1).trimEnd()}…`;
}
