import { join } from 'node:path';
import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';
import type { DesktopState } from '../../preload/contract.ts';
import { RESOURCES_FOLDER } from './places.ts';
import { trayIconFile, trayMood } from './tray-icon.ts';
import { type TrayAction, type TrayItem, trayMenu, trayTooltip } from './tray-menu.ts';

export type TrayActions = Record<TrayAction, () => void>;

/** The icon in the system's tray. Drawn anew from the state whenever what it shows has changed, and only then. */
export class CausewayTray {
  readonly #actions: TrayActions;
  readonly #tray: Tray;
  #shown = '';

  constructor(actions: TrayActions, state: DesktopState) {
    this.#actions = actions;
    this.#tray = new Tray(iconOf(state));
    this.#tray.on('click', actions.open);
    this.render(state);
  }

  render(state: DesktopState): void {
    const items = trayMenu(state);
    const tooltip = trayTooltip(state);
    // A menu that is replaced while it is open closes under the person's hand on Linux.
    const shown = JSON.stringify([trayMood(state), tooltip, items]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#tray.setImage(iconOf(state));
    this.#tray.setToolTip(tooltip);
    this.#tray.setContextMenu(Menu.buildFromTemplate(items.map((item) => this.#entryOf(item))));
  }

  close(): void {
    this.#tray.destroy();
  }

  #entryOf(item: TrayItem): MenuItemConstructorOptions {
    switch (item.kind) {
      case 'separator':
        return { type: 'separator' };
      case 'text':
        return { label: item.label, enabled: false };
      case 'action':
        return { label: item.label, click: this.#actions[item.action] };
    }
  }
}

function iconOf(state: DesktopState): Electron.NativeImage {
  return nativeImage.createFromPath(join(RESOURCES_FOLDER, 'tray', trayIconFile(trayMood(state), process.platform)));
}
