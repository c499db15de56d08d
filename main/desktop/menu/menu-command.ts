import type { ScreenName } from '../../../preload/contract.ts';
import type { TrayAction } from '../tray/tray-action.ts';
import { sendEvent } from '../window/ipc.ts';
import { openInSystemBrowser } from '../window/lockdown.ts';
import type { MainWindow } from '../window/window.ts';
import type { MenuCommand } from './application-menu.ts';

interface MenuPorts {
  open(screen?: ScreenName, section?: string): void;
  act(action: TrayAction): Promise<void>;
  window: MainWindow;
}

/** Carries out what is chosen in the application menu. */
export function createMenuCommands({ open, act, window }: MenuPorts): (command: MenuCommand) => void {
  return (command) => {
    switch (command.do) {
      case 'show':
        return open(command.screen, command.section);
      case 'in-window':
        open();
        return window.whenLoaded((shown) => sendEvent(shown, 'commandWanted', { command: command.command }));
      case 'check-for-updates':
        return void act({ do: 'check-for-updates' });
      case 'open-address':
        return void openInSystemBrowser(command.address);
    }
  };
}
