import type { TrayItem } from '../../../main/desktop/tray/tray-item.ts';
import { trayMenu } from '../../../main/desktop/tray/tray-menu.ts';
import type { DesktopState } from '../../../preload/contract.ts';

/** A menu as a user reads it: actions in brackets, what opens further with an arrow. */
export function readMenu(state: DesktopState): string[] {
  return trayMenu(state).map(trayLine);
}

export function trayLine(item: TrayItem): string {
  switch (item.kind) {
    case 'separator':
      return '---';
    case 'text':
      return item.label;
    case 'action':
      return `[${item.label}]`;
    case 'choice':
      return `(${item.chosen ? '*' : ' '}) ${item.label}`;
    case 'submenu':
      return `[${item.label} >]`;
  }
}
