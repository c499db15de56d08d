import type { ScreenName } from './contract.ts';

/** The screens in the order of the navigation, of the Go menu and of its shortcuts. The window opens on the first one. */
export const SCREEN_TITLES: Record<ScreenName, string> = {
  warehouse: 'Warehouse',
  servers: 'Servers',
  clients: 'AI clients',
  activity: 'Activity',
  overrides: 'Overrides',
  accounts: 'Accounts',
  settings: 'Settings',
  diagnostics: 'Diagnostics',
};

/** The screens in that order. */
export const SCREENS: readonly ScreenName[] = Object.keys(SCREEN_TITLES).filter(isScreen);

export function isScreen(name: string): name is ScreenName {
  return Object.hasOwn(SCREEN_TITLES, name);
}

/** The keys that bring the calls that wait to the front, in any program, as Electron takes them. */
export const REVIEW_SHORTCUT = 'CommandOrControl+Alt+Shift+A';
