import type { MenuItemConstructorOptions } from 'electron';

/**
 * The application's menu. On macOS it is the bar at the top; elsewhere it is hidden until Alt, and provides
 * the shortcuts for close, copy and zoom.
 */
export function applicationMenu(platform: NodeJS.Platform): MenuItemConstructorOptions[] {
  const view: MenuItemConstructorOptions = {
    label: 'View',
    submenu: [{ role: 'resetZoom' }, { role: 'zoomIn' }, { role: 'zoomOut' }],
  };
  if (platform === 'darwin') return [{ role: 'appMenu' }, { role: 'editMenu' }, view, { role: 'windowMenu' }];
  return [{ label: 'File', submenu: [{ role: 'close' }, { role: 'quit' }] }, { role: 'editMenu' }, view];
}
