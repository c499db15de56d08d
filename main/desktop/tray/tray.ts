import { join } from 'node:path';
import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';
import type { DesktopState } from '../../../preload/contract.ts';
import { displayText } from '../../platform/display.ts';
import { RESOURCES_FOLDER } from '../places.ts';
import type { TrayAction } from './tray-action.ts';
import { menuLabel, type TrayItem } from './tray-item.ts';
import { trayClick, trayIconFile, trayMood, trayTooltip } from './tray-look.ts';
import { trayMenu } from './tray-menu.ts';

/** The icon in the system's tray. Redrawn from the state only if what it shows has changed. */
export class CausewayTray {
  readonly #act: (action: TrayAction) => Promise<void>;
  #tray: Tray;
  #state: DesktopState;
  #shown = '';

  constructor(act: (action: TrayAction) => Promise<void>, state: DesktopState) {
    this.#act = act;
    this.#state = state;
    this.#tray = this.#newTray();
    this.render(state);
  }

  /** Creates the icon again, for a panel that has just appeared. */
  showAgain(): void {
    if (this.#tray.isDestroyed()) return;
    this.#tray.destroy();
    this.#tray = this.#newTray();
    this.#shown = '';
    this.render(this.#state);
  }

  render(state: DesktopState): void {
    this.#state = state;
    const items = trayMenu(state);
    const tooltip = displayText(trayTooltip(state));
    // On Linux, replacing an open menu closes it.
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

  #newTray(): Tray {
    const tray = new Tray(iconOf(this.#state));
    if (trayClick(process.platform) === 'window') {
      tray.on('click', () => void this.#act({ do: 'open', screen: 'warehouse' }));
    }
    return tray;
  }

  #entryOf(item: TrayItem): MenuItemConstructorOptions {
    switch (item.kind) {
      case 'separator':
        return { type: 'separator' };
      case 'text':
        return { label: menuLabel(item.label), enabled: false };
      case 'action':
        return { label: menuLabel(item.label), click: () => void this.#act(item.action) };
      case 'submenu':
        return { label: menuLabel(item.label), submenu: item.items.map((inner) => this.#entryOf(inner)) };
      case 'choice': {
        const { label, chosen, action } = item;
        return {
          // Radio items would be one group only up to a separator, and Electron marks the first of each group.
          type: 'checkbox',
          label: menuLabel(label),
          checked: chosen,
          enabled: action !== null,
          click: () => action && void this.#choose(action),
        };
      }
    }
  }

  /** The system marks the clicked item even if the action fails, so the menu is redrawn from the state afterwards. */
  async #choose(action: TrayAction): Promise<void> {
    await this.#act(action);
    this.#shown = '';
    if (!this.#tray.isDestroyed()) this.render(this.#state);
  }
}

function iconOf(state: DesktopState): Electron.NativeImage {
  return nativeImage.createFromPath(join(RESOURCES_FOLDER, 'tray', trayIconFile(trayMood(state), process.platform)));
}
