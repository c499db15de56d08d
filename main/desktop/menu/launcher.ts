import { app, Menu } from 'electron';
import type { DesktopState, ScreenName } from '../../../preload/contract.ts';
import { APPLICATION_ID } from '../../platform/autostart.ts';
import { VERSION } from '../../platform/version.ts';
import { dockBadge, dockMenu, userTasks } from './launcher-menus.ts';

/** Fills what the system shows of the application beside its windows: About, the Dock on macOS, the task bar on Windows. */
export function showLauncherMenus(open: (screen: ScreenName) => void): { render(state: DesktopState): void } {
  app.setAboutPanelOptions({
    applicationName: app.name,
    applicationVersion: VERSION,
    copyright: 'Copyright © the authors of Causeway',
  });
  if (process.platform === 'win32') {
    // Without it, notifications and the jump list belong to no application.
    app.setAppUserModelId(APPLICATION_ID);
    app.setUserTasks(userTasks(process.execPath, app.isPackaged ? [] : [app.getAppPath()]));
  }
  const entries = dockMenu().map(({ label, screen }) => ({ label, click: () => open(screen) }));
  app.dock?.setMenu(Menu.buildFromTemplate(entries));
  return { render: (state) => app.dock?.setBadge(dockBadge(state)) };
}
