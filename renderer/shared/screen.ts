import { useEffect, useRef, useSyncExternalStore } from 'react';
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

/** What is to be done on a screen as soon as it is shown. */
export type ScreenAction = 'add';

/** Shows a screen and starts something on it, such as the dialog that adds a server. */
export function startOnScreen(screen: ScreenName, action: ScreenAction): void {
  location.hash = `${screen}//${action}`;
}

/** Calls `start` when the screen was opened for this action. The address forgets it, so that it starts once. */
export function useScreenAction(action: ScreenAction, start: () => void): void {
  const [screen = '', item, wanted] = useSyncExternalStore(subscribe, () => location.hash)
    .slice(1)
    .split('/');
  const isWanted = item === '' && wanted === action;
  const latest = useRef(start);
  latest.current = start;
  useEffect(() => {
    if (!isWanted) return;
    history.replaceState(null, '', `#${screen}`);
    latest.current();
  }, [isWanted, screen]);
}

/** Where a link to a screen, or to one thing on it, leads. */
export function addressOf(screen: ScreenName, item: string | null = null): string {
  return item === null ? `#${screen}` : `#${screen}/${encodeURIComponent(item)}`;
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

/**
 * A part of a screen that its address may name, as in `#settings/about`, and that then comes into sight.
 * @param isLaidOut whether what is above it has its height
 */
export function useSection(section: string, isLaidOut = true): React.RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const isWanted = useItem() === section && isLaidOut;
  useEffect(() => {
    if (!isWanted) return;
    const show = () => void place.current?.scrollIntoView({ block: 'start' });
    // After the frame has gone to the top of a screen that has just opened.
    const frame = requestAnimationFrame(show);
    // Asked for again, the address stays as it is.
    const end = window.causeway.on.screenWanted(({ item }) => {
      if (item === section) show();
    });
    return () => {
      cancelAnimationFrame(frame);
      end();
    };
  }, [isWanted, section]);
  return place;
}
