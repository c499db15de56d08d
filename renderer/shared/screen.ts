import { useEffect, useSyncExternalStore } from 'react';
import type { ScreenName } from '../../preload/contract.ts';
import { isScreen } from '../../preload/screens.ts';

export { SCREEN_TITLES } from '../../preload/screens.ts';

/** The screen that the page's address names behind its `#`. */
export function screenIn(hash: string): ScreenName {
  const [name = ''] = hash.slice(1).split('/');
  return isScreen(name) ? name : 'warehouse';
}

/** The one thing on that screen that the address names after a `/`: a server by its name, say. */
function itemIn(hash: string): string | null {
  const [, item = ''] = hash.slice(1).split('/');
  return item === '' ? null : decodeURIComponent(item);
}

/** The screen that is shown: the address says which, so that links, keys and the tray all lead there alike. */
export function useScreen(): ScreenName {
  useEffect(() => window.causeway.on.screenWanted(({ screen, item }) => showScreen(screen, item)), []);
  return screenIn(useSyncExternalStore(subscribe, () => location.hash));
}

/** What the screen that is shown is to show of all that it has; null for all of it. */
export function useItem(): string | null {
  return itemIn(useSyncExternalStore(subscribe, () => location.hash));
}

export function showScreen(screen: ScreenName, item: string | null = null): void {
  location.hash = addressOf(screen, item).slice(1);
}

/** Where a link to a screen, or to one thing on it, leads. */
export function addressOf(screen: ScreenName, item: string | null = null): string {
  return item === null ? `#${screen}` : `#${screen}/${encodeURIComponent(item)}`;
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}
