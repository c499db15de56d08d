import type { MenuItemConstructorOptions } from 'electron';

/**
 * The application's menu. On macOS it is the bar at the top; elsewhere it stays hidden until Alt, and is there for its
 * keys: closing, copying, larger and smaller text.
 */
export function applicationMenu(platform: NodeJS.Platform): MenuItemConstructorOptions[] {
  const view: MenuItemConstructorOptions = {
    label: 'View',
    submenu: [{ role: 'resetZoom' }, { role: 'zoomIn' }, { role: 'zoomOut' }],
  };
  if (platform === 'darwin') return [{ role: 'appMenu' }, { role: 'editMenu' }, view, { role: 'windowMenu' }];
  return [{ label: 'File', submenu: [{ role: 'close' }, { role: 'quit' }] }, { role: 'editMenu' }, view];
}
