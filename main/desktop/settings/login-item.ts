import { app } from 'electron';
import { autostartFile, type LoginItem, windowsLoginItem } from '../../platform/autostart.ts';

/** What starts the application at login, by the system's own means. */
export function loginItem(env: NodeJS.ProcessEnv): LoginItem {
  if (process.platform === 'linux') return autostartFile(env, startCommand(env));
  const options = process.platform === 'win32' ? windowsLoginItem(startCommand(env)) : {};
  return {
    isOn: async () => app.getLoginItemSettings(options).openAtLogin,
    set: async (on) => app.setLoginItemSettings({ ...options, openAtLogin: on }),
  };
}

/** An AppImage is started by its own file: what runs is in a folder that goes with it. */
function startCommand(env: NodeJS.ProcessEnv): string[] {
  if (env.APPIMAGE) return [env.APPIMAGE];
  return app.isPackaged ? [process.execPath] : [process.execPath, app.getAppPath()];
}
