import { describe, expect, it } from 'vitest';
import { startPageAt } from '../../../main/desktop/window/navigation.ts';
import { windowLook, windowMaterial } from '../../../main/desktop/window/window-options.ts';

describe('the window on each system', () => {
  const macOS = { platform: 'darwin', release: '24.1.0' } as const;
  const windows11 = { platform: 'win32', release: '10.0.22631' } as const;
  const windows10 = { platform: 'win32', release: '10.0.19045' } as const;
  const linux = { platform: 'linux', release: '6.8.0-45-generic' } as const;

  it.each([
    ['macOS', macOS, 'vibrancy'],
    ['Windows 11', windows11, 'mica'],
    ['the first Windows 11, which draws none', { platform: 'win32', release: '10.0.22000' } as const, undefined],
    ['Windows 10', windows10, undefined],
    ['Linux', linux, undefined],
  ])('has its background material: %s', (_name, system, material) => {
    expect(windowMaterial(system)).toBe(material);
  });

  it('has a hidden title bar and a translucent sidebar on macOS', () => {
    expect(windowLook(macOS, false)).toEqual({
      titleBarStyle: 'hiddenInset',
      vibrancy: 'sidebar',
      visualEffectState: 'followWindow',
      backgroundColor: '#00000000',
    });
  });

  it('lets Mica through on Windows 11', () => {
    expect(windowLook(windows11, true)).toEqual({
      autoHideMenuBar: true,
      backgroundMaterial: 'mica',
      backgroundColor: '#00000000',
    });
  });

  it.each([
    ['light', false, '#ffffff'],
    ['dark', true, '#1c1f23'],
  ])('has the page’s own background elsewhere: %s', (_name, isDark, backgroundColor) => {
    expect(windowLook(linux, isDark)).toEqual({ autoHideMenuBar: true, backgroundColor });
    expect(windowLook(windows10, isDark)).toEqual({ autoHideMenuBar: true, backgroundColor });
  });

  it('informs its page about the material', () => {
    expect(startPageAt('servers', 'a b', 'mica')).toBe('app://causeway/index.html?material=mica#servers/a%20b');
    expect(startPageAt()).toBe('app://causeway/index.html');
  });
});
