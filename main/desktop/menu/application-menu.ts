import type { MenuItemConstructorOptions } from 'electron';
import type { ScreenName, WindowCommand } from '../../../preload/contract.ts';
import { SCREEN_TITLES, SCREENS } from '../../../preload/screens.ts';
import { strings } from './strings.ts';

/** What an entry of the application menu does. */
export type MenuCommand =
  /** `section` is a part of the screen, by the name that the window gives it. */
  | { do: 'show'; screen: ScreenName; section?: string }
  /** The window does it: it has the palette and the list of shortcuts. */
  | { do: 'in-window'; command: WindowCommand }
  | { do: 'check-for-updates' }
  | { do: 'open-address'; address: string };

/** One entry of a menu, as data: Electron's own role, a command of ours, or a menu. */
export type MenuEntry =
  | { type: 'separator' }
  | { role: NonNullable<MenuItemConstructorOptions['role']>; label?: string }
  | { label: string; accelerator?: string; command: MenuCommand }
  | { label: string; role?: 'help' | 'window'; submenu: MenuEntry[] };

/** Where the project is found; undefined while it has no public address (docs/decisions/0016). */
export interface ProjectAddresses {
  homepage?: string | undefined;
  bugs?: string | undefined;
}

const SEPARATOR: MenuEntry = { type: 'separator' };

/**
 * The application's menu. On macOS it is the bar at the top; elsewhere it is hidden until Alt is pressed, and its shortcuts
 * work anyway.
 */
export function applicationMenu(platform: NodeJS.Platform, addresses: ProjectAddresses = {}): MenuEntry[] {
  const isMac = platform === 'darwin';
  return [
    ...(isMac ? [macApplicationMenu()] : []),
    { label: strings.file, submenu: isMac ? [{ role: 'close' }] : fileMenu() },
    { label: strings.edit, submenu: editMenu(isMac) },
    { label: strings.view, submenu: viewMenu() },
    { label: strings.go, submenu: goMenu() },
    { label: strings.window, role: 'window', submenu: windowMenu(isMac) },
    { label: strings.help, role: 'help', submenu: helpMenu(isMac, addresses) },
  ];
}

/** Its label is the application's name, which macOS adds on its own. */
function macApplicationMenu(): MenuEntry {
  return {
    label: 'Causeway',
    submenu: [
      { role: 'about', label: strings.about },
      CHECK_FOR_UPDATES,
      SEPARATOR,
      SETTINGS,
      SEPARATOR,
      { role: 'services' },
      SEPARATOR,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      SEPARATOR,
      { role: 'quit', label: strings.quit },
    ],
  };
}

const CHECK_FOR_UPDATES: MenuEntry = { label: strings.checkForUpdates, command: { do: 'check-for-updates' } };
/** The window's own: GTK's panel has buttons for credits and a license that show nothing. */
const ABOUT: MenuEntry = { label: strings.about, command: { do: 'show', screen: 'settings', section: 'about' } };
const SETTINGS: MenuEntry = {
  label: strings.settings,
  accelerator: 'CommandOrControl+,',
  command: { do: 'show', screen: 'settings' },
};

function fileMenu(): MenuEntry[] {
  return [SETTINGS, SEPARATOR, { role: 'close' }, { role: 'quit', label: strings.quit }];
}

function editMenu(isMac: boolean): MenuEntry[] {
  const paste: MenuEntry[] = isMac ? [{ role: 'paste' }, { role: 'pasteAndMatchStyle' }] : [{ role: 'paste' }];
  return [
    { role: 'undo' },
    { role: 'redo' },
    SEPARATOR,
    { role: 'cut' },
    { role: 'copy' },
    ...paste,
    { role: 'delete' },
    { role: 'selectAll' },
  ];
}

function viewMenu(): MenuEntry[] {
  return [
    { label: strings.palette, accelerator: 'CommandOrControl+K', command: { do: 'in-window', command: 'palette' } },
    SEPARATOR,
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    SEPARATOR,
    { role: 'togglefullscreen' },
  ];
}

/** Ctrl or Cmd with a number, in the order of the navigation. */
function goMenu(): MenuEntry[] {
  return SCREENS.map((screen, index) => ({
    label: SCREEN_TITLES[screen],
    accelerator: `CommandOrControl+${index + 1}`,
    command: { do: 'show', screen },
  }));
}

function windowMenu(isMac: boolean): MenuEntry[] {
  if (!isMac) return [{ role: 'minimize' }];
  return [{ role: 'minimize' }, { role: 'zoom' }, SEPARATOR, { role: 'front' }];
}

function helpMenu(isMac: boolean, { homepage, bugs }: ProjectAddresses): MenuEntry[] {
  const address = (label: string, to: string | undefined): MenuEntry[] =>
    to === undefined ? [] : [{ label, command: { do: 'open-address', address: to } }];
  return [
    ...address(strings.documentation, homepage),
    { label: strings.shortcuts, accelerator: 'CommandOrControl+/', command: { do: 'in-window', command: 'shortcuts' } },
    SEPARATOR,
    { label: strings.supportReport, command: { do: 'show', screen: 'diagnostics', section: 'report' } },
    ...address(strings.reportProblem, bugs),
    ...(isMac ? [] : [SEPARATOR, CHECK_FOR_UPDATES, ABOUT]),
  ];
}

/** The menu as Electron takes it: `run` carries out the commands. */
export function menuTemplate(
  entries: readonly MenuEntry[],
  run: (command: MenuCommand) => void,
): MenuItemConstructorOptions[] {
  return entries.map((entry) => {
    if ('submenu' in entry) return { ...entry, submenu: menuTemplate(entry.submenu, run) };
    if (!('command' in entry)) return entry;
    const { command, ...rest } = entry;
    return { ...rest, click: () => run(command) };
  });
}
