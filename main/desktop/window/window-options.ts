import type { BrowserWindowConstructorOptions, WebPreferences } from 'electron';

/** Where the window is shown: `process.platform` and `os.release()`. */
export interface WindowSystem {
  platform: NodeJS.Platform;
  release: string;
}

/** What the system draws behind a window. */
export type WindowMaterial = 'vibrancy' | 'mica';

/** What a page of ours may do, in every window of the application. @param preload the path of the preload script */
export function pagePreferences(preload: string): WebPreferences {
  return {
    preload,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webviewTag: false,
    // Its dictionaries would be downloaded, and there is nothing to spell.
    spellcheck: false,
  };
}

/** The page's own background, so that the window does not flash before the first frame. */
const BACKGROUND = { light: '#ffffff', dark: '#1c1f23' };
const TRANSPARENT = '#00000000';

/** The first build of Windows 11 that draws materials (22H2; Electron › BaseWindow › setBackgroundMaterial). */
const FIRST_MICA_BUILD = 22_621;

/** The material behind the window; undefined if the system has none. */
export function windowMaterial({ platform, release }: WindowSystem): WindowMaterial | undefined {
  if (platform === 'darwin') return 'vibrancy';
  const [, , build] = release.split('.').map(Number);
  return platform === 'win32' && build !== undefined && build >= FIRST_MICA_BUILD ? 'mica' : undefined;
}

/** How the window's frame and background look, as each system has it. */
export function windowLook(system: WindowSystem, isDark: boolean): BrowserWindowConstructorOptions {
  const material = windowMaterial(system);
  if (material === 'vibrancy') {
    return {
      titleBarStyle: 'hiddenInset',
      vibrancy: 'sidebar',
      visualEffectState: 'followWindow',
      backgroundColor: TRANSPARENT,
    };
  }
  return {
    // Alt shows the menu; its shortcuts work anyway.
    autoHideMenuBar: true,
    ...(material === 'mica'
      ? { backgroundMaterial: material, backgroundColor: TRANSPARENT }
      : { backgroundColor: isDark ? BACKGROUND.dark : BACKGROUND.light }),
  };
}
