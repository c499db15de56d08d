import { useEffect, useSyncExternalStore } from 'react';
import type { ScreenName } from '../../preload/contract.ts';

/** The screens in the order of the navigation. The window opens on the first one. */
export const SCREEN_TITLES: Record<ScreenName, string> = {
  warehouse: 'Warehouse',
  servers: 'Servers',
  clients: 'AI clients',
  activity: 'Activity',
  everyone: 'Everyone',
  accounts: 'Accounts',
  settings: 'Settings',
  diagnostics: 'Diagnostics',
};

/** The screen that the page's address names behind its `#`. */
export function screenIn(hash: string): ScreenName {
  const name = hash.slice(1);
  return isScreen(name) ? name : 'warehouse';
}

/** The screen that is shown: the address says which, so that links, keys and the tray all lead there alike. */
export function useScreen(): ScreenName {
  useEffect(() => window.causeway.on.screenWanted(({ screen }) => showScreen(screen)), []);
  return screenIn(useSyncExternalStore(subscribe, () => location.hash));
}

export function showScreen(screen: ScreenName): void {
  location.hash = screen;
}

function isScreen(name: string): name is ScreenName {
  return Object.hasOwn(SCREEN_TITLES, name);
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}
